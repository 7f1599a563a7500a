// A page that asks a server for all that InstantSearch's widgets can ask for. Its address has the server and the key.
import { useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Configure, Highlight, Hits, InstantSearch, Pagination, RangeInput, RefinementList, SearchBox, SortBy, useRange, useStats } from 'react-instantsearch'
import { createSearchClient } from 'pubd-client/instantsearch'

const address = new URLSearchParams(location.search)
const searchClient = createSearchClient({ baseURL: address.get('server')!, key: address.get('key')! })

function Slider({ attribute }: { attribute: string }) {
  const { range, start, refine } = useRange({ attribute, precision: 1 })
  const least = Math.max(start[0]!, range.min!) // it is -Infinity where nothing was chosen
  return <input id={attribute} type="range" min={range.min} max={range.max} step={0.5} value={least} onChange={e => refine([Number(e.target.value), range.max])} />
}

const Stats = () => <p id="found">{useStats().nbHits}</p>

const Hit = ({ hit }: { hit: any }) => <p data-uid={hit.objectID}><Highlight attribute="name" hit={hit} /></p>

function Page() {
  const [isNear, setNear] = useState(false)
  const circle = useMemo(() => isNear ? { aroundLatLng: '51.5,-0.1', aroundRadius: 3000 } : {}, [isNear])
  return <InstantSearch indexName="pubs" searchClient={searchClient} future={{ preserveSharedStateOnUnmount: true }}>
    <Configure hitsPerPage={5} {...circle} />
    <SearchBox />
    <button id="near" onClick={() => setNear(true)}>Near</button>
    <SortBy items={[{ label: 'The best first', value: 'pubs' }, { label: 'The best total first', value: 'pubs:total:desc' }]} />
    {['style', 'common_category', 'area', 'postcode'].map(attribute => <div id={attribute} key={attribute}><RefinementList attribute={attribute} /></div>)}
    <Slider attribute="total" />
    <RangeInput attribute="price" />
    <Stats />
    <Hits hitComponent={Hit} />
    <Pagination />
  </InstantSearch>
}

createRoot(document.querySelector('#page')!).render(<Page />)
