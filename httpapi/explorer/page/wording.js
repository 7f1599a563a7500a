// Numbers and names as people read them.

const thousands = new Intl.NumberFormat('en-GB')
const plural = new Intl.PluralRules('en-GB')
const ordinal = new Intl.PluralRules('en-GB', { type: 'ordinal' })
const endings = { one: 'st', two: 'nd', few: 'rd', other: 'th' }

/** 22,127 */
export const number = n => thousands.format(n)

/** 1 pub, 562 pubs */
export const count = (n, noun) => `${number(n)} ${noun}${plural.select(n) === 'one' ? '' : 's'}`

/** 12th */
export const rank = n => number(n) + endings[ordinal.select(n)]

/** 350 m, 1.8 km, 120 km */
export function kilometres(km) {
  if (km < 1) return `${Math.round(1000 * km)} m`
  return `${thousands.format(km < 10 ? Math.round(10 * km) / 10 : Math.round(km))} km`
}

/** 51.5136, -0.1319 */
export const place = (lat, lng) => `${lat.toFixed(4)}, ${lng.toFixed(4)}`

/** temporarily_closed as people say it */
export const status = text => text.replaceAll('_', ' ')

/** The metrics of a pub and their names. */
export const metrics = {
  beer: 'Beer', atmos: 'Atmosphere', fengshui: 'Feng shui', service: 'Service', toilets: 'Toilets', total: 'Total',
}
