// Sort, order and filters: controls of parameters that are what the address bar says.
import { askJSON, pubs } from './api.js'
import * as address from './address.js'
import { find, make } from './element.js'
import { number, status } from './wording.js'

const controls = [...document.querySelectorAll('#filters [data-parameter]')]
const choices = controls.filter(control => control.dataset.facet)

/** The facets that the choices come from. */
export const facets = choices.map(control => control.dataset.facet).join()

/** Calls changed after a control has changed the address. */
export function listen(changed) {
  for (const control of controls) {
    control.addEventListener(control.type === 'number' ? 'input' : 'change', () => {
      const value = control.type === 'checkbox' ? (control.checked ? 'true' : '') : control.value
      address.set({ [control.dataset.parameter]: value })
      changed()
    })
  }
  if (matchMedia('(max-width: 760px)').matches) find('filters').open = false
}

/** Shows what the address bar says. */
export function show() {
  for (const control of controls) {
    const value = address.get(control.dataset.parameter)
    if (control.type === 'checkbox') {
      control.checked = ['true', '1'].includes(value.toLowerCase())
      continue
    }
    if (control.dataset.facet) keep(control, value)
    const wanted = control.dataset.facet ? value : value.toLowerCase()
    const shown = control.id === 'order' && wanted === 'asc' ? '' : wanted
    if (control.value !== shown) control.value = shown
  }
}

/**
 * Fills the choices from the facets of an answer. Where a filter is on, its facet has little to choose from: the choices are those that
 * the search has without these filters.
 */
export async function fill(answer, signal) {
  let { facets: found } = answer
  if (choices.some(control => address.get(control.dataset.parameter))) {
    const query = address.query()
    for (const control of choices) query.delete(control.dataset.parameter)
    for (const [name, value] of [['facets', facets], ['fields', 'UID'], ['amount', 1]]) query.set(name, value)
    found = (await askJSON(`${pubs}?${query}`, signal)).body.facets
  }
  for (const control of choices) {
    // A comma would part the value into two; it counts as little as a space.
    const options = found[control.dataset.facet].map(({ value, count }) =>
      make('option', { value: value.replace(/\s*,\s*/g, ' ') }, `${control.dataset.facet === 'trading' ? status(value) : value} (${number(count)})`))
    control.replaceChildren(make('option', { value: '' }, 'Any'), ...options)
    const value = address.get(control.dataset.parameter)
    keep(control, value)
    control.value = value
  }
}

// A value that no choice has is one, too: it is what the search is for.
function keep(control, value) {
  if (!control.options.length) control.append(make('option', { value: '' }, 'Any'))
  if (value && ![...control.options].some(option => option.value === value)) control.append(make('option', { value }, value))
}
