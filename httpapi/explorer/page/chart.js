// The map: land or tiles, points, hits, labels, names, a circle and a chosen pub, drawn on a canvas whenever something changes.
import { Lettering } from './lettering.js'
import * as mercator from './mercator.js'
import { street } from './names.js'
import { Points } from './points.js'
import { makePalette, makeStamp, Raster } from './raster.js'
import { View } from './view.js'
import { scaleBar } from './wording.js'

const densest = 2 // pixels of the canvas to a pixel of the page, at most
const measured = 60 // frames
const gliding = 350 // ms

export class Chart {
  view = new View()
  points = new Points()
  hits = new Points()
  labels = [] // of places, {text, x, y}, the largest first
  names = [] // of pubs, {name, x, y}, the best first
  circle // {lat, lng, distance}
  outline // of a place, [{lat, lng}, …]
  pub // {lat, lng, name}
  hovered // {x, y, name}
  land
  tiles
  /** Called after the view has moved, with whether the visitor moved it. */
  moved = () => {}

  #canvas
  #context
  #raster = new Raster()
  #frames = [] // ms
  #waiting = false
  #theme
  #calm = matchMedia('(prefers-reduced-motion: reduce)')
  #glide

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

  /** Draws another view, to which the visitor moved the map. */
  move(change) {
    this.#glide = undefined
    change(this.view)
    this.draw()
    this.moved(true)
  }

  /** Goes to another view, gliding unless it is far away or the visitor prefers reduced motion. */
  go(change) {
    const from = this.view.copy()
    if (this.#glide) Object.assign(this.view, this.#glide.to)
    change(this.view)
    const to = this.view.copy()
    const far = Math.hypot(to.x - from.x, to.y - from.y) * Math.min(from.scale, to.scale) > 3 * from.width
    this.moved(false)
    if (this.#calm.matches || far || from.width < 2 || !this.points.count) {
      this.#glide = undefined
      return this.draw()
    }
    const glide = this.#glide = { from, to, began: performance.now() }
    const step = now => {
      if (this.#glide !== glide) return
      const part = Math.min(1, Math.max(0, (now - glide.began) / gliding)), eased = 1 - (1 - part) ** 3
      this.view.between(from, to, eased)
      if (part === 1) this.#glide = undefined
      else requestAnimationFrame(step)
      this.draw()
    }
    requestAnimationFrame(step)
  }

  /** The current view, or the one to which the map is gliding. */
  get settled() { return this.#glide?.to ?? this.view }

  /** Moves to a view of the whole circle, if there is one. */
  fitCircle() {
    if (!this.circle) return
    const { lat, lng, distance } = this.circle, half = distance / mercator.width(lat)
    const x = mercator.x(lng), y = mercator.y(lat)
    this.go(view => view.fit({ left: x - half, right: x + half, top: y - half, bottom: y + half }))
  }

  /** The point at a pixel, {x, y, hit}: hits take precedence; undefined for none. */
  pick(px, py, most) {
    for (const points of [this.hits, this.points]) {
      const i = points.nearest(this.view, px, py, most)
      if (i >= 0) return { x: points.x[i], y: points.y[i], hit: points === this.hits }
    }
    return undefined
  }

  #dress() {
    const style = getComputedStyle(document.documentElement)
    const colour = name => style.getPropertyValue(`--${name}`).trim()
    this.#theme = {
      ink: colour('ink'), accent: colour('accent'), sheet: colour('sheet'), quiet: colour('quiet'),
      land: colour('land'), coast: colour('coast'), halo: colour('land'), town: colour('town'),
      points: makePalette(colour('dots')), hits: makePalette(colour('accent')),
    }
    this.draw()
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.#canvas, density = this.#density()
    Object.assign(this.view, { width: width || 1, height: height || 1 })
    if (this.#glide) Object.assign(this.#glide.to, { width: width || 1, height: height || 1 })
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
    else this.land?.draw(context, view, this.#theme)
    context.setTransform(1, 0, 0, 1, 0, 0)
    this.#drawPoints(context, density)
    context.setTransform(density, 0, 0, density, 0, 0)
    this.#drawOutline(context)
    this.#drawCircle(context)
    this.#drawPub(context)
    this.#letter(context)
    this.#drawScale(context)
  }

  #drawPoints(context, density) {
    const { view } = this, scale = view.scale * density
    const left = view.x * scale - this.#canvas.width / 2, top = view.y * scale - this.#canvas.height / 2
    const few = Math.min(0.6, 1 - Math.log10(Math.max(1, this.points.count / 300)) / 2) // from a handful to a country
    const near = Math.max(0, few, Math.min(1, (view.zoom - 6) / 9)) // from a country to a street
    const quiet = this.hits.count > 0 ? 0.5 : 1
    this.#raster.clear(this.#canvas.width, this.#canvas.height)
    this.#raster.draw(this.points, scale, left, top, makeStamp((0.6 + 3.6 * near) * density, (0.34 + 0.5 * near) * quiet), this.#theme.points)
    this.#raster.layer()
    this.#raster.draw(this.hits, scale, left, top, makeStamp((1.7 + 3.9 * near) * density, 0.9), this.#theme.hits)
    this.#raster.put(context)
  }

  #letter(context) {
    const { view } = this
    const lettering = new Lettering(context, view, this.#theme, [
      { left: 0, right: 165, top: view.height - 112, bottom: view.height }, // of legend and scale
      { left: view.width - 66, right: view.width, top: view.height - 165, bottom: view.height }, // and of the buttons
    ])
    const at = (place, text, style) => {
      const p = view.pixel(place.x, place.y)
      return lettering.write(text, p.x, p.y, style)
    }
    const { ink, town } = this.#theme
    const chosen = this.pub && { x: mercator.x(this.pub.lng), y: mercator.y(this.pub.lat) }
    if (chosen) at(chosen, this.pub.name, { size: 14, weight: 650, colour: ink, offset: 16, most: 220, always: true })
    if (this.hovered) at(this.hovered, this.hovered.name, { size: 13, weight: 600, colour: ink, most: 220, always: true })
    if (view.zoom >= street) {
      for (const pub of this.names) {
        const same = other => other && Math.abs(other.x - pub.x) < 2e-7 && Math.abs(other.y - pub.y) < 2e-7
        if (!same(chosen) && !same(this.hovered)) at(pub, pub.name, { colour: ink, weight: 500 })
      }
    }
    if (this.tiles) return // which have labels of their own
    const room = Math.max(6, Math.min(40, view.width * view.height / 22_000)) // labels
    let written = 0
    for (const label of this.labels) {
      if (written >= room) break
      const large = written < room / 4
      if (at(label, label.text, { size: large ? 13 : 12, weight: large ? 600 : 500, colour: town, middle: true, most: 140 })) written++
    }
  }

  #drawOutline(context) {
    if (!this.outline) return
    context.setLineDash([6, 4])
    this.#drawRing(context, this.outline)
    context.setLineDash([])
  }

  #drawRing(context, places) {
    context.beginPath()
    for (const { lat, lng } of places) {
      const p = this.view.pixel(mercator.x(lng), mercator.y(lat))
      context.lineTo(p.x, p.y)
    }
    context.closePath()
    context.strokeStyle = context.fillStyle = this.#theme.accent
    context.globalAlpha = 0.07
    context.fill()
    context.globalAlpha = 1
    context.lineWidth = 1.5
    context.stroke()
  }

  #drawCircle(context) {
    if (!this.circle) return
    const { circle } = this
    this.#drawRing(context, Array.from({ length: 120 }, (_, i) => mercator.destination(circle, circle.distance, 3 * i)))
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
    const { view } = this, { length, text } = scaleBar(mercator.width(view.lat) / view.scale, 110)
    const bottom = view.height - 14
    context.beginPath()
    context.moveTo(16, bottom - 5)
    context.lineTo(16, bottom)
    context.lineTo(16 + length, bottom)
    context.lineTo(16 + length, bottom - 5)
    context.lineWidth = 1.5
    context.strokeStyle = context.fillStyle = this.#theme.quiet
    context.stroke()
    context.font = '11px system-ui, sans-serif'
    context.textBaseline = 'alphabetic'
    context.lineWidth = 3
    context.strokeStyle = this.#theme.halo
    context.strokeText(text, 20, bottom - 6)
    context.fillText(text, 20, bottom - 6)
  }

  #report(ms) {
    this.#frames.push(ms)
    if (this.#frames.length > measured) this.#frames.shift()
    Object.assign(this.#canvas.dataset, {
      lat: this.view.lat.toFixed(5), lng: this.view.lng.toFixed(5), zoom: this.view.zoom.toFixed(2),
      points: this.points.count, hits: this.hits.count, names: this.names.length, outline: this.outline?.length ?? 0, frame: Math.max(...this.#frames).toFixed(1),
      settled: this.#glide ? '' : 'yes',
    })
  }
}
