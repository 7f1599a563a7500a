/**
 * A client for pubd in one file, without dependencies: for browsers, Node.js 20 or later, Deno and Bun.
 *
 *     const pubs = new Pubd('https://pubs.example.org', key)
 *     const { results } = await pubs.search({ search: 'red lion', sort: 'relevance' })
 *     for await (const pub of pubs.all({ search: '*', location: ['Soho'] })) console.log(pub.name)
 */

export type Metric = 'beer' | 'atmos' | 'fengshui' | 'service' | 'toilets' | 'total'
export type Sort = 'name' | 'location' | 'review_count' | 'beer' | 'atmos' | 'fengshui' | 'service' | 'toilets' | 'total' | 'distance' | 'relevance' | 'fair' | 'weighted' | 'random'
/** A column whose values can be counted or, if they are numbers, described; or one of those that the operator makes facets. */
export type Facet = 'location' | 'trading' | 'common_category' | 'features' | 'area' | 'postcode' | 'review_count' | Metric | (string & {})
export type Include = 'rankings' | 'local_rankings' | 'match' | 'label' | 'address' | 'extra' | 'features' | 'hours' | 'brand'
export type Field = 'UID' | 'name' | 'location' | 'trading' | 'latitude' | 'longitude' | 'common_category' | 'beer' | 'atmos' | 'fengshui' | 'service' | 'toilets' | 'total' | 'review_count' | 'distance' | 'address' | 'postcode' | 'area' | 'alt_names' | 'features' | 'opening_hours' | 'brand' | 'time_zone'
type ByMetric<T> = Record<Metric, T>

/** A pub. null means unknown. Optional members are present only if requested; with fields, UID and name may be missing, too. */
export interface Pub extends ByMetric<number | null> {
  /** Identifier of the pub. */
  UID: string
  /** Name. */
  name: string
  /** General area. */
  location: string | null
  /** Trading status. */
  trading: string | null
  /** Degrees north, given if longitude is. */
  latitude: number | null
  /** Degrees east, given if latitude is. */
  longitude: number | null
  /** The category most frequently reviewed. */
  common_category: string | null
  /** Number of reviews. */
  review_count: number
  /** House and street, or the whole address. */
  address?: string | null
  /** Postcode. */
  postcode?: string | null
  /** A place larger than the location: a county, an authority, a region or a country. */
  area?: string | null
  /** Other names, separated by semicolons. */
  alt_names?: string | null
  /** What the pub offers or, after a minus, does not. */
  features?: string[]
  /** Whether it is open at the time of Query.open, or now. */
  open?: boolean | null
  /** The local time from which on it is not known to be open, such as 2026-11-28T23:00; null if it is not open, or for 8 days more. */
  closes?: string | null
  /** Opening hours in OpenStreetMap's notation. */
  opening_hours?: string | null
  /** Time zone of the opening hours; null if it is that of the server. */
  time_zone?: string | null
  /** The local time at which it is next known to be open; null if it is open, or not within 8 days. */
  opens?: string | null
  /** From and to when it is open on each day of this week, from Monday on: 12:00-02:00, 17:00+ if it is not known how long, 12:00-18:00? if it is not known whether it is open; null if the opening hours cannot be read. */
  week?: string[][] | null
  /** The chain that it belongs to. */
  brand?: string | null
  /** Kilometres. */
  distance?: number
  fair?: number | null
  weighted?: number | null
  rankings?: ByMetric<number | null>
  local_rankings?: ByMetric<{ rank: number; of: number } | null>
  match?: Match
  label?: string
  namesakes?: number
  extra?: Record<string, string | null>
}

type MatchedField = 'name' | 'location' | 'address' | 'postcode' | 'area' | 'alt_names' | 'common_category' | 'brand'

/** The folded words of each field that matched, and where they are: from and to in characters (code points) of the value. */
export type Match = { name: string[]; location: string[]; spans: Partial<Record<MatchedField, [number, number][]>> } & Partial<Record<MatchedField, string[]>>

export interface Relaxed {
  step: 'strict' | 'words' | 'place' | 'infix' | 'typo' | 'partial'; query: string; corrected?: string; place?: string; unused?: string
  features?: string[]; open?: string; inside?: number; sort?: 'fair'; denied?: string; here?: true
}

export interface Count { value: string; count: number }

/** The least and the greatest value and the mean; null if no pub has one. */
export interface Spread { min: number | null; max: number | null; mean: number | null }

/** A page of pubs, with the members that apply to all pages. */
export interface Answer {
  results: Pub[]
  page?: number
  total_pages: number
  total_results: number
  total_pubs: number
  sort?: Sort
  order?: 'ASC' | 'DESC'
  only_rated?: boolean
  distance?: number
  lat?: number
  lng?: number
  /** How the search was relaxed, because nothing matched it, or that all pubs were found, or all of a place. */
  relaxed?: Relaxed
  /** How pubs were found that relax: 'more' added to a few. */
  more?: Pick<Relaxed, 'step' | 'query' | 'corrected' | 'place'> & { added: number }
  /** With Query.open, of how many of the pubs found without it it is not known whether they are open. */
  unknown?: number
  fair?: { mean: number; reviews: number }
  facets?: Record<Facet, Count[]>
  /** Of each column of numbers in Query.facets, over all pages. */
  facets_stats?: Record<Facet, Spread>
  /** What to write instead, if the query probably means something else than it says. */
  hint?: string
  missing?: string[]
  /** The snapshot that answered, for Query.snapshot. */
  snapshot: string
}

/** The parameters of a request; docs/api.md describes each. Lists and points are sent with commas. min_ and max_ of a metric keep pubs rated at least and at most so, from 0 to 10. */
export interface Query extends Partial<Record<`${'min' | 'max'}_${Metric}`, number>> {
  pubid?: string
  /** Words of names, places and postcodes, of which the last may be incomplete; * matches every pub. */
  search?: string
  /** From 1. */
  page?: number
  /** Pubs on a page, 1 to 100. The default is 20, in a distance search the limit that the operator sets. */
  amount?: number
  /** distance needs a centre: lat and lng, near or around; weighted needs weights, random needs seed. */
  sort?: Sort
  order?: 'asc' | 'desc'
  rated?: boolean
  /** Given together with lng and distance: the centre of a distance search. */
  lat?: number
  lng?: number
  /** Radius in kilometres. */
  distance?: number
  /** Name of a pub to leave out of a distance search, with all others of that name. */
  marker?: string
  /** false matches the words as they stand; more also adds to fewer than 5 results. */
  relax?: boolean | 'more'
  /** 1 to 100 UIDs to look up. The pubs come in this order. */
  pubids?: string[]
  trading?: string[]
  category?: string[]
  location?: string[]
  area?: string[]
  /** Outward postcodes, such as SW13. */
  postcode?: string[]
  /** Values of the columns that the operator makes facets, by name; with min_ or max_ before the name of one of numbers, a limit. */
  columns?: Record<string, string[] | number>
  min_reviews?: number
  max_reviews?: number
  /** A west greater than east crosses the 180° meridian. */
  bbox?: [west: number, south: number, east: number, north: number]
  /** UIDs of pubs to leave out. */
  exclude?: string[]
  /** Pubs around it are found first, with their distances from there and without a radius. */
  near?: [lat: number, lng: number]
  /** UID of a pub that is the centre in place of lat and lng, and is left out. */
  around?: string
  /** For sort=weighted, from 0 to 100. */
  weights?: Partial<ByMetric<number>>
  /** For sort=random: the same seed and snapshot give the same order, over all pages. */
  seed?: number
  include?: Include[]
  /** Members of each pub; what sort and include add comes with them. */
  fields?: Field[]
  /** Columns by whose values the pubs of the whole result are counted. */
  facets?: Facet[]
  /** That of an answer before, while it is kept, so that pages stay consistent across a reload. */
  snapshot?: string
  /** Whether an unknown parameter is an error. */
  strict?: boolean
  /** Counts the values of one facet that have a word beginning with a text, such as location:ox. */
  facet_search?: `${Facet}:${string}`
  /** Keeps pubs that are known to have all of these. */
  features?: string[]
  /** Keeps pubs that are known to be open now, always, or at a local time such as 2026-11-28T20:00, or at some time from one to before another, with / between them. */
  open?: string
  /** Whether open keeps pubs, too, of which it is not known whether they are open. */
  open_unknown?: boolean
}

export interface Suggestion {
  text: string
  type: string
  pubs: number
  name?: string
  location?: string
  UID?: string
  distance?: number
}

export interface Distribution {
  count: number
  mean: number | null
  min: number | null
  lower_quartile: number | null
  median: number | null
  upper_quartile: number | null
  max: number | null
  histogram: number[]
}

export interface Stats extends Record<'location' | 'trading' | 'common_category', Count[]> {
  features?: Count[]
  /** Whether it is known of any pub when it is open; absent if not. */
  hours?: true
  snapshot: string
  loaded_at: string
  pubs: number
  rated: number
  metrics: ByMetric<Distribution>
}

/** An error response. code is empty if the response is not from pubd. */
export class PubdError extends Error {
  readonly status: number
  readonly code: string
  readonly parameter: string | undefined
  /** What to send instead. */
  readonly hint: string | undefined
  /** How many seconds the server asks the client to wait; 0 if it does not. */
  readonly retryAfter: number
  /** Identifies the request in the server's log. */
  readonly requestId: string

  constructor(response: Response, body: { error?: string; code?: string; parameter?: string; hint?: string }) {
    super(body.error ?? `The server responded with status ${response.status}`)
    this.name = 'PubdError'
    this.status = response.status
    this.code = body.code ?? ''
    this.parameter = body.parameter
    this.hint = body.hint
    this.retryAfter = Math.max(0, Number(response.headers.get('Retry-After')) || 0)
    this.requestId = response.headers.get('X-Request-Id') ?? ''
  }
}

export interface Options {
  /** Maximum number of tries per request if the server is busy (429, 503) or the connection breaks; default 3. */
  tries?: number
  /** Maximum total time that a request waits between its tries, in milliseconds; default 10,000. */
  wait?: number
  /** Maximum time until the response to a try begins, in milliseconds; default 30,000. */
  timeout?: number
  fetch?: typeof fetch
}

/** Sends requests to one server with one key. */
export class Pubd {
  readonly #base: string
  readonly #key: string
  readonly #options: Required<Options>

  /** base is the address of the server, such as https://pubs.example.org, which may include a path prefix. */
  constructor(base: string, key: string, options: Options = {}) {
    this.#base = base.replace(/\/+$/, '')
    this.#key = key
    this.#options = { tries: 3, wait: 10_000, timeout: 30_000, fetch: (...request) => fetch(...request), ...options }
  }

  /** A page of the pubs that match a query. */
  async search(query: Query, signal?: AbortSignal): Promise<Answer> {
    const response = await this.#ask('pubs/', { ...query, format: 'json' } as Query, signal)
    return { ...await response.json() as Answer, snapshot: response.headers.get('X-Snapshot') ?? '' }
  }

  /** The pub with a UID; a PubdError with the code pub_not_found if there is none. */
  async lookup(uid: string, include?: Include[], signal?: AbortSignal): Promise<Pub> {
    const [pub] = (await this.search({ pubid: uid, include }, signal)).results
    if (!pub) throw new TypeError(`lookup ${uid}: no pub in the answer; check that the address is one of pubd`)
    return pub
  }

  /** The pubs of all pages of a query, starting at its page, each exactly once: all pages come from the snapshot of the first. */
  async *all(query: Query, signal?: AbortSignal): AsyncGenerator<Pub, void, undefined> {
    let snapshot = query.snapshot
    for (let page = query.page ?? 1; ; page++) {
      const answer = await this.search({ amount: 100, ...query, page, snapshot }, signal)
      yield* answer.results
      if (answer.results.length === 0 || page >= answer.total_pages) return
      snapshot = answer.snapshot
    }
  }

  /** Names, locations and pubs that complete a text, best first. */
  async suggest(search: string, more: { amount?: number; near?: [lat: number, lng: number] } = {}, signal?: AbortSignal): Promise<Suggestion[]> {
    const response = await this.#ask('suggest', { search, ...more }, signal)
    return (await response.json() as { suggestions: Suggestion[] }).suggestions
  }

  /** Statistics of the current snapshot. */
  async stats(signal?: AbortSignal): Promise<Stats> {
    return await (await this.#ask('stats', {}, signal)).json() as Stats
  }

  /** An export of all pubs, or of those that pass the filters of a query, as a stream. It begins after the pub with the UID after, if set. */
  async export(query: Query & { format?: 'csv' | 'ndjson' | 'geojson'; after?: string } = {}, signal?: AbortSignal): Promise<Response> {
    return this.#ask('export', query, signal)
  }

  async #ask(path: string, { columns, ...query }: Query, signal?: AbortSignal): Promise<Response> {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...columns, ...query })) {
      if (value !== undefined && value !== null) parameters.set(name, written(value))
    }
    const target = `${this.#base}/api/v1/${path}?${parameters}`
    let left = this.#options.wait
    for (let tries = 1, pause = 100; ; tries++, pause *= 2) {
      const wait = await this.#try(target, signal, async (error, asked) => {
        const next = asked > 0 ? asked * 1000 : pause / 2 + Math.random() * pause
        if (tries >= this.#options.tries || next > left) throw error
        return next
      })
      if (wait instanceof Response) return wait
      left -= wait
      await sleep(wait, signal)
    }
  }

  /** Sends a request once. For an error that may be temporary, it calls again with the seconds that the server asks the client to wait. */
  async #try(target: string, signal: AbortSignal | undefined, again: (error: unknown, seconds: number) => Promise<number>): Promise<Response | number> {
    const late = new AbortController()
    const stop = () => late.abort(signal?.reason)
    if (signal?.aborted) stop()
    const timer = setTimeout(() => late.abort(new DOMException(`no answer to ${target}`, 'TimeoutError')), this.#options.timeout)
    signal?.addEventListener('abort', stop)
    let response: Response
    try {
      response = await this.#options.fetch(target, { headers: { 'x-api-key': this.#key, 'x-request-id': requestId() }, redirect: 'error', signal: late.signal })
    } catch (error) {
      if (error instanceof TypeError && !late.signal.aborted) return again(error, 0) // the connection broke
      throw error
    } finally {
      clearTimeout(timer)
    }
    if (response.ok) return response // its body goes on to be stopped by the signal
    signal?.removeEventListener('abort', stop)
    const error = new PubdError(response, await response.json().catch(() => ({}))) // of a proxy, in a format of its own
    if (response.status !== 429 && response.status !== 503) throw error
    return again(error, error.retryAfter)
  }
}

/** A value in the form that the API parses. A value of a list with a comma is sent in quotes. */
function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(item => /,/.test(item) ? `"${item.replaceAll('"', '""')}"` : item).join(',')
  if (typeof value === 'object') return Object.entries(value as object).map(([metric, weight]) => `${metric}:${weight}`).join(',')
  return String(value)
}

/** A name for a request, for the server's log. */
function requestId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(() => { signal?.removeEventListener('abort', stop); resolve() }, ms)
    const stop = () => { clearTimeout(timer); reject(signal?.reason) }
    signal?.addEventListener('abort', stop)
  })
}
