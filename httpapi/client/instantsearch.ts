/**
 * A searchClient with which InstantSearch searches a directory of pubd.
 *
 *     const searchClient = createSearchClient({ baseURL: 'https://pubs.example.org', key })
 *     instantsearch({ indexName: 'pubs', searchClient })
 *
 * The name of an index may end with a sort key and an order: pubs:total:desc. README.md says what else InstantSearch can ask for; the rest is
 * ignored, and named once on the console. A column that is no facet is an error.
 */
import { Pubd, type Answer, type Pub, type Query, type Sort } from './pubd.js'

/** One of several searches that InstantSearch sends together. Names and meanings of params are those of InstantSearch. */
export interface SearchRequest {
  indexName: string
  params?: Record<string, any>
}

export interface Highlight { value: string; matchLevel: 'none' | 'partial' | 'full'; matchedWords: string[] }

export type Hit = Pub & {
  objectID: string
  _geoloc?: { lat: number; lng: number }
  _highlightResult: Record<string, Highlight>
}

/** The answer to a SearchRequest. Pages count from 0. */
export interface SearchResult {
  index: string
  query: string
  params: string
  hits: Hit[]
  nbHits: number
  page: number
  nbPages: number
  hitsPerPage: number
  processingTimeMS: number
  exhaustiveNbHits: boolean
  exhaustiveFacetsCount: boolean
  facets: Record<string, Record<string, number>>
  facets_stats: Record<string, { min: number; max: number; avg: number }>
}

export interface FacetHit { value: string; highlighted: string; count: number }

/** What InstantSearch takes as a searchClient. Its versions expect different generic types, to which only any can be assigned. */
export interface SearchClient {
  /** The results of all searches, each a SearchResult, in their order. It rejects with the PubdError of the first that fails. */
  search(requests: readonly SearchRequest[]): Promise<{ results: any[] }>
  /**
   * For each SearchRequest of a list, the facetHits, each a FacetHit: the values of the facet params.facetName that have a word beginning with
   * params.facetQuery, most frequent first.
   */
  searchForFacetValues(requests: any): Promise<any>
}

const everyFacet = ['location', 'trading', 'common_category', 'features', 'area', 'postcode', 'beer', 'atmos', 'fengshui', 'service', 'toilets', 'total', 'review_count']
const texts = ['name', 'location', 'address', 'postcode', 'area', 'alt_names', 'common_category', 'brand'] as const
const mostHits = 100

/** What filters by the values of a column, and follows min_ and max_. All other columns have parameters of their names. */
const parameterOf = (column: string) => column === 'common_category' ? 'category' : column === 'review_count' ? 'reviews' : column

/** The params that are used, and those that change nothing about the result. */
const understood = new Set(['query', 'page', 'hitsPerPage', 'facets', 'maxValuesPerFacet', 'facetFilters', 'numericFilters', 'filters', 'aroundLatLng',
  'aroundRadius', 'insideBoundingBox', 'highlightPreTag', 'highlightPostTag', 'facetName', 'facetQuery', 'maxFacetHits', 'attributesToRetrieve',
  'attributesToHighlight', 'analytics', 'analyticsTags', 'clickAnalytics', 'userToken'])

/** Tells what is ignored. */
type Warn = (what: string) => void

/** A searchClient for the server at baseURL, such as https://pubs.example.org. Everyone who can open the page can read the key. */
export function createSearchClient({ baseURL, key }: { baseURL: string; key: string }): SearchClient {
  const pubs = new Pubd(baseURL, key)
  const warned = new Set<string>()
  const warn: Warn = what => {
    if (!warned.has(what)) console.warn(`pubd-client: ignores ${what}, which pubd cannot do`)
    warned.add(what)
  }
  return {
    search: async requests => ({ results: await Promise.all(requests.map(request => search(pubs, request, warn))) }),
    searchForFacetValues: (requests: readonly SearchRequest[]) => Promise.all(requests.map(request => searchForFacetValues(pubs, request, warn))),
  }
}

async function search(pubs: Pubd, { indexName, params = {} }: SearchRequest, warn: Warn): Promise<SearchResult> {
  const begun = performance.now()
  const size = Math.min(params.hitsPerPage ?? 20, mostHits)
  if (params.hitsPerPage > mostHits) warn(`more than ${mostHits} hits a page`)
  const asked = [params.facets ?? []].flat()
  const facets = (asked.includes('*') ? everyFacet : asked).filter(name => name !== 'open')
  const query = queryOf(params, warn)
  const answer: Answer = query === undefined ? nothing : await pubs.search({
    ...query, ...orderOf(indexName, query), page: (params.page ?? 0) + 1, amount: Math.max(size, 1), facets: facets.length ? facets : undefined, include: ['match', 'address', 'features', 'brand'],
  })
  const counts = Object.entries(answer.facets ?? {}).map(([name, list]) =>
    [name, Object.fromEntries(list.slice(0, params.maxValuesPerFacet).map(({ value, count }) => [value, count]))])
  const stats = Object.entries(answer.facets_stats ?? {}).filter(([, { mean }]) => mean !== null).map(([name, { min, max, mean }]) => [name, { min, max, avg: mean }])
  return {
    index: indexName, query: params.query ?? '', params: '',
    hits: answer.results.slice(0, size).map(pub => hitOf(pub, params)),
    nbHits: answer.total_results, page: params.page ?? 0, nbPages: size ? answer.total_pages : 0, hitsPerPage: size,
    processingTimeMS: Math.round(performance.now() - begun), exhaustiveNbHits: true, exhaustiveFacetsCount: true,
    facets: Object.fromEntries([...stats.map(([name]) => [name, {}]), ...counts]), // InstantSearch looks for stats of these alone
    facets_stats: Object.fromEntries(stats),
  }
}

const nothing: Answer = { results: [], total_pages: 0, total_results: 0, total_pubs: 0, snapshot: '' }

async function searchForFacetValues(pubs: Pubd, { params = {} }: SearchRequest, warn: Warn) {
  const begun = performance.now()
  const { facetName, facetQuery = '', maxFacetHits = 10 } = params
  const query = queryOf(params, warn), text = facetQuery.trim()
  const answer = query && await pubs.search({ ...query, amount: 1, fields: ['UID'], ...text ? { facet_search: `${facetName}:${text}` } : { facets: [facetName] } })
  const facetHits: FacetHit[] = (answer?.facets?.[facetName] ?? []).slice(0, maxFacetHits)
    .map(({ value, count }) => ({ value, count, highlighted: highlighted(value, text ? wordsIn(value, text) : [], params) }))
  return { facetHits, exhaustiveFacetsCount: true, processingTimeMS: Math.round(performance.now() - begun) }
}

/** The order that the name of an index asks for. */
function orderOf(indexName: string, query: Query): Pick<Query, 'sort' | 'order'> {
  const [, sort, order] = indexName.split(':')
  if (sort) return { sort: sort as Sort, order: order as 'asc' | 'desc' | undefined }
  if (query.search !== '*') return { sort: 'relevance' }
  return query.near || query.distance !== undefined ? { sort: 'distance' } : { sort: 'fair', order: 'desc' }
}

/** The search and the filters of a request; undefined if its filters contradict each other, so that no pub passes them. */
function queryOf(params: Record<string, any>, warn: Warn): Query | undefined {
  for (const [name, value] of Object.entries(params)) {
    const isSet = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '' && value !== false
    if (isSet && !understood.has(name)) warn(`the parameter ${name}`)
  }
  const query: Query = { search: params.query?.trim() || '*', ...areaOf(params, warn), columns: Object.create(null), strict: true }
  const alternatives = [...listed(params.facetFilters), ...listed(params.numericFilters), ...parsed(params.filters ?? '', warn)]
  return alternatives.every(terms => restrict(query, terms, warn)) ? query : undefined
}

/** Filters as lists of alternatives, of which one each must hold. */
function listed(filters: string | (string | string[])[] = []): string[][] {
  return [filters].flat().map(alternatives => [alternatives].flat())
}

/** Adds to a query that one of several terms must hold. It returns false if that contradicts an earlier one. */
function restrict(query: Query, terms: string[], warn: Warn): boolean {
  const parts = terms.map(term => /^\s*([\w.-]+?)\s*(:|<=|>=|!=|<|>|=)\s*(.*?)\s*$/s.exec(term) ?? ['', '', '', ''])
  const [, name = '', operator = '', limit = ''] = parts[0] ?? []
  const values = parts.map(([, , , value = '']) => value.replace(/^\\-/, '-'))
  const isPlain = parts.every(part => part[1] === name && part[2] === ':' && !part[3]!.startsWith('-'))
  const parameter = parameterOf(name), columns = query.columns!, before = columns[parameter] as string[] | undefined
  if (name === 'open' && isPlain && values.every(value => value === 'true')) {
    query.open = 'now'
  } else if (name === 'features' && isPlain && values.length === 1) { // a pub may have several
    columns[parameter] = [...before ?? [], ...values]
  } else if (name !== 'features' && isPlain && values.length > 0) {
    const kept = before ? before.filter(value => values.includes(value)) : values
    columns[parameter] = kept
    return kept.length > 0
  } else if (terms.length === 1 && ['>=', '<=', '='].includes(operator) && limit !== '' && !Number.isNaN(Number(limit))) {
    const isWhole = name === 'review_count', least = `min_${parameter}`, most = `max_${parameter}`, number = Number(limit)
    if (operator !== '<=') columns[least] = Math.max(columns[least] as number ?? -Infinity, isWhole ? Math.ceil(number) : number)
    if (operator !== '>=') columns[most] = Math.min(columns[most] as number ?? Infinity, isWhole ? Math.floor(number) : number)
  } else if (terms.length > 0) {
    warn(`the filter ${terms.join(' OR ')}`)
  }
  return true
}

/** The parameter filters as lists of alternatives: terms joined with AND, or with OR in parentheses, if there is more than one list. */
function parsed(filters: string, warn: Warn): string[][] {
  const tokens = filters.match(/[()]|(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\s()"'])+/g) ?? []
  const lists: string[][] = []
  let list: string[] = [], term = '', depth = 0
  const endTerm = () => {
    if (term) list.push(term)
    term = ''
  }
  for (const token of tokens) {
    if (token === 'AND' && depth === 0) {
      endTerm()
      lists.push(list)
      list = []
    } else if (token === 'OR') {
      endTerm()
    } else if (token === '(' || token === ')') {
      depth += token === '(' ? 1 : -1
    } else if (token === 'AND' || token === 'NOT') {
      depth = NaN // which no later AND finds to be 0
    } else {
      term += token.replace(/(["'])((?:\\.|(?!\1)[^\\])*)\1/g, (_, _quote, text) => text.replace(/\\(.)/g, '$1'))
    }
  }
  endTerm()
  if (depth === 0) return [...lists, list]
  warn(`the filters ${filters}`)
  return []
}

/** The circle, the box and the centre that a request asks for. */
function areaOf({ aroundLatLng, aroundRadius, insideBoundingBox }: Record<string, any>, warn: Warn): Query {
  const area: Query = {}
  const corners: number[] = typeof insideBoundingBox === 'string' ? insideBoundingBox.split(',').map(Number) : [insideBoundingBox ?? []].flat(2)
  if (corners.length === 4) {
    const [lat1, lng1, lat2, lng2] = corners as [number, number, number, number]
    const [south, west, north, east] = lat1 <= lat2 ? [lat1, lng1, lat2, lng2] : [lat2, lng2, lat1, lng1]
    area.bbox = [west, south, east, north]
  } else if (corners.length > 0) {
    warn('more than one insideBoundingBox')
  }
  if (!aroundLatLng) return area
  const [lat, lng] = aroundLatLng.split(',').map(Number)
  return Number(aroundRadius) > 0 && !area.bbox ? { lat, lng, distance: Number(aroundRadius) / 1000 } : { ...area, near: [lat, lng] }
}

function hitOf(pub: Pub, params: Record<string, any>): Hit {
  const words = (params.query ?? '').trim().split(/\s+/).length
  const marked = texts.filter(field => pub[field]).map(field => {
    const matchedWords = pub.match?.[field] ?? []
    const matchLevel = matchedWords.length === 0 ? 'none' : matchedWords.length < words ? 'partial' : 'full'
    return [field, { value: highlighted(pub[field]!, pub.match?.spans[field] ?? [], params), matchLevel, matchedWords }]
  })
  const { latitude, longitude } = pub
  return {
    ...pub, objectID: pub.UID, _highlightResult: Object.fromEntries(marked),
    ...latitude !== null && longitude !== null ? { _geoloc: { lat: latitude, lng: longitude } } : {},
  }
}

/** A text with tags around its spans, from and to in code points, in order. Like Algolia's, it is not escaped: InstantSearch does that. */
function highlighted(text: string, spans: [number, number][], { highlightPreTag = '<mark>', highlightPostTag = '</mark>' }: Record<string, any>): string {
  const points = Array.from(text)
  let done = 0, out = ''
  for (const [from, to] of spans) {
    out += points.slice(done, from).join('') + highlightPreTag + points.slice(from, to).join('') + highlightPostTag
    done = to
  }
  return out + points.slice(done).join('')
}

/** Where a text stands at the beginning of a word of another, regardless of case. */
function wordsIn(text: string, beginning: string): [number, number][] {
  const found = new RegExp(`(?<![\\p{L}\\p{N}])${beginning.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}`, 'iu').exec(text)
  if (!found) return []
  const from = Array.from(text.slice(0, found.index)).length
  return [[from, from + Array.from(found[0]).length]]
}
