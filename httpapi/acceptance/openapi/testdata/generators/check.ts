// Asks a server everything that the client can ask, and ends with an error where an answer is not as it should be. Its types are held against those
// that are generated from the document, whose answer is one type, whatever was asked: it takes no cast and no test for members.
import { Pubd, PubdError, type Pub } from 'pubd-client'
import type { paths } from './schema.js'

type Content = paths['/api/v1/pubs']['get']['responses'][200]['content']
type Generated = Content[keyof Content]

declare const process: { argv: string[] }
const [, , address = '', key = '', limited = ''] = process.argv

function same(what: string, got: unknown, want: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
}

async function refused(what: string, asking: Promise<unknown>): Promise<PubdError> {
  try {
    await asking
  } catch (error) {
    if (error instanceof PubdError) return error
    throw error
  }
  throw new Error(`${what}: is answered`)
}

const pubs = new Pubd(`${address}/`, key)
const direct = async (query: string) => (await fetch(`${address}/api/v1/${query}`, { headers: { 'x-api-key': key } })).json()

const { snapshot, ...page } = await pubs.search({ search: 'red lion', sort: 'weighted', weights: { beer: 3, toilets: 1 }, min_beer: 2, amount: 3, facets: ['trading'] })
same('search', page, await direct('pubs/?search=red+lion&sort=weighted&weights=beer:3,toilets:1&min_beer=2&amount=3&facets=trading'))
const generated: Generated = page
const total: number = generated.total_pubs
for (const query of ['pubid=28cnk9', 'search=red+lion&facets=location', 'search=*&lat=51.5136&lng=-0.1319&distance=2']) {
  const { results: [first], sort, distance, facets }: Generated = await direct(`pubs/?${query}`)
  same(query, [first?.name.length! > 0, sort !== undefined, distance, facets?.['location']?.length! > 0],
    [true, query.startsWith('search'), query.includes('distance') ? 2 : undefined, query.includes('facets')])
}

const stats = await pubs.stats()
same('stats', [stats.snapshot, stats.pubs], [snapshot, total])
const pub: Pub = await pubs.lookup(page.results[0]!.UID, ['label', 'address'])
same('lookup', [pub.UID, typeof pub.label, typeof pub.rankings, 'postcode' in pub], [page.results[0]!.UID, 'string', 'object', true])
same('near', (await pubs.search({ search: '*', near: [51.5, -0.1], sort: 'distance', amount: 2, bbox: [-1, 51, 1, 52], rated: true })).results.length, 2)
same('suggest', (await pubs.suggest('red l', { amount: 3 })).length, 3)

const uids = new Set<string>()
for await (const one of pubs.all({ search: '*', fields: ['UID'] })) uids.add(one.UID)
same('all', uids.size, stats.pubs)
const csv = await pubs.export({ format: 'csv' })
same('export', (await csv.text()).split('\r\n').length - 2, stats.pubs)

const missing = await refused('lookup of nobody', pubs.lookup('nobody'))
same('lookup of nobody', [missing.status, missing.code, missing.requestId.length], [404, 'pub_not_found', 32])
const wrong = await refused('amount', pubs.search({ search: 'x', amount: 500 }))
same('amount', [wrong.code, wrong.parameter, wrong.message], ['invalid_parameter', 'amount', "Invalid parameter 'amount': must be an integer from 1 to 100"])
const busy = new Pubd(address, limited, { wait: 1000 })
await busy.stats()
const rate = await refused('rate', busy.stats())
same('rate', [rate.code, rate.retryAfter > 1], ['rate_limited', true])
same('key', (await refused('key', new Pubd(address, 'wrong').stats())).code, 'api_key_invalid')

let asked = 0
const flaky = new Pubd(address, key, {
  fetch: async (...request) => {
    if (asked++ === 0) throw new TypeError('fetch failed')
    return asked === 2 ? new Response('{"error":"No data loaded yet","code":"not_ready","status":503}', { status: 503 }) : fetch(...request)
  },
})
same('after a broken connection and a 503', [(await flaky.stats()).pubs, asked], [stats.pubs, 3])
const aborted = await pubs.search({ search: '*' }, AbortSignal.abort()).catch(error => (error as Error).name)
same('abort', aborted, 'AbortError')
console.log('ok')
