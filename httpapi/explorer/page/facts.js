// Facts of the API.

// generated: page facts
/** The parameters of a search that the address bar may have. */
export const parameters = [
  'search',
  'sort',
  'order',
  'rated',
  'lat',
  'lng',
  'distance',
  'marker',
  'relax',
  'trading',
  'category',
  'location',
  'min_beer',
  'min_atmos',
  'min_fengshui',
  'min_service',
  'min_toilets',
  'min_total',
  'min_reviews',
  'bbox',
  'exclude',
  'near',
  'around',
  'weights',
  'seed',
]

/** The metrics of a pub and their names. */
export const metrics = {
  beer: 'Beer',
  atmos: 'Atmosphere',
  fengshui: 'Feng shui',
  service: 'Service',
  toilets: 'Toilets',
  total: 'Total',
}

/** The sort keys that people choose, and their names. */
export const sorts = {
  name: 'name',
  location: 'place',
  review_count: 'reviews',
  beer: 'beer',
  atmos: 'atmosphere',
  fengshui: 'feng shui',
  service: 'service',
  toilets: 'toilets',
  total: 'total',
  distance: 'distance',
  relevance: 'relevance',
  fair: 'fair score',
}

/** The columns of a pub that include=address shows. */
export const requested = [
  'address',
  'postcode',
  'area',
  'alt_names',
]
// generated: end
