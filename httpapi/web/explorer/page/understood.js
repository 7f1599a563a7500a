// What the search made of a text, in words: how many pubs where, called what. Texts of visitors and pubs are {name}, others are strings.
import * as texts from './texts.js'
import { count, feature, number, pieces } from './wording.js'

const postcode = /^([a-z]{1,2}\d[a-z\d]?) ?(\d[a-z]{2})$/i

/** Reports whether a text is a whole British postcode. */
export const isPostcode = text => postcode.test(text.trim())

/** The words of a text as the search compares them, nearly. */
export const wordsOf = text => text.replace(/['’ʼ`´]/g, '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(/[\p{L}\p{Nd}]+/gu) ?? []

const fold = text => wordsOf(text).join(' ')

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
 * What was understood of the text of an answer: total, the number of pubs, of a place those that have it as their town; heading, what follows it,
 * and line, a sentence, are lists of texts; instead, the text that a search as it stands might be meant to find, if the answer is another, and label, what it finds.
 */
export function understood(text, { relaxed, more, results, facets, total_results: total }) {
  const { step, query, corrected, place, unused } = relaxed ?? { query: text }
  const wished = [...(relaxed?.features ?? []).map(feature), ...relaxed?.open ? [relaxed.open === 'now' ? texts.open_now : texts.open_late] : []]
  const misspelt = place !== undefined && corrected === place
  const name = misspelt ? '' : title(corrected ?? query)
  const at = place ? where(place, results, name !== '') : []
  const meant = place ? [name, ...at.map(part => part.name ?? part)].join(' ') : corrected ?? query
  const isOther = fold(meant) !== fold(text)
  const said = { total, heading: [], line: [], instead: misspelt ? query : text, label: misspelt ? texts.names_like : texts.search_instead }
  if (more) said.line = pieces(texts.first_and_added, { first: called(total - more.added, name, at), added: added(more, results) })
  else if (place && !name) {
    said.total = facets?.location?.find(({ value }) => fold(value) === place)?.count ?? total
    said.heading = [' ', ...at, ...total > said.total ? [count(total - said.total, texts.and_by_address)] : []]
  }
  else if (place) said.line = pieces(texts.named_where, { name: { name }, where: at })
  else if (relaxed && query && (corrected || step !== 'words' || unused)) {
    said.line = [...corrected ? [] : [texts.no_exact_matches, ' '], ...isOther ? pieces(texts.results_for, { name: { name: meant } }) : []]
  }
  if (wished.length) said.line.push(said.line.length ? ' ' : '', ...pieces(texts.wished_first, { wishes: wished.join(', ') }))
  if (unused) said.line.push(said.line.length ? ' ' : '', ...pieces(texts.not_used, { words: { name: unused } }))
  if (!more && !isOther || !said.line.length && !misspelt) said.instead = ''
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
