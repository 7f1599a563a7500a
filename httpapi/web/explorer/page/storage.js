/** A storage of the window; undefined if the browser denies it: then what is stored lasts only as long as the page. */
export function storage(name) {
  try {
    return window[name]
  } catch {
    return undefined
  }
}
