// The request behind what is shown, for whoever wants to ask it elsewhere.
import { find } from './element.js'

export function show(target) {
  const url = new URL(target, location.href).href
  find('request-url').textContent = url
  find('request-curl').textContent = `curl -H 'x-api-key: '"$KEY" '${url}'`
}

for (const what of ['url', 'curl']) {
  const button = find(`copy-${what}`), text = button.textContent
  button.addEventListener('click', async () => {
    button.textContent = await copy(find(`request-${what}`)) ? 'Copied' : 'Press Ctrl+C'
    setTimeout(() => { button.textContent = text }, 1500)
  })
}

// Where the clipboard is closed, as it is over plain HTTP, the text is selected instead.
async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent)
    return true
  } catch {
    getSelection().selectAllChildren(element)
    return document.execCommand('copy')
  }
}
