// Places of pubs, many of them, in typed arrays.
import { ask, pubs, sleep } from './api.js'
import * as mercator from './mercator.js'

const wholeEarth = 20016 // km, more than half around
const atOnce = 3 // pages asked for at a time

/** How many ms to wait before points of a new snapshot are asked for: while replicas differ, each answer may bring another. */
export const calm = 1000

export class Points {
  uids = []
  count = 0
  total = 0 // what there would be without the limit

  constructor(capacity = 0) {
    this.x = new Float64Array(capacity)
    this.y = new Float64Array(capacity)
  }

  /** Adds the lines of a page of CSV with UID, latitude and longitude, as many as there is room for. */
  add(csv) {
    const lines = csv.split('\r\n')
    for (let i = 1; i < lines.length && this.count < this.x.length; i++) {
      const last = lines[i].lastIndexOf(','), first = lines[i].lastIndexOf(',', last - 1)
      if (first < 0) continue
      const uid = lines[i].slice(0, first)
      this.uids[this.count] = uid[0] === '"' ? uid.slice(1, -1).replaceAll('""', '"') : uid
      this.y[this.count] = mercator.y(Number(lines[i].slice(first + 1, last)))
      this.x[this.count] = mercator.x(Number(lines[i].slice(last + 1)))
      this.count++
    }
  }

  /** The UID of the point nearest to a pixel of a view, at most so many pixels away; undefined for none. */
  nearest(view, px, py, most) {
    const at = view.at(px, py)
    let best = (most / view.scale) ** 2, found
    for (let i = 0; i < this.count; i++) {
      const dx = this.x[i] - at.x, dy = this.y[i] - at.y, square = dx * dx + dy * dy
      if (square <= best) {
        best = square
        found = i
      }
    }
    return this.uids[found]
  }

  /** The box that has all points but the outermost few, undefined without points. */
  box(spared = 0.002) {
    if (!this.count) return undefined
    const range = values => {
      const sorted = values.slice(0, this.count).sort(), out = Math.floor(spared * this.count)
      return [sorted[out], sorted[this.count - 1 - out]]
    }
    const [left, right] = range(this.x), [top, bottom] = range(this.y)
    return { left, right, top, bottom }
  }
}

/**
 * Fetches the points of a search, at most some, page by page, and gives them after each page to a callback; of more than that, pages
 * from the nearest to the farthest. Where their snapshot is gone it begins again, at last with pages of any snapshot: replicas may
 * differ for long. A search without a circle asks around the whole Earth, whose pages are larger.
 */
export async function fetchPoints(query, most, signal, arrived) {
  for (let pinned = 3; ; pinned--) {
    try {
      return await fetchPages(query, most, signal, arrived, pinned > 0)
    } catch (error) {
      if (error.status !== 410) throw error
      await sleep(calm, signal)
    }
  }
}

async function fetchPages(query, most, signal, arrived, pinned) {
  const asked = new URLSearchParams(query)
  for (const name of ['sort', 'order', 'weights', 'seed', 'near']) asked.delete(name)
  if (!asked.has('around') && !asked.has('lat')) {
    asked.delete('marker') // which counts in a circle only
    for (const [name, value] of [['lat', 0], ['lng', 0], ['distance', wholeEarth]]) asked.set(name, value)
  }
  for (const [name, value] of [['page', 1], ['fields', 'UID,latitude,longitude'], ['format', 'csv']]) asked.set(name, value)
  const quietly = true // or, while replicas differ, the points would be asked for again at each of their own answers
  const first = await ask(`${pubs}?${asked}`, signal, { quietly })
  const points = new Points(Math.min(first.total, most))
  points.total = first.total
  points.add(first.text)
  arrived(points)
  const size = points.count
  const pages = size ? Math.ceil(first.total / size) : 0
  const last = size ? Math.min(pages, Math.ceil(most / size)) : 0
  const next = pinned ? first.next : first.next?.replace(/&snapshot=\w+/, '')
  let fetched = 1
  const fetchOthers = async () => {
    while (fetched < last) {
      const page = 1 + Math.round(fetched++ * (pages - 1) / (last - 1))
      const target = next.replace(/([?&]page=)\d+/, `$1${page}`)
      points.add((await ask(target, signal, { quietly })).text)
      arrived(points)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, fetchOthers))
  return points
}
