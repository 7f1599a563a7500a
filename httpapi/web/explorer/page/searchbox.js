// The search box with its completions: a combobox with a list that covers what is below it.
import { askJSON, hasKey, quietly } from './api.js'
import { find, make } from './element.js'
import * as texts from './texts.js'
import { wishes } from './wishes.js'
import { count, say } from './wording.js'

const pause = 8 // ms without a keystroke, so that keys pressed together are one request
const most = 6
const box = find('search'), list = find('suggestions')

let timer, controller, active = -1, where = () => ''

/**
 * Makes the box work: typed(text) after a keystroke, chosen(text) for a completion or Enter, opened(uid) for a completion that is one pub,
 * near returns lat,lng of what should be completed first, or nothing.
 */
export function listen({ typed, chosen, opened, near }) {
  where = near
  const choose = option => {
    const text = option ? option.dataset.text : box.value
    box.value = text
    close()
    if (option?.dataset.pub) opened(text, option.dataset.pub)
    else chosen(text)
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
    const step = (event.key === 'ArrowDown') - (event.key === 'ArrowUp')
    if (step && !list.hidden) {
      event.preventDefault()
      activate(Math.max(-1, Math.min(active + step, list.children.length - 1)))
    } else if (event.key === 'Enter') {
      choose(list.children[active])
    } else if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  })
  box.addEventListener('blur', close)
  list.addEventListener('pointerdown', event => event.preventDefault()) // the focus stays in the box
  list.addEventListener('click', event => {
    const option = event.target.closest('[role=option]')
    if (option) choose(option)
  })
}

/** "lat,lng" of a text that is a point, such as "53.8, -1.55"; otherwise nothing. */
export function point(text) {
  const [, lat, lng] = /^\s*([+-]?\d+\.\d+)\s*[,; ]\s*([+-]?\d+\.\d+)\s*$/.exec(text) ?? []
  if (Math.abs(lat) <= 90 && Math.abs(lng) <= 180) return `${+lat},${+lng}`
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
  const query = new URLSearchParams({ search: box.value, amount: most })
  if (where()) query.set('near', where())
  try {
    const { body } = await askJSON(`/api/v1/suggest?${query}`, signal, { insist: false })
    if (!signal.aborted && document.activeElement === box) fill(withWishes(body.suggestions))
  } catch (error) {
    quietly(error)
  }
}

// A wish of which a word is complete comes first, others last.
function withWishes(suggestions) {
  const found = wishes(box.value).map(({ text, of }) => ({ text, type: 'wish', of })), others = suggestions.slice(0, most - found.length)
  return /\S\s+\S/.test(box.value) ? [...found, ...others] : [...others, ...found]
}

function fill(suggestions) {
  active = -1
  box.removeAttribute('aria-activedescendant')
  list.replaceChildren(...suggestions.map((suggestion, i) => {
    const { text, type, pubs, of } = suggestion
    const place = type === 'location'
    const option = make('li', { id: `suggestion-${i}`, role: 'option', 'aria-selected': 'false', 'data-type': type, 'data-text': place ? `pubs in ${text}` : text },
      make('span', { class: 'text', dir: 'auto' }, text),
      make('span', { class: 'kind' }, of ?? (place ? say(texts.kind_place, { pubs: count(pubs, texts.pubs) }) : pubs > 1 ? count(pubs, texts.pubs) : texts.kind_pub)))
    if (suggestion.UID) option.dataset.pub = suggestion.UID
    return option
  }))
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
