// What the directory has.
import { askJSON, quietly } from './api.js'

/** What is known; before it is, pubs are taken to be rated, and some to tell features and hours. */
export let known = { rated: true, features: true, hours: true }

let asking

/** Fetches what is known, once: whether pubs are rated and tell features and hours, and metrics with the count of each. */
export async function learn() {
  asking ??= askJSON('/api/v1/stats', undefined, { insist: false })
  try {
    const { body } = await asking
    known = { rated: body.rated > 0, metrics: body.metrics, features: Boolean(body.features), hours: Boolean(body.hours) }
  } catch (error) {
    asking = undefined
    quietly(error)
  }
  return known
}
