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
  'features',
  'open',
  'open_unknown',
  'area',
  'postcode',
  'max_beer',
  'max_atmos',
  'max_fengshui',
  'max_service',
  'max_toilets',
  'max_total',
  'max_reviews',
]

/** The metrics of a pub and their names. */
export const metrics = new Map([
  ['beer', texts.metric_beer],
  ['atmos', texts.metric_atmos],
  ['fengshui', texts.metric_fengshui],
  ['service', texts.metric_service],
  ['toilets', texts.metric_toilets],
  ['total', texts.metric_total],
])

/** Their names inside a sentence. */
export const metricsInside = new Map([
  ['beer', texts.sort_beer],
  ['atmos', texts.sort_atmos],
  ['fengshui', texts.sort_fengshui],
  ['service', texts.sort_service],
  ['toilets', texts.sort_toilets],
  ['total', texts.sort_total],
])

/** The features of pubs that have a name of their own here. */
export const features = new Map([
  ['garden', texts.feature_garden],
  ['outdoor', texts.feature_outdoor],
  ['dog', texts.feature_dog],
  ['food', texts.feature_food],
  ['roast', texts.feature_roast],
  ['real_ale', texts.feature_real_ale],
  ['craft', texts.feature_craft],
  ['live_music', texts.feature_live_music],
  ['sport', texts.feature_sport],
  ['quiz', texts.feature_quiz],
  ['family', texts.feature_family],
  ['wheelchair', texts.feature_wheelchair],
  ['wifi', texts.feature_wifi],
  ['rooms', texts.feature_rooms],
  ['parking', texts.feature_parking],
  ['brewery', texts.feature_brewery],
])
// generated: end
