// Facts of the API.

// generated: page facts
import * as texts from './texts.js'

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
  beer: texts.metric_beer,
  atmos: texts.metric_atmos,
  fengshui: texts.metric_fengshui,
  service: texts.metric_service,
  toilets: texts.metric_toilets,
  total: texts.metric_total,
}

/** The sort keys that people choose, and their names inside a sentence. */
export const sorts = {
  name: texts.sort_name,
  location: texts.sort_location,
  review_count: texts.sort_review_count,
  beer: texts.sort_beer,
  atmos: texts.sort_atmos,
  fengshui: texts.sort_fengshui,
  service: texts.sort_service,
  toilets: texts.sort_toilets,
  total: texts.sort_total,
  distance: texts.sort_distance,
  relevance: texts.sort_relevance,
  fair: texts.sort_fair,
}

/** The columns of a pub that include=address shows. */
export const requested = [
  'address',
  'postcode',
  'area',
  'alt_names',
]
// generated: end
