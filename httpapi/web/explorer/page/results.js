// The list of hits, how many there are, and what they are sorted by.
import * as address from './address.js'
import * as directory from './directory.js'
import { find, make, tell } from './element.js'
import { offers } from './offers.js'
import { understood } from './understood.js'
import { metrics, metricsInside } from './facts.js'
import * as texts from './texts.js'
import { placed } from './where.js'
import { count, decimal, distance, isClosed, number, opening, pieces, say, status, today } from './wording.js'

const list = find('results')
let aside // where closed pubs come last: a fragment with those of the pages so far

/**
 * Shows the first page of an answer; how says how its hits were chosen, closedLast whether closed pubs follow the last page, and view what the
 * map shows, for offers when there are no hits.
 */
export function show(answer, next, { heading, how }, { closedLast, view }) {
  const said = understood(address.get('search'), answer)
  const found = count(said.total, texts.pubs)
  find('count').replaceChildren(heading && answer.total_results ? say(heading, { pubs: found }) : found, ...said.heading.map(isolated))
  tell(find('sorted'), answer.total_results > 1 ? `${how}${closedLast && answer.results.some(isClosed) ? ` ${texts.closed_come_last}` : ''}` : '')
  const strictly = said.instead && make('a', { href: address.hrefWith({ search: said.instead, relax: 'false' }), 'data-internal': '' },
    ...pieces(said.label, { text: make('q', { dir: 'auto' }, said.instead) }))
  find('relaxed').replaceChildren(...said.line.map(isolated), strictly)
  find('relaxed').hidden = !said.line.length && !strictly
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
  for (const pub of answer.results) (aside && isClosed(pub) ? aside : list).append(hit(pub, answer.sort))
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

/** A hit as a link that opens its pub. */
export function hit(pub, sort) {
  const spans = pub.match?.spans ?? {}
  const about = placed({ ...pub, area: '' }, (text, member) => marked(text, spans[member]))
  if (pub.common_category) about.push(marked(pub.common_category, spans.common_category))
  const asked = address.get('open'), hours = opening(pub, asked.includes('T') ? asked.slice(0, 10) : today(pub.time_zone))
  return make('li', { 'data-uid': pub.UID },
    make('a', { href: address.hrefWith({ pub: pub.UID }), 'data-pub': pub.UID },
      make('span', { class: 'name', dir: 'auto' }, ...marked(pub.name, spans.name)),
      make('span', { class: 'side' }, figure(pub, sort), pub.distance === undefined ? '' : make('span', { class: 'far' }, distance(pub.distance))),
      make('span', { class: 'about' }, ...parts(about), ...shut(pub)),
      hours && make('span', { class: `hours${pub.open ? ' state' : ''}` }, hours)))
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
