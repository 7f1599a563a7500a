// The API request of the current view, for use elsewhere.
import { copies } from './clipboard.js'
import { find } from './element.js'

export function show(target) {
  const url = new URL(target, location.href).href
  find('request-url').textContent = url
  find('request-curl').textContent = `curl -H 'x-api-key: '"$KEY" '${url}'`
}

for (const what of ['url', 'curl']) copies(find(`copy-${what}`), () => find(`request-${what}`).textContent)
