package httpapi

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"pubd/geo"
	"pubd/index"
)

// maxUIDs is the maximum number of UIDs in a list.
const maxUIDs = 100

func (p *params) parseSearch(value []byte) bool {
	p.query.Text = value
	p.query.All = string(bytes.TrimSpace(value)) == "*"
	return utf8.RuneCount(value) <= maxSearch
}

func (p *params) parsePage(value []byte) (ok bool) {
	p.query.Page, ok = index.ParseInteger(value)
	return ok && p.query.Page >= 1
}

func (p *params) parseAmount(value []byte) bool {
	amount, ok := index.ParseInteger(value)
	p.query.Amount = int(amount)
	return ok && 1 <= amount && amount <= maxAmount
}

func (p *params) parseSort(value []byte) (ok bool) {
	var lower [16]byte
	if len(value) > len(lower) {
		return false
	}
	p.query.Sort, ok = sortsByName[string(appendLower(lower[:0], value))]
	return ok && (p.query.Sort != index.SortDistance || p.canSortByDistance())
}

// canSortByDistance reports whether there is a point to measure distances from.
func (p *params) canSortByDistance() bool {
	return p.operation == opDistance || p.values.has(paramNear)
}

func (p *params) parseOrder(value []byte) bool {
	p.query.Descending = equalLower(value, "desc")
	return p.query.Descending || equalLower(value, "asc")
}

func (p *params) parseRated(value []byte) (ok bool) {
	p.query.Rated, ok = parseTruth(value)
	return ok
}

func (p *params) parseRelax(value []byte) bool {
	p.query.More = equalLower(value, "more")
	relax, ok := parseTruth(value)
	p.query.Strict = !relax && !p.query.More
	return ok || p.query.More
}

func (p *params) parseLat(value []byte) (ok bool) {
	p.lat, ok = index.ParseDecimal(value)
	return ok && -90 <= p.lat && p.lat <= 90
}

func (p *params) parseLng(value []byte) (ok bool) {
	p.lng, ok = index.ParseDecimal(value)
	return ok && -180 <= p.lng && p.lng <= 180
}

func (p *params) parseDistance(value []byte) (ok bool) {
	p.radius, ok = index.ParseDecimal(value)
	return ok && 0 <= p.radius && p.radius <= math.MaxFloat64
}

func (p *params) parseMarker(value []byte) bool {
	if p.operation == opDistance {
		if p.marker == nil {
			p.marker = make([]byte, 0, 64) // a marker without words is still a marker
		}
		p.marker = index.AppendFolded(p.marker, value)
		p.query.Marker = p.marker
	}
	return true
}

// parseDegrees parses len(into) numbers, separated by commas, which alternate between longitude and latitude; first is
// the limit of the first, 180 or 90.
func parseDegrees(list []byte, into []float64, first float64) bool {
	n := 0
	ok := eachItem(list, func(item []byte) bool {
		number, ok := index.ParseDecimal(item)
		most := first
		if n%2 == 1 {
			most = 90 + 180 - first
		}
		if !ok || n == len(into) || math.Abs(number) > most {
			return false
		}
		into[n] = number
		n++
		return true
	})
	return ok && n == len(into)
}

func (p *params) parseBox(value []byte) bool {
	var edges [4]float64
	ok := parseDegrees(value, edges[:], 180)
	p.box = geo.Box{West: edges[0], South: edges[1], East: edges[2], North: edges[3]}
	p.query.Filter.Box = &p.box
	return ok && p.box.South <= p.box.North
}

func (p *params) parseNear(value []byte) bool {
	var at [2]float64
	ok := parseDegrees(value, at[:], 90)
	p.near, p.lat, p.lng, p.radius = true, at[0], at[1], math.MaxFloat64
	return ok && !p.values.has(paramLat) && !p.values.has(paramLng) && !p.values.has(paramDistance) && !p.values.has(paramAround)
}

func (p *params) parseAround(value []byte) bool {
	p.around = value
	return !p.values.has(paramLat) && !p.values.has(paramLng)
}

// eachItem calls do with the items of a comma-separated list until it returns false, and reports whether it never did.
func eachItem(list []byte, do func(item []byte) bool) bool {
	for {
		item, rest, more := bytes.Cut(list, []byte(","))
		if !do(item) {
			return false
		}
		if !more {
			return true
		}
		list = rest
	}
}

func appendUIDs(uids [][]byte, list []byte) ([][]byte, bool) {
	ok := eachItem(list, func(uid []byte) bool {
		uids = append(uids, uid)
		return len(uid) > 0 && len(uids) <= maxUIDs
	})
	return uids, ok
}

func (p *params) parsePubids(value []byte) (ok bool) {
	p.uids, ok = appendUIDs(p.uids, value)
	return ok && !p.values.has(paramPubid) && !p.values.has(paramSearch)
}

func (p *params) parseExclude(value []byte) (ok bool) {
	p.excluded, ok = appendUIDs(p.excluded, value)
	p.query.Filter.Exclude = p.excluded
	return ok
}

// maxJoinedItems is how many items of a list may form one value that contains commas.
const maxJoinedItems = 3

// valuesOf parses a list of values of a column. As folded values have no commas, each run of items may also be one
// value: Bristol, City of.
func valuesOf(column index.Facet) func(p *params, value []byte) bool {
	return func(p *params, value []byte) bool {
		start := len(p.texts)
		for list := value; list != nil; {
			end := 0
			for range maxJoinedItems {
				next := bytes.IndexByte(list[end:], ',')
				if next < 0 {
					next = len(list) - end
				}
				p.addText(list[:end+next])
				if end += next + 1; end > len(list) {
					break
				}
			}
			_, rest, more := bytes.Cut(list, []byte(","))
			if list = rest; !more {
				list = nil
			}
		}
		p.query.Filter.Values[column] = p.texts[start:len(p.texts):len(p.texts)]
		return true
	}
}

func (p *params) addText(text []byte) {
	start := len(p.folded)
	p.folded = index.AppendFolded(p.folded, text)
	p.texts = append(p.texts, p.folded[start:len(p.folded):len(p.folded)])
}

// minimumOf parses the minimum value of a rating.
func minimumOf(key index.Sort) func(p *params, value []byte) bool {
	return func(p *params, value []byte) bool {
		minimum, ok := index.ParseDecimal(value)
		p.addMinimum(key, minimum)
		return ok && 0 <= minimum && minimum <= 10
	}
}

func (p *params) addMinimum(key index.Sort, value float64) {
	p.minimums = append(p.minimums, index.Minimum{Key: key, Value: value})
	p.query.Filter.Minimums = p.minimums
}

func (p *params) parseMinReviews(value []byte) bool {
	minimum, ok := index.ParseInteger(value)
	p.addMinimum(index.SortReviewCount, float64(minimum))
	return ok
}

func (p *params) parseWeights(value []byte) bool {
	var given [index.MetricCount]bool
	sum := 0.0
	return eachItem(value, func(item []byte) bool {
		name, text, _ := bytes.Cut(item, []byte(":"))
		weight, ok := index.ParseDecimal(text)
		for metric := range given {
			if index.Metric(metric).String() == string(name) && !given[metric] {
				given[metric], p.query.Weights[metric] = true, weight
				sum += weight
				return ok && 0 <= weight && weight <= 100
			}
		}
		return false
	}) && sum > 0
}

func (p *params) parseSeed(value []byte) bool {
	seed, ok := index.ParseInteger(value)
	p.query.Seed = uint64(seed)
	return ok && seed >= 0
}

func (p *params) parseInclude(value []byte) bool {
	return eachItem(value, func(item []byte) bool {
		for _, include := range &includes {
			if include.name == string(item) {
				p.includes |= include.members
				return true
			}
		}
		return false
	})
}

func (p *params) parseFields(value []byte) bool {
	return eachItem(value, func(item []byte) bool {
		for member := range members {
			if members[member].name == string(item) && ownMembers&(1<<member) != 0 {
				p.fields |= 1 << member
				return true
			}
		}
		return false
	})
}

func (p *params) parseFacets(value []byte) bool {
	return eachItem(value, func(item []byte) bool {
		for column := range index.Facet(index.FacetCount) {
			if column.String() == string(item) {
				if !slices.Contains(p.facets, column) {
					p.facets = append(p.facets, column)
				}
				return true
			}
		}
		return false
	})
}

// parseFacetSearch parses a facet and the text to search its values for; the facet need not be listed in facets.
func (p *params) parseFacetSearch(value []byte) bool {
	name, text, _ := bytes.Cut(value, []byte(":"))
	if len(bytes.TrimSpace(text)) == 0 || utf8.RuneCount(text) > maxSearch || bytes.IndexByte(name, ',') >= 0 || !p.parseFacets(name) {
		return false
	}
	for column := range index.Facet(index.FacetCount) {
		if column.String() == string(name) {
			p.folded = slices.Grow(p.folded, 1) // text without words is not nil
			start := len(p.folded)
			p.folded = index.AppendFolded(p.folded, text)
			p.query.Counted[column] = p.folded[start:len(p.folded):len(p.folded)]
		}
	}
	return true
}

func (p *params) parseFormat(value []byte) bool {
	for f := range format(formatCount) {
		if equalLower(value, formats[f].name) {
			p.format = f
			return true
		}
	}
	return false
}

func (p *params) parseAfter(value []byte) bool {
	p.after = value
	return true
}

// parseStrict checks a value that was already used when the query string was read.
func (p *params) parseStrict(value []byte) bool {
	_, ok := parseTruth(value)
	return ok
}

func (p *params) parseSnapshot(value []byte) bool {
	p.snapshot = value
	return true
}
