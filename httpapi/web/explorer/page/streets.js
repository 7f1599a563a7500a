// The style of streets, in the light or dark colours of the page, for files in the schema of OpenMapTiles or Protomaps.

/** Fonts of the visitor's system: MapLibre takes weight and style from the first name. */
export const plain = ['system-ui'], bold = ['Semibold', 'system-ui'], slanted = ['Italic', 'system-ui']

// Where the two schemas have the same things: the layer of the file and a filter.
const schemas = new Map(Object.entries({
  openmaptiles: {
    water: ['water'], rivers: ['waterway'], buildings: ['building'],
    green: [['landcover', ['in', ['get', 'class'], ['literal', ['grass', 'wood', 'wetland']]]], ['park'], ['landuse', ['in', ['get', 'class'], ['literal', ['cemetery', 'pitch', 'park', 'garden']]]]],
    roads: ['transportation'], roadNames: ['transportation_name'], kind: 'class', places: ['place'],
    classes: { motorway: ['motorway', 'trunk'], main: ['primary', 'secondary', 'tertiary'], minor: ['minor', 'service', 'residential'], path: ['path', 'track'], rail: ['rail', 'transit'] },
    borders: ['boundary', ['<=', ['get', 'admin_level'], 4]],
    settlements: { city: ['city'], town: ['town'], village: ['village', 'hamlet', 'suburb', 'neighbourhood', 'quarter'] },
  },
  protomaps: {
    ground: ['earth'], water: ['water', ['==', ['geometry-type'], 'Polygon']], rivers: ['water', ['==', ['geometry-type'], 'LineString']], buildings: ['buildings'],
    green: [['landuse', ['in', ['get', 'kind'], ['literal', ['park', 'forest', 'wood', 'grass', 'cemetery', 'garden', 'nature_reserve', 'national_park', 'pitch', 'golf_course', 'meadow']]]]],
    roads: ['roads'], roadNames: ['roads'], kind: 'kind', places: ['places'],
    classes: { motorway: ['highway'], main: ['major_road', 'medium_road'], minor: ['minor_road'], path: ['path'], rail: ['rail'] },
    borders: ['boundaries'],
    settlements: { city: ['city', 'locality'], town: ['town'], village: ['village', 'hamlet', 'neighbourhood', 'macrohood'] },
  },
}))

const width = (narrow, wide) => ['interpolate', ['exponential', 1.6], ['zoom'], 8, narrow / 8, 13, narrow, 18, wide]

/** The layers of a schema, "openmaptiles" or "protomaps". */
export function streets(name, { sea, land, green, house, road, way, coast, town, quiet }) {
  const schema = schemas.get(name), layers = []
  const add = (id, type, [layer, filter], rest) => layers.push({ id, type, source: 'streets', 'source-layer': layer, ...filter && { filter }, ...rest })
  const of = kinds => ['in', ['get', schema.kind], ['literal', kinds]]
  const { classes } = schema
  layers.push({ id: 'ground', type: 'background', paint: { 'background-color': schema.ground ? sea : land } })
  if (schema.ground) add('earth', 'fill', schema.ground, { paint: { 'fill-color': land } })
  schema.green.forEach((at, i) => add(`green-${i}`, 'fill', at, { paint: { 'fill-color': green } }))
  add('water', 'fill', schema.water, { paint: { 'fill-color': sea } })
  add('rivers', 'line', schema.rivers, { paint: { 'line-color': sea, 'line-width': width(1, 6) } })
  add('buildings', 'fill', schema.buildings, { minzoom: 13, paint: { 'fill-color': house } })
  const roads = (id, kinds, narrow, wide, colour, more = {}) => add(id, 'line', [schema.roads[0], of(kinds)], {
    minzoom: more.minzoom ?? 5, layout: { 'line-cap': 'round', 'line-join': 'round' }, paint: { 'line-color': colour, 'line-width': width(narrow, wide), ...more.paint },
  })
  roads('paths', classes.path, 0.6, 2, way, { minzoom: 13, paint: { 'line-dasharray': [2, 1.5] } })
  roads('rails', classes.rail, 0.6, 2, coast, { minzoom: 10 })
  roads('minor-edges', classes.minor, 2.4, 15, way, { minzoom: 12 })
  roads('main-edges', classes.main, 3.6, 21, way, { minzoom: 8 })
  roads('motorway-edges', classes.motorway, 4.6, 25, coast)
  roads('minor', classes.minor, 1.4, 12, road, { minzoom: 12 })
  roads('main', classes.main, 2.4, 18, road, { minzoom: 8 })
  roads('motorways', classes.motorway, 3.2, 21, road)
  add('borders', 'line', schema.borders, { paint: { 'line-color': quiet, 'line-width': 0.8, 'line-dasharray': [3, 2] } })
  const text = { 'text-color': town, 'text-halo-color': land, 'text-halo-width': 1.4 }
  add('road-names', 'symbol', [schema.roadNames[0], of([...classes.motorway, ...classes.main, ...classes.minor])], { minzoom: 13, paint: { ...text, 'text-color': quiet },
    layout: { 'symbol-placement': 'line', 'text-field': ['get', 'name'], 'text-font': plain, 'text-size': 11, 'text-padding': 8 } })
  const places = (id, kinds, size, minzoom, font = plain) => add(id, 'symbol', [schema.places[0], ['in', ['coalesce', ['get', 'kind_detail'], ['get', schema.kind]], ['literal', kinds]]], {
    minzoom, paint: text, layout: { 'text-field': ['get', 'name'], 'text-font': font, 'text-size': size, 'text-max-width': 8, 'text-padding': 4 },
  })
  places('villages', schema.settlements.village, 11, 11, slanted)
  places('towns', schema.settlements.town, 13, 8)
  places('cities', schema.settlements.city, 15, 4)
  return layers
}
