// Requests to the API, with a key and with patience.
import * as notice from './notice.js'

/** An error that the API answered, in its own words; parameter is the one at fault, if any. */
export class Fault extends Error {
  constructor(status, body) {
    super(body.error ?? `The server answered ${status}`)
    this.status = status
    this.parameter = body.parameter
  }
}

export const pubs = '/api/v1/pubs/'
export const points = '/api/v1/points'

// What passes by waiting, and what people read meanwhile.
const away = 'The server does not answer. Retrying…'
const passing = { 429: 'Retrying…', 502: away, 503: 'The server is not ready. Retrying…', 504: away }
const firstPause = 500, longestPause = 8000 // ms

const kept = storage()
let key = kept?.getItem('key') ?? ''
let used = '' // the key that was offered and is used
let snapshot
let changed = () => {}

export const hasKey = () => key !== ''

/** Offers a key that is used where nobody gave one; reports whether it is used instead of another. */
export function offerKey(offered) {
  const renewed = key === used && offered !== '' && offered !== key
  if (renewed) key = used = offered
  return renewed
}

/** Keeps a key for as long as the tab is open. */
export function keepKey(given) {
  key = given
  try {
    kept?.setItem('key', key)
  } catch {
    // It lasts as long as the page.
  }
}

// The storage of the tab; undefined where the browser has none for pages, so that a key lasts as long as the page.
function storage() {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

/** Calls back when an answer comes from another snapshot than the one before. */
export function whenSnapshotChanges(callback) { changed = callback }

/**
 * Gets an answer as {bytes, next, total}: the target of the next page and the number of results, where there are any. While the server is
 * away or the key is at its rate it tries again, with growing pauses; once only where it is asked without insisting, as for what is
 * shown beside. It throws a Fault for an error, AbortError once the signal says so.
 */
export async function ask(target, signal, { insist = true } = {}) {
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    let wait = pause, message = away
    try {
      const response = await fetch(target, { signal, headers: { 'x-api-key': key } })
      const bytes = new Uint8Array(await response.arrayBuffer())
      if (!(response.status in passing) || !insist) {
        notice.clear()
        return read(response, bytes, !insist || target.includes('snapshot='))
      }
      message = passing[response.status]
      wait = Math.max(wait, 1000 * Math.min(60, Number(response.headers.get('Retry-After')) || 0))
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      if (!insist) throw new Fault(0, { error: away })
    }
    notice.say(message)
    await sleep(wait, signal)
  }
}

/** Gets an answer in JSON, as body beside what ask gives. */
export async function askJSON(target, signal, options) {
  const answer = await ask(target, signal, options)
  return { ...answer, body: JSON.parse(textOf(answer.bytes)) }
}

const textOf = bytes => new TextDecoder().decode(bytes)

function read(response, bytes, quietly) {
  if (!response.ok) throw new Fault(response.status, parse(textOf(bytes)))
  const id = response.headers.get('X-Snapshot')
  if (id && !quietly && id !== snapshot) {
    const first = snapshot === undefined
    snapshot = id
    if (!first) changed()
  }
  const links = linksOf(response.headers.get('Link') ?? '')
  return {
    bytes,
    next: links.next && pubs + links.next,
    total: Number(response.headers.get('X-Total-Results')) || 0,
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function linksOf(header) {
  return Object.fromEntries(Array.from(header.matchAll(/<([^>]*)>; rel="(\w+)"/g), ([, target, relation]) => [relation, target]))
}

/** Waits; it throws AbortError once the signal says so. */
export function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal?.aborted) return stop()
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      stop()
    }, { once: true })
  })
}
