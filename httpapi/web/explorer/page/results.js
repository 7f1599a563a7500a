// The list of hits, how many there are, and what they are sorted by.
import * as address from './address.js'
import * as directory from './directory.js'
import { find, make, tell } from './element.js'
import { offers } from './offers.js'
import { understood } from './understood.js'
import { metrics, sorts } from './facts.js'
import * as texts from './texts.js'
import { count, decimal, distance, number, pieces, say, status } from './wording.js'

const list = find('results')

/**
 * Shows the first page of an answer; how says how its hits were chosen. If they are living, closed pubs follow them; view is what the map
 * shows, for offers when there are none. It returns whether all pubs are those of a place.
 */
export function show(answer, next, { heading, how }, { living, view }) {
  const said = understood(address.get('search'), answer)
  const found = count(answer.total_results, living ? texts.open_pubs : texts.pubs)
  find('count').replaceChildren(heading && answer.total_results ? say(heading, { pubs: found }) : found, ...said.heading.map(isolated))
  tell(find('sorted'), answer.total_results > 1 ? `${how}${living ? ` ${texts.closed_come_last}` : ''}` : '')
  const strictly = said.instead && make('a', { href: address.hrefWith({ search: said.instead, relax: 'false', pub: '' }), 'data-internal': '' },
    ...pieces(said.label, { text: make('q', { dir: 'auto' }, said.instead) }))
  find('relaxed').replaceChildren(...said.line.map(isolated), strictly)
  find('relaxed').hidden = !said.instead
  find('nothing').hidden = answer.total_results > 0
  find('offers').replaceChildren(...answer.total_results ? [] : offers(view))
  list.replaceChildren()
  find('column').scrollTop = 0
  append(answer, next)
  return said.whole
}

const isolated = part => part.name === undefined ? part : make('bdi', {}, part.name)

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
  find('count').textContent = texts.no_answer
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
  const spans = pub.match?.spans ?? {}
  const place = [['address', pub.address], ['location', pub.location], ['postcode', unbroken(pub.postcode)]].filter(([, text]) => text)
    .map(([field, text]) => marked(text, spans[field]))
  const about = [...place.length ? place : [[texts.location_unknown]], ...pub.common_category ? [marked(pub.common_category, spans.common_category)] : []]
  const shut = pub.trading && pub.trading !== 'open' ? [make('span', { class: 'shut' }, status(pub.trading))] : []
  return make('li', { 'data-uid': pub.UID },
    make('a', { href: address.hrefWith({ pub: pub.UID }), 'data-pub': pub.UID },
      make('span', { class: 'name', dir: 'auto' }, ...marked(pub.name, spans.name)),
      make('span', { class: 'side' }, figure(pub, sort), pub.distance === undefined ? '' : make('span', { class: 'far' }, distance(pub.distance))),
      make('span', { class: 'about' }, ...parts(about), ...shut)))
}

/** A postcode that stays on one line. */
export const unbroken = postcode => postcode?.replaceAll(' ', '\u00a0')

/** Untrusted texts side by side, each isolated so that it cannot change the direction of the others; a list is one text with marks. */
export const parts = all => all.map((text, i) => make('span', { class: i ? 'part' : '', dir: 'auto' }, ...[text].flat()))

// A text with marks where words matched; spans are [from, to] in code points, in order.
function marked(text, spans = []) {
  const points = Array.from(text), cut = []
  let at = 0
  for (const [from, to] of spans) {
    cut.push(points.slice(at, from).join(''), make('mark', {}, points.slice(from, to).join('')))
    at = to
  }
  return [...cut, points.slice(at).join('')]
}

// The figure of a hit is its sort key if that is a rating, otherwise its total. The fair score is no figure of its own: it orders by the total,
// counted with care.
function figure(pub, sort) {
  if (sort === 'review_count') return make('span', { class: 'figure' }, number(pub.review_count), make('small', {}, count(pub.review_count, texts.reviews, { n: '' })))
  if (!isRated(pub)) return directory.known.rated ? make('span', { class: 'figure none' }, texts.not_rated) : ''
  const metric = sort in metrics || sort === 'weighted' ? sort : 'total'
  const value = pub[metric], name = metric in metrics ? sorts[metric] : metric
  if (value === null || value === undefined) return make('span', { class: 'figure none' }, say(texts.no_metric, { metric: name }))
  const from = [metric === 'total' ? '' : name, pub.review_count ? count(pub.review_count, texts.from_reviews) : ''].filter(Boolean).join(' ')
  return make('span', { class: 'figure' }, decimal(value), make('small', {}, ' / 10'), from && make('small', { class: 'from' }, ` ${from}`))
}

/** Reports whether a pub has any rating. */
export const isRated = pub => Object.keys(metrics).some(metric => typeof pub[metric] === 'number')
