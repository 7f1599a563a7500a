// Package params parses query strings, and the Accept header, by one table of parameters.
//
// A row of [Table] says all about a parameter: name, form and range of its values, default, the operations that it has
// an effect on, what it costs, the rule that an error repeats, and a sentence with an example for the documentation.
// Parsing, strict=, the OpenAPI document, the tables of the documentation and the options of the clients follow from
// it. Beside it are the tables of members of a pub and of formats, whose values parameters choose.
//
// [Params.Parse] is given the resource, the query string and the Accept header:
//
//	queryString   decodes names and values once, by the table; notes repeated and unknown names
//	operation     what the given parameters ask for: a lookup, a search, a distance search
//	rows          each given parameter that the operation has is parsed, in the order of the table
//	members       which members each pub of the response has
//
// The result is final: nobody checks or changes it later, but for the point of around, which needs the snapshot
// ([Params.Center]). Params are reused: after a few requests, parsing allocates nothing.
package params

import (
	"math/bits"
	"slices"

	"pubd/geo"
	"pubd/httpapi/fault"
	"pubd/index"
	"pubd/index/schema"
)

// Params are the parsed parameters of a request. They are valid until the next one is parsed, and as long as the query
// string.
type Params struct {
	Operation Operation
	Pubid     []byte   // of a lookup of one pub
	UIDs      [][]byte // of a lookup of several
	Query     index.Query
	// HasPage is set if a distance search has page or amount, which its response then shows.
	HasPage bool
	// Lat, Lng and Radius, in degrees and kilometres, describe the circle. Around is the UID of the pub at the centre.
	Lat, Lng, Radius float64
	Around           []byte
	After            []byte // the UID of the pub after which an export begins; nil for all

	Format Format
	// Members are the members of each pub in the response, ascending. Of a lookup or search, Plain is set if they are
	// those of a prepared pub, as JSON and perhaps with a distance, Whole if all prepared members are among them,
	// Detailed if the details of a pub are needed.
	Members                []Member
	Plain, Whole, Detailed bool
	Snapshot               []byte // the ID of the requested snapshot; nil means the current one

	// Timed is set if the members of pubs depend on the time.
	Timed bool
	// Everything is set if the points or the export of all pubs are requested.
	Everything bool
	// Work is set if the response may take more than a fraction of a millisecond, or more memory than a page.
	Work bool

	Raw []byte // the query string

	values   *queryString
	chosen   Members // by fields; 0 means all of the snapshot
	included Members // by include
	near     bool    // results have their distance from a point, without being limited to a radius

	// Referenced by Query.
	circle   geo.Circle
	box      geo.Box
	marker   []byte
	excluded [][]byte
	lists    []list
	folded   []byte // of facet_search
	feature  []byte // folded, while it is read
	ranges   []index.Range

	columns  []Column // of the snapshot
	byColumn []columnValue
	repeated string // a parameter of byColumn that was given twice; empty if there is none
}

// Parse parses the query string of a resource, named by an operation: Search stands for lookups and distance searches,
// too. maxUnpaged is the page size of a distance search without amount, columns are those of the snapshots, or nil. It
// returns the first of several errors: a malformed query, a snapshot that is not available, an unknown parameter in a
// strict query, a duplicate, a missing parameter, then the parameters in the order of their table.
func (p *Params) Parse(resource Operation, raw, accept []byte, maxUnpaged int, columns Columns) fault.Fault {
	f := p.parse(resource, raw, accept, maxUnpaged, columns)
	if f.IsSet() {
		f = p.withHint(f, resource)
	}
	return f
}

func (p *Params) parse(resource Operation, raw, accept []byte, maxUnpaged int, columns Columns) fault.Fault {
	p.reset(resource, raw)
	if resource == Search {
		p.Operation = None // until it is known which of its operations it is
	}
	if !p.values.read(raw) {
		return fault.Fault{Row: fault.MalformedQuery}
	}
	if resource == Points && len(raw) == 0 {
		p.Everything = true
		return fault.Fault{}
	}
	if columns != nil && resource != Suggest && resource != Stats {
		var f fault.Fault
		if p.columns, f = columns.Of(p.values.value(paramSnapshot)); f.IsSet() {
			return f
		}
		p.takeColumns()
	}
	p.values.leaveTo(resource)
	if strict, _ := parseTruth(p.values.value(paramStrict)); strict {
		if f := p.values.rejectUnknown(resource); f.IsSet() {
			return f
		}
	}
	if f := p.findOperation(resource); f.IsSet() {
		return f
	}
	switch p.Operation {
	case Search:
		p.Query.Page, p.Query.Amount = 1, defaultAmount
	case Distance:
		p.Query.Page, p.Query.Amount, p.Query.Sort = 1, maxUnpaged, schema.SortDistance
		p.HasPage = p.values.has(paramPage) || p.values.has(paramAmount)
	case Suggest:
		p.Query.Amount = defaultSuggestions
	}
	if f := p.parseRows(); f.IsSet() {
		return f
	}
	if p.Operation != Lookup {
		if f := p.parseColumns(); f.IsSet() {
			return f
		}
	}
	p.finish(accept)
	return fault.Fault{}
}

// reset prepares p for the next request. Slices keep their memory.
func (p *Params) reset(resource Operation, raw []byte) {
	values := p.values
	if values == nil {
		values = new(queryString)
	}
	*p = Params{Operation: resource, Raw: raw, values: values, UIDs: p.UIDs[:0], Members: p.Members[:0], marker: p.marker[:0],
		excluded: p.excluded[:0], lists: p.lists[:0], folded: p.folded[:0], feature: p.feature[:0], ranges: p.ranges[:0],
		byColumn: p.byColumn[:0], Query: index.Query{Counts: p.Query.Counts[:0], Spreads: p.Query.Spreads[:0]}}
}

// findOperation finds out what is asked for, and returns an error if a parameter is repeated or missing. What a lookup
// of one pub does not use may be repeated.
func (p *Params) findOperation(resource Operation) fault.Fault {
	v := p.values
	single := resource == Search && v.has(paramPubid) && !v.has(paramPubids)
	if single {
		p.Operation = Lookup
	}
	switch {
	case single && slices.Contains(v.repeated, paramPubid):
		return fault.Fault{Row: fault.DuplicateParameter, Parameter: paramPubid.String()}
	case !single && len(v.repeated) > 0:
		return fault.Fault{Row: fault.DuplicateParameter, Parameter: v.repeated[0].String()}
	case !single && p.repeated != "":
		return fault.Fault{Row: fault.DuplicateParameter, Parameter: p.repeated}
	case single || resource == Search && v.has(paramPubids):
		p.Operation = Lookup
		return fault.Fault{}
	case resource == Stats:
		return fault.Fault{}
	}
	if !v.has(paramSearch) {
		switch resource {
		case Search:
			return fault.Fault{Row: fault.MissingParameter}
		case Suggest:
			return missing(paramSearch, "there is nothing to complete")
		case Points:
			return missing(paramSearch, "points of all pubs take no parameters")
		}
	}
	if resource == Suggest {
		return fault.Fault{}
	}
	p.Operation = resource
	circle, f := p.hasCircle()
	if circle && resource == Search {
		p.Operation = Distance
	}
	return f
}

func missing(absent parameter, rule string) fault.Fault {
	return fault.Fault{Row: fault.MissingCompanion, Parameter: absent.String(), Rule: rule}
}

// circleParameters are those of a circle: without near and around, all are required if one is given.
const circleParameters = parameterSet(1<<paramLat | 1<<paramLng | 1<<paramDistance)

// hasCircle reports whether pubs in a circle are asked for, and returns an error if a parameter is missing for that or
// for the order.
func (p *Params) hasCircle() (circle bool, f fault.Fault) {
	v := p.values
	switch {
	case v.has(paramAround):
		if circle = true; !v.has(paramDistance) {
			return circle, missing(paramDistance, "around needs it")
		}
	case !v.has(paramNear):
		absent := circleParameters &^ v.present
		if circle = absent != circleParameters; circle && absent != 0 {
			return circle, fault.Fault{Row: fault.MissingPoint, Parameter: absent.first().String()}
		}
	}
	if p.Operation != Search {
		return circle, fault.Fault{} // nothing else has an order
	}
	switch value := v.value(paramSort); {
	case EqualLower(value, "weighted") && !v.has(paramWeights):
		return circle, missing(paramWeights, "sort=weighted needs them")
	case EqualLower(value, "random") && !v.has(paramSeed):
		return circle, missing(paramSeed, "sort=random needs one")
	}
	return circle, fault.Fault{}
}

// parseRows parses the given parameters of the operation.
func (p *Params) parseRows() fault.Fault {
	for rest := p.given(); rest != 0; rest &= rest - 1 {
		parameter := rest.first()
		row := &rows[p.Operation][parameter]
		if row.parse(p, row, p.values.values[parameter]) {
			continue
		}
		f := fault.Fault{Row: fault.InvalidParameter, Parameter: row.Name, Rule: row.Rule}
		switch {
		case parameter == paramSort && p.canSortByDistance():
			f.Rule = sortRuleByDistance
		case parameter == paramFacets:
			f.Rule = facetsRule(p.withColumns(countedNames))
		case parameter == paramFacetSearch:
			f.Rule = facetSearchRule(p.withColumns(facetNames))
		}
		return f
	}
	return fault.Fault{}
}

// given returns the parameters with a value that have an effect on the operation.
func (p *Params) given() parameterSet { return p.values.present & effective[p.Operation] }

// finish decides what follows from several parameters.
func (p *Params) finish(accept []byte) {
	if p.near || p.Operation == Distance || (p.Operation == Points || p.Operation == Export) && p.values.has(paramDistance) {
		p.setCircle(geo.Point{Lat: p.Lat, Lng: p.Lng})
	}
	if effective[p.Operation].has(paramFormat) && !p.values.has(paramFormat) {
		p.Format = acceptedFormat(accept)
	}
	switch p.Operation {
	case Points:
		p.Query.Amount, p.Query.Sort = MaxHitPoints, schema.SortRandom // a sample if there are too many hits
		p.Query.NoDistances, p.Work = true, true
	case Export:
		if !rows[Export][paramFormat].allows(p.Format) { // by Accept
			p.Format = CSV
		}
		p.Everything = p.given()&filtering == 0 && len(p.byColumn) == 0
		p.Query.All = p.Query.All || !p.values.has(paramSearch)
		p.Query.Sort, p.Query.NoDistances, p.Work = schema.SortName, true, !p.Everything
		p.add(columns)
	case Lookup:
		if p.chosen == 0 {
			p.included |= 1 << MemberRankings
		}
		p.chooseMembers()
	case Search, Distance:
		p.Query.Descending = p.Query.Descending || p.Query.Sort == schema.SortRelevance
		p.Query.More = p.Query.More || p.Query.Sort == schema.SortRelevance && !p.values.has(paramRelax)
		isPaged := 0 < p.Query.Amount && p.Query.Amount <= MaxAmount
		p.Work = p.given()&costly != 0 || len(p.byColumn) > 0 || !isPaged || p.Query.Sort.IsExpensive()
		p.chooseMembers()
	}
}

// chooseMembers determines which members the pubs of the response have.
func (p *Params) chooseMembers() {
	shown := p.included
	if p.Query.Circle != nil || p.Around != nil {
		shown |= 1 << MemberDistance
	}
	switch p.Query.Sort {
	case schema.SortFair:
		shown |= 1 << MemberFair
	case schema.SortWeighted:
		shown |= 1 << MemberWeighted
	}
	p.Whole = p.chosen == 0
	p.Plain = p.Whole && shown&^(1<<MemberDistance) == 0 && p.Format == JSON
	if p.Whole {
		shown |= prepared
	} else {
		shown = shown&^(1<<MemberDistance&^p.chosen) | p.chosen&^(1<<MemberDistance)
	}
	p.Detailed, p.Timed = shown&withDetails != 0, shown&timed != 0
	p.add(shown)
}

func (p *Params) add(shown Members) {
	for rest := shown; rest != 0; rest &= rest - 1 {
		p.Members = append(p.Members, Member(bits.TrailingZeros64(uint64(rest))))
	}
}

// Center completes the parameters of a distance search around a pub: the circle is around its point, and the pub is
// left out. It is an error if the pub has no point.
func (p *Params) Center(at geo.Point) fault.Fault {
	if at.Lat != at.Lat {
		return fault.Fault{Row: fault.InvalidParameter, Parameter: paramAround.String(), Rule: Table[paramAround].Rule}
	}
	p.Lat, p.Lng = at.Lat, at.Lng
	p.setCircle(at)
	p.excluded = append(p.excluded, p.Around)
	p.Query.Filter.Exclude = p.excluded
	return fault.Fault{}
}

// setCircle restricts the query to pubs in a circle.
func (p *Params) setCircle(center geo.Point) {
	p.circle = geo.NewCircle(center, geo.Kilometres(p.Radius))
	p.Query.Circle, p.Query.Near = &p.circle, p.near
}

// PageCount returns the number of pages for a number of results.
func (p *Params) PageCount(results int) int {
	size := p.Query.Amount
	if size == 0 {
		size = max(1, results)
	}
	return (results + size - 1) / size
}
