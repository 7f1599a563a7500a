// Where pubs are, in words, and what is near a point.
import { make } from './element.js'
import * as texts from './texts.js'
import { wordsOf } from './understood.js'
import { say } from './wording.js'

const near = 0.1 // degrees, within which a town is near a pub
let towns = [] // the labels of the map, {text, lng, lat}, the largest first

const key = text => wordsOf(text ?? '').join('')

/**
 * What says where a pub is, each place once, as [member, text]: its address, and of the others those that are no piece of it, which commas part. A
 * piece may be two of them: York YO1 7EH. Package index has the same rule, in CutAddress.
 */
export function where({ address, location, postcode, area }) {
  const said = new Set((address ?? '').split(',').map(key)), others = Object.entries({ location, postcode, area })
  const isSaid = text => said.has(text) || others.some(([, other]) => said.has(text + key(other)) || said.has(key(other) + text))
  return [['address', address], ...others.filter(([, text]) => {
    const isNew = !isSaid(key(text))
    said.add(key(text))
    return isNew
  })].filter(([, text]) => text)
}

/**
 * The same as texts or elements, which mark(text, member) may make; a pub without a town has the nearest one, as soon as that is known, and one whose address
 * ends with a town no other, unless that matched.
 */
export function placed(pub, mark = text => text) {
  const all = where(pub).map(([member, text]) => mark(member === 'postcode' ? text.replaceAll(' ', '\u00a0') : text, member)) // on one line
  const last = key(pub.address?.split(',').at(-1)), at = where(pub).findIndex(([member]) => member === 'location')
  if (last && at > 0 && !pub.match?.spans?.location) hideTown(all[at] = make('span', { 'data-beside': last }, ...[all[at]].flat()))
  if (pub.location) return all
  const town = make('span', { 'data-at': `${pub.latitude},${pub.longitude}` }, all.length ? '' : texts.location_unknown)
  sayTown(town)
  return [...all, town]
}

function hideTown(element) { element.hidden = towns.some(({ text }) => key(text) === element.dataset.beside) }

function sayTown(element) {
  const [lat, lng] = element.dataset.at.split(',').map(Number), place = nameOf({ lat, lng }, near)
  if (place) element.textContent = say(texts.near_place, { place })
}

/** Takes the labels of a map. */
export function know(labels) {
  towns = labels
  for (const element of document.querySelectorAll('[data-at]')) sayTown(element)
  for (const element of document.querySelectorAll('[data-beside]')) hideTown(element)
}

/** The name of the town nearest to {lat, lng} within some degrees; undefined without one. */
export function nameOf({ lat, lng }, within = 0.35) {
  const far = town => Math.hypot(town.lat - lat, (town.lng - lng) * Math.cos(lat * Math.PI / 180))
  return towns.filter(town => far(town) < within).sort((a, b) => far(a) - far(b))[0]?.text
}
