// The list of hits, how many there are, and what they are sorted by.
import * as address from './address.js'
import { find, make, tell } from './element.js'
import { count, distance, metrics, number, status } from './wording.js'

const list = find('results')

/** Shows the first page of an answer; how says how its hits were chosen. */
export function show(answer, next, { heading, how }) {
  const title = find('count')
  if (answer.total_results) title.textContent = heading ? `${heading} of ${count(answer.total_results, 'pub')}` : count(answer.total_results, 'pub')
  else title.textContent = count(0, 'pub')
  tell(find('sorted'), answer.total_results > 1 ? how : '')
  showRelaxed(answer.relaxed)
  find('nothing').hidden = answer.total_results > 0
  list.replaceChildren()
  find('column').scrollTop = 0
  append(answer, next)
}

// Says that corrected words matched, and offers a search for the typed ones.
function showRelaxed(relaxed) {
  const place = find('relaxed'), typed = address.get('search')
  place.hidden = !relaxed
  if (!relaxed) return place.replaceChildren()
  const strictly = make('a', { href: address.hrefWith({ relax: 'false', pub: '' }), 'data-internal': '' }, 'Search for ', make('q', { dir: 'auto' }, typed), ' instead')
  const found = make('q', { dir: 'auto' }, relaxed.corrected ?? relaxed.query)
  place.replaceChildren(...relaxed.corrected ? ['Showing results for ', found, '.'] : ['No exact matches. Showing results for ', found, '.'], strictly)
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
  tell(find('sorted'), '')
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

/** A hit as a link that opens its pub. */
export function hit(pub, sort) {
  const place = [pub.address, pub.location, unbroken(pub.postcode)].filter(Boolean)
  const shut = pub.trading && pub.trading !== 'open' ? [make('span', { class: 'shut' }, status(pub.trading))] : []
  return make('li', { 'data-uid': pub.UID },
    make('a', { href: address.hrefWith({ pub: pub.UID }), 'data-pub': pub.UID },
      make('span', { class: 'name', dir: 'auto' }, pub.name),
      figure(pub, sort),
      make('span', { class: 'about' }, ...parts([...place.length ? place : ['Location unknown'], pub.common_category].filter(Boolean)), ...shut),
      pub.distance === undefined ? '' : make('span', { class: 'far' }, distance(pub.distance))))
}

/** A postcode that stays on one line. */
export const unbroken = postcode => postcode?.replaceAll(' ', '\u00a0')

/** Untrusted texts side by side, each isolated so that it cannot change the direction of the others. */
export const parts = texts => texts.map((text, i) => make('span', { class: i ? 'part' : '', dir: 'auto' }, text))

// The figure of a hit is its sort key if that is a score, otherwise its total.
function figure(pub, sort) {
  if (sort === 'review_count') return make('span', { class: 'figure' }, number(pub.review_count), make('small', {}, pub.review_count === 1 ? 'review' : 'reviews'))
  if (!isRated(pub)) return make('span', { class: 'figure none' }, 'Not rated')
  const metric = sort in metrics || sort === 'fair' || sort === 'weighted' ? sort : 'total'
  const value = pub[metric], name = { fair: 'fair score', weighted: 'weighted' }[metric] ?? metrics[metric].toLowerCase()
  if (value === null || value === undefined) return make('span', { class: 'figure none' }, `No ${name}`)
  return make('span', { class: 'figure' }, value.toFixed(metric === 'fair' ? 2 : 1), make('small', {}, name))
}

/** Reports whether a pub has any rating. */
export const isRated = pub => Object.keys(metrics).some(metric => typeof pub[metric] === 'number')
