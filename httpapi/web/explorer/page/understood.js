// What the search made of a text, in words: how many pubs where, called what. Texts of visitors and pubs are {name}, others are strings.
import * as texts from './texts.js'
import { number, pieces } from './wording.js'

const postcode = /^([a-z]{1,2}\d[a-z\d]?) ?(\d[a-z]{2})$/i

/** Reports whether a text is a whole British postcode. */
export const isPostcode = text => postcode.test(text.trim())

// The words of a text as the search compares them, nearly.
const wordsOf = text => text.replace(/['’ʼ`´]/g, '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(/[\p{L}\p{Nd}]+/gu) ?? []

// Words as a name: White Hart, SW1A.
const title = text => wordsOf(text).map(word => /\d/.test(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)).join(' ')

// A place as the first pub that says it writes it, which may have a word more between its first and its last one: Tyne and Wear.
function writtenIn(pubs, place) {
  const wanted = place.split(' ')
  const is = words => words[0] === wanted[0] && words.at(-1) === wanted.at(-1) && words.length <= wanted.length + 1 && wanted.every(word => words.includes(word))
  for (const member of ['location', 'area', 'address']) {
    for (const pub of pubs) {
      const found = [pub[member] ?? '', ...(pub[member] ?? '').split(/[,;]/)].find(part => is(wordsOf(part)))
      if (found) return found.trim()
    }
  }
  return undefined
}

// Where pubs are: in a place, or in a smaller one in it; those with a name may also be near a place that none of them says.
function where(place, pubs, isNamed) {
  if (isPostcode(place)) return pieces(texts.at_place, { place: { name: place.toUpperCase().replace(postcode, '$1 $2') } })
  const written = place.split(', ').map(part => writtenIn(pubs, part) ?? title(part))
  const says = ({ location, area }) => place.split(' ').every(word => wordsOf(`${location} ${area}`).includes(word))
  const near = isNamed && !/\d/.test(place) && !writtenIn(pubs, place) && !pubs.some(says)
  return pieces(near ? texts.near_place : texts.in_place, { place: { name: written.join(', ') } })
}

/**
 * What was understood of the text of an answer: heading, after the number of pubs, and line, a sentence, are lists of texts; whole, whether all pubs
 * are those of a place; instead, the text that a search as it stands might be meant to find, if the answer is another, and label, what it finds.
 */
export function understood(text, { relaxed, more, results, total_results: total }) {
  const { step, query, corrected, place, unused } = relaxed ?? { query: text }
  const misspelt = place !== undefined && corrected === place
  const name = misspelt ? '' : title(corrected ?? query)
  const at = place ? where(place, results, name !== '') : []
  const said = { heading: [], line: [], whole: Boolean(place) && !name && !more, instead: misspelt ? query : text, label: misspelt ? texts.names_like : texts.search_instead }
  if (more) said.line = pieces(texts.first_and_added, { first: called(total - more.added, name, at), added: added(more, results) })
  else if (said.whole) said.heading = [' ', ...at]
  else if (place) said.line = pieces(texts.named_where, { name: { name }, where: at })
  else if (corrected) said.line = pieces(texts.results_for, { name: { name: corrected } })
  else if (relaxed && query && (step !== 'words' || unused)) said.line = pieces(texts.no_exact_matches, { name: { name: query } })
  if (unused) said.line.push(said.line.length ? ' ' : '', ...pieces(texts.not_used, { words: { name: unused } }))
  if (!said.line.length && !misspelt) said.instead = ''
  return said
}

// The pubs of an answer before others were added to it.
const called = (n, name, at) => [number(n), ...name ? [' ', { name }] : [], ...at.length ? [' ', ...at] : []]

// The pubs that were added.
function added({ step, query, corrected, place, added }, pubs) {
  const n = number(added), name = title(corrected ?? query)
  if (place) return [...query ? pieces(texts.added_called, { n, name: { name } }) : [n], ' ', ...where(place, pubs, query !== '')]
  if (corrected) return pieces(texts.added_called, { n, name: { name } })
  if (step === 'strict') return pieces(texts.added_with_words, { n })
  if (step === 'words') return pieces(texts.added_written, { n })
  if (step === 'infix') return pieces(texts.added_inside, { n })
  return pieces(texts.added_for, { n, name: { name } })
}
