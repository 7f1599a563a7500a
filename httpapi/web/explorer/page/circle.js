// Where pubs are searched: in a circle around the visitor, a point of the map or a pub, in an area of the map, or anywhere.
import { find, tell } from './element.js'
import * as address from './address.js'
import * as texts from './texts.js'
import { nameOf } from './where.js'
import { distance, inKilometres, inMiles, inUnit, say } from './wording.js'

const usual = 5 // km
const slider = find('radius'), near = find('near'), centre = find('centre'), area = find('area'), hint = find('map-hint')

/** The changes that end a search at a place, and an order by the distance from it. */
export const nowhere = () => ({ lat: '', lng: '', distance: '', around: '', near: '', bbox: '', ...address.get('sort') === 'distance' && { sort: '', order: '' } })

/** True while a click on the map chooses the centre. */
export let picking = false

let aroundMe = '' // lat,lng from the browser

/**
 * Connects the controls. changed(move) is called after a change of the address; move says whether the map should move to the circle.
 */
export function listen(changed) {
  const turn = (changes, { move = false, step = true } = {}) => {
    address.set(changes, { step })
    changed(move)
  }
  const leave = () => turn(nowhere())
  const locate = options => nearMe({ distance: address.get('distance') || usual, said: text => tell(hint, text), ...options }).then(found => found && changed(true))
  near.addEventListener('click', () => locate())
  centre.addEventListener('click', () => isSet() ? leave() : pick(!picking))
  area.addEventListener('click', leave)
  slider.addEventListener('input', () => turn({ distance: Number(inKilometres(slider.value).toFixed(2)) }, { step: false }))
  return {
    /** Makes the visitor's location the centre, if there is one. */
    locate,
    /** Makes a place of the map the centre. */
    choose(lat, lng) {
      pick(false)
      turn({ ...nowhere(), lat: lat.toFixed(5), lng: lng.toFixed(5), distance: address.get('distance') || usual }, { move: true })
    },
    /** Changes the radius in km. */
    resize: km => turn({ distance: Math.max(0.1, Math.round(10 * km) / 10) }, { step: false }),
    /** Searches a box, west,south,east,north in degrees. */
    search: bbox => turn({ ...nowhere(), bbox }),
  }
}

// Why there is no location, by the code of the browser's error.
const reasons = new Map([
  [1, isSecureContext ? texts.location_denied : texts.location_needs_https],
  [3, texts.location_too_slow],
])

/** Makes the visitor's location the centre, and reports whether it could; said receives messages for the visitor. */
export function nearMe({ distance = usual, said = () => {}, timeout = 10_000, step = true } = {}) {
  if (!navigator.geolocation) {
    said(say(texts.no_location, { reason: texts.browser_without_location }))
    return Promise.resolve(false)
  }
  said(texts.finding_location)
  return new Promise(resolve => navigator.geolocation.getCurrentPosition(({ coords }) => {
    said('')
    const lat = coords.latitude.toFixed(5), lng = coords.longitude.toFixed(5)
    aroundMe = `${lat},${lng}`
    address.set({ ...nowhere(), lat, lng, distance }, { step })
    resolve(true)
  }, ({ code }) => {
    said(say(texts.no_location, { reason: reasons.get(code) ?? texts.location_unavailable }))
    resolve(false)
  }, { timeout, maximumAge: 60_000 }))
}

/** Reports whether the page may use the visitor's location without asking. */
export async function mayLocate() {
  try {
    return (await navigator.permissions.query({ name: 'geolocation' })).state === 'granted'
  } catch {
    return false
  }
}

export function pick(on) {
  picking = on
  tell(hint, on ? texts.click_the_map : '')
  find('map').classList.toggle('picking', on)
  show()
}

const isSet = () => ['lat', 'around', 'near'].some(name => address.get(name) !== '')

/** Reports whether that is where the visitor is. */
export const isMe = () => aroundMe === `${address.get('lat')},${address.get('lng')}`

/** Reports whether the search is at a place or in an area. */
export const isPlaced = () => isSet() || address.get('bbox') !== ''

function chosen() {
  const [lat, lng] = address.get('near') ? address.get('near').split(',') : [address.get('lat'), address.get('lng')]
  if (`${lat},${lng}` === aroundMe) return texts.near_you
  const name = nameOf({ lat: Number(lat), lng: Number(lng) })
  return name ? say(texts.near_named, { place: name }) : texts.near_a_place
}

/** Shows the state in the address bar. */
export function show() {
  const km = Number(address.get('distance')), set = isSet()
  slider.closest('.radius').hidden = !address.get('lat') && !address.get('around') // a nearest search has no radius
  slider.max = inMiles ? 60 : 100
  if (set && Number.isFinite(km)) slider.value = inUnit(km)
  find('radius-value').textContent = address.get('distance') ? distance(km) : '–'
  slider.setAttribute('aria-valuetext', find('radius-value').textContent)
  centre.setAttribute('aria-pressed', picking)
  centre.textContent = set ? `✕ ${chosen()}` : texts.pick_a_place
  if (set) centre.setAttribute('aria-label', say(texts.clear_place, { place: chosen() }))
  else centre.removeAttribute('aria-label')
  area.hidden = !address.get('bbox')
  area.textContent = `✕ ${texts.this_area}`
  area.setAttribute('aria-label', texts.clear_area)
}
