// What lies beneath the pubs: tiles of a server, streets from a file, or else the coasts, borders, waters, cities and towns of Natural Earth.
import { askJSON, Fault } from './api.js'
import { streets } from './streets.js'
import * as texts from './texts.js'

/** Throws a Fault for a library that cannot be loaded. */
export function notLoaded() { throw new Fault(0, { error: texts.map_not_loaded }) }

/** Nothing, as GeoJSON. */
export const empty = { type: 'FeatureCollection', features: [] }

/**
 * The basemap that the settings name: its sources, and layers(theme) in MapLibre's style; bounds beyond which there is nothing, if there are any;
 * towns, [{text, lng, lat, population}], the largest first, unless it names places itself; and prepare(library), which comes before the map is opened.
 */
export async function basemap({ tiles, basemap }) {
  if (tiles) return {
    sources: { tiles: { type: 'raster', tiles: [tiles], tileSize: 256, maxzoom: 19 } },
    layers: ({ land }) => [{ id: 'ground', type: 'background', paint: { 'background-color': land } }, { id: 'tiles', type: 'raster', source: 'tiles' }],
  }
  if (basemap) return {
    sources: { streets: { type: 'vector', url: `pmtiles://${location.origin}/explorer/basemap.pmtiles` } },
    layers: theme => streets(basemap, theme),
    prepare: async library => {
      const { Protocol } = await import('./pmtiles.js').catch(notLoaded)
      library.addProtocol('pmtiles', new Protocol().tile)
    },
  }
  const { box, towns, ...world } = await fetchWorld()
  return {
    sources: Object.fromEntries(Object.entries({ ...world, coasts: coastsOf(world.land, box) }).map(([name, data]) => [name, { type: 'geojson', data, tolerance: 0.2 }])),
    layers: naturalEarth,
    towns: towns.features.map(({ properties: { name, population }, geometry: { coordinates: [lng, lat] } }) => ({ text: name, lng, lat, population })).sort((a, b) => b.population - a.population),
    bounds: box[2] - box[0] < 360 ? [[box[0], box[1]], [box[2], box[3]]] : undefined,
  }
}

// Without the file, pubs are on an empty sheet, which is better than no map.
async function fetchWorld() {
  const { body } = await askJSON('/explorer/world.json').catch(error => {
    if (!(error instanceof Fault)) throw error
    return {}
  })
  return { box: [-180, -85, 180, 85], land: empty, borders: empty, lakes: empty, cities: empty, rivers: empty, towns: empty, ...body }
}

// The edges of the land, without those along the edges of the map.
function coastsOf(land, [west, south, east, north]) {
  const lines = []
  for (const ring of land.features.flatMap(({ geometry }) => geometry.coordinates)) {
    let line = []
    lines.push(line)
    for (const [i, [lng, lat]] of ring.entries()) {
      const [x, y] = ring[i - 1] ?? [], isCut = lng === x && (lng === west || lng === east) || lat === y && (lat === south || lat === north)
      if (isCut) lines.push(line = [])
      line.push([lng, lat])
    }
  }
  return { type: 'Feature', properties: {}, geometry: { type: 'MultiLineString', coordinates: lines.filter(line => line.length > 1) } }
}

// Cities and rivers may be 1 km off, so they fade out before that can be seen.
function naturalEarth({ sea, land, coast, house }) {
  const fading = ['interpolate', ['linear'], ['zoom'], 10, 1, 12, 0]
  return [
    { id: 'sea', type: 'background', paint: { 'background-color': sea } },
    { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': land, 'fill-antialias': false } },
    { id: 'cities', type: 'fill', source: 'cities', maxzoom: 12, paint: { 'fill-color': house, 'fill-opacity': fading } },
    { id: 'rivers', type: 'line', source: 'rivers', maxzoom: 12, paint: { 'line-color': sea, 'line-width': 1.5, 'line-opacity': fading } },
    { id: 'lakes', type: 'fill', source: 'lakes', paint: { 'fill-color': sea } },
    { id: 'coasts', type: 'line', source: 'coasts', paint: { 'line-color': coast, 'line-width': 0.8 } },
    { id: 'borders', type: 'line', source: 'borders', paint: { 'line-color': coast, 'line-width': 1, 'line-dasharray': [3, 2] } },
  ]
}
