// The form for an API key, shown if there is none or it was rejected.
import * as api from './api.js'
import { find } from './element.js'
import * as texts from './texts.js'

const form = find('key-form'), box = find('key'), why = find('key-reason')

/** Asks for a key, with the API's reason for rejecting the previous one. */
export function show(reason = '') {
  if (form.hidden || reason) why.textContent = reason || texts.key_required
  if (!form.hidden) return
  form.hidden = false
  box.focus()
}

export function hide() { form.hidden = true }

/** Calls back with each key that is entered. */
export function listen(given) {
  form.addEventListener('submit', event => {
    event.preventDefault()
    api.keepKey(box.value.trim())
    box.value = ''
    hide()
    given()
  })
}
