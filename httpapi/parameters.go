package httpapi

import "pubd/index"

// A parameter is a known parameter. Of several invalid ones, the first is reported.
type parameter uint8

const (
	paramPubid parameter = iota
	paramSearch
	paramPage
	paramAmount
	paramSort
	paramOrder
	paramRated
	paramLat
	paramLng
	paramDistance
	paramMarker
	paramRelax
	paramPubids
	paramTrading
	paramCategory
	paramLocation
	paramMinBeer
	paramMinAtmos
	paramMinFengshui
	paramMinService
	paramMinToilets
	paramMinTotal
	paramMinReviews
	paramBox
	paramExclude
	paramNear
	paramAround
	paramWeights
	paramSeed
	paramInclude
	paramFields
	paramFacets
	paramFormat
	paramSnapshot
	paramStrict
	paramAfter
	paramFacetSearch
	parameterCount
)

// Limits and defaults of parameters.
const (
	maxSearch     = 200 // characters
	maxAmount     = 100
	defaultAmount = 20
)

// A parameterRow says which values a parameter takes: parse stores a value in the parameters of a request and reports
// whether it is allowed.
type parameterRow struct {
	name  string
	rule  string
	parse func(p *params, value []byte) bool
}

const sortKeys = "name, location, review_count, beer, atmos, fengshui, service, toilets, total, relevance, fair, weighted, random"

var parameters = [parameterCount]parameterRow{
	paramPubid:    {"pubid", "", func(*params, []byte) bool { return true }},
	paramSearch:   {"search", "must be at most 200 characters", (*params).parseSearch},
	paramPage:     {"page", "must be a positive integer", (*params).parsePage},
	paramAmount:   {"amount", "must be an integer from 1 to 100", (*params).parseAmount},
	paramSort:     {"sort", "must be one of " + sortKeys + "; distance needs lat, lng and distance, or near, or around", (*params).parseSort},
	paramOrder:    {"order", "must be asc or desc", (*params).parseOrder},
	paramRated:    {"rated", "must be true, false, 1 or 0", (*params).parseRated},
	paramLat:      {"lat", "must be a number from -90 to 90", (*params).parseLat},
	paramLng:      {"lng", "must be a number from -180 to 180", (*params).parseLng},
	paramDistance: {"distance", "must be a number of kilometres, 0 or more", (*params).parseDistance},
	paramMarker:   {"marker", "", (*params).parseMarker},
	paramRelax:    {"relax", "must be true, false, 1, 0 or more", (*params).parseRelax},

	paramPubids:      {"pubids", "must be 1 to 100 UIDs, separated by commas, without pubid and search", (*params).parsePubids},
	paramTrading:     {"trading", "must be values, separated by commas", valuesOf(index.Trading)},
	paramCategory:    {"category", "must be values, separated by commas", valuesOf(index.Category)},
	paramLocation:    {"location", "must be values, separated by commas", valuesOf(index.Location)},
	paramMinBeer:     {"min_beer", ruleRating, minimumOf(index.Beer.Sort())},
	paramMinAtmos:    {"min_atmos", ruleRating, minimumOf(index.Atmos.Sort())},
	paramMinFengshui: {"min_fengshui", ruleRating, minimumOf(index.Fengshui.Sort())},
	paramMinService:  {"min_service", ruleRating, minimumOf(index.Service.Sort())},
	paramMinToilets:  {"min_toilets", ruleRating, minimumOf(index.Toilets.Sort())},
	paramMinTotal:    {"min_total", ruleRating, minimumOf(index.Total.Sort())},
	paramMinReviews:  {"min_reviews", "must be an integer from 0 to 9223372036854775807", (*params).parseMinReviews},
	paramBox:         {"bbox", "must be minLng,minLat,maxLng,maxLat in degrees, minLat at most maxLat", (*params).parseBox},
	paramExclude:     {"exclude", "must be 1 to 100 UIDs, separated by commas", (*params).parseExclude},
	paramNear:        {"near", "must be lat,lng in degrees, without lat, lng, distance and around", (*params).parseNear},
	paramAround:      {"around", "must be the UID of a pub with coordinates, without lat and lng", (*params).parseAround},
	paramWeights: {"weights", "must be metrics with weights from 0 to 100, not all 0, such as beer:3,toilets:1",
		(*params).parseWeights},
	paramSeed:        {"seed", "must be an integer from 0 to 9223372036854775807", (*params).parseSeed},
	paramInclude:     {"include", "must be some of " + includeNames + ", separated by commas", (*params).parseInclude},
	paramFields:      {"fields", "must be some of " + fieldNames + ", separated by commas", (*params).parseFields},
	paramFacets:      {"facets", "must be some of location, trading, common_category, separated by commas", (*params).parseFacets},
	paramFormat:      {"format", "must be one of json, geojson, csv, ndjson, spreadsheet", (*params).parseFormat},
	paramSnapshot:    {"snapshot", "", (*params).parseSnapshot},
	paramStrict:      {"strict", "must be true, false, 1 or 0", (*params).parseStrict},
	paramAfter:       {"after", "", (*params).parseAfter},
	paramFacetSearch: {"facet_search", ruleFacetSearch, (*params).parseFacetSearch},
}

const ruleFacetSearch = "must be location, trading or common_category and the beginning of a word, such as location:ox"

const ruleRating = "must be a number from 0 to 10"

// sortRuleByDistance is the rule of sort if there is a point to be near to.
const sortRuleByDistance = "must be one of distance, " + sortKeys

var parametersByName = func() map[string]parameter {
	byName := map[string]parameter{}
	for p, row := range parameters {
		byName[row.name] = parameter(p)
	}
	return byName
}()

var sortsByName = func() map[string]index.Sort {
	byName := map[string]index.Sort{}
	for sort := index.SortName; sort < index.SortCount; sort++ {
		byName[sort.String()] = sort
	}
	return byName
}()

// String returns the name of the parameter in a query string.
func (p parameter) String() string { return parameters[p].name }

// An operation is what a request does.
type operation uint8

const (
	opNone operation = iota // rejected before it was known
	opLookup
	opSearch
	opDistance
	opSuggest
	opStats
	opPoints
	opExport
	opDocument
	operationCount
)

var operationNames = [operationCount]string{"none", "lookup", "search", "distance", "suggest", "stats", "points", "export", "document"}

func (o operation) String() string { return operationNames[o] }
