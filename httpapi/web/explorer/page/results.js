// The list of hits, how many there are, and what they are sorted by.
import * as address from './address.js'
import * as directory from './directory.js'
import { find, make, tell } from './element.js'
import { isPlaced, nowhere } from './circle.js'
import { offers } from './offers.js'
import { offers as has, understood } from './understood.js'
import { metrics, metricsInside } from './facts.js'
import * as texts from './texts.js'
import { placed } from './where.js'
import { count, decimal, distance, feature, isClosed, now, number, opening, pieces, say, status } from './wording.js'

const list = find('results')
let aside // where closed pubs come last: a fragment with those of the pages so far

/**
 * Shows the first page of an answer, as which said, of understood, is, and so is what the text names without a location; closedLast says whether closed pubs follow the last page, and view what the map shows,
 * for offers when there are no hits.
 */
export function show(answer, next, said, named, { closedLast, view }) {
  const found = count(said.total, texts.pubs)
  find('count').replaceChildren(said.isBest ? say(texts.best_rated_of, { pubs: found }) : found, ...said.heading.map(isolated))
  tell(find('sorted'), answer.total_results > 1 ? `${said.order}${closedLast && answer.results.some(isClosed) ? ` ${texts.closed_come_last}` : ''}` : '')
  const text = address.get('search'), strict = { search: said.instead || text, relax: 'false' }
  const link = (changes, ...words) => [' ', make('a', { href: address.hrefWith(changes), 'data-internal': '' }, ...words)]
  const pubsIn = (n, place) => link({ ...nowhere(), search: `pubs in ${place}` }, count(n, texts.pubs_in, { place }))
  const links = [
    ...said.instead ? link(strict, ...pieces(said.label, { text: make('q', { dir: 'auto' }, said.instead) })) : [],
    ...said.called ? link(strict, ...said.called) : [],
    ...said.inside ? pubsIn(said.inside, said.place) : [],
    ...named?.where && named.where !== said.where ? pubsIn(named.inside ?? named.total, named.where) : [],
    ...text && answer.total_results && isPlaced() ? link(nowhere(), texts.search_everywhere) : [],
  ]
  find('relaxed').replaceChildren(...said.line.map(isolated), ...links.slice(said.line.length ? 0 : 1))
  find('relaxed').hidden = !said.line.length && !links.length
  showUnknown(answer)
  find('nothing').hidden = answer.total_results > 0
  find('offers').replaceChildren(...answer.total_results ? [] : offers(view))
  list.replaceChildren()
  aside = closedLast ? new DocumentFragment() : undefined
  find('column').scrollTop = 0
  append(answer, next)
}

// How many pubs do not say whether they are open, if that was asked, with a link that shows or leaves them out.
function showUnknown({ unknown }) {
  const shown = address.get('open_unknown') === 'true'
  const link = make('a', { href: address.hrefWith({ open_unknown: shown ? '' : 'true' }), 'data-internal': '' }, shown ? texts.leave_them_out : texts.show_them_too)
  find('unknown').hidden = !unknown
  find('unknown').replaceChildren(...unknown ? [count(unknown, shown ? texts.unknown_among : texts.unknown_others), ' ', link] : [])
}

const isolated = part => part.name === undefined ? part : make('bdi', {}, part.name)

/** Adds a further page. */
export function append(answer, next) {
  const wanted = [...new Set([...answer.relaxed?.features ?? [], ...address.get('features').split(',').filter(Boolean)].map(feature))]
  for (const pub of answer.results) (aside && isClosed(pub) ? aside : list).append(hit(pub, answer.sort, wanted))
  if (aside && (!next || !list.children.length)) list.append(aside)
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

/** A hit as a link that opens its pub, with those of the wanted features that it has. */
export function hit(pub, sort, wanted = []) {
  const spans = pub.match?.spans ?? {}
  const about = placed({ ...pub, area: '' }, (text, member) => marked(text, spans[member]))
  if (pub.common_category) about.push(marked(pub.common_category, spans.common_category))
  const asked = address.get('open'), met = wanted.filter(name => has(pub, name)), hours = opening(pub, asked.includes('T') ? asked.slice(0, 16) : now(pub.time_zone))
  return make('li', { 'data-uid': pub.UID },
    make('a', { href: address.hrefWith({ pub: pub.UID }), 'data-pub': pub.UID },
      make('span', { class: 'name', dir: 'auto' }, ...marked(pub.name, spans.name)),
      make('span', { class: 'side' }, figure(pub, sort), pub.distance === undefined ? '' : make('span', { class: 'far' }, distance(pub.distance))),
      make('span', { class: 'about' }, ...parts(about), ...shut(pub)),
      hours && make('span', { class: `hours${pub.open ? ' state' : ''}` }, hours),
      met.length ? make('span', { class: 'hours met' }, met.join(' · ')) : ''))
}

/** That a pub has closed, or whatever else its trading status is; that it is in business is no news. */
export const shut = ({ trading }) => trading && trading !== 'open' ? [make('span', { class: 'state shut' }, status(trading))] : []

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
  const metric = metrics.has(sort) || sort === 'weighted' ? sort : 'total'
  const value = pub[metric], name = metricsInside.get(metric) ?? metric
  if (value === null || value === undefined) return make('span', { class: 'figure none' }, say(texts.no_metric, { metric: name }))
  const from = [metric === 'total' ? '' : name, pub.review_count ? count(pub.review_count, texts.from_reviews) : ''].filter(Boolean).join(' ')
  return make('span', { class: 'figure' }, decimal(value), make('small', {}, ' / 10'), from && make('small', { class: 'from' }, ` ${from}`))
}

/** Reports whether a pub has any rating. */
export const isRated = pub => [...metrics.keys()].some(metric => typeof pub[metric] === 'number')
