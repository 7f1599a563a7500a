// The search box with its completions, a combobox with a list.
import { askJSON, Fault, hasKey } from './api.js'
import { find, make } from './element.js'

const pause = 20 // ms without a keystroke
const most = 6
const box = find('search'), list = find('suggestions')

let timer, controller, active = -1

/** Makes the box work: typed(text) after a keystroke, chosen(text) for a completion or Enter, left() when the arrow goes on to the hits. */
export function listen({ typed, chosen, left }) {
  const choose = text => {
    box.value = text
    close()
    chosen(text)
  }
  box.addEventListener('input', () => {
    typed(box.value)
    clearTimeout(timer)
    controller?.abort()
    if (box.value.trim()) timer = setTimeout(suggest, pause)
    else close()
  })
  box.addEventListener('keydown', event => {
    if (event.isComposing) return
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      if (!list.hidden && active + 1 < list.children.length) activate(active + 1)
      else if (left()) close()
    } else if (event.key === 'ArrowUp' && !list.hidden) {
      event.preventDefault()
      activate(Math.max(-1, active - 1))
    } else if (event.key === 'Enter') {
      choose(active < 0 ? box.value : list.children[active].textContent)
    } else if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  })
  box.addEventListener('blur', () => activate(-1)) // the list stays: what lies below it must not move away from a click
  list.addEventListener('pointerdown', event => event.preventDefault()) // the focus stays in the box
  list.addEventListener('click', event => {
    const option = event.target.closest('[role=option]')
    if (option) choose(option.textContent)
  })
}

/** Shows a text that was not typed. */
export function show(text) {
  if (box.value === text) return
  box.value = text
  close()
}

async function suggest() {
  if (!hasKey()) return
  controller = new AbortController()
  const { signal } = controller
  try {
    const { body } = await askJSON(`/api/v1/suggest?${new URLSearchParams({ search: box.value, amount: most })}`, signal)
    if (!signal.aborted && document.activeElement === box) fill(body.suggestions)
  } catch (error) {
    if (error.name !== 'AbortError' && !(error instanceof Fault)) throw error // what is wrong, the search for the same text tells
  }
}

function fill(suggestions) {
  active = -1
  box.removeAttribute('aria-activedescendant')
  list.replaceChildren(...suggestions.map(({ text, type }, i) =>
    make('li', { id: `suggestion-${i}`, role: 'option', 'aria-selected': 'false', 'data-type': type, dir: 'auto' }, text)))
  list.hidden = !suggestions.length
  box.setAttribute('aria-expanded', !list.hidden)
}

function close() {
  clearTimeout(timer)
  controller?.abort()
  fill([])
}

function activate(index) {
  list.children[active]?.setAttribute('aria-selected', 'false')
  active = index
  const option = list.children[active]
  if (!option) return box.removeAttribute('aria-activedescendant')
  option.setAttribute('aria-selected', 'true')
  option.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  box.setAttribute('aria-activedescendant', option.id)
}
