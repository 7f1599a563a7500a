// The names of pubs on the map: of all in view at street scale, and of the one under the pointer at any scale.
import { askJSON, pubs, quietly } from './api.js'
import { wrapped } from './sphere.js'

export const street = 12.5 // zoom from which on there are names
const most = 100 // of them
const settling = 250 // ms that a view stays before its names are asked for
const resting = 60 // ms that the pointer stays
const fields = 'UID,name,latitude,longitude'

let fetched, fetching, timer // the box whose names there are, and what is under way

const place = pub => ({ ...pub, lng: pub.longitude, lat: pub.latitude })

/** Fetches the names of the pubs in a box of the map when it has come to rest at a zoom, and passes them to a callback, the best first. */
export function follow({ west, south, east, north }, zoom, show) {
  clearTimeout(timer)
  if (zoom < street) {
    fetching?.abort()
    if (fetched) show([])
    fetched = undefined
    return
  }
  timer = setTimeout(async () => {
    if (fetched && west >= fetched.west && south >= fetched.south && east <= fetched.east && north <= fetched.north) return
    const dx = (east - west) / 4, dy = (north - south) / 4
    const box = { west: west - dx, south: south - dy, east: east + dx, north: north + dy }
    fetching?.abort()
    fetching = new AbortController()
    try {
      const target = `${pubs}?search=*&bbox=${bbox(box)}&sort=fair&order=desc&fields=${fields}&amount=${most}`
      const { body } = await askJSON(target, fetching.signal, { insist: false })
      fetched = body.total_results > most ? { west, south, east, north } : box
      show(body.results.map(place))
    } catch (error) {
      quietly(error)
    }
  }, settling)
}

/** A box as the API has it: west,south,east,north in degrees, the west greater than the east across 180 degrees. */
export function bbox({ west, south, east, north }) {
  const [left, right] = east - west < 360 ? [wrapped(west), wrapped(east)] : [-180, 180]
  return [left, Math.max(-90, south), right, Math.min(90, north)].map(degrees => degrees.toFixed(5)).join()
}

/** The hit of a search that is nearest to a place; undefined if it cannot be fetched. */
export async function at({ lat, lng }, query, signal) {
  const asked = new URLSearchParams({ search: '*', sort: 'distance', fields, amount: 1 })
  for (const [name, value] of query ?? []) if (!['sort', 'order', 'lat', 'lng', 'distance', 'near', 'around', 'weights', 'seed', 'marker'].includes(name)) asked.set(name, value)
  asked.set('near', `${lat.toFixed(6)},${wrapped(lng).toFixed(6)}`)
  try {
    const { body } = await askJSON(`${pubs}?${asked}`, signal, { insist: false })
    return body.results.length ? place(body.results[0]) : undefined
  } catch (error) {
    return quietly(error)
  }
}

/** A function that calls back when the pointer has rested, with a signal of when it moves on. */
export function resters() {
  let waiting, controller
  return rested => {
    clearTimeout(waiting)
    controller?.abort()
    controller = new AbortController()
    const { signal } = controller
    waiting = setTimeout(() => rested(signal), resting)
  }
}
