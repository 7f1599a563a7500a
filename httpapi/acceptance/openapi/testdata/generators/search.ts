// Asks a server what InstantSearch asks a searchClient, and ends with an error where a result is not that of the API's own request.
import { PubdError } from 'pubd-client'
import { createSearchClient, type FacetHit, type SearchResult } from 'pubd-client/instantsearch'

declare const process: { argv: string[] }
const [, , address = '', key = ''] = process.argv

function same(what: string, got: unknown, want: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
}

let warnings: string[] = []
console.warn = (text: string) => { warnings.push(text) }
const direct = async (query: string) => (await fetch(`${address}/api/v1/pubs/?${query}`, { headers: { 'x-api-key': key } })).json()
const client = createSearchClient({ baseURL: address, key })
const search = async (params: Record<string, unknown>, indexName = 'pubs'): Promise<SearchResult> => (await client.search([{ indexName, params }])).results[0]

// Each request, and the API's for it.
const near = '51.5136,-0.1319'
const best = 'search=*&sort=fair&order=desc'
for (const [params, query, index] of [
  [{ query: ' red lion ' }, 'search=red+lion&sort=relevance'],
  [{}, best],
  [{ query: '', page: 2, hitsPerPage: 5 }, `${best}&page=3&amount=5`],
  [{ query: 'lion' }, 'search=lion&sort=total&order=desc', 'pubs:total:desc'],
  [{}, 'search=*&sort=name', 'pubs:name'],
  [{ facetFilters: ['trading:open', ['location:Soho', 'location:Batley']] }, `${best}&trading=open&location=Soho,Batley`],
  [{ facetFilters: ['features:garden', ['features:dog']], facets: ['features'] }, `${best}&features=garden,dog`],
  [{ facetFilters: 'common_category:Brewpub' }, `${best}&category=Brewpub`],
  [{ facetFilters: [['location:Soho', 'location:Batley'], ['location:Batley', 'location:Ely']] }, `${best}&location=Batley`],
  [{ numericFilters: ['total>=8', 'total >= 7', ['review_count>=4.5'], 'beer<=9', 'beer<=9.5'] }, `${best}&min_total=8&min_reviews=5&max_beer=9`],
  [{ numericFilters: ['review_count=4'] }, `${best}&min_reviews=4&max_reviews=4`],
  [{ filters: 'trading:open AND (location:London OR location:"Covent Garden") AND total >= 7' }, `${best}&trading=open&location=London,Covent+Garden&min_total=7`],
  [{ filters: `location:'King\\'s Cross' OR location:Soho` }, `${best}&location=King's+Cross,Soho`],
  [{ aroundLatLng: near, aroundRadius: 1000 }, 'search=*&lat=51.5136&lng=-0.1319&distance=1&amount=20'],
  [{ aroundLatLng: near, aroundRadius: 'all' }, `search=*&near=${near}&sort=distance`],
  [{ aroundLatLng: near, query: 'red lion' }, `search=red+lion&near=${near}&sort=relevance`],
  [{ insideBoundingBox: [[51.52, -0.1, 51.5, -0.2]] }, `${best}&bbox=-0.2,51.5,-0.1,51.52`],
  [{ insideBoundingBox: '51.5,-0.2,51.52,-0.1', aroundLatLng: near, aroundRadius: 1 }, `search=*&bbox=-0.2,51.5,-0.1,51.52&near=${near}&sort=distance`],
] as [Record<string, unknown>, string, string?][]) {
  const got = await search(params, index), want = await direct(query)
  same(query, [got.nbHits, got.hits.map(hit => hit.objectID)], [want.total_results, want.results.map((pub: { UID: string }) => pub.UID)])
  if (want.total_results === 0) throw new Error(`${query}: finds nothing`)
  same(`${query}: pages`, [got.page, got.nbPages], [want.page - 1, want.total_pages])
}
same('warnings', warnings, [])

// A hit.
const tags = { highlightPreTag: '__b__', highlightPostTag: '__/b__' }
const [hit] = (await search({ query: 'glaziers soho', ...tags })).hits
const { name, location, address: street } = hit!._highlightResult
same('hit', [hit!.objectID, hit!.name, hit!._geoloc], ['6xkb84', 'The Glaziers Arms', { lat: 51.514196, lng: -0.132127 }])
same('highlight', [name, location], [
  { value: 'The __b__Glaziers__/b__ Arms', matchLevel: 'partial', matchedWords: ['glaziers'] },
  { value: '__b__Soho__/b__', matchLevel: 'partial', matchedWords: ['soho'] },
])
same('no highlight', [street?.matchLevel, hit!._highlightResult['common_category']], ['none', undefined])
same('tags', (await search({ query: 'glaziers' })).hits[0]!._highlightResult['name'], { value: 'The <mark>Glaziers</mark> Arms', matchLevel: 'full', matchedWords: ['glaziers'] })

// Facets, and several requests at once.
const asked = { query: 'red lion', facets: ['trading', 'common_category', 'total'], maxValuesPerFacet: 1 }
const { results } = await client.search([{ indexName: 'pubs', params: asked }, { indexName: 'other', params: { query: 'red lion', hitsPerPage: 0, facets: '*' } }])
const [first, second] = results as SearchResult[]
const { total: { min, max, mean: avg } } = (await direct('search=red+lion&facets=total')).facets_stats
same('facets', [first!.facets, first!.facets_stats], [{ total: {}, trading: { open: 17 }, common_category: { Brewpub: 2 } }, { total: { min, max, avg } }])
same('without hits', [second!.index, second!.hits.length, second!.hitsPerPage, second!.nbHits, second!.facets['trading']], ['other', 0, 0, first!.nbHits, { open: 17, closed: 2 }])
same('open', (await search({ facetFilters: ['open:true'], facets: ['open'] })).nbHits, (await direct(`${best}&open=now`)).total_results)
same('contradiction', (await search({ facetFilters: ['location:Soho', 'location:Ely'] })).nbHits, 0)
const values = async (params: Record<string, unknown>): Promise<FacetHit[]> => (await client.searchForFacetValues([{ indexName: 'pubs', params }]))[0].facetHits
same('values', await values({ facetName: 'location', facetQuery: 'BRO', maxFacetHits: 2, ...tags }), [
  { value: 'Bromley', count: 4, highlighted: '__b__Bro__/b__mley' }, { value: 'West Bromwich', count: 3, highlighted: 'West __b__Bro__/b__mwich' }])
same('all values', await values({ facetName: 'trading', facetQuery: '', query: 'red lion' }), [
  { value: 'open', count: 17, highlighted: 'open' }, { value: 'closed', count: 2, highlighted: 'closed' }])
same('warnings', warnings, [])

// What the API cannot do is ignored, and named once.
const everything = await direct(best)
for (const [params, warning] of [
  [{ facetFilters: ['trading:-closed'] }, 'the filter trading:-closed'],
  [{ facetFilters: [['trading:open', 'location:Soho']] }, 'the filter trading:open OR location:Soho'],
  [{ facetFilters: [['features:garden', 'features:dog']] }, 'the filter features:garden OR features:dog'],
  [{ numericFilters: ['total<5'] }, 'the filter total<5'],
  [{ filters: 'NOT trading:closed' }, 'the filters NOT trading:closed'],
  [{ filters: '(trading:open AND total>=7) OR location:Soho' }, 'the filters (trading:open AND total>=7) OR location:Soho'],
  [{ insideBoundingBox: [[1, 2, 3, 4], [5, 6, 7, 8]] }, 'more than one insideBoundingBox'],
  [{ tagFilters: '', ruleContexts: ['x'] }, 'the parameter ruleContexts'],
  [{ hitsPerPage: 1000 }, 'more than 100 hits a page'],
] as [Record<string, unknown>, string][]) {
  warnings = []
  same(warning, [(await search(params)).nbHits, (await search(params)).nbHits], [everything.total_results, everything.total_results])
  same('warnings', warnings, [`pubd-client: ignores ${warning}, which pubd cannot do`])
}

// Errors are passed on.
for (const [params, code, parameter, index] of [
  [{}, 'invalid_parameter', 'sort', 'pubs:price'],
  [{ facets: ['constructor'] }, 'invalid_parameter', 'facets'],
  [{ facetFilters: ['constructor:x'] }, 'unknown_parameter', 'constructor'],
  [{ numericFilters: ['latitude>=5'] }, 'unknown_parameter', 'min_latitude'],
] as [Record<string, unknown>, string, string, string?][]) {
  const error = await search(params, index).catch(error => error)
  same(code, [error instanceof PubdError, error.code, error.parameter], [true, code, parameter])
}
const rejected = await createSearchClient({ baseURL: address, key: 'wrong' }).search([{ indexName: 'pubs' }]).catch(error => error)
same('key', rejected.code, 'api_key_invalid')
console.log('ok')
