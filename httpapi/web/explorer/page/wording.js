// Distances and other things as people read them.
import { number } from './say.js'

export { count, decimal, number, pieces, rank, say, status } from './say.js'

// Units of distance. Lengths below the unit are shown in a smaller one.
const units = {
  km: { name: 'kilometres', short: 'km', km: 1, part: 'm', parts: 1000, step: 10 },
  mi: { name: 'miles', short: 'mi', km: 1.609344, part: 'yd', parts: 1760, step: 10 },
}
const inMiles = /^(en-(GB|US|LR)|en$|my)/i
let unit = read() ?? (inMiles.test(navigator.language ?? '') ? units.mi : units.km)

function read() {
  try {
    return units[localStorage.getItem('unit')]
  } catch {
    return undefined
  }
}

export const unitName = () => unit.name
export const unitShort = () => unit.short
export const inUnit = km => km / unit.km
export const inKilometres = length => length * unit.km

/** Switches to the other unit, and remembers it for the next visit. */
export function switchUnit() {
  unit = unit === units.km ? units.mi : units.km
  try {
    localStorage.setItem('unit', unit.short)
  } catch {
    // It lasts as long as the page.
  }
}

/** 350 m, 1.8 km, 120 km; 380 yd, 1.1 mi, 75 mi */
export function distance(km) {
  const length = km / unit.km
  if (length < (unit.part === 'yd' ? 0.25 : 1)) return `${number(Math.round(length * unit.parts / unit.step) * unit.step)} ${unit.part}`
  return `${number(length < 10 ? Math.round(10 * length) / 10 : Math.round(length))} ${unit.short}`
}

/** The longest round length of at most some pixels, as {length, text}, at a scale in kilometres a pixel. */
export function scaleBar(km, most) {
  const rounds = [5, 2, 1]
  for (let power = 3; power >= -2; power--) {
    for (const round of rounds) {
      const length = round * 10 ** power
      if (length * unit.km / km <= most) return { length: length * unit.km / km, text: `${number(length)} ${unit.short}` }
    }
  }
  return { length: 0.01 * unit.km / km, text: `0.01 ${unit.short}` }
}
