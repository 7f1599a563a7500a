// What can be done when nothing is found: to leave out a filter, the text or the area, or to see what else is near.
import * as address from './address.js'
import { isPlaced, nowhere } from './circle.js'
import { find, make } from './element.js'
import * as texts from './texts.js'
import { feature, openAt, pieces, say, status } from './wording.js'
import { metrics } from './facts.js'

/** Filters as people call them, by parameter. */
export const filters = new Map(Object.entries({
  trading: value => status(value),
  category: value => value,
  location: value => say(texts.in_place, { place: value }),
  area: value => value,
  postcode: value => value,
  features: value => value.split(',').map(feature).join(', '),
  open: openAt,
  rated: () => texts.rated_only,
  min_reviews: value => say(texts.at_least_reviews, { n: value }),
  max_reviews: value => `${texts.sort_review_count} ≤ ${value}`,
  ...Object.fromEntries([...metrics].map(([metric, name]) => [`min_${metric}`, value => say(texts.metric_from, { metric: name, value })])),
  ...Object.fromEntries([...metrics].map(([metric, name]) => [`max_${metric}`, value => `${name} ≤ ${value}`])),
}))

/**
 * Links to searches that may find more. box is the part of the world on the map, west,south,east,north in degrees, and
 * centre its middle, lat,lng; both are undefined if it shows more than a town.
 */
export function offers({ box, centre }) {
  const text = address.get('search').trim(), searched = text !== '' && text !== '*'
  const links = []
  const offer = (changes, ...words) => links.push(make('li', {}, make('a', { class: 'action', href: address.hrefWith(changes), 'data-internal': '' }, ...words)))
  const set = [...filters.keys()].filter(name => address.get(name))
  for (const name of set) offer({ [name]: '' }, ...pieces(texts.without, { filter: make('q', { dir: 'auto' }, filters.get(name)(address.get(name))) }))
  if (set.length > 1) offer(Object.fromEntries(set.map(name => [name, ''])), texts.without_filters)
  if (isPlaced() && searched) offer(nowhere(), texts.search_everywhere)
  if (searched && box && address.get('bbox') !== box) offer({ ...nowhere(), search: '', bbox: box }, texts.all_in_area)
  const point = address.get('lat') ? `${address.get('lat')},${address.get('lng')}` : address.get('near') || centre
  const all = { ...nowhere(), ...Object.fromEntries(set.map(name => [name, ''])), search: '', sort: '', order: '' }
  if (point) offer({ ...all, near: point }, texts.nearest_pubs)
  else {
    const button = make('button', { class: 'action', type: 'button' }, texts.pubs_near_me)
    button.addEventListener('click', () => address.set(all) ?? find('near').click())
    links.push(make('li', {}, button))
  }
  offer(all, texts.all_pubs)
  return links
}
