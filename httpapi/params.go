package httpapi

import (
	"pubd/geo"
	"pubd/index"
)

// params are the parsed parameters of a request: no later code checks them again. They are reused, and valid until the
// next request.
type params struct {
	operation operation
	pubid     []byte   // of a lookup of one pub
	uids      [][]byte // of a lookup of several
	query     index.Query
	// paged is set if a distance search has page or amount, which its response then shows.
	paged bool
	// lat, lng and radius, in degrees and kilometres, describe the circle. near is set if results have their distance
	// from its centre, without being limited to a radius. around is the UID of the pub at the centre.
	lat, lng, radius float64
	near             bool
	around           []byte
	after            []byte // the UID of the pub after which an export begins; nil for all

	format   format
	fields   uint64 // bits of the requested members; 0 means all of the snapshot
	includes uint64 // bits of additional members
	// members are the members of each pub in the response, in order; plain is set if they are those of a plain
	// response.
	members  []uint8
	plain    bool
	detailed bool          // the members need the details of a pub
	facets   []index.Facet // in the requested order
	snapshot []byte        // the ID of the requested snapshot; nil means the current one

	// everything is set if the points of all pubs are requested.
	everything bool
	// expensive is set if the response may take more than a fraction of a millisecond, or more memory than a page.
	expensive bool

	raw    []byte // the query string
	values *queryString

	// Referenced by query.
	circle   geo.Circle
	box      geo.Box
	marker   []byte
	excluded [][]byte
	texts    [][]byte // folded values, by column one after the other
	folded   []byte
	minimums []index.Minimum
}

// reset prepares p for the next request. Slices keep their memory.
func (p *params) reset(o operation, raw []byte) {
	values := p.values
	if values == nil {
		values = new(queryString)
	}
	*p = params{operation: o, raw: raw, values: values, uids: p.uids[:0], members: p.members[:0], facets: p.facets[:0], marker: p.marker[:0],
		excluded: p.excluded[:0], texts: p.texts[:0], folded: p.folded[:0], minimums: p.minimums[:0]}
}

// parsePubs parses the raw query string of a lookup or search, and the Accept header. maxUnpaged is the page size of a
// distance search without amount. It returns the first of several faults: a malformed query, an unknown parameter in a
// strict one, a duplicate, a missing parameter, then the parameters in the order of their table.
func (p *params) parsePubs(raw, accept []byte, maxUnpaged int) fault {
	p.reset(opNone, raw)
	if !p.values.read(raw) {
		return fault{row: malformedQuery}
	}
	if p.values.isStrict() {
		if f := p.values.rejectUnknown(pubsParameters); f.isSet() {
			return f
		}
	}
	isLookup := p.values.has(paramPubid) || p.values.has(paramPubids)
	switch {
	case p.values.has(paramPubid) && !p.values.has(paramPubids):
		p.operation = opLookup
		if p.values.repeatedPubid {
			return fault{row: duplicateParameter, parameter: paramPubid}
		}
		p.pubid = p.values.of[paramPubid]
	case p.values.repeated:
		return fault{row: duplicateParameter, parameter: p.values.duplicate}
	case isLookup:
		p.operation = opLookup
	case !p.values.has(paramSearch):
		return fault{row: missingParameter}
	default:
		if f := p.findOperation(); f.isSet() {
			return f
		}
	}
	if isLookup {
		if f := p.parseSome(lookupParameters); f.isSet() {
			return f
		}
		if p.fields == 0 {
			p.includes |= 1 << memberRankings
		}
	} else if f := p.parseSearchParameters(maxUnpaged); f.isSet() {
		return f
	}
	if !p.values.has(paramFormat) {
		p.format = acceptedFormat(accept)
	}
	p.resolveFields()
	return fault{}
}

// pubsParameters are the parameters of pubs, lookupParameters those used by a lookup besides pubid, suggestParameters
// and statsParameters those of suggest and stats. All others are ignored.
var (
	pubsParameters = func() (all []parameter) {
		for parameter := range parameterCount {
			if parameter != paramAfter {
				all = append(all, parameter)
			}
		}
		return all
	}()
	lookupParameters  = []parameter{paramPubids, paramInclude, paramFields, paramFormat, paramSnapshot, paramStrict}
	suggestParameters = []parameter{paramSearch, paramAmount, paramNear, paramSnapshot, paramStrict}
	statsParameters   = []parameter{paramSnapshot, paramStrict}
)

// parseSome parses a subset of the parameters.
func (p *params) parseSome(some []parameter) fault {
	for _, parameter := range some {
		if p.values.has(parameter) {
			if f := p.parseOne(parameter); f.isSet() {
				return f
			}
		}
	}
	return fault{}
}

// parseOne parses the value of a parameter, if it has one.
func (p *params) parseOne(parameter parameter) fault {
	row := &parameters[parameter]
	if row.parse(p, p.values.of[parameter]) {
		return fault{}
	}
	if parameter == paramSort && p.canSortByDistance() {
		return fault{row: invalidParameter, parameter: parameter, rule: sortRuleByDistance}
	}
	return fault{row: invalidParameter, parameter: parameter, rule: row.rule}
}

// parseSearchParameters parses the parameters of a search.
func (p *params) parseSearchParameters(maxUnpaged int) fault {
	p.query.Page = 1
	p.query.Amount = defaultAmount
	if p.operation == opDistance {
		p.query.Sort = index.SortDistance
		p.query.Amount = maxUnpaged
		p.paged = p.values.has(paramPage) || p.values.has(paramAmount)
	}
	for parameter := range parameterCount {
		if p.values.has(parameter) {
			if f := p.parseOne(parameter); f.isSet() {
				return f
			}
		}
	}
	if p.operation == opDistance || p.near {
		p.setCircle(geo.Point{Lat: p.lat, Lng: p.lng})
	}
	if p.query.Sort == index.SortRelevance {
		p.query.Descending = true
	}
	for _, column := range p.facets {
		p.query.Counts[column] = true
	}
	p.expensive = p.isUnpaged() || p.query.Sort > index.SortDistance
	p.expensive = p.expensive || p.values.has(paramFacetSearch)
	for parameter := paramPubids; parameter < paramSnapshot; parameter++ {
		p.expensive = p.expensive || p.values.has(parameter)
	}
	return fault{}
}

// isUnpaged reports whether the response to a search may have more pubs than a page.
func (p *params) isUnpaged() bool { return p.query.Amount == 0 || p.query.Amount > maxAmount }

// circleParameters are those of a distance search: if one is given, all are required.
var circleParameters = [...]parameter{paramLat, paramLng, paramDistance}

// findOperation distinguishes a distance search from a standard one, and returns a fault if a parameter is missing.
func (p *params) findOperation() fault {
	p.operation = opSearch
	if p.values.has(paramAround) {
		p.operation = opDistance
		if !p.values.has(paramDistance) {
			return fault{row: missingCompanion, parameter: paramDistance, rule: "around needs it"}
		}
	} else if !p.values.has(paramNear) {
		for _, parameter := range circleParameters {
			if p.values.has(parameter) {
				p.operation = opDistance
			}
		}
		for _, parameter := range circleParameters {
			if p.operation == opDistance && !p.values.has(parameter) {
				return fault{row: missingPoint, parameter: parameter}
			}
		}
	}
	switch value := p.values.of[paramSort]; {
	case equalLower(value, "weighted") && !p.values.has(paramWeights):
		return fault{row: missingCompanion, parameter: paramWeights, rule: "sort=weighted needs them"}
	case equalLower(value, "random") && !p.values.has(paramSeed):
		return fault{row: missingCompanion, parameter: paramSeed, rule: "sort=random needs one"}
	}
	return fault{}
}

// resolveFields determines which members the pubs of the response have.
func (p *params) resolveFields() {
	shown := p.includes
	if p.query.Circle != nil || p.around != nil {
		shown |= 1 << memberDistance
	}
	switch p.query.Sort {
	case index.SortFair:
		shown |= 1 << memberFair
	case index.SortWeighted:
		shown |= 1 << memberWeighted
	}
	p.plain = p.fields == 0 && shown&^(1<<memberDistance) == 0 && p.format == formatJSON
	fields := p.fields
	if fields == 0 {
		fields = 1<<memberDistance - 1
	} else {
		shown &^= 1 << memberDistance &^ fields
	}
	shown |= fields &^ (1 << memberDistance)
	p.detailed = shown&(addressMembers|1<<memberExtra) != 0
	for member := range uint8(memberCount) {
		if shown&(1<<member) != 0 {
			p.members = append(p.members, member)
		}
	}
}

// resolveAround sets the centre of the circle to the pub of around, and excludes that pub.
func (p *params) resolveAround(s *index.Snapshot) fault {
	ordinal, ok := s.Lookup(p.around)
	if !ok {
		return fault{row: pubNotFound}
	}
	at := s.Point(ordinal)
	if at.Lat != at.Lat {
		return fault{row: invalidParameter, parameter: paramAround, rule: parameters[paramAround].rule}
	}
	p.lat, p.lng = at.Lat, at.Lng
	p.setCircle(at)
	p.excluded = append(p.excluded, p.around)
	p.query.Filter.Exclude = p.excluded
	return fault{}
}

// setCircle restricts the query to pubs in a circle.
func (p *params) setCircle(center geo.Point) {
	p.circle = geo.NewCircle(center, geo.Kilometres(p.radius))
	p.query.Circle, p.query.Near = &p.circle, p.near
}

// readOnce reads a query string in which none of the known parameters may be repeated.
func (p *params) readOnce(raw []byte, known []parameter) fault {
	if !p.values.read(raw) {
		return fault{row: malformedQuery}
	}
	if p.values.isStrict() {
		if f := p.values.rejectUnknown(known); f.isSet() {
			return f
		}
	}
	switch {
	case p.values.repeated:
		return fault{row: duplicateParameter, parameter: p.values.duplicate}
	}
	return fault{}
}

// pages returns the number of pages for a number of results.
func (p *params) pages(results int) int {
	size := p.query.Amount
	if size == 0 {
		size = max(1, results)
	}
	return (results + size - 1) / size
}
