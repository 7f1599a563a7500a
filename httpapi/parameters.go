package httpapi

import (
	"bytes"
	"math"
	"unicode/utf8"

	"pubd/geo"
	"pubd/index"
)

// A parameter is one that the service knows. Of several faulty ones the first is reported.
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
	parameterCount
)

// The limits of parameters, and what stands for those that are absent.
const (
	maxSearch     = 200 // characters
	maxAmount     = 100
	defaultAmount = 20
)

// A parameterRow says what values a parameter takes: parse stores one in the arguments, or refuses it.
type parameterRow struct {
	name  string
	rule  string
	parse func(a *arguments, value []byte) bool
}

const sortKeys = "name, location, review_count, beer, atmos, fengshui, service, toilets, total"

var parameters = [parameterCount]parameterRow{
	paramPubid:    {"pubid", "", func(*arguments, []byte) bool { return true }},
	paramSearch:   {"search", "must be at most 200 characters", (*arguments).parseSearch},
	paramPage:     {"page", "must be an integer from 1 to 9223372036854775807", (*arguments).parsePage},
	paramAmount:   {"amount", "must be an integer from 1 to 100", (*arguments).parseAmount},
	paramSort:     {"sort", "must be one of " + sortKeys, (*arguments).parseSort},
	paramOrder:    {"order", "must be asc or desc", (*arguments).parseOrder},
	paramRated:    {"rated", "must be true, false, 1 or 0", (*arguments).parseRated},
	paramLat:      {"lat", "must be a number from -90 to 90", (*arguments).parseLat},
	paramLng:      {"lng", "must be a number from -180 to 180", (*arguments).parseLng},
	paramDistance: {"distance", "must be a number of kilometres, 0 or more", (*arguments).parseDistance},
	paramMarker:   {"marker", "", (*arguments).parseMarker},
	paramRelax:    {"relax", "must be true, false, 1 or 0", (*arguments).parseRelax},

	paramPubids:      {"pubids", "must be 1 to 100 UIDs, parted by commas, without pubid and search", (*arguments).parsePubids},
	paramTrading:     {"trading", "must be values, parted by commas", valuesOf(index.Trading)},
	paramCategory:    {"category", "must be values, parted by commas", valuesOf(index.Category)},
	paramLocation:    {"location", "must be values, parted by commas", valuesOf(index.Location)},
	paramMinBeer:     {"min_beer", ruleLeastRating, leastOf(index.SortBeer)},
	paramMinAtmos:    {"min_atmos", ruleLeastRating, leastOf(index.SortAtmos)},
	paramMinFengshui: {"min_fengshui", ruleLeastRating, leastOf(index.SortFengshui)},
	paramMinService:  {"min_service", ruleLeastRating, leastOf(index.SortService)},
	paramMinToilets:  {"min_toilets", ruleLeastRating, leastOf(index.SortToilets)},
	paramMinTotal:    {"min_total", ruleLeastRating, leastOf(index.SortTotal)},
	paramMinReviews:  {"min_reviews", "must be an integer from 0 to 9223372036854775807", (*arguments).parseMinReviews},
	paramBox:         {"bbox", "must be minLng,minLat,maxLng,maxLat in degrees, minLat at most maxLat", (*arguments).parseBox},
	paramExclude:     {"exclude", "must be 1 to 100 UIDs, parted by commas", (*arguments).parseExclude},
	paramNear:        {"near", "must be lat,lng in degrees, without lat, lng, distance and around", (*arguments).parseNear},
	paramAround:      {"around", "must be the UID of a pub with coordinates, without lat and lng", (*arguments).parseAround},
	paramWeights: {"weights", "must be metrics with weights from 0 to 100, not all 0, such as beer:3,toilets:1",
		(*arguments).parseWeights},
	paramSeed:     {"seed", "must be an integer from 0 to 9223372036854775807", (*arguments).parseSeed},
	paramInclude:  {"include", "must be some of " + includeNames + ", parted by commas", (*arguments).parseInclude},
	paramFields:   {"fields", "must be some of " + fieldNames + ", parted by commas", (*arguments).parseFields},
	paramFacets:   {"facets", "must be some of location, trading, common_category, parted by commas", (*arguments).parseFacets},
	paramFormat:   {"format", "must be one of json, geojson, csv, ndjson, spreadsheet", (*arguments).parseFormat},
	paramSnapshot: {"snapshot", "", (*arguments).parseSnapshot},
}

const ruleLeastRating = "must be a number from 0 to 10"

// sortRuleInCircle is the rule of sort in a distance search.
const sortRuleInCircle = "must be one of distance, " + sortKeys

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

// String is the name of the parameter in a query string.
func (p parameter) String() string { return parameters[p].name }

// An operation is what a request asks for.
type operation uint8

const (
	opNone operation = iota // refused before it was known
	opLookup
	opSearch
	opDistance
	opSuggest
	opStats
	opDocument
	operationCount
)

var operationNames = [operationCount]string{"none", "lookup", "search", "distance", "suggest", "stats", "document"}

func (o operation) String() string { return operationNames[o] }

// hasPubs tells whether pubs are the answer, which comes in the formats then.
func (o operation) hasPubs() bool { return opLookup <= o && o <= opDistance }

// Arguments are the parameters of a request, parsed: nothing behind them checks again. They are reused, and what they
// hold is valid until the next request.
type arguments struct {
	operation operation
	pubid     []byte
	query     index.Query
	// paged tells whether a distance search has page or amount, which it then shows.
	paged            bool
	lat, lng, radius float64

	extensions
	circle geo.Circle
	marker []byte
	values queryString
}

// parse reads a raw query string. Of several faults it reports the first: a malformed query, then a duplicate, then a
// missing parameter, then the parameters in the order of their table.
func (a *arguments) parse(raw []byte, maxUnpaged int) fault {
	a.reset()
	if !a.values.read(raw) {
		return fault{row: malformedQuery}
	}
	if a.values.has(paramPubid) && !a.values.has(paramPubids) {
		a.operation = opLookup
		if a.values.repeatedPubid {
			return fault{row: duplicateParameter, parameter: paramPubid}
		}
		a.pubid = a.values.of[paramPubid]
		return a.parseSome(lookupParameters)
	}
	if a.values.repeated {
		return fault{row: duplicateParameter, parameter: a.values.duplicate}
	}
	if a.values.has(paramPubids) {
		a.operation = opLookup
		return a.parseSome(lookupParameters)
	}
	if !a.values.has(paramSearch) {
		return fault{row: missingParameter}
	}
	a.operation = opSearch
	a.query.Page = 1
	if f := a.findOperation(); f.isSet() {
		return f
	}
	if a.operation == opDistance {
		a.query.Sort = index.SortDistance
		a.query.Amount = maxUnpaged
		a.paged = a.values.has(paramPage) || a.values.has(paramAmount)
	} else {
		a.query.Amount = defaultAmount
	}
	for p := range parameterCount {
		if a.values.has(p) && !parameters[p].parse(a, a.values.of[p]) {
			rule := parameters[p].rule
			if p == paramSort && a.operation == opDistance {
				rule = sortRuleInCircle
			}
			return fault{row: invalidParameter, parameter: p, rule: rule}
		}
	}
	if a.operation == opDistance || a.near {
		a.center(geo.Point{Lat: a.lat, Lng: a.lng})
	}
	a.complete()
	return fault{}
}

// isExpensive reports whether the answer may take more than a fraction of a millisecond, or more memory than a page: those
// without a page size, and those that use what goes beyond lookup, search and distance search.
func (a *arguments) isExpensive() bool {
	if a.operation != opSearch && a.operation != opDistance {
		return false
	}
	for p := paramPubids; p < paramSnapshot; p++ {
		if a.values.has(p) {
			return true
		}
	}
	return a.query.Amount == 0 || a.query.Amount > maxAmount || a.query.Sort > index.SortDistance
}

// point is the parameters of which one makes a distance search, which needs them all.
var point = [...]parameter{paramLat, paramLng, paramDistance}

// findOperation tells a distance search from a standard one, and finds what either lacks.
func (a *arguments) findOperation() fault {
	if a.values.has(paramAround) {
		a.operation = opDistance
		if !a.values.has(paramDistance) {
			return fault{row: missingCompanion, parameter: paramDistance, rule: "around needs it"}
		}
	} else if !a.values.has(paramNear) {
		for _, p := range point {
			if a.values.has(p) {
				a.operation = opDistance
			}
		}
		for _, p := range point {
			if a.operation == opDistance && !a.values.has(p) {
				return fault{row: missingPoint, parameter: p}
			}
		}
	}
	switch value := a.values.of[paramSort]; {
	case equalLower(value, "weighted") && !a.values.has(paramWeights):
		return fault{row: missingCompanion, parameter: paramWeights, rule: "sort=weighted needs them"}
	case equalLower(value, "random") && !a.values.has(paramSeed):
		return fault{row: missingCompanion, parameter: paramSeed, rule: "sort=random needs one"}
	}
	return fault{}
}

// center makes the query one about a circle.
func (a *arguments) center(at geo.Point) {
	a.circle = geo.NewCircle(at, geo.Kilometres(a.radius))
	a.query.Circle = &a.circle
}

func (a *arguments) parseSearch(value []byte) bool {
	a.query.Text = value
	a.query.All = string(bytes.TrimSpace(value)) == "*"
	return utf8.RuneCount(value) <= maxSearch
}

func (a *arguments) parsePage(value []byte) (ok bool) {
	a.query.Page, ok = index.ParseInteger(value)
	return ok && a.query.Page >= 1
}

func (a *arguments) parseAmount(value []byte) bool {
	amount, ok := index.ParseInteger(value)
	a.query.Amount = int(amount)
	return ok && 1 <= amount && amount <= maxAmount
}

func (a *arguments) parseSort(value []byte) (ok bool) {
	var lower [16]byte
	if len(value) > len(lower) {
		return false
	}
	a.query.Sort, ok = sortsByName[string(appendLower(lower[:0], value))]
	return ok && (a.query.Sort != index.SortDistance || a.operation == opDistance || a.values.has(paramNear))
}

func (a *arguments) parseOrder(value []byte) bool {
	a.query.Descending = equalLower(value, "desc")
	return a.query.Descending || equalLower(value, "asc")
}

func (a *arguments) parseRated(value []byte) (ok bool) {
	a.query.Rated, ok = parseTruth(value)
	return ok
}

func (a *arguments) parseRelax(value []byte) bool {
	relax, ok := parseTruth(value)
	a.query.Strict = !relax
	return ok
}

func (a *arguments) parseLat(value []byte) (ok bool) {
	a.lat, ok = index.ParseDecimal(value)
	return ok && -90 <= a.lat && a.lat <= 90
}

func (a *arguments) parseLng(value []byte) (ok bool) {
	a.lng, ok = index.ParseDecimal(value)
	return ok && -180 <= a.lng && a.lng <= 180
}

func (a *arguments) parseDistance(value []byte) (ok bool) {
	a.radius, ok = index.ParseDecimal(value)
	return ok && 0 <= a.radius && a.radius <= math.MaxFloat64
}

func (a *arguments) parseMarker(value []byte) bool {
	if a.operation == opDistance {
		if a.marker == nil {
			a.marker = make([]byte, 0, 64) // a marker without words is still one
		}
		a.marker = index.AppendFolded(a.marker, value)
		a.query.Marker = a.marker
	}
	return true
}
