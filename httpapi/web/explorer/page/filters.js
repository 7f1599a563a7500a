// Sort, order and filters: controls for parameters in the address bar.
import { askJSON, Fault, pubs } from './api.js'
import * as address from './address.js'
import { find, make } from './element.js'
import { metrics } from './facts.js'
import * as texts from './texts.js'
import { number, status } from './wording.js'

const controls = [...document.querySelectorAll('#controls [data-parameter]')]
const choices = controls.filter(control => control.dataset.facet && control.tagName === 'SELECT')
const filters = controls.filter(control => !['sort', 'order'].includes(control.id))
const box = find('location'), places = find('locations'), button = find('filter'), panel = find('filters')
const pause = 120 // ms without a keystroke

const facets = 'trading,common_category,location'

let looking, timer
let filled = false, last // whether the choices are those of the last search, and its signal

// A comma would split the value; a space matches the same.
const valueOf = text => text.replace(/\s*,\s*/g, ' ')

/** Calls changed after a control has changed the address. */
export function listen(changed) {
  for (const control of controls) {
    control.addEventListener(control.type === 'number' ? 'input' : 'change', () => {
      const value = control.type === 'checkbox' ? (control.checked ? 'true' : '') : valueOf(control.value)
      const changes = { [control.dataset.parameter]: value }
      if (control.id === 'sort') changes.order = isByRating(value) ? 'desc' : '' // the best first
      address.set(changes)
      changed()
    })
  }
  button.addEventListener('click', () => open(panel.hidden))
  find('clear').addEventListener('click', () => {
    address.set(Object.fromEntries(filters.map(control => [control.dataset.parameter, ''])))
    changed()
  })
  box.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(lookUp, pause)
  })
}

/** Shows or hides the filters. */
export function open(on) {
  panel.hidden = !on
  button.setAttribute('aria-expanded', on)
  if (on && !filled && last && !last.aborted) fill(last).catch(quietly)
}

const quietly = error => { if (error.name !== 'AbortError' && !(error instanceof Fault)) throw error }

/** Shows the state in the address bar. */
export function show() {
  for (const control of controls) {
    const value = address.get(control.dataset.parameter)
    if (control.type === 'checkbox') {
      control.checked = ['true', '1'].includes(value.toLowerCase())
      continue
    }
    if (choices.includes(control)) keep(control, value)
    const wanted = control.dataset.facet ? value : value.toLowerCase()
    const shown = control.id === 'order' && wanted === 'asc' ? '' : wanted
    if (control.value !== shown) control.value = shown
  }
  // Sort keys with a fixed direction.
  const sort = address.get('sort').toLowerCase()
  find('order').closest('.field').hidden = (sort === '' || sort === 'relevance') && !address.get('order')
  const on = filters.filter(control => address.get(control.dataset.parameter)).length
  button.textContent = on ? `${texts.filters} (${on})` : texts.filters
  find('clear').disabled = !on
}

/** Reports whether a sort key is about ratings. */
export const isByRating = sort => sort in metrics || ['fair', 'review_count', 'weighted'].includes(sort)

/** Offers only what the directory has: where no pub has a rating, nothing sorts or filters by it. */
export function suit({ rated, metrics: counts }) {
  for (const option of find('sort').options) {
    if (isByRating(option.value)) option.hidden = option.disabled = !rated || counts?.[option.value]?.count === 0
  }
  find('rated').closest('.check').hidden = find('min-total').closest('.field').hidden = !rated
}

/** Fills the choices with the values that the search finds without these filters, once they are visible. */
export async function fill(signal) {
  filled = false
  last = signal
  if (panel.hidden) return
  filled = true
  const query = unfiltered()
  for (const [name, value] of [['facets', facets], ['fields', 'UID'], ['amount', 1]]) query.set(name, value)
  const { body } = await askJSON(`${pubs}?${query}`, signal)
  for (const control of choices) {
    const options = body.facets[control.dataset.facet].map(({ value, count }) =>
      make('option', { value: valueOf(value) }, `${control.dataset.facet === 'trading' ? status(value) : value} (${number(count)})`))
    control.replaceChildren(make('option', { value: '' }, texts.any), ...options)
    const value = address.get(control.dataset.parameter)
    keep(control, value)
    control.value = value
  }
  if (document.activeElement !== box) list(body.facets.location)
}

function list(values) {
  places.replaceChildren(...values.map(({ value, count }) => make('option', { value: valueOf(value) }, number(count))))
}

// The search without the filters that have choices.
function unfiltered() {
  const query = address.query()
  for (const control of [...choices, box]) query.delete(control.dataset.parameter)
  return query
}

// Finds places beyond the largest ones: those with a word that begins with the typed text.
async function lookUp() {
  const text = box.value.trim()
  looking?.abort()
  looking = new AbortController()
  if (!text) return
  try {
    const query = unfiltered()
    for (const [name, value] of [['facet_search', `location:${text}`], ['fields', 'UID'], ['amount', 1]]) query.set(name, value)
    const { body } = await askJSON(`${pubs}?${query}`, looking.signal, { insist: false })
    list(body.facets.location)
  } catch (error) {
    quietly(error)
  }
}

// The current value is a choice, even if the search does not find it.
function keep(control, value) {
  if (!control.options.length) control.append(make('option', { value: '' }, texts.any))
  if (value && ![...control.options].some(option => option.value === value)) control.append(make('option', { value }, value))
}
