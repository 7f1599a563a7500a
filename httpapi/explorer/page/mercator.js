// Web Mercator and distances on the sphere. The world is a square from 0 to 1, with y to the south.

const earthRadius = 6371.0088 // km, as the API has it
const radians = Math.PI / 180
const steepest = 85.05112878 // degrees; what lies beyond is outside of the square

export const x = lng => lng / 360 + 0.5

export function y(lat) {
  const sine = Math.sin(Math.max(-steepest, Math.min(steepest, lat)) * radians)
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
}

export const longitude = x => (x - 0.5) * 360
export const latitude = y => Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) / radians

/** The length of the circle of latitude in kilometres, which is 1 in the world. */
export const width = lat => 2 * Math.PI * earthRadius * Math.cos(lat * radians)

/** Kilometres between two places {lat, lng}. */
export function distance(a, b) {
  const half = (p, q) => Math.sin((q - p) * radians / 2) ** 2
  const h = half(a.lat, b.lat) + Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * half(a.lng, b.lng)
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** The place some kilometres from another, in a direction in degrees from north. Its longitude may exceed 180. */
export function destination({ lat, lng }, km, bearing) {
  const angle = km / earthRadius, from = lat * radians, to = bearing * radians
  const sine = Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(to)
  const turn = Math.atan2(Math.sin(to) * Math.sin(angle) * Math.cos(from), Math.cos(angle) - Math.sin(from) * sine)
  return { lat: Math.asin(Math.max(-1, Math.min(1, sine))) / radians, lng: lng + turn / radians }
}
