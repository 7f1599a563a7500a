// The map: a basemap, and on it all pubs, the hits of a search, names, a circle and a chosen pub. MapLibre GL JS draws
// it, with WebGL, and is loaded when the map is opened; until then, and without WebGL, the map keeps what it is to show.
import { basemap, empty, notLoaded } from './basemap.js'
import { find, tell } from './element.js'
import { Points } from './points.js'
import { destination, kilometresPerDegree, wrapped } from './sphere.js'
import { resters, street } from './names.js'
import { bold, plain } from './streets.js'
import { fold } from './understood.js'
import { scaleBar } from './wording.js'

const levels = 1 // zooms count from a world of 256 pixels, as in the address; those of MapLibre from one of 512
const closest = 18, neighbours = 8, near = 15 // the largest zoom, how many others should be seen with a pub, and the zoom to them at most
const edge = 85 // degrees of latitude at which the map ends; MapLibre throws for a box beyond 90
const gliding = 350 // ms
const still = 5 // pixels that a click may move
const reach = new Map([['mouse', 9], ['pen', 12], ['touch', 22]]) // pixels around the pointer within which things count as clicked

const feature = (type, coordinates, properties = {}) => ({ type: 'Feature', properties, geometry: { type, coordinates } })
const collection = features => ({ type: 'FeatureCollection', features })
const pointOf = ({ lng, lat, ...properties }) => feature('Point', [lng, lat], properties)
const ringOf = places => feature('Polygon', [[...places, places[0]].map(({ lng, lat }) => [lng, lat])])

/** Reports whether two places, of which one may be missing, are the same but for rounding. */
export const isAt = (a, b) => b !== undefined && Math.abs(a.lng - b.lng) < 5e-5 && Math.abs(a.lat - b.lat) < 5e-5

const large = 300_000 // people of a town that may be named close to a larger one

/** Places, the largest first, with their ranks, each with the zoom of MapLibre from which on it has room beside all larger ones, and the side of the nearest one. */
function spaced(places) {
  return places.map((place, rank) => {
    const { lng, lat, population } = place, wide = Math.cos(lat * Math.PI / 180), room = (population >= large ? 18 : 60) * 360 / 512
    let nearest = Infinity, isEast = false
    for (let i = 0; i < rank; i++) {
      const far = Math.hypot(places[i].lng - lng, (places[i].lat - lat) / wide)
      if (far < nearest) [nearest, isEast] = [far, places[i].lng > lng]
    }
    return { ...place, rank, isEast, from: Math.log2(room / nearest) }
  })
}

// What is shown, as GeoJSON, by the name of its source. Names of hits come first. The towns of the basemap, if it has any, come before the labels of pubs' places.
const sources = new Map(Object.entries({
  pubs: ({ points }) => points.features(),
  hits: ({ hits }) => hits.features(),
  labels: ({ labels }, towns) => collection(towns ? spaced([...towns, ...labels.filter(({ text }) => !towns.some(town => town.text === text))]).map(pointOf) : []),
  place: ({ place }) => place ? pointOf(place) : empty,
  names: ({ names, hits, pub, hovered }) => collection(names.flatMap((named, rank) => isAt(named, pub) || isAt(named, hovered) ? [] : pointOf({ ...named, rank: rank - (hits.has(named) ? names.length : 0) }))),
  circle: ({ circle }) => circle ? collection([
    ringOf(Array.from({ length: 120 }, (_, i) => destination(circle, circle.distance, 3 * i))),
    ...circle.isMe ? [pointOf({ lat: circle.lat, lng: circle.lng, radius: 16, opacity: 0.25 })] : [],
    pointOf({ lat: circle.lat, lng: circle.lng, radius: circle.isMe ? 7 : 3.5 }), pointOf({ ...destination(circle, circle.distance, 45), radius: 6 })]) : empty,
  chosen: ({ pub, hovered }) => collection([pub && pointOf({ ...pub, chosen: true }), hovered && pointOf(hovered)].filter(Boolean)),
}))

const dotted = ['hits', 'pubs'] // the sources of points, the upper one first

// The sources that show a part of the state.
const shownBy = new Map(Object.entries({ points: ['pubs'], hits: ['hits', 'names'], labels: ['labels'], place: ['place'], names: ['names'], circle: ['circle'], pub: ['chosen', 'names'], hovered: ['chosen', 'names'] }))

// The layers above the basemap, from the lowest; searched says whether there are hits, beside which all other pubs
// step back. MapLibre places names from the uppermost layer down: the place that is searched, towns, names of pubs, and numbers, which give way to all of these.
function layers({ ink, accent, sheet, dots: grey, land, town }, searched, place) {
  const isPoint = ['==', ['geometry-type'], 'Point'], isRing = ['==', ['geometry-type'], 'Polygon']
  const halo = { 'text-halo-color': land, 'text-halo-width': 1.6 }
  // Points of a source, and clusters of them with their numbers.
  const dots = (source, colour, opacity, single) => [
    { id: `${source}-clusters`, type: 'circle', source, filter: ['has', 'point_count'],
      paint: { 'circle-color': colour, 'circle-opacity': opacity, 'circle-stroke-color': sheet, 'circle-stroke-opacity': opacity, 'circle-stroke-width': 1,
        'circle-radius': ['step', ['get', 'point_count'], 8, 10, 10, 100, 13, 1000, 16] } },
    { id: source, type: 'circle', source, filter: ['!', ['has', 'point_count']],
      paint: { 'circle-color': colour, 'circle-opacity': opacity, 'circle-stroke-color': sheet, 'circle-stroke-opacity': opacity, 'circle-stroke-width': 1,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 5, 2.5, 14, single] } },
  ]
  const counts = (source, colour, visibility) => ({ id: `${source}-counts`, type: 'symbol', source, filter: ['has', 'point_count'],
    paint: { 'text-color': sheet, 'text-halo-color': colour, 'text-halo-width': 2 },
    layout: { visibility, 'text-field': ['get', 'point_count_abbreviated'], 'text-font': bold, 'text-size': 10.5, 'text-padding': 0,
      'text-variable-anchor-offset': ['center', [0, 0], 'bottom', [0, -0.3], 'top', [0, 0.3], 'bottom', [0, -1], 'top', [0, 1], 'right', [-0.6, 0], 'left', [0.6, 0]] } })
  const name = (font, size, offset, width) => ({ 'text-field': ['get', 'name'], 'text-font': font, 'text-size': size, 'text-variable-anchor': ['left', 'right', 'bottom', 'top'],
    'text-justify': 'auto', 'text-radial-offset': offset, 'text-max-width': width })
  const sides = (first, second) => ['literal', [first, [first === 'left' ? 1.1 : -1.1, 0], second, [first === 'left' ? -1.1 : 1.1, 0], 'bottom', [0, -1], 'top', [0, 1]]]
  const named = ['all', ['<=', ['get', 'from'], ['zoom']], ['!=', ['get', 'text'], place?.text ?? '']]
  return [
    { id: 'circle-area', type: 'fill', source: 'circle', filter: isRing, paint: { 'fill-color': accent, 'fill-opacity': 0.07 } },
    { id: 'circle-line', type: 'line', source: 'circle', filter: isRing, paint: { 'line-color': accent, 'line-width': 1.5 } },
    { id: 'town-dots', type: 'circle', source: 'labels', filter: named, paint: { 'circle-color': land, 'circle-radius': 2.5, 'circle-stroke-color': town, 'circle-stroke-width': 1.5 } },
    ...dots('pubs', grey, searched ? 0.3 : 0.9, 5),
    ...dots('hits', accent, 1, 6.5),
    counts('pubs', grey, searched ? 'none' : 'visible'),
    counts('hits', accent, 'visible'),
    { id: 'handles', type: 'circle', source: 'circle', filter: isPoint,
      paint: { 'circle-color': accent, 'circle-radius': ['get', 'radius'], 'circle-opacity': ['coalesce', ['get', 'opacity'], 1], 'circle-stroke-color': ['case', ['has', 'opacity'], accent, sheet], 'circle-stroke-width': 2 } },
    { id: 'ring', type: 'circle', source: 'chosen', filter: ['has', 'chosen'], paint: { 'circle-color': sheet, 'circle-radius': 11, 'circle-stroke-color': ink, 'circle-stroke-width': 2 } },
    { id: 'chosen', type: 'circle', source: 'chosen', filter: ['has', 'chosen'], paint: { 'circle-color': accent, 'circle-radius': 6 } },
    { id: 'names', type: 'symbol', source: 'names', minzoom: street - levels, paint: { 'text-color': ink, ...halo },
      layout: { ...name(plain, 12, 0.8, 9), 'symbol-sort-key': ['get', 'rank'] } },
    { id: 'chosen-name', type: 'symbol', source: 'chosen', paint: { 'text-color': ink, ...halo, 'text-halo-width': 2.5 },
      layout: { ...name(bold, 13.5, 1.2, 12), 'text-allow-overlap': true } },
    { id: 'labels', type: 'symbol', source: 'labels', filter: named, paint: { 'text-color': town, ...halo },
      layout: { 'text-field': ['get', 'text'], 'text-font': plain, 'text-size': ['interpolate', ['linear'], ['log10', ['+', 1, ['coalesce', ['get', 'population'], 0]]], 4, 11.5, 7, 15],
        'text-variable-anchor-offset': ['case', ['get', 'isEast'], sides('right', 'left'), sides('left', 'right')], 'text-justify': 'auto', 'text-max-width': 8,
        'symbol-sort-key': ['get', 'rank'] } },
    { id: 'place', type: 'symbol', source: 'place', paint: { 'text-color': ink, ...halo, 'text-halo-width': 2.5 },
      layout: { ...name(bold, 15, 1.2, 12), 'text-field': ['get', 'text'], 'text-allow-overlap': true } },
  ]
}

// All layers, from the lowest, in the colours of the page.
function allLayers(base, { hits, place }) {
  const theme = colours()
  return [...base.layers(theme), ...layers(theme, hits.count > 0, place)]
}

// The colours of the page, of its light or dark style.
function colours() {
  const style = getComputedStyle(document.documentElement)
  const names = ['ink', 'accent', 'sheet', 'quiet', 'dots', 'sea', 'land', 'coast', 'town', 'green', 'house', 'road', 'way']
  return Object.fromEntries(names.map(name => [name, style.getPropertyValue(`--${name}`).trim()]))
}

/** Reads lat,lng,zoom as the address has it; undefined if it is something else. */
export function parseView(text) {
  const [lat, lng, zoom, ...rest] = text.split(',').map(part => part.trim() ? Number(part) : NaN)
  return rest.length || !(Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && zoom >= 0 && zoom <= 30) ? undefined : { lat, lng, zoom }
}

export class PubMap {
  /**
   * What is shown: points and hits (Points); labels of places, [{text, lng, lat, count}], the largest first; place {text, lng, lat}, which is always named; names
   * of pubs, [{name, lng, lat}], the best first; circle {lat, lng, distance, isMe}; pub {lat, lng, name}; hovered {lat, lng, name}.
   */
  shown = { points: new Points(), hits: new Points(), labels: [], names: [] }

  #container
  #map // of MapLibre; undefined until it is open
  #library
  #base
  #camera // where to look once it is open, as options of MapLibre

  constructor(container) { this.#container = container }

  /**
   * Loads the library and opens the map; false if the browser has no WebGL, a Fault if the library cannot be loaded. moved({ byHand, asked }) is
   * called after each move: byHand if the visitor made it, asked if go or fit did, for the visitor; clicked(place, point) with the point at a
   * place of the map, if there is one, or a cluster of points {lng, lat, hit, cluster}; resized(km) while the edge of the circle is dragged;
   * rested(point, signal) when a mouse rests on a point, and left() when it moves on. A point is {lng, lat, hit}.
   */
  async open(settings, { moved, clicked, resized, rested, left }) {
    const [base] = await Promise.all([basemap(settings), import('./maplibre.js').catch(notLoaded)])
    const library = this.#library = globalThis.maplibregl // the module is a script in the UMD format
    library.setWorkerUrl('/explorer/maplibre-worker.js')
    await base.prepare?.(library)
    const camera = this.#camera
    const own = [...sources.keys()].map(name => [name, { type: 'geojson', data: empty, ...dotted.includes(name) && { cluster: true, clusterRadius: 30, clusterMaxZoom: 10 }, ...name === 'circle' && { tolerance: 0 } }])
    let map
    try {
      map = new library.Map({
        container: this.#container, attributionControl: false, dragRotate: false, pitchWithRotate: false, touchPitch: false, maxZoom: closest - levels,
        clickTolerance: still, fadeDuration: 0, maxBounds: base.bounds, locale: { 'Map.Title': this.#container.getAttribute('aria-label') }, ...camera,
        style: { version: 8, sources: { ...base.sources, ...Object.fromEntries(own) }, layers: allLayers(base, this.shown) },
      })
    } catch (error) {
      console.warn(error) // the visitor learns less
      return false
    }
    map.touchZoomRotate.disableRotation()
    map.keyboard.disableRotation()
    map.getCanvas().setAttribute('aria-describedby', 'map-keys')
    map.on('error', ({ error }) => {
      console.error(String(error)) // those of a worker have no other description
      map.triggerRepaint() // or it would wait for a tile that failed
    })
    await new Promise(resolve => map.once('style.load', resolve)) // pubs do not wait for the basemap
    this.#base = base
    this.#map = map
    map.on('move', () => this.#report(''))
    map.on('idle', () => this.#report('yes'))
    map.on('moveend', ({ originalEvent, asked }) => moved({ byHand: Boolean(originalEvent), asked }))
    this.#listen(clicked, resized, rested, left)
    this.set(this.shown)
    this.#dress() // for hits, and if the colour scheme has changed meanwhile
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#dress())
    const { bounds, fitBoundsOptions, ...there } = this.#camera ?? {}
    if (this.#camera !== camera) map.jumpTo((bounds ? map.cameraForBounds(bounds, fitBoundsOptions) : there) ?? {}) // it was changed meanwhile
    return true
  }

  /** The zoom; undefined before the map has a view. */
  get zoom() {
    const zoom = this.#map ? this.#map.getZoom() : this.#camera?.zoom
    return zoom === undefined ? undefined : zoom + levels
  }

  /** The centre, {lat, lng}, of a map that has a zoom. */
  get centre() {
    const [lng, lat] = this.#map?.getCenter().toArray() ?? this.#camera.center
    return { lat, lng: wrapped(lng) }
  }

  /** What a map that has a zoom shows, {west, south, east, north}; the east may exceed 180. */
  get box() {
    if (!this.#map) return this.#boxAround(this.centre, this.zoom)
    const bounds = this.#map.getBounds()
    return { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() }
  }

  /** The view as the address has it: lat,lng,zoom. */
  toString() { return `${this.centre.lat.toFixed(5)},${this.centre.lng.toFixed(5)},${this.zoom.toFixed(2)}` }

  /** The place with a name, {lng, lat}, on a map that names places; otherwise undefined. */
  named(name) { return this.#base?.towns && [...this.#base.towns, ...this.shown.labels].find(({ text }) => fold(text) === fold(name)) }

  /** Changes what is shown. */
  set(changes) {
    const { hits: { count: before }, place } = this.shown
    Object.assign(this.shown, changes)
    if (!this.#map) return
    for (const name of new Set(Object.keys(changes).flatMap(part => shownBy.get(part)))) this.#map.getSource(name).setData(sources.get(name)(this.shown, this.#base.towns))
    if (this.shown.hits.count > 0 !== before > 0 || this.shown.place?.text !== place?.text) this.#dress()
    this.#report('')
    this.#map.triggerRepaint() // so that it says when it is done
  }

  /** Takes up the size of its element at once. It does so later by itself, but what glides by then would miss its aim. */
  resize() { this.#map?.resize() }

  /** Goes to a place, {lat, lng, zoom}; gliding unless it is far away or the visitor prefers reduced motion. */
  go({ lat, lng, zoom }) { this.#go({ center: [lng, lat], zoom: Math.min(zoom, closest) - levels }) }

  /** Goes to a box; without glide at once, and not for the visitor. */
  fit({ west, south, east, north }, { glide = true } = {}) {
    const { clientWidth: width, clientHeight: height } = this.#container, padding = 0.07 * Math.min(width, height)
    const options = { padding, maxZoom: near - levels }, bounds = [[west, south], [east, north]]
    if (!this.#map) this.#camera = { bounds, fitBoundsOptions: options }
    else this.#go(this.#map.cameraForBounds(bounds, options), glide)
  }

  /** Goes to the whole circle, if there is one, as far as the map reaches. */
  fitCircle() {
    if (!this.shown.circle) return
    const { lat, lng, distance } = this.shown.circle, high = distance / kilometresPerDegree, wide = Math.min(180, high / Math.cos(lat * Math.PI / 180))
    this.fit({ west: lng - wide, south: Math.max(-edge, lat - high), east: lng + wide, north: Math.min(edge, lat + high) })
  }

  /** Goes close to a pub, but keeps some of its neighbours in view. */
  reveal({ lat, lng }) {
    const { points } = this.shown
    let zoom = points.count ? near : street
    while (zoom > street && points.countIn(this.#boxAround({ lat, lng }, zoom)) < neighbours) zoom -= 0.5
    this.go({ lat, lng, zoom: Math.max(this.zoom ?? 0, zoom) })
  }

  #boxAround({ lat, lng }, zoom) {
    const { clientWidth: width, clientHeight: height } = this.#container
    const wide = width / 2 * 360 / (256 * 2 ** zoom), high = wide * height / width * Math.cos(lat * Math.PI / 180)
    return { west: lng - wide, south: lat - high, east: lng + wide, north: lat + high }
  }

  /** Zooms for the visitor to where a cluster falls apart. */
  async expand({ lng, lat, hit, cluster }) {
    const zoom = await this.#map.getSource(hit ? 'hits' : 'pubs').getClusterExpansionZoom(cluster).catch(() => undefined)
    if (zoom === undefined) return // the points were replaced meanwhile
    this.#map.easeTo({ center: [lng, lat], zoom, duration: gliding }, { originalEvent: true })
  }

  /** Zooms by some levels, for the visitor. */
  zoomBy(by) { this.#map?.zoomTo(this.#map.getZoom() + by, {}, { originalEvent: true }) }

  #go(camera, glide = true) {
    if (!camera) return // to a box, of a map without a size
    if (!this.#map) {
      this.#camera = camera
      return
    }
    const map = this.#map, to = map.project(camera.center), from = map.project(map.getCenter())
    const far = to.dist(from) * 2 ** Math.min(0, camera.zoom - map.getZoom()) > 3 * this.#container.clientWidth
    if (!glide) map.jumpTo(camera)
    else if (far || !this.shown.points.count) map.jumpTo(camera, { asked: true })
    else map.easeTo({ ...camera, duration: gliding }, { asked: true })
  }

  #dress() {
    for (const { id, paint = {}, layout, filter } of allLayers(this.#base, this.shown)) {
      if (filter) this.#map.setFilter(id, filter)
      if (layout?.visibility) this.#map.setLayoutProperty(id, 'visibility', layout.visibility)
      for (const [name, value] of Object.entries(paint)) this.#map.setPaintProperty(id, name, value)
    }
  }

  // The point within some pixels of one of the map, {lng, lat, hit}, or a cluster {lng, lat, hit, cluster}: hits take precedence, then pubs.
  #pick({ x, y }, most) {
    const layers = dotted.flatMap(source => [source, `${source}-clusters`])
    const found = this.#map.queryRenderedFeatures([[x - most, y - most], [x + most, y + most]], { layers })
    const middle = this.#map.unproject([x, y]).lng
    const away = ({ layer, geometry: { coordinates: [lng, lat] } }) => {
      const p = this.#map.project([lng + 360 * Math.round((middle - lng) / 360), lat]) // as it may be drawn beyond 180 degrees
      return layers.indexOf(layer.id) * 1e6 + Math.hypot(p.x - x, p.y - y)
    }
    const [best] = found.sort((a, b) => away(a) - away(b))
    if (!best) return undefined
    const { index, cluster_id: cluster } = best.properties, hit = best.source === 'hits'
    if (cluster !== undefined) return { lng: best.geometry.coordinates[0], lat: best.geometry.coordinates[1], hit, cluster }
    const points = hit ? this.shown.hits : this.shown.points
    if (index >= points.count) return undefined // those that were replaced are still drawn
    return { lng: points.lng[index], lat: points.lat[index], hit }
  }

  #listen(clicked, resized, rested, left) {
    const map = this.#map, rest = resters(), canvas = map.getCanvasContainer()
    const kilometres = place => new this.#library.LngLat(this.shown.circle.lng, this.shown.circle.lat).distanceTo(place) / 1000
    const isOnRim = ({ point, lngLat }, most) => {
      if (!this.shown.circle) return false
      const { lng, lat } = map.unproject([point.x + 1, point.y]), perPixel = lngLat.distanceTo({ lng, lat }) / 1000
      return Math.abs(kilometres(lngLat) - this.shown.circle.distance) / perPixel <= Math.min(most, 12)
    }
    let beneath
    const away = () => {
      if (!beneath) return
      beneath = undefined
      left()
      rest(() => {})
    }
    map.on('click', ({ point, lngLat, originalEvent }) =>
      clicked({ lat: lngLat.lat, lng: wrapped(lngLat.lng) }, this.#pick(point, reach.get(originalEvent.pointerType) ?? reach.get('mouse'))))
    map.on('mousemove', event => {
      if (map.isMoving()) return away()
      const rim = isOnRim(event, reach.get('mouse')), point = rim ? undefined : this.#pick(event.point, reach.get('mouse'))
      canvas.classList.toggle('rim', rim)
      canvas.classList.toggle('point', point !== undefined)
      if (point?.lng === beneath?.lng && point?.lat === beneath?.lat) return
      away()
      beneath = point
      rest(signal => { if (point && point.cluster === undefined) rested(point, signal) })
    })
    map.on('mouseout', away)
    map.on('movestart', away)
    const drag = (move, end) => event => {
      if (event.originalEvent.button || event.points?.length > 1 || !isOnRim(event, event.type === 'touchstart' ? reach.get('touch') : reach.get('mouse'))) return
      event.preventDefault() // or the map would be dragged
      const start = event.point
      const follow = event => { if (this.shown.circle && event.point.dist(start) > still) resized(kilometres(event.lngLat)) }
      map.on(move, follow)
      const stop = () => {
        map.off(move, follow)
        for (const last of end) map.off(last, stop)
      }
      for (const last of end) map.on(last, stop)
    }
    map.on('mousedown', drag('mousemove', ['mouseup', 'mouseout']))
    map.on('touchstart', drag('touchmove', ['touchend', 'touchcancel']))
  }

  // The names of places that are drawn, as [{name, lat, lng}].
  #towns() {
    return this.#map.queryRenderedFeatures({ layers: ['place', 'labels'] })
      .map(({ properties: { text: name }, geometry: { coordinates: [lng, lat] } }) => ({ name, lat, lng }))
  }

  // Says on the element what the map shows, for tests and scripts, and whether all of it is drawn; and draws the scale.
  #report(settled) {
    const { lat, lng } = this.centre, { points, hits, names } = this.shown
    Object.assign(this.#container.dataset, {
      lat: lat.toFixed(5), lng: lng.toFixed(5), zoom: this.zoom.toFixed(2), points: points.count, hits: hits.count, names: names.length,
      settled, towns: settled && JSON.stringify(this.#towns()),
    })
    const { length, text } = scaleBar(kilometresPerDegree * 360 * Math.cos(lat * Math.PI / 180) / (256 * 2 ** this.zoom), 110)
    tell(find('scale'), text)
    find('scale').style.width = `${length}px`
  }
}
