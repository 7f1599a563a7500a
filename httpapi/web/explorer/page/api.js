// Requests to the API, with a key and retries.
import { find, tell } from './element.js'
import { say } from './say.js'
import { storage } from './storage.js'
import * as texts from './texts.js'

/** An error response of the API, with its message. */
export class Fault extends Error {
  constructor(status, body) {
    super(body.error ?? say(texts.server_status, { status }))
    this.status = status
  }
}

export const pubs = '/api/v1/pubs/'
export const points = '/api/v1/points'

// Temporary errors, and the notices shown while the page retries.
const away = texts.server_silent
const passing = new Map([[429, texts.retrying], [502, away], [503, texts.server_not_ready], [504, away]])
const firstPause = 500, longestPause = 8000 // ms

const kept = storage('sessionStorage')
let key = kept?.getItem('key') ?? ''
let used = '' // the key that was offered and is used

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
  kept?.setItem('key', key)
}

/**
 * Gets a response as {bytes, next, total}; next is the target of the next page, and total the number of results, if there are any. If the
 * server is unreachable or the key's rate is exceeded, it retries with growing pauses; without insist, for secondary content, it does not. It
 * throws a Fault for an error, and an AbortError after the signal.
 */
export async function ask(target, signal, { insist = true } = {}) {
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    let wait = pause, message = navigator.onLine ? away : texts.offline
    try {
      const response = await fetch(target, { signal, headers: { 'x-api-key': key } })
      const bytes = new Uint8Array(await response.arrayBuffer())
      const passes = passing.has(response.status)
      if (!passes) tell(find('notice'), '') // of a request that insists, perhaps another one
      if (!passes || !insist) return read(response, bytes)
      message = passing.get(response.status)
      wait = Math.max(wait, 1000 * Math.min(60, Number(response.headers.get('Retry-After')) || 0))
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      if (!insist) throw new Fault(0, { error: message })
    }
    tell(find('notice'), message) // which must not change meanwhile: screen readers repeat an alert that changes
    await sleep(wait, signal)
  }
}

addEventListener('offline', () => tell(find('notice'), texts.offline))
addEventListener('online', () => tell(find('notice'), ''))

/** The same of an answer that is there at once, {body, next}, or none; the page stands still meanwhile. */
export function askAtOnce(target) {
  const request = new XMLHttpRequest()
  request.open('GET', target, false)
  request.setRequestHeader('x-api-key', key)
  request.send()
  return request.status === 200 ? { body: JSON.parse(request.responseText), next: nextOf(request.getResponseHeader('Link')) } : {}
}

/** Takes an error of secondary content: what is wrong, the search tells; what is neither a Fault nor an AbortError is thrown. */
export function quietly(error) { if (error.name !== 'AbortError' && !(error instanceof Fault)) throw error }

/** Gets a JSON response: the result of ask with the parsed body. */
export async function askJSON(target, signal, options) {
  const answer = await ask(target, signal, options)
  return { ...answer, body: JSON.parse(textOf(answer.bytes)) }
}

const textOf = bytes => new TextDecoder().decode(bytes)

function read(response, bytes) {
  if (!response.ok) throw new Fault(response.status, parse(textOf(bytes)))
  return { bytes, next: nextOf(response.headers.get('Link')), total: Number(response.headers.get('X-Total-Results')) || 0 }
}

function nextOf(links) {
  const [, next] = /<([^>]*)>; rel="next"/.exec(links) ?? []
  return next && pubs + next
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Waits; then it throws an AbortError if there was the signal meanwhile. */
export async function sleep(ms, signal) {
  await new Promise(done => setTimeout(done, ms))
  signal?.throwIfAborted()
}
