// The positions of many pubs, in typed arrays.
import * as api from './api.js'
import { latitude, longitude } from './sphere.js'

const decoder = new TextDecoder()
const side = 2 ** 24 // columns of the square in which the API places points

export class Points {
  constructor(count = 0) {
    this.count = this.total = count // the total may be larger: then the points are a sample
    this.lng = new Float64Array(count)
    this.lat = new Float64Array(count)
  }

  /** The number of points in a box. */
  countIn({ west, south, east, north }) {
    let n = 0
    for (let i = 0; i < this.count; i++) if (this.lng[i] >= west && this.lng[i] < east && this.lat[i] >= south && this.lat[i] < north) n++
    return n
  }

  /** The box that contains all points, the narrower of the two around the Earth, so that east may exceed 180; undefined without points. */
  box() {
    if (!this.count) return undefined
    const box = { west: 180, south: 90, east: -180, north: -90 }, turned = { west: 360, east: 0 }
    for (let i = 0; i < this.count; i++) {
      const lng = this.lng[i], east = lng < 0 ? lng + 360 : lng
      box.west = Math.min(box.west, lng)
      box.east = Math.max(box.east, lng)
      turned.west = Math.min(turned.west, east)
      turned.east = Math.max(turned.east, east)
      box.south = Math.min(box.south, this.lat[i])
      box.north = Math.max(box.north, this.lat[i])
    }
    return turned.east - turned.west < box.east - box.west ? { ...box, ...turned } : box
  }

  /** The 95 % of the points that are nearest to the middle of all, which is their centre, {lng, lat}. */
  middle() {
    const half = values => values.toSorted()[values.length >> 1], centre = { lng: half(this.lng), lat: half(this.lat) }
    return Object.assign(this.around(centre, { most: Math.ceil(0.95 * this.count) }), { centre })
  }

  /** The points that are nearest to {lng, lat}, at most so many, and within some degrees. */
  around({ lng, lat }, { most = this.count, within = Infinity }) {
    const away = i => Math.hypot(this.lng[i] - lng, this.lat[i] - lat)
    const kept = Array.from(this.lng, (_, i) => i).filter(i => away(i) <= within).sort((a, b) => away(a) - away(b)).slice(0, most)
    return Object.assign(new Points(kept.length), { lng: Float64Array.from(kept, i => this.lng[i]), lat: Float64Array.from(kept, i => this.lat[i]) })
  }

  /** Reports whether one of the points is at a place, but for rounding. */
  has({ lng, lat }) {
    const near = 5e-5
    return this.countIn({ west: lng - near, east: lng + near, south: lat - near, north: lat + near }) > 0
  }

  /** The points as GeoJSON. */
  features() {
    const features = new Array(this.count)
    for (let i = 0; i < this.count; i++) features[i] = { type: 'Feature', properties: { index: i }, geometry: { type: 'Point', coordinates: [this.lng[i], this.lat[i]] } }
    return { type: 'FeatureCollection', features }
  }
}

/** The points of pubs as the API lists them, without those whose position is unknown. */
export function pointsOf(pubs) {
  const located = pubs.filter(pub => pub.latitude !== null), points = new Points(located.length)
  located.forEach(({ latitude, longitude }, i) => {
    points.lng[i] = longitude
    points.lat[i] = latitude
  })
  return points
}

/** Fetches the points of all pubs, or of those that a search finds, as {points, labels}; labels are {text, lng, lat}, the largest first. */
export async function fetchPoints(query, signal) {
  let target = api.points
  if (query) {
    const asked = new URLSearchParams(query)
    for (const name of ['sort', 'order', 'weights', 'seed']) asked.delete(name)
    target += `?${asked}`
  }
  const { bytes, total } = await api.ask(target, signal)
  const labels = []
  let at = 0 // of the next byte
  const next = () => { // a varint (LEB128) of at most 53 bits
    for (let value = 0, unit = 1; ; unit *= 128) {
      const byte = bytes[at++]
      value += (byte & 127) * unit
      if (byte < 128) return value
      if (byte === undefined) throw new RangeError('the answer breaks off')
    }
  }
  for (let n = next(); n > 0; n--) {
    const there = place(next()), count = next(), length = next()
    labels.push({ ...there, count, text: decoder.decode(bytes.subarray(at, at + length)) })
    at += length
  }
  const points = new Points(next())
  points.total = total || points.count
  for (let i = 0, code = 0; i < points.count; i++) {
    code += next()
    const { lng, lat } = place(code)
    points.lng[i] = lng
    points.lat[i] = lat
  }
  return { points, labels }
}

// The place of a Z-order code of 48 bits.
function place(code) {
  const high = Math.floor(code / side), low = code % side
  const x = (squeeze(high) << 12 | squeeze(low)) + 0.5, y = (squeeze(high >> 1) << 12 | squeeze(low >> 1)) + 0.5
  return { lng: longitude(x / side), lat: latitude(y / side) }
}

// Every other bit of a number of 24 bits, from the lowest on.
function squeeze(bits) {
  bits &= 0x555555
  bits = (bits | bits >> 1) & 0x333333
  bits = (bits | bits >> 2) & 0x0f0f0f
  bits = (bits | bits >> 4) & 0xff00ff
  return (bits | bits >> 8) & 0xffff
}
