// What an answer says of itself, in words: how many pubs where, called what, in which order. Texts of visitors and pubs are {name}, others are strings.
import { metrics, metricsInside } from './facts.js'
import * as texts from './texts.js'
import { count, decimal, feature, number, openAt, pieces, say } from './wording.js'

const postcode = /^([a-z]{1,2}\d[a-z\d]?) ?(\d[a-z]{2})$/i

/** Reports whether a text is a whole British postcode. */
export const isPostcode = text => postcode.test(text.trim())

/** The words of a text as the search compares them, nearly. */
export const wordsOf = text => text.replace(/['’ʼ`´]/g, '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(/[\p{L}\p{Nd}]+/gu) ?? []

/** The same as one text. */
export const fold = text => wordsOf(text).join(' ')

// Words as a name: White Hart, SW1A.
const title = text => wordsOf(text).map(word => /\d/.test(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)).join(' ')

// A place as the first pub that says it writes it, perhaps with words that do not count: Tyne and Wear.
function writtenIn(pubs, place) {
  const is = words => words.filter(word => !['and', 'the'].includes(word)).join(' ') === place
  for (const member of ['location', 'area', 'address']) {
    for (const pub of pubs) {
      const found = [pub[member] ?? '', ...(pub[member] ?? '').split(/[,;]/)].find(part => is(wordsOf(part)))
      if (found) return found.trim()
    }
  }
  return undefined
}

// Where pubs are: in a place, or in a smaller one in it, or near it; those with a name may also be near a place that none of them says.
function where(place, pubs, isNamed, isNear = false) {
  if (isPostcode(place)) return pieces(isNear ? texts.near_place : texts.at_place, { place: { name: place.toUpperCase().replace(postcode, '$1 $2') } })
  const written = place.split(', ').map(part => writtenIn(pubs, part) ?? title(part))
  const says = ({ location, area }) => place.split(' ').every(word => wordsOf(`${location} ${area}`).includes(word))
  const near = isNear || isNamed && !/\d/.test(place) && !writtenIn(pubs, place) && !pubs.some(says)
  return pieces(near ? texts.near_place : texts.in_place, { place: { name: written.join(', ') } })
}

/** Reports whether a pub is known to have a feature. */
export const offers = (pub, name) => Boolean(pub.features?.some(other => feature(other) === feature(name)))

// Each sentence about an answer, by where it stands, as [the condition on what is read of the answer under which it stands, the sentence]. Of the order and of
// what was found the first one is said whose condition holds; all of those beside.
const sentences = {
  order: [
    [({ relaxed, sort }) => sort === 'relevance' && relaxed?.sort === 'fair', () => [texts.best_rated_first]],
    [({ sort, fair }) => sort === 'fair' && fair?.mean, ({ rising, fair }) =>
      [count(Math.round(fair.reviews), texts.fair_explained, { first: rising ? texts.lowest_fair : texts.highest_fair, mean: decimal(fair.mean) })]],
    [({ sort }) => sort === 'distance', ({ rising }) => [rising ? texts.nearest_first : texts.farthest_first]],
    [({ sort }) => sort === 'relevance', ({ lat }) => [lat === undefined ? texts.best_match_first : texts.best_match_nearer]],
    [({ sort }) => ['name', 'fair'].includes(sort), ({ rising, sort }) => [rising || sort === 'fair' ? texts.by_name_rising : texts.by_name_falling]], // fair without ratings
    [({ sort }) => sort === 'location', ({ rising }) => [rising ? texts.by_place_rising : texts.by_place_falling]],
    [({ sort }) => sort === 'review_count', ({ rising }) => [rising ? texts.fewest_reviews_first : texts.most_reviews_first]],
    [({ sort }) => metrics.has(sort), ({ rising, sort }) => [say(rising ? texts.lowest_metric_first : texts.highest_metric_first, { metric: metricsInside.get(sort) })]],
  ],
  found: [
    [({ more }) => more, ({ total, more, relaxed, results, name, at }) => pieces(texts.first_and_added, { first: called(total - more.added, name, at), added: added(more, results, relaxed) })],
    [({ place, name }) => place && name, ({ name, at }) => pieces(texts.named_where, { name: { name }, where: at })],
    [({ place, query, corrected, step, unused }) => !place && step && step !== 'strict' && query && (corrected || step !== 'words' || unused),
      ({ corrected, isOther, meant }) => [...corrected ? [] : [texts.no_exact_matches, ' '], ...isOther ? pieces(texts.results_for, { name: { name: meant } }) : []]],
  ],
  beside: [
    [({ met }) => met.length, ({ met }) => pieces(texts.wished_first, { wishes: { name: met.join(', ') } })],
    [({ unmet }) => unmet.length, ({ unmet }) => pieces(texts.not_met, { wishes: unmet.join(', ') })],
    [({ unused }) => unused, ({ unused }) => pieces(texts.not_used, { words: { name: unused } })],
    [({ relaxed, sort }) => relaxed?.denied && sort === 'relevance', ({ relaxed }) => pieces(texts.denied_last, { words: { name: relaxed.denied } })],
    [({ relaxed }) => relaxed?.here, () => [texts.say_where]],
  ],
}

/**
 * What was understood of the text of an answer, as lists of texts: order, the sentence about it; heading, what follows total, the number of pubs, of which isBest
 * says that they are all, the best rated first; and line, the other sentences. instead is the text that a search as it stands might be meant to find, if the
 * answer is another, and label what it finds; called, how many others are called as the place is, and place one that can be asked for alone, with inside pubs;
 * where, the name of a place that answers. asWished is the answer of those that are known to be open when the text wishes so, unless there is none.
 */
export function understood(text, answer, asWished) {
  const { relaxed, more, results: [first], facets, sort, total_results: total } = answer
  const { step, query, corrected, place, unused } = relaxed ?? { query: text }
  const misspelt = place !== undefined && corrected === place, name = misspelt ? '' : title(corrected ?? query)
  const at = place ? where(place, answer.results.slice(0, total - (more?.added ?? 0)), name !== '') : []
  const meant = place ? [name, ...at.map(part => part.name ?? part)].join(' ') : corrected ?? query
  const isOther = fold(meant) !== fold(text), isOrdered = ['relevance', 'distance'].includes(sort), rising = answer.order === 'ASC'
  const wishes = first ? (relaxed?.features ?? []).map(name => [feature(name), offers(first, name)]) : []
  if (first && asWished) wishes.push([openAt(relaxed.open), asWished.results[0]?.UID === first.UID])
  const has = (all, word) => wordsOf(all.join(' ')).includes(word), rest = (unused?.split(' ') ?? []).filter(word => !has([more?.query, more?.place], word))
  const ranks = word => !name && sort === 'relevance' && has([first?.name, first?.alt_names, first?.common_category], word) // where a place or any pub answers alone
  if (rest.some(ranks)) wishes.push([rest.filter(ranks).join(' '), true])
  const those = is => wishes.filter(wish => is(wish)).map(([wish]) => wish)
  const read = { ...answer, step, query, corrected, place, name, at, meant, isOther, total, rising, met: those(([, met]) => isOrdered && met), unmet: those(([, met]) => isOrdered && !met),
    unused: [rest.filter(word => !ranks(word)).join(' '), ...those(() => !isOrdered)].filter(Boolean).join(', ') }
  const holding = rows => rows.filter(([holds]) => total && holds(read)).map(([, words]) => words(read)).filter(words => words.length)
  const isAlone = place && !name && !more && relaxed.inside !== 0, inside = isAlone && relaxed.inside || total
  const said = { total: inside, isBest: sort === 'fair' && answer.fair?.mean && !rising && total > 0 && total === answer.total_pubs,
    order: holding(sentences.order).shift()?.join('') ?? '', line: [...holding(sentences.found).slice(0, 1), ...holding(sentences.beside)].flatMap((words, i) => i ? [' ', ...words] : words),
    heading: isAlone ? [' ', ...at] : [], where: isAlone && at.find(part => part.name)?.name, instead: misspelt ? query : text, label: misspelt ? texts.names_like : texts.search_instead }
  if (inside < total) Object.assign(said, { place, called: [count(total - inside, texts.also_called, { name: at.at(-1)?.name ?? title(place) })] })
  const named = relaxed || answer.lat !== undefined ? undefined : facets?.location?.find(({ value }) => fold(value) === fold(text))
  if (named) Object.assign(said, { place: named.value, inside: named.count, where: named.value })
  if (!more && !isOther || !said.line.length && !misspelt) said.instead = ''
  return said
}

// The pubs of an answer before others were added to it.
const called = (n, name, at) => [number(n), ...name ? [' ', { name }] : [], ...at.length ? [' ', ...at] : []]

// The pubs that were added; the place that answers alone is completed by those near it.
function added({ step, query, corrected, place, added }, pubs, first) {
  const n = number(added), name = title(corrected ?? query)
  if (place) return [...query ? pieces(texts.added_called, { n, name: { name } }) : [n], ' ', ...where(place, pubs, query !== '', first?.place === place && !first.query)]
  if (corrected) return pieces(texts.added_called, { n, name: { name } })
  if (step === 'strict') return pieces(texts.added_with_words, { n })
  if (step === 'words') return pieces(texts.added_written, { n })
  if (step === 'infix') return pieces(texts.added_inside, { n })
  return pieces(texts.added_for, { n, name: { name } })
}
