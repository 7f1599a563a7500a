// The panel of a pub: its position, directions, its ratings and ranks, and the nearest pubs.
import { askJSON, pubs, quietly } from './api.js'
import * as directory from './directory.js'
import * as address from './address.js'
import { copies } from './clipboard.js'
import { find, make } from './element.js'
import { corrections } from './face.js'
import { hit, isRated, parts, shut } from './results.js'
import { metrics, metricsInside } from './facts.js'
import * as texts from './texts.js'
import { placed, where } from './where.js'
import { count, decimal, distance, feature, inKilometres, isClosed, now, number, opening, pieces, rank, say, status, weekday, weekdays } from './wording.js'

const nearby = 1.6 // km
const radii = [1, 2, 5, 10, 20, 50, 100] // of either unit
const most = 5 // pubs nearby
const mapSite = 'https://www.openstreetmap.org' // which is only linked to
const appleMaps = 'https://maps.apple.com' // too
const panel = find('pub')
const extras = 'rankings,local_rankings,label,address,extra,features,hours,brand'

export const target = uid => `${pubs}?${address.readable(new URLSearchParams({ pubid: uid, include: extras }))}`

/** Fetches a pub and shows it; returns the pub. */
export async function open(uid, signal) {
  try {
    const [{ body }, known] = await Promise.all([askJSON(target(uid), signal), directory.learn()])
    signal.throwIfAborted() // the visitor may have moved on meanwhile
    const [pub] = body.results
    show(pub, known)
    if (pub.latitude !== null) showNearby(pub, signal)
    return pub
  } catch (error) {
    if (error.name === 'AbortError') throw error
    fill(make('h2', { id: 'pub-name', tabindex: '-1' }, ...pieces(texts.pub_not_shown, { uid: make('bdi', {}, uid) })), error.status === 404 ? '' : make('p', { class: 'hint' }, error.message))
    throw error
  }
}

export function close() {
  panel.hidden = true
  panel.replaceChildren()
}

/** Puts the focus on the pub's name. */
export const focus = () => find('pub-name')?.focus({ preventScroll: true })

function fill(...children) {
  panel.replaceChildren(make('button', { id: 'close-pub', type: 'button', 'aria-label': texts.close_pub }, '✕'), ...children)
  panel.hidden = false
  panel.scrollTop = 0
}

function show(pub, { rated, metrics: counts }) {
  const hours = opening(pub, now(pub.time_zone)), state = hours ? [make('span', { class: pub.open ? 'state' : 'state shut' }, hours)] : []
  const children = [
    make('h2', { id: 'pub-name', tabindex: '-1', dir: 'auto' }, pub.name),
    make('address', { class: 'where' }, ...parts(placed(pub))),
    make('p', { class: 'kind' }, ...shut(pub), ...state, ...parts([pub.common_category].filter(Boolean))),
  ]
  if (pub.namesakes) {
    children.push(make('p', { class: 'hint' }, make('a', { href: address.href({ search: pub.name }), 'data-internal': '' }, count(pub.namesakes, texts.namesakes))))
  }
  children.push(links(pub), ...week(pub), ...extra(pub))
  if (isRated(pub)) {
    children.push(make('div', { class: 'ratings' }, ...[...metrics.keys()].filter(metric => pub[metric] !== null).map(metric => row(pub, metric, counts?.[metric].count))))
    if (pub.review_count) children.push(make('p', { class: 'hint' }, count(pub.review_count, texts.based_on_reviews)))
  } else if (rated) children.push(make('p', { class: 'unrated' }, texts.not_rated_yet))
  if (pub.latitude === null) children.push(make('p', { class: 'hint' }, texts.position_unknown))
  fill(...children)
}

const link = (text, href, more = {}) => make('a', { class: 'action', href, ...more }, text)
const out = { target: '_blank', rel: 'noopener noreferrer' }

// Only phones are known to have an app for such links: Android for geo, Apple's for maps.apple.com.
function directions({ latitude, longitude, name }) {
  const at = `${latitude},${longitude}`
  if (/Android/.test(navigator.userAgent)) return link(texts.directions, `geo:${at}?q=${at}(${encodeURIComponent(name).replace(/[()']/g, sign => `%${sign.charCodeAt().toString(16)}`)})`)
  if (/iPhone|iPad|iPod/.test(navigator.userAgent)) return link(texts.directions, `${appleMaps}/?daddr=${encodeURIComponent(at)}`, out)
  return link(texts.directions, `${mapSite}/directions?to=${encodeURIComponent(at)}`, out)
}

// Actions for a pub: directions, sharing, calling.
function links(pub) {
  const children = pub.latitude === null ? [] : [directions(pub)]
  const place = where({ ...pub, area: '' }).map(([, text]) => text)
  if (place.length) {
    const button = make('button', { class: 'action', type: 'button', id: 'copy-address' }, texts.copy_address)
    copies(button, () => [pub.name, ...place].join(', '))
    children.push(button)
  }
  if (pub.latitude !== null) children.push(link(texts.map, `${mapSite}/?mlat=${pub.latitude}&mlon=${pub.longitude}#map=17/${pub.latitude}/${pub.longitude}`, out))
  const also = { ...pub.extra, ...pub } // a column of its own, or an extra one
  const phone = String(also.phone ?? '').trim()
  if (/^\+?[\d\s().\-/]{3,30}$/.test(phone)) children.push(link(texts.call, `tel:${phone.replace(/[^\d+]/g, '')}`, { title: phone }))
  const website = webAddress(also.website)
  if (website) children.push(link(texts.website, website, out))
  const url = new URL(address.href({ pub: pub.UID }), location.href).href
  const share = make('button', { class: 'action', type: 'button', id: 'share' }, navigator.share ? texts.share : texts.copy_link)
  if (navigator.share) share.addEventListener('click', () => navigator.share({ title: pub.name, url }).catch(() => {}))
  else copies(share, () => url)
  children.push(share)
  if (corrections) children.push(link(texts.suggest_correction, corrections.replaceAll('{uid}', encodeURIComponent(pub.UID)), out))
  return make('p', { class: 'actions' }, ...children)
}

// An untrusted web address; undefined unless it is a plain http or https link.
function webAddress(text) {
  if (typeof text !== 'string' || !text.trim()) return undefined
  const given = text.trim()
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:/i.test(given) ? given : `//${given}`, mapSite)
    return ['http:', 'https:'].includes(url.protocol) && url.hostname.includes('.') && !url.username && !url.password ? url.href : undefined
  } catch {
    return undefined
  }
}

// The hours of a week, with today marked; those of before for a pub that has closed are left out.
function week(pub) {
  if (!pub.week || isClosed(pub)) return []
  return [make('table', { class: 'week' }, make('caption', {}, texts.opening_hours), make('tbody', {}, ...pub.week.map((spans, day) =>
    make('tr', day === weekday(now(pub.time_zone)) ? { 'aria-current': 'date' } : {}, make('th', { scope: 'row' }, weekdays[day]), make('td', {}, spans.join(', ').replaceAll('-', '–') || texts.status_closed)))))]
}

// What the pub offers, and the other members that it has, as text.
function extra(pub) {
  const said = denied => (pub.features ?? []).filter(name => name.startsWith('-') === denied).map(name => feature(name.replace('-', ''))).join(', ')
  const rows = [[texts.chain, pub.brand], [texts.opening_hours, pub.week ? null : pub.opening_hours], [texts.offers, said(false)], [texts.offers_not, said(true)],
    ...Object.entries(pub.extra ?? {}).filter(([name]) => name !== 'website').map(([name, value]) => [status(name), value])].filter(([, value]) => value)
  if (!rows.length) return []
  return [make('dl', { class: 'extra' }, ...rows.flatMap(([name, value]) => [make('dt', {}, name), make('dd', { dir: 'auto' }, String(value))]))]
}

function row(pub, metric, ranked) {
  const value = pub[metric], global = pub.rankings[metric], local = pub.local_rankings[metric]
  const id = `rating-${metric}`
  const meter = make('meter', { min: 0, max: 10, value, 'aria-labelledby': id }, say(texts.of_ten, { value: number(value) }))
  meter.style.setProperty('--part', `${10 * value}%`)
  const ranking = () => say(ranked ? texts.rank_of_for : texts.rank_for, { rank: rank(global), of: number(ranked ?? 0), metric: metricsInside.get(metric) })
  const line = [make('span', {}, global === null ? texts.not_ranked : ranking())]
  const place = make('bdi', {}, pub.location ?? '')
  if (local && local.of > 1 && pub.location) line.push(make('span', {}, ...pieces(texts.rank_of_in, { rank: rank(local.rank), of: number(local.of), place })))
  return make('div', { class: 'rating', 'data-metric': metric },
    make('span', { id, class: 'metric' }, metrics.get(metric)),
    make('span', { class: 'value' }, decimal(value)),
    meter,
    make('p', { class: 'ranking' }, ...line))
}

// Adds the nearest pubs that have not closed, when the response arrives.
async function showNearby(pub, signal) {
  const section = make('section', { class: 'nearby', 'aria-label': texts.nearby }, make('h3', {}, texts.nearby))
  const all = make('a', { class: 'action', 'data-internal': '' })
  const lead = reach => { // to all within a round radius
    const km = inKilometres(radii.find(radius => inKilometres(radius) >= reach) ?? radii.at(-1))
    all.href = address.href({ around: pub.UID, distance: Number(km.toFixed(3)) })
    all.textContent = say(texts.all_within, { distance: distance(km) })
  }
  lead(nearby)
  section.append(all)
  panel.append(section)
  try {
    const query = new URLSearchParams({ search: '*', around: pub.UID, distance: 100, amount: 4 * most })
    const { body } = await askJSON(`${pubs}?${query}`, signal, { insist: false })
    const nearest = body.results.filter(other => !isClosed(other)).slice(0, most)
    if (!nearest.length) return
    all.before(make('ul', { role: 'list', class: 'hits' }, ...nearest.map(other => hit(other, 'distance'))))
    lead(Math.max(nearby, nearest.at(-1).distance))
  } catch (error) {
    quietly(error)
  }
}
