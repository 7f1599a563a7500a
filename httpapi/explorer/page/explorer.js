// The page: what the address bar says is searched, listed and drawn.
import * as address from './address.js'
import * as api from './api.js'
import { Chart } from './chart.js'
import * as circle from './circle.js'
import { find, tell } from './element.js'
import * as faults from './faults.js'
import * as filters from './filters.js'
import * as gestures from './gestures.js'
import * as keyform from './keyform.js'
import * as mercator from './mercator.js'
import { calm, fetchPoints, Points } from './points.js'
import * as pub from './pub.js'
import * as request from './request.js'
import * as results from './results.js'
import * as searchbox from './searchbox.js'
import { number } from './wording.js'

const shown = 20 // hits of a page
const drawn = 300_000 // points
const highlighted = 5_000 // hits on the map
const typing = 15 // ms without a keystroke, so that keys pressed together are one search
const settling = 120 // ms that a search stays before its hits are fetched for the map

const chart = new Chart(find('map'))
let searching, opening, loading // AbortControllers
let ready = false // the settings are known
let asked, failed, target, next, openUID = '', cameFrom = '', timer
let placed = false, reloading // whether the view of the map is chosen, and the timer of its new points
let steady = false // the view came with the address and stays, wherever hits and pub are

const isOver = error => error.name === 'AbortError'

function renew(controller) {
  controller?.abort()
  return new AbortController()
}

/** Shows what the address bar says; after a while where more changes may follow. Only an address as a whole has its own view. */
function refresh({ after = 0, fit = false, whole = false } = {}) {
  steady = whole && address.get('map') !== ''
  searchbox.show(address.get('search'))
  filters.show()
  circle.show()
  if (!ready) return
  clearTimeout(timer)
  if (address.query().toString() !== asked) {
    if (after) timer = setTimeout(() => search(fit), after)
    else search(fit)
  }
  if (address.get('pub') !== openUID) openPub()
}

async function search(fit) {
  searching = renew(searching)
  const { signal } = searching
  const query = address.query()
  asked = query.toString()
  next = undefined // the hits that are shown are those of another search
  failed = false
  if (!api.hasKey()) return keyform.show()
  const full = new URLSearchParams(query)
  if (query.get('search') !== '*' && !['sort', 'order', 'lat', 'near', 'around'].some(name => query.has(name))) full.set('sort', 'relevance')
  full.set('amount', shown)
  full.set('facets', filters.facets)
  target = `${api.pubs}?${address.readable(full)}`
  showRequest()
  try {
    const answer = await api.askJSON(target, signal)
    next = answer.next
    faults.clear()
    keyform.hide()
    results.show(answer.body, next)
    showCircle(answer.body, fit)
    document.title = address.get('search') ? `${address.get('search')} – Pubs` : 'Pubs'
    await api.sleep(settling, signal)
    await Promise.all([filters.fill(answer.body, signal).catch(failBeside), showHits(query, answer.body, signal).catch(withoutHits)])
  } catch (error) {
    fail(error)
  }
}

async function more() {
  const { signal } = searching, page = next
  if (!page) return
  next = undefined // a second click asks nothing
  const last = find('results').lastElementChild
  try {
    const answer = await api.askJSON(page, signal)
    faults.clear()
    target = page
    next = answer.next
    showRequest()
    results.append(answer.body, next)
    if (document.activeElement === find('more') || !next) last.nextElementSibling?.firstChild.focus()
  } catch (error) {
    if (error.status === 410) return search() // its snapshot is gone: from the beginning
    failBeside(error)
    if (error instanceof api.Fault) faults.show(error)
    if (searching.signal === signal) next = page
  }
}

/** What fails beside a list that is right takes nothing away from it. */
function failBeside(error) {
  if (isOver(error)) return
  if (error.status === 401 || error.status === 403) return keyform.show(error.message)
  if (!(error instanceof api.Fault)) throw error
}

function withoutHits(error) {
  if (!isOver(error)) drawHits(new Points())
  failBeside(error)
}

function fail(error) {
  failBeside(error)
  if (isOver(error) || error.status === 401 || error.status === 403) return
  failed = true
  results.clear()
  chart.circle = undefined
  drawHits(new Points())
  faults.show(error)
}

function showCircle({ lat, lng, distance }, fit) {
  chart.circle = distance === undefined ? undefined : { lat, lng, distance }
  if (fit) chart.fitCircle()
  chart.draw()
}

function drawHits(hits) {
  chart.hits = hits
  chart.draw()
  tell(find('limit'), hits.total > hits.count ? `${number(hits.count)} of them are on the map.` : '')
}

/** Highlights the hits on the map, unless every pub is one. */
async function showHits(query, answer, signal) {
  let hits = new Points()
  if (answer.total_results > 0 && answer.total_results < answer.total_pubs) {
    if (!answer.relaxed) query.set('relax', 'false') // or pubs without coordinates alone would have others found
    hits = await fetchPoints(query, highlighted, signal, () => {})
    if (hits.total > answer.total_results) hits = new Points() // relaxed in another way, for want of coordinates
  }
  drawHits(hits)
  if (!placed || steady || !hits.count || chart.circle) return
  for (let i = 0; i < hits.count; i++) if (chart.view.has(hits.x[i], hits.y[i])) return
  showBox(hits.box(0))
}

/** Fetches the place of every pub, and draws them as they come. */
async function load() {
  loading = renew(loading)
  const { signal } = loading
  if (!api.hasKey()) return
  const first = !chart.points.count
  let fitted = 0
  const fit = points => {
    fitted = points.count
    chart.view.fit(points.box())
  }
  try {
    const points = await fetchPoints(new URLSearchParams({ search: '*' }), drawn, signal, points => {
      if (!first || points.count < chart.points.count) return // begun again
      chart.points = points
      if (!placed && points.count > 2 * fitted) fit(points)
      chart.draw()
    })
    chart.points = points
    if (!placed && points.count) fit(points)
    placed ||= points.count > 0
    chart.draw()
  } catch (error) {
    if (!isOver(error) && !(error instanceof api.Fault)) throw error
  }
}

function showBox(box) {
  if (box) chart.move(view => view.fit(box))
}

async function openPub() {
  opening = renew(opening)
  openUID = address.get('pub')
  results.mark(openUID)
  if (!openUID) return closePub()
  if (!api.hasKey()) return keyform.show()
  const active = document.activeElement, text = address.get('search')
  try {
    const { latitude: lat, longitude: lng } = await pub.open(openUID, opening.signal)
    chart.pub = lat === null ? undefined : { lat, lng }
    if (chart.pub && !steady) reveal(mercator.x(lng), mercator.y(lat))
  } catch (error) {
    if (isOver(error)) return
    chart.pub = undefined
    if (error.status === 401 || error.status === 403) return fail(error)
    if (!(error instanceof api.Fault)) throw error
  }
  chart.draw()
  showRequest()
  // Who went on to something else meanwhile, or typed, is not called away.
  if ([active, document.body].includes(document.activeElement) && address.get('search') === text) pub.focus()
}

// Moves the map where a place is out of it or beneath the panel, which on a phone is all there is to see.
function reveal(x, y) {
  if (!placed || !chart.view.has(x, y)) chart.move(view => view.show(x, y, Math.max(view.zoom, 12)))
  const map = find('map').getBoundingClientRect(), panel = find('pub').getBoundingClientRect()
  const hidden = panel.right - map.left + 40 - chart.view.pixel(x, y).x
  if (hidden > 1 && panel.right < map.right - 80) chart.move(view => view.pan(-hidden, 0))
}

function closePub() {
  const hadFocus = find('pub').contains(document.activeElement) || document.activeElement === document.body
  pub.close()
  chart.pub = undefined
  chart.draw()
  showRequest()
  if (hadFocus) focusBack()
}

function focusBack() { results.focus(cameFrom) || find('search').focus() }

const showRequest = () => { if (target) request.show(openUID ? pub.target(openUID) : target) }

function go(changes) {
  if ('pub' in changes) cameFrom = changes.pub || openUID
  address.set(changes)
  refresh()
}

function keepView() {
  placed = true
  address.set({ map: chart.view }, { step: false })
}

function listen() {
  const place = circle.listen(chart.view, fit => refresh({ after: fit ? 0 : typing, fit }))
  filters.listen(() => refresh())
  searchbox.listen({
    typed: text => { address.type(text); refresh({ after: typing }) },
    chosen: text => {
      address.set({ search: text })
      if (failed) asked = undefined
      refresh()
    },
    left: () => results.focus(),
  })
  chart.moved = keepView
  gestures.listen(find('map'), chart, {
    clicked: (px, py, reach) => {
      if (circle.picking) {
        const at = chart.view.at(px, py)
        return place.choose(mercator.latitude(at.y), mercator.longitude(at.x))
      }
      const uid = chart.pick(px, py, reach)
      if (uid || openUID) go({ pub: uid ?? '' })
    },
    resized: km => place.resize(km),
  })
  find('more').addEventListener('click', more)
  find('fit').addEventListener('click', () => {
    if (chart.circle) chart.fitCircle()
    else showBox(chart.hits.box(0) ?? chart.points.box())
  })
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
    else if (openUID) {
      event.preventDefault()
      go({ pub: '' })
    }
  })
  addEventListener('popstate', () => {
    address.reload()
    if (chart.view.parse(address.get('map'))) chart.draw()
    refresh({ whole: true })
  })
  api.whenSnapshotChanges(() => {
    pub.forget()
    clearTimeout(reloading)
    reloading = setTimeout(load, calm)
  })
}

/** Asks for everything that the address bar says, again. */
function start() {
  asked = undefined
  openUID = ''
  refresh({ fit: !address.get('map'), whole: true })
  requestAnimationFrame(() => setTimeout(load)) // after the first paint
}

async function main() {
  listen()
  placed = chart.view.parse(address.get('map'))
  searchbox.show(address.get('search'))
  const settings = JSON.parse((await api.ask('/explorer/settings.json')).text)
  api.offerKey(settings.key)
  if (settings.tiles) {
    const { Tiles } = await import('./tiles.js')
    chart.tiles = new Tiles(settings.tiles, () => chart.draw())
  }
  ready = true
  start()
}

main()
