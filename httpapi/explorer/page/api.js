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

// What passes by waiting, and what people read meanwhile.
const passing = {
  429: 'Too many requests for this key. Going on in a moment.',
  502: 'The server does not answer. Trying again.',
  503: 'The server is not ready. Trying again.',
  504: 'The server does not answer. Trying again.',
}
const firstPause = 500, longestPause = 8000 // ms

const kept = storage()
let key = kept?.getItem('key') ?? ''
let snapshot
let changed = () => {}

export const hasKey = () => key !== ''

/** Offers a key that is used where nobody gave one. */
export function offerKey(offered) { key ||= offered }

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

/** Calls back when an answer comes from another snapshot than the one before, but for those that ask quietly. */
export function whenSnapshotChanges(callback) { changed = callback }

/**
 * Gets an answer as {text, next, total}: the target of the next page and the number of results, where there are any.
 * While the server is away it tries again, with growing pauses. It throws a Fault for an error, AbortError once the signal says so.
 */
export async function ask(target, signal, { quietly = false } = {}) {
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    let wait = pause, message = passing[502]
    try {
      const response = await fetch(target, { signal, headers: { 'x-api-key': key } })
      const text = await response.text()
      if (!(response.status in passing)) {
        notice.clear()
        return read(response, text, quietly || target.includes('snapshot='))
      }
      message = passing[response.status]
      wait = Math.max(wait, 1000 * Math.min(60, Number(response.headers.get('Retry-After')) || 0))
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
    }
    notice.say(message)
    await sleep(wait, signal)
  }
}

/** Gets an answer in JSON. */
export async function askJSON(target, signal) {
  const answer = await ask(target, signal)
  return { ...answer, body: JSON.parse(answer.text) }
}

function read(response, text, quietly) {
  if (!response.ok) throw new Fault(response.status, parse(text))
  const id = response.headers.get('X-Snapshot')
  if (id && !quietly && id !== snapshot) {
    const first = snapshot === undefined
    snapshot = id
    if (!first) changed()
  }
  const links = linksOf(response.headers.get('Link') ?? '')
  return {
    text,
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
