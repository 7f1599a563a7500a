// Errors of the API, next to the control of their parameter, otherwise next to the search box.
import { find, make, tell } from './element.js'
import * as filters from './filters.js'

const controls = { lat: 'radius', lng: 'radius', distance: 'radius', around: 'radius', near: 'radius', bbox: 'radius', search: 'search' }
for (const control of document.querySelectorAll('[data-parameter]')) controls[control.dataset.parameter] = control.id

let shown

export function show(fault) {
  clear()
  let id = controls[fault.parameter] ?? 'search'
  if (find(id).closest('.radius[hidden]')) id = 'search'
  shown = find(id)
  shown.setAttribute('aria-invalid', 'true')
  if (shown.closest('#filters')) filters.open(true)
  tell(place(id), fault.message)
}

export function clear() {
  if (!shown) return
  shown.removeAttribute('aria-invalid')
  tell(place(shown.id), '')
  shown = undefined
}

function place(id) {
  const existing = find(`fault-${id}`)
  if (existing) return existing
  const made = make('p', { id: `fault-${id}`, class: 'fault', role: 'alert' })
  const control = find(id)
  control.closest('.field, .check').append(made)
  control.setAttribute('aria-describedby', `${control.getAttribute('aria-describedby') ?? ''} ${made.id}`.trim())
  return made
}
