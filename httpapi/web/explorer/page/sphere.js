// Lengths and places on the sphere, and Web Mercator, in which the API places points: a square from 0 to 1, with y to the south.

const radians = Math.PI / 180
const earthRadius = 6371.0088 // km, as the API has it

export const kilometresPerDegree = earthRadius * radians

export const longitude = x => (x - 0.5) * 360
export const latitude = y => Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) / radians

/** A longitude from -180 to 180. */
export const wrapped = lng => lng - 360 * Math.round(lng / 360)

/** The place some kilometres from another, in a direction in degrees from north. Its longitude may exceed 180. */
export function destination({ lat, lng }, km, bearing) {
  const angle = km / earthRadius, from = lat * radians, to = bearing * radians
  const sine = Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(to)
  const turn = Math.atan2(Math.sin(to) * Math.sin(angle) * Math.cos(from), Math.cos(angle) - Math.sin(from) * sine)
  return { lat: Math.asin(Math.max(-1, Math.min(1, sine))) / radians, lng: lng + turn / radians }
}
