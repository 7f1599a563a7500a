// The state of the page, kept in the address bar: API parameters, the open pub and the view of the map.
import { parameters } from './facts.js'
import { isPostcode } from './understood.js'

const state = [...parameters, 'pub', 'map']

const typing = 1500 // ms without a keystroke after which the next one begins a new step for Back
const settling = 300 // ms without a change before the address bar follows keys and drags: browsers ignore who writes it often, or throw

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
  take(location.search)
}

function take(search) {
  values = read(search)
  typed = -Infinity
}

/**
 * Changes values and removes empty ones; another search closes the pub that is open. A step becomes an entry of the history; otherwise the
 * address bar is updated a little later.
 */
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

// A pub is open in one search: another one closes it.
function changed(changes) {
  const closing = parameters.some(name => name in changes) ? { pub: '' } : {}
  return Object.entries({ ...Object.fromEntries(values), ...closing, ...changes }).filter(([, value]) => String(value).trim())
}

function assign(changes) { values = new Map(changed(changes).map(([name, value]) => [name, String(value)])) }

function write(method) {
  clearTimeout(writing)
  writing = undefined
  const target = href(Object.fromEntries(values))
  if (target === location.pathname + location.search) return
  try {
    history[method](null, '', target)
  } catch (error) {
    if (error.name !== 'SecurityError') throw error // of Safari; the next change writes the whole address
  }
}

/** Goes to another address of the page, like a link. */
export function follow(target) {
  write('replaceState')
  take(new URL(target, location.href).search)
  write('pushState')
}

addEventListener('pagehide', () => { if (writing) write('replaceState') })

/** The address for other values. */
export function href(values) {
  const text = readable(new URLSearchParams(state.filter(name => values[name]).map(name => [name, values[name]])))
  return text ? `/?${text}` : '/'
}

/** The current address with some values changed, as set does it. */
export const hrefWith = changes => href(Object.fromEntries(changed(changes)))

/** The API parameters of the search in the address bar; without a text, it finds every pub. Only a whole postcode is not complemented by others. */
export function query() {
  const query = new URLSearchParams({ search: '*' })
  for (const name of parameters) if (values.has(name)) query.set(name, values.get(name))
  if (values.has('search') && !values.has('relax') && get('search').trim() !== '*') query.set('relax', isPostcode(get('search')) ? 'true' : 'more')
  return query
}

/** A query string in which commas are not encoded. */
export const readable = query => query.toString().replaceAll('%2C', ',')
