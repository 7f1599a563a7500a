// The outline of a place: what surrounds its pubs on the map.
import { kilometresPerDegree } from './sphere.js'

const margin = 0.3 // km, or a part of the place
const part = 0.05
const far = 4 // times the median distance from the middle, beyond which a pub is taken to be misplaced
const corners = 12 // of the circle that is drawn around each pub

/** The outline of points as {lat, lng} in a ring that is not closed; a circle around a single one; undefined without points. */
export function outline(points) {
  if (!points.count) return undefined
  const narrow = Math.cos(median(Array.from(points.lat)) * Math.PI / 180) // of a degree of longitude there, against one of latitude
  const all = Array.from({ length: points.count }, (_, i) => ({ x: points.lng[i] * narrow, y: points.lat[i] }))
  const middle = { x: median(all.map(({ x }) => x)), y: median(all.map(({ y }) => y)) }
  const away = ({ x, y }) => Math.hypot(x - middle.x, y - middle.y)
  const usual = median(all.map(away)), least = margin / kilometresPerDegree
  const most = Math.max(far * usual, 4 * least)
  const kept = all.filter(point => away(point) <= most)
  const radius = Math.max(least, part * Math.max(...kept.map(away)))
  const around = hull(kept).flatMap(({ x, y }) => Array.from({ length: corners }, (_, i) => {
    const angle = 2 * Math.PI * i / corners
    return { x: x + radius * Math.cos(angle), y: y + radius * Math.sin(angle) }
  }))
  return hull(around).map(({ x, y }) => ({ lat: y, lng: x / narrow }))
}

const median = numbers => numbers.sort((a, b) => a - b)[numbers.length >> 1]

// The corners of the convex hull, by Andrew's monotone chain.
function hull(points) {
  const sorted = points.toSorted((a, b) => a.x - b.x || a.y - b.y)
  const chain = points => {
    const kept = []
    for (const point of points) {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), point) <= 0) kept.pop()
      kept.push(point)
    }
    return kept
  }
  const lower = chain(sorted), upper = chain(sorted.reverse())
  return sorted.length < 2 ? sorted : [...lower.slice(0, -1), ...upper.slice(0, -1)]
}

const turn = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
