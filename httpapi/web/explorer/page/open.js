// On a rendered page of a pub or a place: distances in the visitor's unit, and a link to the explorer opens it in the place of the page, without
// loading another one.
import { distance } from './wording.js'

for (const element of document.querySelectorAll('[data-km]')) element.textContent = distance(Number(element.dataset.km))

let opened // the promise of the explorer: a second click must not put another body in its place

document.addEventListener('click', event => {
  const link = event.target.closest('a[data-explorer]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
  event.preventDefault()
  opened ??= open(link.href).catch(() => {
    opened = undefined // the browser may keep this page for Back
    location.assign(link.href)
  })
})

// The entries of the history share a document: after Back, which loads the page again, Forward only changes the address. No page with this
// script is loaded from /, not even that of an error, which would reload for ever.
function follow() { if (!opened && location.pathname === '/') location.reload() }

addEventListener('popstate', follow)
follow() // the visitor may have gone forward before this script was there

async function open(target) {
  const page = await fetchPage('/')
  const before = document.querySelectorAll('link[rel=stylesheet]'), sheets = [...page.querySelectorAll('link[rel=stylesheet]')]
  const loaded = sheets.map(sheet => new Promise((resolve, reject) => Object.assign(sheet, { onload: resolve, onerror: reject })))
  document.head.append(...sheets)
  await Promise.all(loaded)
  history.pushState(null, '', target)
  document.title = page.title
  document.body.replaceWith(page.body)
  for (const sheet of before) sheet.remove()
  await import('./explorer.js')
}

function fetchPage(path) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.onload = () => request.status === 200 ? resolve(request.response) : reject(new Error(`status ${request.status}`))
    request.onerror = reject
    request.open('GET', path)
    request.responseType = 'document'
    request.send()
  })
}
