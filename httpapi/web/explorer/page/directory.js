// What the directory has: whether its pubs are rated, and which of its trading statuses mean that a pub is closed.
import { askJSON, Fault } from './api.js'

/** What is known of the snapshot; before it is, pubs are taken to be rated. */
export let known = { rated: true }

let asking

/**
 * Fetches what is known, once for a snapshot: rated, metrics with the count of each, and live and shut, values of the parameter trading which
 * together find every pub; shut is empty if no pub is closed, or if some have no status and would be in neither.
 */
export async function learn() {
  asking ??= askJSON('/api/v1/stats', undefined, { insist: false })
  try {
    const { body } = await asking
    const values = shut => body.trading.filter(({ value }) => /closed/i.test(value) === shut).map(({ value }) => value.replaceAll(',', ' ')).join()
    const whole = body.trading.reduce((sum, { count }) => sum + count, 0) === body.pubs
    known = { rated: body.rated > 0, metrics: body.metrics, live: values(false), shut: whole && values(false) ? values(true) : '' }
  } catch (error) {
    forget()
    if (!(error instanceof Fault)) throw error // what is wrong, the search tells
  }
  return known
}

/** Drops what is known of a replaced snapshot. */
export function forget() { asking = undefined }
