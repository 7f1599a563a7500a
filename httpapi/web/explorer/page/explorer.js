// The page: it runs the search in the address bar, lists the hits and draws the map.
import * as address from './address.js'
import * as api from './api.js'
import * as circle from './circle.js'
import * as directory from './directory.js'
import { find, tell } from './element.js'
import * as filters from './filters.js'
import * as keyform from './keyform.js'
import { isAt, parseView, PubMap } from './map.js'
import * as names from './names.js'
import { fetchPoints, Points, pointsOf } from './points.js'
import * as pub from './pub.js'
import * as request from './request.js'
import * as results from './results.js'
import * as searchbox from './searchbox.js'
import * as texts from './texts.js'
import { understood } from './understood.js'
import * as where from './where.js'
import { inMiles, number, openFor, say, switchUnit } from './wording.js'

const shown = 20 // hits of a page
const printed = 200
const typing = 250 // ms without a keystroke before hits are fetched: each keystroke has its completions
const sliding = 8 // ms without a change of the circle
const settling = 200 // ms that a search stays before its hits are fetched for the map
const townWide = 0.3 // degrees around a town that is searched
const locating = 2500 // ms that the first screen waits for where the browser is

const map = new PubMap(find('map'))
const seen = new Promise(resolve => new IntersectionObserver(entries => entries.some(entry => entry.isIntersecting) && resolve()).observe(find('map'))) // it is folded on a phone
const site = document.querySelector('h1').textContent.trim()
const place = circle.listen(fit => refresh({ after: fit ? 0 : sliding, fit, stay: !fit })) // the controls of the place that is searched

// What the page shows and does. Each change replaces it, and is rendered.
let state = {
  settings: undefined, // until they are known, nothing is searched
  asked: undefined, // the query of the last search, which is shown or under way
  target: undefined, // its request, or that of its last page
  next: undefined, // the target of the next page
  openUID: '', // of the pub that is open
  cameFrom: '', // the UID of the pub that was open before
  isBeside: false, // the panel of a pub is beside the list
  title: undefined, // of what is shown; empty for the site
  placed: false, // the view of the map is chosen
  steady: false, // the view came with the address and stays, wherever hits and pub are
  moved: false, // the visitor has moved the map since the last search
  reason: '', // why there is no map
  hits: new Points(), // on the map
  searching: undefined, // the AbortControllers of what is under way
  opening: undefined,
  loading: undefined,
  loaded: undefined, // the promise of all points
  opened: undefined, // the promise of the map
}
let timer // of a search that waits for more changes

function change(changes) {
  const before = state
  state = { ...state, ...changes }
  render(before)
}

/** Shows what has changed since another state. */
function render(before) {
  const changed = (...names) => names.some(name => state[name] !== before[name])
  if (changed('target', 'openUID', 'title') && state.target) request.show(state.openUID ? pub.target(state.openUID) : state.target)
  if (changed('title')) document.title = state.title ? `${state.title} – ${site}` : site
  if (changed('moved')) find('search-area').hidden = !state.moved
  if (changed('reason')) {
    document.body.classList.toggle('without-map', state.reason !== '')
    document.body.classList.toggle('list-only', state.reason === texts.no_webgl)
    tell(find('no-map'), state.reason)
  }
  if (changed('isBeside')) {
    document.body.classList.toggle('with-pub', state.isBeside)
    map.resize()
  }
  if (changed('hits')) {
    const { hits } = state
    find('legend-hits').hidden = !hits.count
    find('legend-hits').lastChild.data = hits.total > hits.count && hits.count ? say(texts.found_of, { n: number(hits.count), of: number(hits.total) }) : texts.found
    find('legend-all').textContent = hits.count ? texts.other_pubs : texts.site
  }
}

const isOver = error => error.name === 'AbortError'

function renew(controller) {
  controller?.abort()
  return new AbortController()
}

/** Shows the state in the address bar, with a delay if more changes may follow. Only a complete address sets the view of the map. */
function refresh({ after = 0, fit = false, whole = false, stay = false } = {}) {
  change({ steady: stay || whole && address.get('map') !== '' })
  searchbox.show(address.get('search'))
  filters.show()
  circle.show()
  if (!state.settings) return
  clearTimeout(timer)
  if (address.query().toString() !== state.asked) {
    if (after) timer = setTimeout(() => search(fit), after)
    else search(fit)
  }
  if (address.get('pub') !== state.openUID) openPub()
}

/** The search in the address: with a text the best matches come first, otherwise around a point the nearest pubs, and anywhere the best rated. */
function fullQuery(query) {
  const full = new URLSearchParams(query), isAround = ['lat', 'near', 'around'].some(name => full.has(name))
  const sorts = query.get('search') !== '*' ? { sort: 'relevance' } : isAround ? { sort: 'distance' } : { sort: 'fair', order: 'desc' }
  if (!full.has('sort') && !full.has('order')) for (const [name, value] of Object.entries(sorts)) full.set(name, value)
  full.set('amount', shown)
  full.set('include', 'address,match,features,hours')
  const facets = [directory.known.features && 'features', query.get('search') !== '*' && 'location'].filter(Boolean)
  if (facets.length) full.set('facets', facets)
  return full
}

/** What an answer to a query with other parameters says, of which empty ones are left out; undefined if that cannot be told. */
function otherwise(query, changes, signal) {
  const others = Object.entries({ ...Object.fromEntries(query), amount: 1, ...changes }).filter(([, value]) => value !== '')
  return api.askJSON(`${api.pubs}?${new URLSearchParams(others)}`, signal, { insist: false }).then(({ body }) => body, api.quietly)
}

// The place that a text names, wherever the search is; undefined without one.
async function placeNamed(query, signal) {
  const body = await otherwise(query, { ...circle.nowhere(), sort: '', facets: 'location' }, signal)
  return body && understood(query.get('search'), body)
}

// Reports whether a query is for pubs to go to, the best rated or those around a point: then closed ones come last.
const isForVisit = query => query.get('search') === '*' && !query.has('trading') &&
  (query.get('sort') === 'fair' && query.get('order') === 'desc' || ['lat', 'near', 'around'].some(name => query.has(name)))

async function search(fit) {
  const query = address.query()
  // The hits that are shown are those of another search: they have no next page.
  change({ searching: renew(state.searching), asked: query.toString(), next: undefined, moved: false })
  const { steady, searching: { signal } } = state
  if (!api.hasKey()) {
    showMap()
    return keyform.show()
  }
  const full = fullQuery(query)
  change({ target: `${api.pubs}?${address.readable(full)}` })
  try {
    const [answer, open, known, named] = await Promise.all([api.askJSON(state.target, signal),
      directory.known.hours && !full.has('open') && otherwise(full, { open: 'now', fields: 'UID', include: '', facets: '' }, signal),
      directory.learn(), full.get('search') !== '*' && circle.isPlaced() && placeNamed(full, signal)])
    signal.throwIfAborted()
    change({ next: answer.next })
    showFault('')
    keyform.hide()
    filters.suit(known)
    filters.offer(answer.body, open?.total_results)
    const wish = answer.body.relaxed?.open, asWished = wish && !full.has('open') && await otherwise(full, { open: openFor(wish), fields: 'UID', include: '', facets: '' }, signal)
    const said = understood(address.get('search'), answer.body, asWished)
    results.show(answer.body, state.next, said, named, { closedLast: isForVisit(full), view: isLocal() ? mapped() : {} })
    showCircle(answer.body, fit)
    if (answer.body.relaxed?.here) place.locate({ step: false }) // which asks again
    if (!state.openUID) change({ title: address.get('search') })
    load() // the first time
    await api.sleep(settling, signal)
    await Promise.all([filters.fill(signal).catch(failBeside), showHits(query, answer.body, said, signal, steady).catch(withoutHits)])
  } catch (error) {
    fail(error)
    load()
  }
}

async function more() {
  const { searching: { signal }, next: target } = state
  if (!target) return
  change({ next: undefined }) // a second click asks nothing
  const last = find('results').lastElementChild
  try {
    const answer = await api.askJSON(target, signal)
    showFault('')
    change({ target, next: answer.next })
    results.append(answer.body, state.next)
    if (document.activeElement === find('more') || !state.next) last.nextElementSibling?.firstChild.focus()
  } catch (error) {
    if (error.status === 410) return search() // its snapshot is gone: from the beginning
    failBeside(error)
    if (error instanceof api.Fault) showFault(error.message)
    if (state.searching.signal === signal) change({ next: target })
  }
}

/** Prepares the page for printing: loads the rest of the list, as far as it is printed, and adds a title and the address. */
function completePrint() {
  while (state.next && find('results').children.length < printed) {
    const { body, next } = api.askAtOnce(state.next)
    change({ next })
    if (body) results.append(body, next)
  }
  Object.assign(document.querySelector('main').dataset, { title: document.title, address: location.href })
}

const showFault = message => tell(find('fault-search'), message) // it names the parameter

/** An error of secondary content does not remove the list of hits. */
function failBeside(error) {
  if (isOver(error)) return
  if (error.status === 401 || error.status === 403) return askKey(error.message)
  if (!(error instanceof api.Fault)) throw error
}

function withoutHits(error) {
  if (!isOver(error)) drawHits(new Points())
  failBeside(error)
}

function fail(error) {
  failBeside(error)
  if (isOver(error) || error.status === 401 || error.status === 403) return
  results.clear()
  map.set({ circle: undefined })
  drawHits(new Points())
  showFault(error.message)
}

function showCircle({ lat, lng, distance }, fit) {
  const before = map.shown.circle
  const shown = distance === undefined ? undefined : { lat, lng, distance, isMe: circle.isMe() }
  if (before || shown) map.set({ circle: shown })
  if (fit && !state.steady) map.fitCircle()
}

function drawHits(hits) {
  map.set({ hits, place: undefined })
  change({ hits })
}

/** Highlights the hits on the map, unless every pub is one, and moves the map to them. */
async function showHits(query, answer, said, signal, steady) {
  let hits = new Points()
  const near = query.has('near') // which finds every pub, but means the first
  const all = !near && (state.asked === 'search=*' || answer.total_results === answer.total_pubs)
  if (near) hits = pointsOf(answer.results)
  else if (answer.total_results > 0 && !all) hits = (await fetchPoints(query, signal)).points
  drawHits(hits)
  if (!hits.count && !all) return
  const shown = all ? map.shown.points : await meant(query, answer, hits, said, signal)
  if (shown.centre) map.set({ place: { text: said.where, ...shown.centre } })
  const box = shown.box()
  if (box && state.placed && !steady && !state.openUID && !map.shown.circle) map.fit(box)
}

/** Of the hits those that were asked for, most of those in a place, if others have only some of the words or its name. */
async function meant(query, { sort, more, results, total_results: total }, hits, { place, where }, signal) {
  const asked = new URLSearchParams(query)
  if (place) asked.set('search', `pubs in ${place}`)
  const town = !where && map.named(asked.get('search')), there = town ? hits.around(town, { within: townWide }) : hits
  if (town && there.count) return there // although no pub says that it is in it
  if (where) return (place ? (await fetchPoints(asked, signal)).points : hits).middle()
  if (sort !== 'relevance' || !['partial', 'place'].includes(more?.step)) return hits
  const points = pointsOf(results.slice(0, total - more.added))
  return points.count ? points : hits
}

/** Fetches the points of all pubs and opens the map once, after the first search. */
function load() {
  if (!state.loaded) change({ loaded: loadPoints() })
  showMap()
}

function showMap() { if (!state.opened) change({ opened: openMap() }) }

async function loadPoints() {
  change({ loading: renew(state.loading) })
  try {
    const { points, labels } = await fetchPoints(undefined, state.loading.signal)
    map.set({ points, labels })
    where.know(labels)
    if (!state.placed && points.count) {
      change({ placed: true })
      const { circle, pub, hits } = map.shown
      if (circle) map.fitCircle()
      else if (pub) map.reveal(pub)
      else map.fit(hits.box() ?? points.box(), { glide: false })
    }
    circle.show() // which can name places now
  } catch (error) {
    if (isOver(error)) return
    change({ loaded: undefined })
    if (!(error instanceof api.Fault)) throw error
  }
}

async function openMap() {
  await seen
  try {
    const isOpen = await map.open(state.settings, { moved: keepView, clicked, resized: km => place.resize(km), rested: hover, left: leavePoint })
    change({ reason: isOpen ? '' : texts.no_webgl })
    if (isOpen) keepView({})
  } catch (error) {
    if (!(error instanceof api.Fault)) throw error
    change({ opened: undefined, reason: error.message }) // the next search tries again
  }
}

async function openPub() {
  const uid = address.get('pub')
  change({ opening: renew(state.opening), openUID: uid })
  results.mark(uid)
  if (!uid) return closePub()
  if (!api.hasKey()) return keyform.show()
  const active = document.activeElement
  try {
    const { latitude: lat, longitude: lng, name, location } = await pub.open(uid, state.opening.signal)
    showPub(lat === null ? undefined : { lat, lng, name })
    change({ title: [name, location].filter(Boolean).join(', '), isBeside: true })
    if (map.shown.pub && !state.steady) map.reveal(map.shown.pub)
  } catch (error) {
    if (isOver(error)) return
    showPub(undefined)
    change({ isBeside: true })
    if (error.status === 401 || error.status === 403) return fail(error)
    if (!(error instanceof api.Fault)) throw error
  }
  if ([active, document.body].includes(document.activeElement)) pub.focus() // unless the visitor has moved on
}

/** Shows a pub on the map, {lat, lng, name}, or none. */
function showPub(pub) {
  map.set({ pub })
  find('legend-pub').hidden = !pub
}

function closePub() {
  const hadFocus = find('pub').contains(document.activeElement) || document.activeElement === document.body
  pub.close()
  showPub(undefined)
  change({ isBeside: false, title: address.get('search') })
  if (hadFocus) results.focus(state.cameFrom) || find('search').focus()
}

function go(changes) {
  if ('pub' in changes) change({ cameFrom: changes.pub || state.openUID })
  address.set(changes)
  refresh({ stay: !changes.pub })
}

/** Stores the view of the map in the address if it was chosen, and offers to search the area to which the visitor moved. */
function keepView({ byHand, asked: isAsked }) {
  if (byHand || isAsked) {
    change({ placed: true })
    address.set({ map }, { step: false })
  }
  if (state.placed) names.follow(map.box, map.zoom, pubs => map.set({ names: pubs }))
  tell(find('tip'), '')
  if (byHand && state.asked !== undefined && !circle.picking) change({ moved: true })
}

/** What the map shows: its box, west,south,east,north, and its centre, lat,lng, in degrees. */
function mapped() {
  const { lat, lng } = map.centre
  return { box: names.bbox(map.box), centre: `${lat.toFixed(5)},${lng.toFixed(5)}` }
}

const isLocal = () => state.placed && map.zoom > 8 // at the scale of a town or closer

/** The point for completions: the chosen place, or the centre of the map at the scale of a town or closer. */
function near() {
  if (address.get('lat')) return `${address.get('lat')},${address.get('lng')}`
  return isLocal() ? `${map.centre.lat.toFixed(3)},${map.centre.lng.toFixed(3)}` : ''
}

const pubAt = (point, signal) => map.shown.names.find(pub => isAt(pub, point)) ?? names.at(point, point.hit ? address.query() : undefined, signal)

/** Shows the name of the pub at a point beneath the pointer. */
async function hover(point, signal) {
  const found = await pubAt(point, signal)
  if (!found || signal.aborted) return
  map.set({ hovered: { name: found.name, lng: point.lng, lat: point.lat } })
  tell(find('tip'), found.name)
}

function leavePoint() {
  if (!map.shown.hovered) return
  map.set({ hovered: undefined })
  tell(find('tip'), '')
}

/** A click on the map: it chooses a place while that is asked for, opens the pub at a point, or closes the one that is open. */
async function clicked(at, point) {
  if (circle.picking) return place.choose(at.lat, at.lng)
  if (point?.cluster !== undefined) return map.expand(point)
  const found = point && await pubAt(point)
  if (found || !point && state.openUID) go({ pub: found?.UID ?? '' })
}

function listen() {
  filters.listen(() => refresh())
  searchbox.listen({
    typed: text => {
      address.type(text)
      refresh({ after: typing })
    },
    chosen: text => {
      const near = searchbox.point(text)
      const asked = near ? { ...circle.nowhere(), near, search: '', sort: '', order: '' } : { search: text }
      address.set({ ...asked, relax: '' })
      change({ asked: undefined }) // Enter also repeats a search
      refresh()
    },
    opened: (text, uid) => go({ search: text, relax: '', pub: uid }),
    near,
  })
  find('more').addEventListener('click', more)
  find('fit').addEventListener('click', () => {
    if (map.shown.circle) return map.fitCircle()
    const box = map.shown.hits.box() ?? map.shown.points.box()
    if (box) map.fit(box)
  })
  find('show-map').addEventListener('click', () => find('show-map').setAttribute('aria-pressed', document.body.classList.toggle('map-shown')))
  for (const [id, by] of [['zoom-in', 1], ['zoom-out', -1]]) find(id).addEventListener('click', async () => {
    await state.loaded // or the map would stay where it is, and not show the pubs
    map.zoomBy(by)
  })
  find('search-area').addEventListener('click', () => {
    place.search(mapped().box)
    find('count').focus()
  })
  find('unit').addEventListener('click', switchUnit)
  addEventListener('beforeprint', completePrint)
  keyform.listen(() => {
    start()
    find('search').focus()
  })
  document.addEventListener('click', event => {
    const link = event.target.closest('a[data-pub], a[data-internal]')
    if (event.target.closest('#close-pub')) return go({ pub: '' })
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
    event.preventDefault()
    if (link.dataset.pub !== undefined) return go({ pub: link.dataset.pub })
    address.follow(link.href)
    refresh({ fit: true })
    find('count').focus()
  })
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return
    if (circle.picking) circle.pick(false)
    else if (state.openUID) {
      event.preventDefault()
      go({ pub: '' })
    }
  })
  addEventListener('popstate', () => {
    if (location.pathname !== '/') return location.reload() // the rendered page on which the explorer was opened
    address.reload()
    lookAtAddress()
    refresh({ whole: true })
  })
}

/** Shows the view in the address, and reports whether there is one. */
function lookAtAddress() {
  const view = parseView(address.get('map'))
  if (view) map.go(view)
  return view !== undefined
}

/** Requests everything in the address bar again. */
function start() {
  change({ asked: undefined, openUID: '' })
  refresh({ fit: !address.get('map'), whole: true })
}

/** Reads the settings and offers their key; renewed is set if the key has changed. */
async function readSettings() {
  const { body } = await api.askJSON('/explorer/settings.json')
  return { ...body, renewed: api.offerKey(body.key) }
}

/** Asks the visitor for a key, unless the server offers another key than the rejected one. */
async function askKey(reason) {
  if (reason && (await readSettings()).renewed) return start()
  keyform.show(reason)
}

async function main() {
  listen()
  find('unit').textContent = inMiles ? texts.miles : texts.kilometres
  find('unit').setAttribute('aria-label', inMiles ? texts.switch_to_kilometres : texts.switch_to_miles)
  change({ placed: lookAtAddress() })
  searchbox.show(address.get('search'))
  circle.show()
  const settings = await readSettings(), { tiles, attribution } = settings
  tell(find('attribution'), attribution || (tiles ? `${texts.map}: ${new URL(tiles.replace(/[{}]/g, '')).host}` : ''))
  if (address.isBlank() && api.hasKey() && await circle.mayLocate()) await circle.nearMe({ timeout: locating, step: false })
  change({ settings })
  start()
}

main()
