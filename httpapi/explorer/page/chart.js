// The map: tiles or a graticule, points, hits, a circle and a chosen pub, drawn on a canvas whenever something changed.
import { kilometres } from './wording.js'
import * as mercator from './mercator.js'
import { makePalette, makeStamp, Raster } from './raster.js'
import { Points } from './points.js'
import { View } from './view.js'

const densest = 2 // pixels of the canvas to a pixel of the page, at most
const measured = 60 // frames

export class Chart {
  view = new View()
  points = new Points()
  hits = new Points()
  circle // {lat, lng, distance}
  pub // {lat, lng}
  tiles
  /** Called when the view was moved. */
  moved = () => {}

  #canvas
  #context
  #raster = new Raster()
  #frames = [] // ms
  #waiting = false
  #theme

  constructor(canvas) {
    this.#canvas = canvas
    this.#context = canvas.getContext('2d')
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#dress())
    this.#dress()
    this.#resize()
    new ResizeObserver(() => this.#resize()).observe(canvas)
  }

  /** Draws with the next frame. */
  draw() {
    if (this.#waiting) return
    this.#waiting = true
    requestAnimationFrame(() => {
      this.#waiting = false
      const start = performance.now()
      this.#paint()
      this.#report(performance.now() - start)
    })
  }

  /** Draws another view. */
  move(change) {
    change(this.view)
    this.draw()
    this.moved()
  }

  /** Moves to where the whole circle is seen, if there is one. */
  fitCircle() {
    if (!this.circle) return
    const { lat, lng, distance } = this.circle, half = distance / mercator.width(lat)
    const x = mercator.x(lng), y = mercator.y(lat)
    this.move(view => view.fit({ left: x - half, right: x + half, top: y - half, bottom: y + half }))
  }

  /** The UID of the pub at a pixel: a hit before others. */
  pick(px, py, most) {
    return this.hits.nearest(this.view, px, py, most) ?? this.points.nearest(this.view, px, py, most)
  }

  #dress() {
    const style = getComputedStyle(document.documentElement)
    const colour = name => style.getPropertyValue(`--${name}`).trim()
    this.#theme = {
      ink: colour('ink'), accent: colour('accent'), line: colour('line'), sheet: colour('sheet'), quiet: colour('quiet'), ground: colour('ground'),
      points: makePalette(colour('dots')), hits: makePalette(colour('accent')),
    }
    this.draw()
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.#canvas, density = this.#density()
    Object.assign(this.view, { width: width || 1, height: height || 1 })
    this.#canvas.width = Math.round(width * density)
    this.#canvas.height = Math.round(height * density)
    this.#paint()
  }

  #density() { return Math.min(densest, devicePixelRatio || 1) }

  #paint() {
    const context = this.#context, { view } = this, density = this.#density(), { width, height } = this.#canvas
    if (!width || !height) return
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, width, height)
    context.setTransform(density, 0, 0, density, 0, 0)
    if (this.tiles) this.tiles.draw(context, view)
    else this.#drawGraticule(context)
    context.setTransform(1, 0, 0, 1, 0, 0)
    this.#drawPoints(context, density)
    context.setTransform(density, 0, 0, density, 0, 0)
    this.#drawCircle(context)
    this.#drawPub(context)
    this.#drawScale(context)
  }

  #drawPoints(context, density) {
    const { view } = this, scale = view.scale * density
    const left = view.x * scale - this.#canvas.width / 2, top = view.y * scale - this.#canvas.height / 2
    const few = Math.min(0.6, 1 - Math.log10(Math.max(1, this.points.count / 300)) / 2) // from a handful to a country
    const near = Math.max(0, few, Math.min(1, (view.zoom - 6) / 9)) // from a country to a street
    const quiet = this.hits.count > 0 ? 0.55 : 1
    this.#raster.clear(this.#canvas.width, this.#canvas.height)
    this.#raster.draw(this.points, scale, left, top, makeStamp((0.7 + 3.4 * near) * density, (0.34 + 0.5 * near) * quiet), this.#theme.points)
    this.#raster.layer()
    this.#raster.draw(this.hits, scale, left, top, makeStamp((2 + 3.6 * near) * density, 0.9), this.#theme.hits)
    this.#raster.put(context)
  }

  #drawGraticule(context) {
    const { view } = this, first = view.at(0, 0), last = view.at(view.width, view.height)
    const degrees = mercator.longitude(last.x) - mercator.longitude(first.x)
    const step = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002].find(step => degrees / step >= 4) ?? 0.001
    const each = (from, to, most, line) => {
      for (let i = Math.ceil(Math.max(-most, from) / step); i * step <= Math.min(most, to); i++) line(i * step)
    }
    context.beginPath()
    each(mercator.longitude(first.x), mercator.longitude(last.x), 180, lng => {
      const at = Math.round(view.pixel(mercator.x(lng), 0).x) + 0.5
      context.moveTo(at, 0)
      context.lineTo(at, view.height)
    })
    each(mercator.latitude(last.y), mercator.latitude(first.y), 85, lat => {
      const at = Math.round(view.pixel(0, mercator.y(lat)).y) + 0.5
      context.moveTo(0, at)
      context.lineTo(view.width, at)
    })
    context.lineWidth = 1
    context.strokeStyle = this.#theme.line
    context.stroke()
  }

  #drawCircle(context) {
    if (!this.circle) return
    const { view, circle } = this
    context.beginPath()
    for (let bearing = 0; bearing <= 360; bearing += 3) {
      const place = mercator.destination(circle, circle.distance, bearing)
      const p = view.pixel(mercator.x(place.lng), mercator.y(place.lat))
      context[bearing ? 'lineTo' : 'moveTo'](p.x, p.y)
    }
    context.strokeStyle = context.fillStyle = this.#theme.accent
    context.globalAlpha = 0.06
    context.fill()
    context.globalAlpha = 1
    context.lineWidth = 1.5
    context.stroke()
    this.#dot(context, circle, 3.5)
    this.#dot(context, mercator.destination(circle, circle.distance, 45), 6)
  }

  #drawPub(context) {
    if (!this.pub) return
    const p = this.#dot(context, this.pub, 6)
    context.beginPath()
    context.arc(p.x, p.y, 12, 0, 2 * Math.PI)
    context.lineWidth = 2
    context.strokeStyle = this.#theme.ink
    context.stroke()
  }

  #dot(context, { lat, lng }, radius) {
    const p = this.view.pixel(mercator.x(lng), mercator.y(lat))
    context.beginPath()
    context.arc(p.x, p.y, radius, 0, 2 * Math.PI)
    context.fillStyle = this.#theme.accent
    context.fill()
    context.lineWidth = 2
    context.strokeStyle = this.#theme.sheet
    context.stroke()
    return p
  }

  #drawScale(context) {
    const { view } = this, km = mercator.width(view.lat) / view.scale // of a pixel
    const round = [5000, 2000, 1000, 500, 200, 100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05].find(length => length / km <= 110) ?? 0.02
    const length = round / km, bottom = view.height - 16
    context.beginPath()
    context.moveTo(16, bottom - 5)
    context.lineTo(16, bottom)
    context.lineTo(16 + length, bottom)
    context.lineTo(16 + length, bottom - 5)
    context.lineWidth = 1.5
    context.strokeStyle = context.fillStyle = this.#theme.quiet
    context.stroke()
    context.font = '11px system-ui, sans-serif'
    context.lineWidth = 4
    context.strokeStyle = this.#theme.ground
    context.strokeText(kilometres(round), 20, bottom - 6)
    context.fillText(kilometres(round), 20, bottom - 6)
  }

  #report(ms) {
    this.#frames.push(ms)
    if (this.#frames.length > measured) this.#frames.shift()
    Object.assign(this.#canvas.dataset, {
      lat: this.view.lat.toFixed(5), lng: this.view.lng.toFixed(5), zoom: this.view.zoom.toFixed(2),
      points: this.points.count, hits: this.hits.count, frame: Math.max(...this.#frames).toFixed(1),
    })
  }
}
