// The API request of the current view, for use elsewhere.
import { copy } from './clipboard.js'
import { find } from './element.js'

export function show(target) {
  const url = new URL(target, location.href).href
  find('request-url').textContent = url
  find('request-curl').textContent = `curl -H 'x-api-key: '"$KEY" '${url}'`
}

for (const what of ['url', 'curl']) {
  const text = find(`request-${what}`)
  find(`copy-${what}`).addEventListener('click', event => copy(event.currentTarget, text.textContent, text))
}
