// Copying a text, with a confirmation on the button.
import * as texts from './texts.js'

const shown = 1500 // ms

/** Lets a button copy what text() returns. Over plain HTTP, browsers have no clipboard: then it is hidden. */
export function copies(button, text) {
  const before = button.textContent
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text())
    button.textContent = texts.copied
    setTimeout(() => { button.textContent = before }, shown)
  })
}
