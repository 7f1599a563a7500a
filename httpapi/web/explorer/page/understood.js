// What the search made of a text, in words: how many pubs where, called what. Texts of visitors and pubs are {name}, others are strings.
import * as texts from './texts.js'
import { count, number, pieces } from './wording.js'

// Words of a question that name nothing: those that the search leaves out, and what pubs are.
const unnamed = new Set(('the and a at by called for in my near of on to uk with me best good nearest closest nearby around menu menus opening open time times ' +
  'hours booking bookings review reviews phone number inn inns pub pubs house houses hotel hotels tavern taverns bar bars club clubs ale ales restaurant ' +
  'restaurants freehouse freehouses brewpub brewpubs gastropub gastropubs micropub micropubs taproom taprooms nightclub nightclubs brewery breweries ph public ltd ye olde').split(' '))
const joining = new Set(['the', 'a', 'at', 'around', 'best', 'by', 'closest', 'in', 'near', 'nearby', 'nearest', 'on'])
const small = new Set(['and', 'at', 'by', 'in', 'le', 'of', 'on', 'the', 'under', 'upon'])

const inward = /^\d[a-z]{2}$/
const postcode = /^[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}$/i

/** Reports whether a text is a whole British postcode. */
export const isPostcode = text => postcode.test(text.trim())

/** The words of a text as the search compares them, nearly. */
export const wordsOf = text => text.replace(/['’ʼ`´]/g, '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(/[\p{L}\p{Nd}]+/gu) ?? []

/** Words as a name: White Hart, Stow on the Wold, SW1A. */
export function title(text) {
  return text.split(' ').map((word, i) => {
    if (/\d/.test(word)) return word.toUpperCase()
    return i && small.has(word) ? word : word.charAt(0).toUpperCase() + word.slice(1)
  }).join(' ')
}

const phraseOf = text => wordsOf(text).filter(word => word !== 'the' && word !== 'and').join(' ')

// A place as the pubs there write it; known is false if none of them has it.
function placeOf(place, pubs) {
  if (/\d/.test(place)) return { name: title(place), known: true } // a postcode, or its beginning
  const written = writtenIn(['location', 'area', 'address'], place, pubs)
  if (written) return { name: written, known: true }
  const words = place.split(' ')
  return { name: title(place), known: pubs.some(({ location, area }) => words.every(word => wordsOf(`${location} ${area}`).includes(word))) }
}

// A place as the first pub that has it in some members writes it.
function writtenIn(members, place, pubs) {
  for (const member of members) {
    for (const pub of pubs) {
      const found = [pub[member] ?? '', ...(pub[member] ?? '').split(/[,;]/)].find(part => phraseOf(part) === place)
      if (found) return found.trim()
    }
  }
  return undefined
}

const where = place => pieces(place.known ? postcode.test(place.name) ? texts.at_place : texts.in_place : texts.near_place, { place: { name: place.name } })

// What a text asks for beside a place, without the words at its ends that name nothing; empty if there is nothing else.
function besides(text, place) {
  const words = wordsOf(text), sought = place.split(' ')
  const skips = word => word === 'the' || word === 'and'
  let low = words.length, high = low
  for (let start = words.length - 1; start >= 0; start--) { // the last run of the words of the place
    let at = start, n = 0
    while (at < words.length && n < sought.length && (words[at] === sought[n] || n && skips(words[at]))) n += Number(words[at++] === sought[n])
    if (n === sought.length) {
      low = start
      high = at
      break
    }
  }
  const rest = [...words.slice(0, low), ...words.slice(high)]
  if (rest.every(word => unnamed.has(word))) return ''
  while (joining.has(rest[0])) rest.shift()
  while (joining.has(rest.at(-1))) rest.pop()
  return rest.join(' ')
}

const joined = text => wordsOf(text).join('')

// Whether a pub has a postcode, in a column of its own or in its address.
const isAt = (text, { postcode: own, address }) => joined(own ?? '') === joined(text) || joined(address ?? '').includes(joined(text))

// A postcode as the post writes it.
const spaced = text => joined(text).toUpperCase().replace(/...$/, ' $&')

// Whether the search left out nothing but words that name nothing, as in Red Lion Public House, and changed none.
function isExact(text, relaxed) {
  if (relaxed?.step !== 'words' || relaxed.corrected) return false
  const kept = wordsOf(relaxed.query)
  return wordsOf(text).every(word => kept.includes(word) || unnamed.has(word))
}

/**
 * What was understood of the text of an answer: heading, after the number of pubs, and line, a sentence, are lists of texts; strictly, whether a
 * search for the text as it was typed would find something else; whole, whether all pubs are those of a place; place, a place of that name, if the
 * search finds more than its pubs. filtered says that the pubs are not all of their place.
 */
export function understood(text, answer, filtered) {
  const { relaxed, more, results, total_results: total } = answer
  const found = relaxed ?? { query: text }
  const place = found.place && placeOf(found.place, results)
  const first = total - (more?.added ?? 0)
  const name = title(wordsOf(found.corrected ?? found.query).join(' '))
  const said = { heading: [], line: [], strictly: Boolean(relaxed || more) }
  if (total && !more && isPostcode(text) && results.every(pub => isAt(text, pub))) {
    said.heading = [' ', ...pieces(texts.at_place, { place: { name: spaced(text) } })]
    said.strictly = false
  } else if (place && !found.query) {
    said.heading = [' ', ...where(place)]
    said.whole = !more
    const missing = besides(text, found.place)
    said.strictly = missing !== '' || Boolean(more)
    const there = pieces(filtered ? texts.some_there : texts.all_there, { pubs: count(total, texts.pubs) })
    if (inward.test(missing)) said.line = pieces(texts.nothing_at, { name: { name: `${place.name} ${missing.toUpperCase()}` }, there })
    else if (missing) said.line = pieces(texts.nothing_called, { name: { name: missing }, where: where(place), there })
  } else if (place && place.known) said.line = pieces(texts.named_where, { name: { name }, where: where(place) })
  else if (place) said.line = pieces(texts.nearest_to, { place: { name: place.name } })
  else if (isExact(text, relaxed)) said.strictly = false
  else if (relaxed) said.line = pieces(relaxed.corrected ? texts.results_for : texts.no_exact_matches, { name: { name: relaxed.corrected ?? relaxed.query } })
  else if (total && !more && text.trim()) {
    const place = phraseOf(text), there = pub => [pub.location, pub.area].some(part => phraseOf(part ?? '') === place)
    const name = writtenIn(['location', 'area'], place, results)
    if (name && total === results.length && results.every(there)) Object.assign(said, { heading: [' ', ...pieces(texts.in_place, { place: { name } })], whole: true })
    else said.place = name
  }
  if (more) said.line = pieces(texts.first_and_added, { first: firstOnes(first, name, place, found), added: others(more, results) })
  if (more) said.heading = []
  return said
}

// The pubs of an answer before others were added to it.
function firstOnes(first, name, place, found) {
  if (!place) return [`${number(first)} `, { name }]
  const named = found.query ? [`${number(first)} `, { name }] : [number(first)]
  return [...named, ' ', ...place.known ? where(place) : pieces(texts.nearest_to_place, { place: { name: place.name } })]
}

// The pubs that were added.
function others({ step, query, corrected, place, added }, pubs) {
  const n = number(added), name = title(corrected ?? query)
  if (place) {
    const at = placeOf(place, pubs)
    return [...query ? pieces(texts.added_called, { n, name: { name } }) : [n], ' ', ...where(at)]
  }
  if (corrected) return pieces(texts.added_called, { n, name: { name } })
  if (step === 'strict') return pieces(texts.added_with_words, { n })
  if (step === 'words') return pieces(texts.added_written, { n })
  if (step === 'infix') return pieces(texts.added_inside, { n })
  return pieces(texts.added_for, { n, name: { name } })
}
