// Requests to the API, with a key and retries.
import * as notice from './notice.js'
import { say } from './say.js'
import * as texts from './texts.js'

/** An error response of the API, with its message; parameter is the one at fault, if any. */
export class Fault extends Error {
  constructor(status, body) {
    super(body.error ?? say(texts.server_status, { status }))
    this.status = status
    this.parameter = body.parameter
  }
}

export const pubs = '/api/v1/pubs/'
export const points = '/api/v1/points'

// Temporary errors, and the notices shown while the page retries.
const away = texts.server_silent
const passing = { 429: texts.retrying, 502: away, 503: texts.server_not_ready, 504: away }
const firstPause = 500, longestPause = 8000 // ms

const kept = storage()
let key = kept?.getItem('key') ?? ''
let used = '' // the key that was offered and is used
let snapshot
let changed = () => {}

export const hasKey = () => key !== ''

/** Offers a key to use if the visitor has entered none; reports whether it replaces another. */
export function offerKey(offered) {
  const renewed = key === used && offered !== '' && offered !== key
  if (renewed) key = used = offered
  return renewed
}

/** Stores a key for as long as the tab is open. */
export function keepKey(given) {
  key = given
  try {
    kept?.setItem('key', key)
  } catch {
    // It lasts as long as the page.
  }
}

// The tab's storage, or undefined if the browser denies it: then a key lasts only as long as the page.
function storage() {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

/** Calls back when a response comes from another snapshot than the previous one. */
export function whenSnapshotChanges(callback) { changed = callback }

/**
 * Gets a response as {bytes, next, total}; next is the target of the next page, and total the number of results, if there are any. If the
 * server is unreachable or the key's rate is exceeded, it retries with growing pauses; without insist, for secondary content, it does not. It
 * throws a Fault for an error, and an AbortError after the signal.
 */
export async function ask(target, signal, { insist = true } = {}) {
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    let wait = pause, message = away
    try {
      const response = await fetch(target, { signal, headers: { 'x-api-key': key } })
      const bytes = new Uint8Array(await response.arrayBuffer())
      const passes = response.status in passing
      if (!passes) notice.clear() // of a request that insists, perhaps another one
      if (!passes || !insist) {
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

/** Gets a JSON response: the result of ask with the parsed body. */
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

/** Waits; it throws an AbortError after the signal. */
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
