package query

import (
	"bytes"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"pubd/geo"
	"pubd/httpapi/params"
	"pubd/httpapi/request"
	"pubd/index"
	"pubd/index/hours"
	"pubd/index/schema"
	"pubd/index/text"
)

func (p *Params) parseSearch(_ *params.Parameter, value []byte) bool {
	p.Query.Text = value
	p.Query.All = string(bytes.TrimSpace(value)) == "*"
	return utf8.RuneCount(value) <= params.MaxSearch
}

func (p *Params) parseSort(_ *params.Parameter, value []byte) bool {
	for sort := range schema.Sort(schema.SortCount) {
		if request.EqualLower(value, sort.String()) {
			p.Query.Sort = sort
			return sort != schema.SortDistance || p.canSortByDistance()
		}
	}
	return false
}

// canSortByDistance reports whether there is a point to measure distances from.
func (p *Params) canSortByDistance() bool {
	return p.Operation == params.Distance || p.values.has(params.ParamNear)
}

func (p *Params) parseOrder(_ *params.Parameter, value []byte) bool {
	p.Query.Descending = request.EqualLower(value, "desc")
	return p.Query.Descending || request.EqualLower(value, "asc")
}

func (p *Params) parseRelax(_ *params.Parameter, value []byte) bool {
	p.Query.More = request.EqualLower(value, "more")
	relax, ok := parseTruth(value)
	p.Query.Strict = !relax && !p.Query.More
	return ok || p.Query.More
}

func (p *Params) parseMarker(_ *params.Parameter, value []byte) bool {
	if p.Operation == params.Distance {
		if p.marker == nil {
			p.marker = make([]byte, 0, 64) // a marker without words is still a marker
		}
		p.marker = text.AppendFolded(p.marker, value)
		p.Query.Marker = p.marker
	}
	return true
}

// parseDegrees parses len(into) numbers, separated by commas, which alternate between longitude and latitude; first is
// the limit of the first, 180 or 90. If spaced is set, white space may be around each.
func parseDegrees(list []byte, into []float64, first float64, spaced bool) bool {
	n := 0
	ok := eachItem(list, func(item []byte) bool {
		if spaced {
			item = bytes.TrimSpace(item)
		}
		number, ok := schema.ParseDecimal(item)
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

func (p *Params) parseBox(_ *params.Parameter, value []byte) bool {
	var edges [4]float64
	ok := parseDegrees(value, edges[:], 180, false)
	p.box = geo.Box{West: edges[0], South: edges[1], East: edges[2], North: edges[3]}
	p.Query.Filter.Box = &p.box
	return ok && p.box.South <= p.box.North
}

func (p *Params) parseNear(_ *params.Parameter, value []byte) bool {
	var at [2]float64
	ok := parseDegrees(value, at[:], 90, true)
	p.near, p.Lat, p.Lng, p.Radius = true, at[0], at[1], math.MaxFloat64
	return ok && !p.values.has(params.ParamLat) && !p.values.has(params.ParamLng) && !p.values.has(params.ParamDistance) && !p.values.has(params.ParamAround)
}

func (p *Params) parseAround(_ *params.Parameter, value []byte) bool {
	p.Around = value
	return !p.values.has(params.ParamLat) && !p.values.has(params.ParamLng)
}

// eachItem calls do with the items of a comma-separated list until it returns false, and reports whether it never did.
func eachItem(list []byte, do func(item []byte) bool) bool { return eachPart(list, ",", do) }

// eachPart is like eachItem with another separator.
func eachPart(list []byte, separator string, do func(item []byte) bool) bool {
	for {
		item, rest, more := bytes.Cut(list, []byte(separator))
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
		return len(uid) > 0 && len(uids) <= params.MaxUIDs
	})
	return uids, ok
}

func (p *Params) parsePubids(_ *params.Parameter, value []byte) (ok bool) {
	p.UIDs, ok = appendUIDs(p.UIDs, value)
	return ok && !p.values.has(params.ParamPubid) && !p.values.has(params.ParamSearch)
}

func (p *Params) parseExclude(_ *params.Parameter, value []byte) (ok bool) {
	p.excluded, ok = appendUIDs(p.excluded, value)
	p.Query.Filter.Exclude = p.excluded
	return ok
}

func (p *Params) parseOpen(_ *params.Parameter, value []byte) bool {
	p.Query.Open, p.Query.At.Always = true, string(value) == "always"
	if p.Query.At.Always || string(value) == "now" {
		return true
	}
	from, to, isSpan := bytes.Cut(value, []byte("/"))
	at, ok := parseMoment(from)
	if isSpan {
		until, isMoment := parseMoment(to)
		length := until.Instant.Sub(at.Instant) / time.Minute
		at.Minutes = int(length)
		ok = ok && isMoment && at.IsWall == until.IsWall && 0 < length && length <= hours.MaxMinutes
	}
	p.Query.At = at
	return ok
}

// parseMoment parses a local time, or with Z one of UTC.
func parseMoment(value []byte) (m hours.Moment, ok bool) {
	local, isInstant := bytes.CutSuffix(value, []byte("Z"))
	at, err := time.Parse(minuteLayout, string(local))
	m = hours.Moment{Instant: at, Wall: hours.LocalOf(at), IsWall: !isInstant}
	return m, err == nil && len(local) == len(minuteLayout) && local[0] == '2'
}

func (p *Params) addLimit(n schema.Number, limit float64, isMost bool) {
	r := index.Range{Number: n, Least: limit, Most: math.Inf(1)}
	if isMost {
		r.Least, r.Most = math.Inf(-1), limit
	}
	p.ranges = append(p.ranges, r)
	p.Query.Filter.Ranges = p.ranges
}

func (p *Params) parseWeights(_ *params.Parameter, value []byte) bool {
	var given [schema.MetricCount]bool
	sum := 0.0
	return eachItem(value, func(item []byte) bool {
		name, text, _ := bytes.Cut(item, []byte(":"))
		weight, ok := schema.ParseDecimal(text)
		for metric := range given {
			if schema.Metric(metric).String() == string(name) && !given[metric] {
				given[metric], p.Query.Weights[metric] = true, weight
				sum += weight
				return ok && 0 <= weight && weight <= 100
			}
		}
		return false
	}) && sum > 0
}

func (p *Params) parseInclude(_ *params.Parameter, value []byte) bool {
	return eachItem(value, func(item []byte) bool {
		for _, include := range &params.Includes {
			if include.Name == string(item) {
				p.included |= include.Members
				return true
			}
		}
		return false
	})
}

func (p *Params) parseFields(_ *params.Parameter, value []byte) bool {
	return eachItem(value, func(item []byte) bool {
		for member := range params.MemberCount {
			if member.String() == string(item) && params.Choosable.Has(member) {
				p.chosen |= 1 << member
				return true
			}
		}
		return false
	})
}

func (p *Params) parseFacets(_ *params.Parameter, value []byte) bool {
	return eachItem(value, func(item []byte) bool {
		isNumber := p.addSpread(item)
		_, isFacet := p.addFacet(item)
		return isNumber || isFacet
	})
}

// addSpread adds a column of numbers, unless it is there, by its name, and reports whether there is one.
func (p *Params) addSpread(name []byte) bool {
	for number := range schema.ExtraNumber + schema.Number(len(p.columns)) {
		isNumber := number < schema.ExtraNumber || p.columns[number-schema.ExtraNumber].IsNumber
		if len(name) == 0 || !isNumber || string(name) != p.NumberName(number) {
			continue
		}
		if !slices.Contains(p.Query.Spreads, number) {
			p.Query.Spreads = append(p.Query.Spreads, number)
		}
		return true
	}
	return false
}

// addFacet adds a facet, unless it is there, by its name or that of its filter; ok is false if there is none.
func (p *Params) addFacet(name []byte) (facet schema.Facet, ok bool) {
	for facet := range schema.ExtraFacet + schema.Facet(len(p.columns)) {
		if len(name) == 0 || string(name) != p.FacetName(facet) && string(name) != params.FilterNames[facet] {
			continue
		}
		if !slices.Contains(p.Query.Counts, facet) {
			p.Query.Counts = append(p.Query.Counts, facet)
		}
		return facet, true
	}
	return 0, false
}

// parseFacetSearch parses a facet and the text to search its values for; the facet need not be listed in facets.
func (p *Params) parseFacetSearch(_ *params.Parameter, value []byte) bool {
	name, written, _ := bytes.Cut(value, []byte(":"))
	facet, ok := p.addFacet(name)
	if !ok || len(bytes.TrimSpace(written)) == 0 || utf8.RuneCount(written) > params.MaxSearch {
		return false
	}
	p.folded = slices.Grow(p.folded, 1) // text without words is not nil
	start := len(p.folded)
	if p.folded = text.AppendFolded(p.folded, written); len(p.folded) == start && facet >= schema.ExtraFacet {
		p.folded = schema.AppendValue(p.folded, written)
	}
	p.Query.Searched.Facet, p.Query.Searched.Text = facet, p.folded[start:len(p.folded):len(p.folded)]
	return true
}

func (p *Params) parseFormat(row *params.Parameter, value []byte) bool {
	for f := range params.FormatCount {
		if request.EqualLower(value, f.String()) {
			p.Format = f
			return row.Allows(f)
		}
	}
	return false
}
