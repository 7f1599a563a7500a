package httpapi

import (
	"bytes"
	"slices"

	"pubd/geo"
	"pubd/index"
)

// maxUIDs is how many UIDs a list may have.
const maxUIDs = 100

// Extensions are the arguments beyond lookup, search and distance search. Their lists are reused.
type extensions struct {
	uids [][]byte // of pubids
	// near tells that hits carry their distance from a point, without a rim.
	near   bool
	around []byte
	// members is what each pub of an answer has, in order; plain where that is what the contract has.
	members  []uint8
	plain    bool
	fields   uint64 // bits of members; 0 is all
	includes uint64 // bits of members that are asked for
	facets   []index.Column
	format   format
	snapshot []byte

	excluded [][]byte
	texts    [][]byte // folded values, by column one after the other
	folded   []byte
	least    []index.Minimum
	box      geo.Box
}

// reset makes ready for the next request. Lists keep their memory.
func (a *arguments) reset() {
	*a = arguments{marker: a.marker[:0], values: a.values, extensions: extensions{uids: a.uids[:0], members: a.members[:0],
		facets: a.facets[:0], excluded: a.excluded[:0], texts: a.texts[:0], folded: a.folded[:0], least: a.least[:0]}}
}

// lookupParameters are those that a lookup heeds beside the UIDs.
var lookupParameters = []parameter{paramPubids, paramInclude, paramFields, paramFormat, paramSnapshot}

// parseSome parses a few of the parameters.
func (a *arguments) parseSome(some []parameter) fault {
	for _, p := range some {
		if a.values.has(p) && !parameters[p].parse(a, a.values.of[p]) {
			return fault{row: invalidParameter, parameter: p, rule: parameters[p].rule}
		}
	}
	if a.operation == opLookup && a.fields == 0 {
		a.includes |= 1 << memberRankings
	}
	a.complete()
	return fault{}
}

// complete settles which members the pubs of the answer have.
func (a *arguments) complete() {
	shown := a.includes
	if a.query.Circle != nil || a.around != nil {
		shown |= 1 << memberDistance
	}
	switch a.query.Sort {
	case index.SortFair:
		shown |= 1 << memberFair
	case index.SortWeighted:
		shown |= 1 << memberWeighted
	case index.SortRelevance:
		a.query.Descending = true
	}
	a.plain = a.fields == 0 && shown&^(1<<memberDistance) == 0 && a.format == formatJSON
	fields := a.fields
	if fields == 0 {
		fields = 1<<memberDistance - 1
	} else {
		shown &^= 1 << memberDistance &^ fields
	}
	shown |= fields & (1<<memberDistance - 1)
	for member := range uint8(memberCount) {
		if shown&(1<<member) != 0 {
			a.members = append(a.members, member)
		}
	}
	a.query.Counts = [index.ColumnCount]bool{}
	for _, column := range a.facets {
		a.query.Counts[column] = true
	}
}

// eachItem calls do with the items of a list, parted by commas, until it returns false, and tells whether it never did.
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

func (a *arguments) parsePubids(value []byte) (ok bool) {
	a.uids, ok = appendUIDs(a.uids, value)
	return ok && !a.values.has(paramPubid) && !a.values.has(paramSearch)
}

func (a *arguments) parseExclude(value []byte) (ok bool) {
	a.excluded, ok = appendUIDs(a.excluded, value)
	a.query.Filter.Exclude = a.excluded
	return ok
}

// maxJoinedItems is how many items of a list may be one value that has commas itself.
const maxJoinedItems = 3

// valuesOf parses a list of values of a column. As folded values have no commas, each run of items may be one value, too:
// Bristol, City of.
func valuesOf(column index.Column) func(a *arguments, value []byte) bool {
	return func(a *arguments, value []byte) bool {
		start := len(a.texts)
		for list := value; list != nil; {
			end := 0
			for range maxJoinedItems {
				next := bytes.IndexByte(list[end:], ',')
				if next < 0 {
					next = len(list) - end
				}
				a.addText(list[:end+next])
				if end += next + 1; end > len(list) {
					break
				}
			}
			_, rest, more := bytes.Cut(list, []byte(","))
			if list = rest; !more {
				list = nil
			}
		}
		a.query.Filter.Values[column] = a.texts[start:len(a.texts):len(a.texts)]
		return true
	}
}

func (a *arguments) addText(text []byte) {
	start := len(a.folded)
	a.folded = index.AppendFolded(a.folded, text)
	a.texts = append(a.texts, a.folded[start:len(a.folded):len(a.folded)])
}

// leastOf parses the least value of a rating.
func leastOf(key index.Sort) func(a *arguments, value []byte) bool {
	return func(a *arguments, value []byte) bool {
		least, ok := index.ParseDecimal(value)
		a.addLeast(key, least)
		return ok && 0 <= least && least <= 10
	}
}

func (a *arguments) addLeast(key index.Sort, value float64) {
	a.least = append(a.least, index.Minimum{Key: key, Value: value})
	a.query.Filter.Minimums = a.least
}

func (a *arguments) parseMinReviews(value []byte) bool {
	least, ok := index.ParseInteger(value)
	a.addLeast(index.SortReviewCount, float64(least))
	return ok
}

func (a *arguments) parseWeights(value []byte) bool {
	var given [index.MetricCount]bool
	sum := 0.0
	return eachItem(value, func(item []byte) bool {
		name, text, _ := bytes.Cut(item, []byte(":"))
		weight, ok := index.ParseDecimal(text)
		for metric := range given {
			if index.Metric(metric).String() == string(name) && !given[metric] {
				given[metric], a.query.Weights[metric] = true, weight
				sum += weight
				return ok && 0 <= weight && weight <= 100
			}
		}
		return false
	}) && sum > 0
}

func (a *arguments) parseSeed(value []byte) bool {
	seed, ok := index.ParseInteger(value)
	a.query.Seed = uint64(seed)
	return ok && seed >= 0
}

// parseMembers parses names of members, from first to end, into bits.
func parseMembers(value []byte, first, end int) (bits uint64, ok bool) {
	ok = eachItem(value, func(item []byte) bool {
		for member := first; member < end; member++ {
			if members[member].name == string(item) {
				bits |= 1 << member
				return true
			}
		}
		return false
	})
	return bits, ok
}

func (a *arguments) parseInclude(value []byte) (ok bool) {
	a.includes, ok = parseMembers(value, memberRankings, memberNamesakes)
	if a.includes&(1<<memberLabel) != 0 {
		a.includes |= 1 << memberNamesakes
	}
	return ok
}

func (a *arguments) parseFields(value []byte) (ok bool) {
	a.fields, ok = parseMembers(value, 0, memberDistance+1)
	return ok
}

func (a *arguments) parseFacets(value []byte) bool {
	return eachItem(value, func(item []byte) bool {
		for column := range index.Column(index.ColumnCount) {
			if column.String() == string(item) {
				if !slices.Contains(a.facets, column) {
					a.facets = append(a.facets, column)
				}
				return true
			}
		}
		return false
	})
}

func (a *arguments) parseFormat(value []byte) bool {
	for f := range format(formatCount) {
		if equalLower(value, formats[f].name) {
			a.format = f
			return true
		}
	}
	return false
}

func (a *arguments) parseSnapshot(value []byte) bool {
	a.snapshot = value
	return true
}
