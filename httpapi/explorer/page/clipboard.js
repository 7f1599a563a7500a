// Copying a text, with the answer on the button that asked for it.

const shown = 1500 // ms

/** Copies a text. Where the clipboard is closed, as it is over plain HTTP, a given element with the text is selected instead. */
export async function copy(button, text, element) {
  const before = button.dataset.text ??= button.textContent
  let copied = true
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    copied = fallBack(text, element)
  }
  button.textContent = copied ? 'Copied' : 'Press Ctrl+C'
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
