// Sort, order and filters, some of them chips: controls for parameters in the address bar.
import { askJSON, pubs, quietly } from './api.js'
import * as address from './address.js'
import { find, make } from './element.js'
import { features, metrics } from './facts.js'
import { filters } from './offers.js'
import * as texts from './texts.js'
import { feature, number, openAt, status } from './wording.js'

const controls = [...document.querySelectorAll('#controls [data-parameter]')]
const button = find('filter'), panel = find('filters')
const chips = find('chips')

let last // the signal of the last search

// A comma would split the value; a space matches the same.
const valueOf = text => text.replace(/\s*,\s*/g, ' ')

const chosenIn = name => address.get(name).split(',').filter(Boolean)

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
    address.set({ ...Object.fromEntries([...filters.keys()].map(name => [name, ''])), open_unknown: '' })
    changed()
  })
  chips.addEventListener('click', ({ target }) => {
    const { name, value } = target.closest('button')?.dataset ?? {}
    if (!name) return
    const chosen = new Set(chosenIn(name))
    if (!chosen.delete(value)) chosen.add(value)
    address.set({ [name]: [...chosen].join(), ...name === 'open' ? { open_unknown: '' } : {} })
    changed()
  })
}

/** Shows or hides the filters. */
function open(on) {
  panel.hidden = !on
  button.setAttribute('aria-expanded', on)
  if (on && last && !last.aborted) fill(last).catch(quietly)
}

/** Shows the state in the address bar. */
export function show() {
  for (const control of controls) {
    const value = address.get(control.dataset.parameter)
    if (control.type === 'checkbox') {
      control.checked = ['true', '1'].includes(value.toLowerCase())
      continue
    }
    if (control.dataset.facet && !control.list) keep(control, value)
    const wanted = control.dataset.facet ? value : value.toLowerCase()
    const shown = control.id === 'order' && wanted === 'asc' ? '' : wanted
    if (control.value !== shown) control.value = shown
  }
  // Sort keys with a fixed direction.
  const sort = address.get('sort').toLowerCase()
  find('order').closest('.field').hidden = (sort === '' || sort === 'relevance') && !address.get('order')
  const on = [...filters.keys()].flatMap(name => name === 'features' ? chosenIn(name) : address.get(name) || []).length
  button.textContent = on ? `${texts.filters} (${on})` : texts.filters
  find('clear').disabled = !on
}

/** Reports whether a sort key is about ratings. */
export const isByRating = sort => metrics.has(sort) || ['fair', 'review_count', 'weighted'].includes(sort)

/** Offers only what the directory has: where no pub has a rating, nothing sorts or filters by it. */
export function suit({ rated, metrics: counts }) {
  for (const option of find('sort').options) {
    if (isByRating(option.value)) option.hidden = option.disabled = !rated || counts?.[option.value]?.count === 0
  }
  find('rated').closest('.check').hidden = find('min-total').closest('.field').hidden = !rated
}

/**
 * Offers chips for what the pubs of an answer have, with how many they are: those open, of which the number is given, and features in the order in
 * which people want them, those of the directory last. What is chosen stays, and so does the button of a chip that is offered again: it may be pressed.
 */
export function offer({ facets }, open) {
  const chosen = { open: chosenIn('open'), features: chosenIn('features') }
  const counts = new Map(facets?.features?.map(({ value, count }) => [valueOf(value), count]))
  const names = [...new Set([...features.keys(), ...counts.keys(), ...chosen.features])].filter(name => counts.has(name) || chosen.features.includes(name))
  const before = [...chips.children]
  const chip = (name, value, text, count) => {
    const button = before.find(({ dataset }) => dataset.name === name && dataset.value === value) ?? make('button', { type: 'button', 'data-name': name, 'data-value': value })
    const isChosen = chosen[name].includes(value), words = count && !isChosen ? [text, ' ', make('small', {}, number(count))] : [text]
    button.setAttribute('aria-pressed', isChosen)
    if (button.textContent !== words.map(word => word.textContent ?? word).join('')) button.replaceChildren(...words)
    return button
  }
  const all = [...chosen.open.map(value => chip('open', value, openAt(value))), ...open ? [chip('open', 'now', texts.open_now, open)] : [],
    ...names.map(name => chip('features', name, feature(name), counts.get(name)))]
  for (const button of before) if (!all.includes(button)) button.remove()
  for (const [i, button] of all.entries()) if (chips.children[i] !== button) chips.insertBefore(button, chips.children[i] ?? null)
  chips.hidden = !all.length
}

/** Fills the choices, once they are visible, with the values that the search finds without the filter that each replaces. */
export async function fill(signal) {
  last = signal
  if (!panel.hidden) await Promise.all(controls.filter(control => control.dataset.facet).map(control => fillChoices(control, signal)))
}

async function fillChoices(control, signal) {
  const { parameter, facet } = control.dataset, query = address.query(), named = facet === 'trading' ? status : value => value
  query.delete(parameter)
  const { body } = await askJSON(`${pubs}?${query}&facets=${facet}&fields=UID&amount=1`, signal)
  const options = body.facets[facet].map(({ value, count }) => make('option', { value: valueOf(value) }, control.list ? number(count) : `${named(value)} (${number(count)})`))
  if (control.list) return control.list.replaceChildren(...options)
  control.replaceChildren(make('option', { value: '' }, texts.any), ...options)
  control.value = keep(control, address.get(parameter))
}

// The current value is a choice, even if the search does not find it.
function keep(control, value) {
  if (!control.options.length) control.append(make('option', { value: '' }, texts.any))
  if (value && ![...control.options].some(option => option.value === value)) control.append(make('option', { value }, value))
  return value
}
