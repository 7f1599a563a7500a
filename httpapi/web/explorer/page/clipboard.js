// Copying a text, with a confirmation on the button.
import * as texts from './texts.js'

const shown = 1500 // ms

/** Copies a text. If the clipboard is not available, as over plain HTTP, it selects an element with the text instead. */
export async function copy(button, text, element) {
  const before = button.dataset.text ??= button.textContent
  let copied = true
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    copied = fallBack(text, element)
  }
  button.textContent = copied ? texts.copied : texts.press_copy
  setTimeout(() => { button.textContent = before }, shown)
}

function fallBack(text, element) {
  const made = element ?? document.body.appendChild(document.createElement('span'))
  if (!element) made.textContent = text
  getSelection().selectAllChildren(made)
  const copied = document.execCommand('copy')
  if (!element) made.remove()
  return copied
}
