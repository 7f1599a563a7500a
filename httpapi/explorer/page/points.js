// The positions of many pubs, in typed arrays.
import * as api from './api.js'
import { Varints } from './varints.js'

const side = 2 ** 24 // columns of the square in which the API places points

export class Points {
  constructor(count = 0) {
    this.count = this.total = count // the total may be larger: then the points are a sample
    this.x = new Float64Array(count)
    this.y = new Float64Array(count)
  }

  /** The index of the point nearest to a pixel of a view, at most some pixels away; -1 for none. */
  nearest(view, px, py, most) {
    const at = view.at(px, py)
    let best = (most / view.scale) ** 2, found = -1
    for (let i = 0; i < this.count; i++) {
      const dx = this.x[i] - at.x, dy = this.y[i] - at.y, square = dx * dx + dy * dy
      if (square <= best) {
        best = square
        found = i
      }
    }
    return found
  }

  /** The number of points in a view. */
  countIn(view) {
    const first = view.at(0, 0), last = view.at(view.width, view.height)
    let n = 0
    for (let i = 0; i < this.count; i++) if (this.x[i] >= first.x && this.x[i] < last.x && this.y[i] >= first.y && this.y[i] < last.y) n++
    return n
  }

  /** The box that contains all points; undefined without points. */
  box() {
    if (!this.count) return undefined
    const box = { left: 1, right: 0, top: 1, bottom: 0 }
    for (let i = 0; i < this.count; i++) {
      box.left = Math.min(box.left, this.x[i])
      box.right = Math.max(box.right, this.x[i])
      box.top = Math.min(box.top, this.y[i])
      box.bottom = Math.max(box.bottom, this.y[i])
    }
    return box
  }
}

/** Fetches the points of all pubs, or of those that a search finds, as {points, labels}; labels are {text, x, y}, the largest first. */
export async function fetchPoints(query, signal) {
  let target = api.points
  if (query) {
    const asked = new URLSearchParams(query)
    for (const name of ['sort', 'order', 'weights', 'seed']) asked.delete(name)
    target += `?${asked}`
  }
  const { bytes, total } = await api.ask(target, signal)
  const numbers = new Varints(bytes), labels = []
  for (let n = numbers.next(); n > 0; n--) {
    const at = place(numbers.next()), count = numbers.next()
    labels.push({ ...at, count, text: numbers.text(numbers.next()) })
  }
  const points = new Points(numbers.next())
  points.total = total || points.count
  for (let i = 0, code = 0; i < points.count; i++) {
    code += numbers.next()
    const { x, y } = place(code)
    points.x[i] = x
    points.y[i] = y
  }
  return { points, labels }
}

// The position in the world of a Z-order code of 48 bits.
function place(code) {
  const high = Math.floor(code / side), low = code % side
  return { x: ((squeeze(high) << 12 | squeeze(low)) + 0.5) / side, y: ((squeeze(high >> 1) << 12 | squeeze(low >> 1)) + 0.5) / side }
}

// Every other bit of a number of 24 bits, from the lowest on.
function squeeze(bits) {
  bits &= 0x555555
  bits = (bits | bits >> 1) & 0x333333
  bits = (bits | bits >> 2) & 0x0f0f0f
  bits = (bits | bits >> 4) & 0xff00ff
  return (bits | bits >> 8) & 0xffff
}
