// The panel of one pub: where it is, its ratings and its ranks.
import { askJSON, pubs } from './api.js'
import * as address from './address.js'
import { find, make } from './element.js'
import { count, kilometres, metrics, number, place, rank, status } from './wording.js'

const nearby = 2 // km
const panel = find('pub')
let stats

/** Forgets what belongs to a snapshot that is replaced. */
export function forget() { stats = undefined }

export const target = uid => `${pubs}?${new URLSearchParams({ pubid: uid, include: 'rankings,local_rankings,label' })}`

/** Fetches a pub and shows it; gives the pub. */
export async function open(uid, signal) {
  stats ??= askJSON('/api/v1/stats').then(({ body }) => body.metrics)
  try {
    const [{ body }, counts] = await Promise.all([askJSON(target(uid), signal), stats])
    signal.throwIfAborted() // while the statistics were waited for
    const [pub] = body.results
    show(pub, counts)
    return pub
  } catch (error) {
    if (error.name === 'AbortError') throw error
    forget()
    fill(make('h2', { id: 'pub-name', tabindex: '-1' }, error.message), make('p', { class: 'hint' }, `No pub is shown for ${uid}.`))
    throw error
  }
}

export function close() {
  panel.hidden = true
  panel.replaceChildren()
}

/** Puts the focus on the pub's name. */
export const focus = () => find('pub-name')?.focus()

function fill(...children) {
  panel.replaceChildren(make('button', { id: 'close-pub', type: 'button', 'aria-label': 'Close this pub' }, '✕'), ...children)
  panel.hidden = false
  panel.scrollTop = 0
}

function show(pub, counts) {
  const about = [pub.location, pub.common_category, pub.trading && status(pub.trading)].filter(Boolean)
  const children = [
    make('h2', { id: 'pub-name', tabindex: '-1', dir: 'auto' }, pub.name),
    make('p', { class: 'where' }, about.join(' · ')),
  ]
  if (pub.namesakes) children.push(make('p', { class: 'hint' }, `${count(pub.namesakes, 'other')} of this name. This one is ${pub.label}.`))
  children.push(
    make('div', { class: 'ratings' }, ...Object.keys(metrics).map(metric => row(pub, metric, counts[metric].count))),
    make('p', { class: 'hint' }, pub.review_count ? `From ${count(pub.review_count, 'review')}.` : 'No reviews yet.'),
  )
  if (pub.latitude !== null) {
    children.push(make('p', { class: 'links' },
      make('a', { href: address.href({ around: pub.UID, distance: nearby }), 'data-internal': '' }, `Pubs within ${kilometres(nearby)}`),
      make('span', { class: 'coordinates' }, place(pub.latitude, pub.longitude))))
  } else children.push(make('p', { class: 'hint' }, 'Where it is on the map is not known.'))
  fill(...children)
}

function row(pub, metric, ranked) {
  const value = pub[metric], global = pub.rankings[metric], local = pub.local_rankings[metric]
  const id = `rating-${metric}`
  const words = global === null ? 'not rated' : `${rank(global)} of ${number(ranked)} for ${metrics[metric].toLowerCase()}`
  const town = local && local.of > 1 && pub.location ? make('span', {}, `${rank(local.rank)} of ${number(local.of)} in ${pub.location}`) : ''
  return make('div', { class: 'rating', 'data-metric': metric },
    make('span', { id, class: 'metric' }, metrics[metric]),
    make('span', { class: 'value' }, value === null ? '–' : value.toFixed(1)),
    make('meter', { min: 0, max: 10, value: value ?? 0, 'aria-labelledby': id }, value === null ? 'not rated' : `${value} of 10`),
    make('p', { class: 'ranking' }, make('span', {}, words), town))
}
