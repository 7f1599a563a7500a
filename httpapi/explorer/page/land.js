// Coastlines and borders beneath the points.
import { Varints } from './varints.js'

const side = 2 ** 17 // columns of the file

export class Land {
  #rings
  #borders

  constructor(bytes) {
    const numbers = new Varints(bytes)
    this.#rings = lines(numbers)
    this.#borders = lines(numbers)
  }

  draw(context, view, theme) {
    context.beginPath()
    for (const ring of this.#rings) trace(context, view, ring)
    context.fillStyle = theme.land
    context.fill('evenodd')
    context.lineWidth = 1
    context.lineJoin = 'round'
    context.strokeStyle = theme.coast
    context.stroke()
    context.beginPath()
    for (const border of this.#borders) trace(context, view, border)
    context.setLineDash([3, 3])
    context.stroke()
    context.setLineDash([])
  }
}

/** Fetches the land, which needs no key. */
export async function fetchLand() {
  const response = await fetch('/explorer/land.bin')
  return response.ok ? new Land(new Uint8Array(await response.arrayBuffer())) : undefined
}

function lines(numbers) {
  return Array.from({ length: numbers.next() }, () => {
    const line = { points: new Float64Array(2 * numbers.next()), left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity }
    for (let i = 0, x = 0, y = 0; i < line.points.length; i += 2) {
      x += numbers.nextSigned()
      y += numbers.nextSigned()
      line.points[i] = x / side
      line.points[i + 1] = y / side
      line.left = Math.min(line.left, x / side)
      line.right = Math.max(line.right, x / side)
      line.top = Math.min(line.top, y / side)
      line.bottom = Math.max(line.bottom, y / side)
    }
    return line
  })
}

// Adds a line to the path if any of it is visible. Points within a pixel of the previous one are left out.
function trace(context, view, { points, left, right, top, bottom }) {
  const scale = view.scale, dx = view.width / 2 - view.x * scale, dy = view.height / 2 - view.y * scale
  if (right * scale + dx < 0 || left * scale + dx > view.width || bottom * scale + dy < 0 || top * scale + dy > view.height) return
  if ((right - left) * scale < 1 && (bottom - top) * scale < 1) return
  let x = points[0] * scale + dx, y = points[1] * scale + dy
  context.moveTo(x, y)
  for (let i = 2; i < points.length; i += 2) {
    const px = points[i] * scale + dx, py = points[i + 1] * scale + dy
    if (Math.abs(px - x) + Math.abs(py - y) < 1) continue
    context.lineTo(x = px, y = py)
  }
}
