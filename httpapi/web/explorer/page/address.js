// The state of the page, kept in the address bar: API parameters, the open pub and the view of the map.
import { parameters } from './facts.js'
import { isPostcode } from './understood.js'

const state = [...parameters, 'pub', 'map']

const typing = 1500 // ms without a keystroke after which the next one begins a new step for Back
const settling = 300 // ms without a change before the address bar follows keys and drags: browsers ignore who writes it often, or throw
const calm = 5000 // ms until it is written again after they did

let values = read(location.search)
let typed = -Infinity
let writing

function read(search) {
  const given = new URLSearchParams(search)
  return new Map(state.filter(name => given.get(name)?.trim()).map(name => [name, given.get(name)]))
}

export const get = name => values.get(name) ?? ''

/** Reports whether the address has no parameters. */
export const isBlank = () => ![...parameters, 'pub'].some(name => values.has(name))

/** Reads the address bar after Back or Forward. */
export function reload() {
  clearTimeout(writing)
  writing = undefined
  values = read(location.search)
  typed = -Infinity
}

/** Changes values and removes empty ones. A step becomes an entry of the history; otherwise the address bar is updated a little later. */
export function set(changes, { step = true } = {}) {
  if (step) {
    write('replaceState') // what waits belongs to the step that is left
    assign(changes)
    write('pushState')
    typed = -Infinity
  } else {
    assign(changes)
    clearTimeout(writing)
    writing = setTimeout(write, settling, 'replaceState')
  }
}

/** Changes the text. Consecutive keystrokes are one step. */
export function type(text) {
  const now = performance.now()
  set({ search: text, relax: '' }, { step: now - typed > typing })
  typed = now
}

function assign(changes) {
  for (const [name, value] of Object.entries(changes)) {
    if (String(value).trim()) values.set(name, String(value))
    else values.delete(name)
  }
}

function write(method) {
  clearTimeout(writing)
  writing = undefined
  const target = href(Object.fromEntries(values))
  if (target === location.pathname + location.search) return
  try {
    history[method](null, '', target)
  } catch (error) {
    if (error.name !== 'SecurityError') throw error
    writing = setTimeout(write, calm, 'replaceState')
  }
}

/** Goes to another address of the page, like a link. */
export function follow(target) {
  write('replaceState')
  values = read(new URL(target, location.href).search)
  typed = -Infinity
  write('pushState')
}

addEventListener('pagehide', () => { if (writing) write('replaceState') })

/** The address for other values. */
export function href(values) {
  const text = readable(new URLSearchParams(state.filter(name => values[name]).map(name => [name, values[name]])))
  return text ? `/?${text}` : '/'
}

/** The current address with some values changed. */
export const hrefWith = changes => href({ ...Object.fromEntries(values), ...changes })

/** The API parameters of the search in the address bar; without a text, it finds every pub. Only a whole postcode is not complemented by others. */
export function query() {
  const query = new URLSearchParams({ search: '*' })
  for (const name of parameters) if (values.has(name)) query.set(name, values.get(name))
  if (values.has('search') && !values.has('relax') && get('search').trim() !== '*' && !isPostcode(get('search'))) query.set('relax', 'more')
  return query
}

/** A query string in which commas are not encoded. */
export const readable = query => query.toString().replaceAll('%2C', ',')
