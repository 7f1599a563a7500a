// The names of pubs on the map: of all in view at street scale, and of the one under the pointer at any scale.
import { askJSON, Fault, pubs } from './api.js'
import * as mercator from './mercator.js'

export const street = 12.5 // zoom from which on there are names
const most = 100 // of them
const settling = 250 // ms that a view stays before its names are asked for
const resting = 60 // ms that the pointer stays
const fields = 'UID,name,location,latitude,longitude,total'

let fetched, fetching, timer // the box whose names there are, and what is under way

const place = pub => ({ ...pub, x: mercator.x(pub.longitude), y: mercator.y(pub.latitude) })

const quietly = error => { if (error.name !== 'AbortError' && !(error instanceof Fault)) throw error }

/** Fetches the names of the pubs of a view when it has come to rest, and passes them to a callback, the best first. */
export function follow(view, show) {
  clearTimeout(timer)
  if (view.zoom < street) {
    fetching?.abort()
    if (fetched) show([])
    fetched = undefined
    return
  }
  timer = setTimeout(async () => {
    const first = view.at(0, 0), last = view.at(view.width, view.height)
    if (fetched && first.x >= fetched.left && first.y >= fetched.top && last.x <= fetched.right && last.y <= fetched.bottom) return
    const dx = (last.x - first.x) / 4, dy = (last.y - first.y) / 4
    const box = { left: first.x - dx, right: last.x + dx, top: first.y - dy, bottom: last.y + dy }
    const west = Math.max(-180, mercator.longitude(box.left)), east = Math.min(180, mercator.longitude(box.right))
    const bbox = [west, mercator.latitude(box.bottom), east, mercator.latitude(box.top)].map(degrees => degrees.toFixed(5)).join()
    fetching?.abort()
    fetching = new AbortController()
    try {
      const target = `${pubs}?search=*&bbox=${bbox}&sort=fair&order=desc&fields=${fields}&amount=${most}`
      const { body } = await askJSON(target, fetching.signal, { insist: false })
      fetched = body.total_results > most ? { left: first.x, right: last.x, top: first.y, bottom: last.y } : box
      show(body.results.map(place))
    } catch (error) {
      quietly(error)
    }
  }, settling)
}

/** Drops the names of a replaced snapshot. */
export function forget() { fetched = undefined }

/** The hit of a search that is nearest to a place in the world; undefined if it cannot be fetched. */
export async function at({ x, y }, query, signal) {
  const asked = new URLSearchParams({ search: '*', sort: 'distance', fields, amount: 1 })
  for (const [name, value] of query ?? []) if (!['sort', 'order', 'lat', 'lng', 'distance', 'near', 'around', 'weights', 'seed', 'marker'].includes(name)) asked.set(name, value)
  asked.set('near', `${mercator.latitude(y).toFixed(6)},${mercator.longitude(x).toFixed(6)}`)
  try {
    const { body } = await askJSON(`${pubs}?${asked}`, signal, { insist: false })
    return body.results.length ? place(body.results[0]) : undefined
  } catch (error) {
    quietly(error)
    return undefined
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
