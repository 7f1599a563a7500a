// A small list of pubs on a page of another site, in place of the script element that loads this file:
//
//     <script src="…/embed.js" data-near="51.5,-0.12" data-search="red lion" data-amount="5" async></script>
//
// It is bundled as a classic script, since a module cannot tell which element loads it, and declares nothing that the
// page could see. The list is in a shadow root with a constructed style sheet, which no policy of the page blocks: the
// page must only allow script-src and connect-src for the origin of this file. Its requests have no cookies.
import { make } from './element.js'
import { accents } from './face.js'
import * as texts from './texts.js'
import { decimal, distance, say, status } from './wording.js'

(async script => {
  const style = `
    :host { all: initial; color-scheme: inherit; display: block; }
    section { padding: 12px 16px; border: 1px solid light-dark(#e4dfd6, #33302b); border-radius: 8px; background: light-dark(#fff, #1b1a18);
      color: light-dark(#1d1a16, #f2eee7); font: 15px/1.45 system-ui, sans-serif; text-align: start; overflow-wrap: anywhere; }
    h2, p, ul { margin: 0; padding: 0; }
    h2 { font-size: 17px; }
    ul { list-style: none; }
    li { padding: 8px 0; border-bottom: 1px solid light-dark(#e4dfd6, #33302b); }
    li span { display: block; color: light-dark(#645d54, #aaa298); font-size: 13px; }
    p { padding-top: 8px; }
    a { color: light-dark(${accents}); text-underline-offset: .2em; }
    :focus-visible { outline: 2px solid; outline-offset: 2px; }`
  const patience = 15_000 // ms

  const { near, search, amount = '5' } = script.dataset
  const base = new URL('.', script.src)

  const link = (address, text) => make('a', { href: new URL(address, base).href, dir: 'auto' }, text)

  const all = link('', texts.all_pubs)
  const list = make('ul', { 'aria-labelledby': 'heading' })
  const said = make('p', { role: 'status' }, texts.loading)
  const element = make('div', { lang: texts.locale, dir: 'ltr' })
  const root = element.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  root.adoptedStyleSheets = [sheet]
  root.append(make('section', { 'aria-labelledby': 'heading' },
    make('h2', { id: 'heading' }, near ? texts.pubs_nearby : search ? texts.site : texts.best_pubs), list, said, make('p', {}, all)))
  script.replaceWith(element)

  const get = async (path, headers) => {
    const response = await fetch(new URL(path, base), { headers, credentials: 'omit', signal: AbortSignal.timeout(patience) })
    const body = await response.json()
    if (!response.ok) throw new Error(body.error)
    return body
  }
  const item = pub => {
    const about = [pub.location]
    if (pub.distance !== undefined) about.push(distance(pub.distance))
    if (pub.total !== null) about.push(say(texts.rated_inside, { rating: decimal(pub.total) }))
    if (pub.trading && pub.trading !== 'open') about.push(status(pub.trading))
    const parts = about.filter(Boolean).flatMap(text => [' · ', make('bdi', {}, text)]).slice(1)
    return make('li', {}, link(`?${new URLSearchParams({ pub: pub.UID })}`, pub.name), make('span', {}, ...parts))
  }

  try {
    const { key, title } = await get('explorer/settings.json')
    if (title !== texts.site) all.textContent = title
    if (!key) throw new Error('the server offers no public key')
    const order = search?.trim() ? { sort: 'relevance', ...near && { near } } : near ? { near, sort: 'distance' } : { sort: 'fair', order: 'desc' }
    const query = new URLSearchParams({ search: search?.trim() || '*', amount, ...order, fields: 'UID,name,location,trading,total,distance' })
    const { results } = await get(`api/v1/pubs/?${query}`, { 'x-api-key': key })
    list.append(...results.map(item))
    if (results.length) said.remove()
    else said.textContent = texts.no_pubs_found
  } catch (error) {
    said.textContent = texts.list_unavailable
    console.error(`${script.src}: ${error.message}`)
  }
})(document.currentScript)
