package params

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pubd/geo"
	"pubd/httpapi/fault"
	"pubd/index"
	"pubd/index/hours"
	"pubd/index/schema"
	"pubd/index/text"
)

func (p *Params) parseSearch(_ *Parameter, value []byte) bool {
	p.Query.Text = value
	p.Query.All = string(bytes.TrimSpace(value)) == "*"
	return utf8.RuneCount(value) <= maxSearch
}

func (p *Params) parsePage(_ *Parameter, value []byte) (ok bool) {
	p.Query.Page, ok = schema.ParseInteger(value)
	return ok && p.Query.Page >= 1
}

func (p *Params) parseAmount(row *Parameter, value []byte) bool {
	amount, ok := schema.ParseInteger(value)
	p.Query.Amount = int(amount)
	return ok && 1 <= amount && amount <= int64(row.Most)
}

func (p *Params) parseSort(_ *Parameter, value []byte) bool {
	for sort := range schema.Sort(schema.SortCount) {
		if EqualLower(value, sort.String()) {
			p.Query.Sort = sort
			return sort != schema.SortDistance || p.canSortByDistance()
		}
	}
	return false
}

// canSortByDistance reports whether there is a point to measure distances from.
func (p *Params) canSortByDistance() bool {
	return p.Operation == Distance || p.values.has(paramNear)
}

func (p *Params) parseOrder(_ *Parameter, value []byte) bool {
	p.Query.Descending = EqualLower(value, "desc")
	return p.Query.Descending || EqualLower(value, "asc")
}

func (p *Params) parseRelax(_ *Parameter, value []byte) bool {
	p.Query.More = EqualLower(value, "more")
	relax, ok := parseTruth(value)
	p.Query.Strict = !relax && !p.Query.More
	return ok || p.Query.More
}

// asIs takes a value as it is.
func asIs(into func(p *Params) *[]byte) func(p *Params, row *Parameter, value []byte) bool {
	return func(p *Params, _ *Parameter, value []byte) bool {
		*into(p) = value
		return true
	}
}

// flag parses true, false, 1 or 0.
func flag(into func(p *Params) *bool) func(p *Params, row *Parameter, value []byte) bool {
	return func(p *Params, _ *Parameter, value []byte) (ok bool) {
		*into(p), ok = parseTruth(value)
		return ok
	}
}

// decimal parses a number in the range of its row.
func decimal(into func(p *Params) *float64) func(p *Params, row *Parameter, value []byte) bool {
	return func(p *Params, row *Parameter, value []byte) bool {
		number, ok := schema.ParseDecimal(value)
		*into(p) = number
		return ok && row.Least <= number && number <= row.Most
	}
}

func (p *Params) parseMarker(_ *Parameter, value []byte) bool {
	if p.Operation == Distance {
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

func (p *Params) parseBox(_ *Parameter, value []byte) bool {
	var edges [4]float64
	ok := parseDegrees(value, edges[:], 180, false)
	p.box = geo.Box{West: edges[0], South: edges[1], East: edges[2], North: edges[3]}
	p.Query.Filter.Box = &p.box
	return ok && p.box.South <= p.box.North
}

func (p *Params) parseNear(_ *Parameter, value []byte) bool {
	var at [2]float64
	ok := parseDegrees(value, at[:], 90, true)
	p.near, p.Lat, p.Lng, p.Radius = true, at[0], at[1], math.MaxFloat64
	return ok && !p.values.has(paramLat) && !p.values.has(paramLng) && !p.values.has(paramDistance) && !p.values.has(paramAround)
}

func (p *Params) parseAround(_ *Parameter, value []byte) bool {
	p.Around = value
	return !p.values.has(paramLat) && !p.values.has(paramLng)
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
		return len(uid) > 0 && len(uids) <= maxUIDs
	})
	return uids, ok
}

func (p *Params) parsePubids(_ *Parameter, value []byte) (ok bool) {
	p.UIDs, ok = appendUIDs(p.UIDs, value)
	return ok && !p.values.has(paramPubid) && !p.values.has(paramSearch)
}

func (p *Params) parseExclude(_ *Parameter, value []byte) (ok bool) {
	p.excluded, ok = appendUIDs(p.excluded, value)
	p.Query.Filter.Exclude = p.excluded
	return ok
}

// maxJoinedItems is how many items of a list may form one value that contains commas.
const maxJoinedItems = 3

// valuesOf returns the row of a filter by the values of a facet.
func valuesOf(facet schema.Facet, aliases, example, doc string) Parameter {
	return Parameter{Name: filterNames[facet], Aliases: strings.Fields(aliases), Kind: Texts, Least: 1, Folded: true, Example: example, operations: finds, filters: true, Costly: true,
		Rule: "must be values, separated by commas", Doc: doc, parse: func(p *Params, _ *Parameter, value []byte) bool {
			p.lists = append(p.lists, list{facet, value})
			return true
		}}
}

// A list has the values of a facet, separated by commas.
type list struct {
	facet  schema.Facet
	values []byte
}

// Folded is the memory of folded values.
type Folded struct {
	texts [][]byte // by facet one after the other
	text  []byte
}

// FoldValues completes Query.Filter with the values of facets, in memory that may be that of an earlier request. They
// take up to a hundred times as much as the query string, so a request that waits for its admission has none.
func (p *Params) FoldValues(memory *Folded) {
	memory.texts, memory.text = memory.texts[:0], memory.text[:0]
	for _, l := range p.lists {
		start := len(memory.texts)
		if l.facet == schema.Features {
			eachItem(l.values, memory.addAlternatives)
		} else {
			appendKey := text.AppendFolded
			if l.facet >= schema.ExtraFacet {
				appendKey = schema.AppendValue
			}
			for rest := l.values; rest != nil; {
				item := quoted.FindSubmatch(rest)
				if item == nil {
					rest = memory.addRuns(rest, appendKey)
					continue
				}
				memory.add(bytes.ReplaceAll(item[1], []byte(`""`), []byte(`"`)), appendKey)
				if rest = rest[len(item[0]):]; len(item[2]) == 0 {
					rest = nil
				}
			}
		}
		p.Query.Filter.Values[l.facet] = memory.texts[start:len(memory.texts):len(memory.texts)]
	}
}

func (p *Params) parseFeatures(_ *Parameter, value []byte) bool {
	p.lists = append(p.lists, list{schema.Features, value})
	features := 0
	return p.eachFeature(func(_, folded []byte) bool {
		features++
		return len(folded) > 0 && features <= maxFeatures
	})
}

// eachFeature calls do with the features of the query, as they are written and folded, until it returns false, and reports
// whether it never did. The folded one is valid until do returns.
func (p *Params) eachFeature(do func(written, folded []byte) bool) bool {
	for _, l := range p.lists {
		isFeature := func(written []byte) bool {
			written, _ = cutDenial(written)
			p.feature = text.AppendFolded(p.feature[:0], written)
			return do(written, p.feature)
		}
		isItem := func(item []byte) bool { return eachPart(item, "|", isFeature) }
		if l.facet == schema.Features && !eachItem(l.values, isItem) {
			return false
		}
	}
	return true
}

// cutDenial returns a feature without the sign that it is one that pubs must not have, and whether it has that.
func cutDenial(feature []byte) (rest []byte, denied bool) {
	return bytes.CutPrefix(bytes.TrimSpace(feature), []byte("-"))
}

// RanksWishes reports whether what the text of the query wishes may rank: open pubs, or others.
func (p *Params) RanksWishes() bool {
	q := &p.Query
	return !q.All && (q.Sort == schema.SortRelevance || q.Sort == schema.SortDistance || p.Operation == Suggest)
}

// MayAskForTime reports whether the text of the query may ask for pubs that are open at some time.
func (p *Params) MayAskForTime() bool {
	p.feature = text.AppendFolded(p.feature[:0], p.Query.Text)
	return index.MayAskForTime(p.feature)
}

// HasFeatures reports whether the query has features.
func (p *Params) HasFeatures() bool { return p.given().has(paramFeatures) }

// CheckFeatures returns a fault if the query has a feature that is not known, with a similar one that is in its hint.
func (p *Params) CheckFeatures(isKnown func(folded []byte) bool, similar func(folded []byte) string) (f fault.Fault) {
	p.eachFeature(func(written, folded []byte) bool {
		if isKnown(folded) {
			return true
		}
		f = fault.Fault{Row: fault.InvalidParameter, Parameter: paramFeatures.String(), Rule: "must be features that the snapshot or the vocabulary has"}
		nearest := similar(folded)
		switch {
		case bytes.ContainsRune(written, ';'):
			f.Hint = "separate features by commas: features=" + shown(bytes.ReplaceAll(written, []byte(";"), []byte(",")))
		case nearest != "":
			f.Hint = "instead of " + shown(written) + ", write features=" + shown([]byte(nearest))
		default:
			f.Hint = "no pub has " + shown(written) + ": facets=features lists what pubs have"
		}
		return false
	})
	return f
}

const minuteLayout = "2006-01-02T15:04"

func (p *Params) parseOpen(_ *Parameter, value []byte) bool {
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

// addRuns adds the values that the first item of a list may begin, and returns the rest of the list; nil at the end.
// As folded values have no commas, each run of items may be one value: Bristol, City of.
func (m *Folded) addRuns(list []byte, appendKey func(dst, written []byte) []byte) (rest []byte) {
	end := 0
	for range maxJoinedItems {
		next := bytes.IndexByte(list[end:], ',')
		if next < 0 {
			next = len(list) - end
		}
		m.add(list[:end+next], appendKey)
		if end += next + 1; end > len(list) {
			break
		}
	}
	_, rest, more := bytes.Cut(list, []byte(","))
	if !more {
		return nil
	}
	return rest
}

// quoted matches the first item of a list if it is in quotes, in which two quotes stand for one.
var quoted = regexp.MustCompile(`^ *"((?:[^"]|"")*)" *(,|$)`)

func (m *Folded) add(text []byte, appendKey func(dst, written []byte) []byte) {
	start := len(m.text)
	m.text = appendKey(m.text, text)
	m.texts = append(m.texts, m.text[start:len(m.text):len(m.text)])
}

// addAlternatives adds an item of features as [index.Filter] has it, and returns true.
func (m *Folded) addAlternatives(item []byte) bool {
	start := len(m.text)
	eachPart(item, "|", func(feature []byte) bool {
		rest, denied := cutDenial(feature)
		if len(m.text) > start {
			m.text = append(m.text, '|')
		}
		if denied {
			m.text = append(m.text, '-')
		}
		m.text = text.AppendFolded(m.text, rest)
		return true
	})
	m.texts = append(m.texts, m.text[start:len(m.text):len(m.text)])
	return true
}

// limitOf parses the least or, if isMost is set, the greatest value of a column of numbers.
func limitOf(n schema.Number, isMost bool) func(p *Params, row *Parameter, value []byte) bool {
	return func(p *Params, row *Parameter, value []byte) bool {
		number, ok := schema.ParseDecimal(value)
		if row.Kind == Whole {
			var whole int64
			whole, ok = schema.ParseInteger(value)
			number = float64(whole)
		}
		p.addLimit(n, number, isMost)
		return ok && row.Least <= number && number <= row.Most
	}
}

func (p *Params) addLimit(n schema.Number, limit float64, isMost bool) {
	r := index.Range{Number: n, Least: limit, Most: math.Inf(1)}
	if isMost {
		r.Least, r.Most = math.Inf(-1), limit
	}
	p.ranges = append(p.ranges, r)
	p.Query.Filter.Ranges = p.ranges
}

func (p *Params) parseWeights(_ *Parameter, value []byte) bool {
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

func (p *Params) parseSeed(_ *Parameter, value []byte) bool {
	seed, ok := schema.ParseInteger(value)
	p.Query.Seed = uint64(seed)
	return ok && seed >= 0
}

func (p *Params) parseInclude(_ *Parameter, value []byte) bool {
	return eachItem(value, func(item []byte) bool {
		for _, include := range &Includes {
			if include.Name == string(item) {
				p.included |= include.members
				return true
			}
		}
		return false
	})
}

func (p *Params) parseFields(_ *Parameter, value []byte) bool {
	return eachItem(value, func(item []byte) bool {
		for member := range MemberCount {
			if memberNames[member] == string(item) && choosable.has(member) {
				p.chosen |= 1 << member
				return true
			}
		}
		return false
	})
}

func (p *Params) parseFacets(_ *Parameter, value []byte) bool {
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
		if len(name) == 0 || string(name) != p.FacetName(facet) && string(name) != filterNames[facet] {
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
func (p *Params) parseFacetSearch(_ *Parameter, value []byte) bool {
	name, written, _ := bytes.Cut(value, []byte(":"))
	facet, ok := p.addFacet(name)
	if !ok || len(bytes.TrimSpace(written)) == 0 || utf8.RuneCount(written) > maxSearch {
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

func (p *Params) parseFormat(row *Parameter, value []byte) bool {
	for f := range FormatCount {
		if EqualLower(value, formats[f].name) {
			p.Format = f
			return row.allows(f)
		}
	}
	return false
}

// parseStrict checks a value that was already used when the query string was read.
func (p *Params) parseStrict(_ *Parameter, value []byte) bool {
	_, ok := parseTruth(value)
	return ok
}
