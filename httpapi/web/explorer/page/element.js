// Elements with untrusted text, which never becomes markup.

/** The element of the page with an id. */
export const find = id => document.getElementById(id)

/** A new element with attributes and children, which are elements or text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/** Shows an element with a text, or hides it if the text is empty. */
export function tell(element, text) {
  element.hidden = !text
  if (element.textContent !== text) element.textContent = text
}
