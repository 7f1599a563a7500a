// The list of hits, and how many there are.
import * as address from './address.js'
import { find, make, tell } from './element.js'
import { count, kilometres, metrics, number, status } from './wording.js'

const list = find('results')

/** Shows the first page of an answer. */
export function show(answer, next) {
  find('count').textContent = count(answer.total_results, 'pub')
  const { relaxed } = answer
  tell(find('relaxed'), relaxed ? `Nothing matches exactly. These come near “${relaxed.query}”.` : '')
  find('nothing').hidden = answer.total_results > 0
  list.replaceChildren()
  find('hits').scrollTop = 0
  append(answer, next)
}

/** Adds a further page. */
export function append(answer, next) {
  list.append(...answer.results.map(pub => hit(pub, answer.sort)))
  find('more').hidden = !next
  mark(address.get('pub'))
}

/** Marks the pub that is open. */
export function mark(uid) {
  for (const item of list.children) {
    if (item.dataset.uid === uid) item.firstChild.setAttribute('aria-current', 'true')
    else item.firstChild.removeAttribute('aria-current')
  }
}

/** Puts the focus on the hit of a pub, else on the first; false without hits. */
export function focus(uid) {
  const item = [...list.children].find(item => item.dataset.uid === uid) ?? list.firstElementChild
  item?.firstChild.focus()
  return Boolean(item)
}

export const clear = () => {
  list.replaceChildren()
  find('count').textContent = 'No answer'
  find('more').hidden = find('nothing').hidden = true
  tell(find('relaxed'), '')
}

list.addEventListener('keydown', event => {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key]
  const item = event.target.closest('li')
  if (!step || !item) return
  event.preventDefault()
  const other = item[step]
  if (other) other.firstChild.focus()
  else if (event.key === 'ArrowUp') find('search').focus()
  else if (!find('more').hidden) find('more').focus()
})

function hit(pub, sort) {
  const about = [pub.location, pub.common_category].filter(Boolean).join(' · ')
  const shut = pub.trading && pub.trading !== 'open' ? make('span', { class: 'shut' }, status(pub.trading)) : ''
  return make('li', { 'data-uid': pub.UID },
    make('a', { href: address.hrefWith({ pub: pub.UID }), 'data-pub': pub.UID },
      make('span', { class: 'name', dir: 'auto' }, pub.name),
      figure(pub, sort),
      make('span', { class: 'about' }, make('span', { dir: 'auto' }, about || 'Location not known'), shut),
      pub.distance === undefined ? '' : make('span', { class: 'far' }, kilometres(pub.distance))))
}

// The figure of a hit is what it is sorted by where that is a score, else its total.
function figure(pub, sort) {
  if (sort === 'review_count') return make('span', { class: 'figure' }, number(pub.review_count))
  const metric = sort in metrics || sort === 'fair' || sort === 'weighted' ? sort : 'total'
  const value = pub[metric]
  if (value === null || value === undefined) return make('span', { class: 'figure none' }, make('span', { class: 'unseen' }, 'not rated'), '–')
  return make('span', { class: 'figure', title: metrics[metric] ?? metric }, value.toFixed(metric === 'fair' ? 2 : 1))
}
