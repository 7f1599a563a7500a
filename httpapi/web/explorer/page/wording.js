// Distances and other things as people read them.
import { features } from './facts.js'
import { number, say, status } from './say.js'
import { storage } from './storage.js'
import * as texts from './texts.js'

export { count, decimal, number, pieces, rank, say, status } from './say.js'

// Units of distance. Lengths below the unit are shown in a smaller one.
const units = {
  km: { short: 'km', km: 1, part: 'm', parts: 1000 },
  mi: { short: 'mi', km: 1.609344, part: 'yd', parts: 1760 },
}
const unit = Object.values(units).find(({ short }) => short === storage('localStorage')?.getItem('unit')) ?? (/^(en-(GB|US|LR)|en$|my)/i.test(navigator.language ?? '') ? units.mi : units.km) // of all pages

export const inMiles = unit === units.mi
export const inUnit = km => km / unit.km
export const inKilometres = length => length * unit.km

/** Loads the page again in the other unit, if the browser can remember it. */
export function switchUnit() {
  localStorage.setItem('unit', inMiles ? 'km' : 'mi')
  location.reload()
}

/** Next door, 350 m, 1.8 km, 120 km; 380 yd, 1.1 mi, 75 mi */
export function distance(km) {
  const length = km / unit.km
  if (length * unit.parts < 5) return texts.next_door
  if (length < (unit.part === 'yd' ? 0.25 : 1)) return `${number(10 * Math.round(length * unit.parts / 10))} ${unit.part}`
  return `${number(length < 10 ? Math.round(10 * length) / 10 : Math.round(length))} ${unit.short}`
}

/** The name of a feature, which pubs may have as they write it. */
export const feature = name => features.get(name.toLowerCase().replaceAll(' ', '_')) ?? status(name)

export const weekdays = [texts.day_0, texts.day_1, texts.day_2, texts.day_3, texts.day_4, texts.day_5, texts.day_6]
const day = 86_400_000 // ms
const msOf = time => Date.parse(`${time}Z`) // of a local time

/** The day of the week of a local time; 0 is Monday. */
export const weekday = time => (new Date(time.slice(0, 10)).getUTCDay() + 6) % 7

/** The local time after some ms in a time zone, or in that of the browser if it is null or unknown: 2026-11-28T12:00. */
export function now(timeZone, ahead = 0) {
  const inZone = options => new Date(Date.now() + ahead).toLocaleString('sv', options).replace(' ', 'T').slice(0, 16) // in Sweden, dates are as in ISO 8601
  try {
    return inZone({ timeZone: timeZone ?? undefined })
  } catch {
    return inZone()
  }
}

// A local time, 2026-11-28T12:00, as people say it after a time of ms: 12:00, tomorrow 12:00, Monday 12:00; empty if it is not within a week.
function when(time, after) {
  const ahead = Math.floor((msOf(time) - after) / day), clock = time.slice(11)
  if (ahead < 1) return clock
  if (ahead < 2) return say(texts.tomorrow_at, { time: clock })
  return ahead < 7 ? say(texts.day_at, { day: weekdays[weekday(time)], time: clock }) : ''
}

/** Reports whether a pub has closed, for good or for a time. */
export const isClosed = ({ trading }) => /closed/i.test(trading)

/** When pubs are wished to be open: "now", "late", "always", a local time, or from one to another, as the API writes it. */
export function openAt(wish) {
  const [from, to] = wish.split('/'), today = now().slice(0, 10), named = { now: texts.open_now, late: texts.open_late, always: texts.open_always }
  const said = time => time >= today && when(time, Date.parse(today)) || time.replace('T', ' ')
  return named[wish] ?? `${texts.status_open} ${said(from)}${to ? `–${msOf(to) - msOf(from) > day ? said(to) : to.slice(11)}` : ''}`
}

/** The same as the API takes it: late is half past midnight, at 6:00 that of the next night. */
export const openFor = wish => wish === 'late' ? `${now(null, 0.75 * day).slice(0, 10)}T00:30` : wish

/** Until or from when a pub is open, at a local time; empty if that is not known, or the pub has closed. */
export function opening(pub, at) {
  if (isClosed(pub) || typeof pub.open !== 'boolean') return ''
  const midnight = Date.parse(at.slice(0, 10))
  const time = pub.open ? pub.closes && when(pub.closes, Math.min(msOf(at), midnight + day / 2)) : pub.opens && when(pub.opens, midnight) // the night belongs to the day before
  if (time) return say(pub.open ? texts.open_until : texts.closed_opens, { time })
  return pub.open ? pub.week ? texts.open_always : texts.status_open : texts.status_closed
}

/** The longest round length of at most some pixels, as {length, text}, at a scale in kilometres a pixel. */
export function scaleBar(km, most) {
  const longest = most * km / unit.km, power = 10 ** Math.floor(Math.log10(longest))
  const length = power * ([5, 2].find(round => round * power <= longest) ?? 1)
  return { length: length * unit.km / km, text: `${number(length)} ${unit.short}` }
}
