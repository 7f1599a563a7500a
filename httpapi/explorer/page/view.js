// The part of the world that the map shows: a centre, a zoom (the world is 256 · 2^zoom pixels wide) and a size in pixels.
import * as mercator from './mercator.js'

const nearest = 18
const clamp = (value, low, high) => Math.max(low, Math.min(high, value))

export class View {
  x = 0.5
  y = 0.5
  zoom = 1
  width = 1
  height = 1

  /** Pixels of the whole world. */
  get scale() { return 256 * 2 ** this.zoom }

  get lat() { return mercator.latitude(this.y) }
  get lng() { return mercator.longitude(this.x) }

  /** lat,lng,zoom as the address bar has it. */
  toString() { return `${this.lat.toFixed(5)},${this.lng.toFixed(5)},${this.zoom.toFixed(2)}` }

  /** Shows what toString wrote, and reports whether it could be read. */
  parse(text) {
    const [lat, lng, zoom, ...rest] = text.split(',').map(part => part.trim() ? Number(part) : NaN)
    if (rest.length || !(Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && zoom >= 0 && zoom <= 30)) return false
    this.show(mercator.x(lng), mercator.y(lat), zoom)
    return true
  }

  show(x, y, zoom = this.zoom) {
    this.zoom = clamp(zoom, Math.log2(Math.max(64, Math.min(this.width, this.height)) / 256), nearest)
    this.x = clamp(x, 0, 1)
    this.y = clamp(y, 0, 1)
  }

  pan(dx, dy) { this.show(this.x + dx / this.scale, this.y + dy / this.scale) }

  /** Zooms by some levels about a pixel, which stays where it is. */
  zoomAt(px, py, levels) {
    const { x, y } = this.at(px, py)
    this.show(this.x, this.y, this.zoom + levels)
    this.show(x - (px - this.width / 2) / this.scale, y - (py - this.height / 2) / this.scale)
  }

  /** The place in the world at a pixel. */
  at(px, py) { return { x: this.x + (px - this.width / 2) / this.scale, y: this.y + (py - this.height / 2) / this.scale } }

  /** The pixel of a place in the world. */
  pixel(x, y) { return { x: (x - this.x) * this.scale + this.width / 2, y: (y - this.y) * this.scale + this.height / 2 } }

  has(x, y) {
    const p = this.pixel(x, y)
    return p.x >= 0 && p.y >= 0 && p.x < this.width && p.y < this.height
  }

  copy() { return Object.assign(new View(), this) }

  /** Shows what lies between two views, from 0 to 1. */
  between(from, to, part) {
    const zoom = from.zoom + (to.zoom - from.zoom) * part
    const near = Math.abs(to.zoom - from.zoom) < 0.01 ? part : (2 ** -from.zoom - 2 ** -zoom) / (2 ** -from.zoom - 2 ** -to.zoom)
    this.show(from.x + (to.x - from.x) * near, from.y + (to.y - from.y) * near, zoom)
  }

  /** Shows a box of the world, with some room around it. */
  fit({ left, top, right, bottom }, most = 15) {
    const zoom = Math.log2(0.86 * Math.min(this.width / (right - left || 1e-9), this.height / (bottom - top || 1e-9)) / 256)
    this.show((left + right) / 2, (top + bottom) / 2, Math.min(zoom, most))
  }
}
