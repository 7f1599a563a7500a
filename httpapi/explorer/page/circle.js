// The place and the radius around which pubs are searched: near me, a place of the map, or around a pub.
import { find, tell } from './element.js'
import * as address from './address.js'
import { place } from './wording.js'

const usual = 5 // km
const slider = find('radius'), near = find('near'), centre = find('centre'), hint = find('map-hint')

/** Is true while a click on the map chooses the place. */
export let picking = false

/**
 * Makes the controls work; changed is called after the address was changed, with whether the map should move to the circle. Where no
 * place is chosen, the slider chooses the middle of the view.
 */
export function listen(view, changed) {
  const set = (lat, lng, distance) => {
    const wrapped = lng - 360 * Math.round(lng / 360) // the map goes on beyond 180 degrees
    address.set({ lat: lat.toFixed(5), lng: wrapped.toFixed(5), distance, around: '', near: '' })
  }
  near.addEventListener('click', () => {
    if (!navigator.geolocation) return tell(hint, 'This browser does not say where you are here.')
    tell(hint, 'Looking for you…')
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      tell(hint, '')
      set(coords.latitude, coords.longitude, address.get('distance') || usual)
      changed(true)
    }, error => tell(hint, `Where you are is not known: ${error.message || 'no position'}.`), { timeout: 10_000, maximumAge: 60_000 })
  })
  centre.addEventListener('click', () => {
    if (isSet()) {
      const sort = address.get('sort')
      address.set({ lat: '', lng: '', distance: '', around: '', near: '', sort: sort === 'distance' ? '' : sort })
      changed(false)
    } else pick(!picking)
  })
  slider.addEventListener('input', () => {
    if (isSet()) address.set({ distance: slider.value }, { step: false })
    else set(view.lat, view.lng, slider.value)
    changed(false)
  })
  return {
    /** Makes a place of the map the centre. */
    choose(lat, lng) {
      pick(false)
      set(lat, lng, address.get('distance') || slider.value)
      changed(false)
    },
    /** Changes the radius in km. */
    resize(km) {
      address.set({ distance: Math.max(0.1, Math.round(10 * km) / 10) }, { step: false })
      changed(false)
    },
  }
}

export function pick(on) {
  picking = on
  tell(hint, on ? 'Click the map to search around a place.' : '')
  find('map').classList.toggle('picking', on)
  show()
}

const isSet = () => address.get('lat') !== '' || address.get('around') !== ''

/** Shows what the address bar says. */
export function show() {
  const distance = address.get('distance')
  if (isSet() && Number.isFinite(Number(distance))) slider.value = Number(distance)
  const lat = Number(address.get('lat')), lng = Number(address.get('lng'))
  find('radius-value').textContent = isSet() ? `${distance || '–'} km` : 'any distance'
  centre.setAttribute('aria-pressed', picking)
  const chosen = address.get('around') ? 'Around a pub' : place(lat, lng)
  centre.textContent = isSet() ? `✕ ${chosen}` : 'Pick a place'
  if (isSet()) centre.setAttribute('aria-label', `Clear the place: ${chosen}`)
  else centre.removeAttribute('aria-label')
}
