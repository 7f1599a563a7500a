// Package query parses query strings, and the Accept header, by the tables of package params.
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
package query

import (
	"math/bits"
	"slices"

	"pubd/geo"
	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/httpapi/request"
	"pubd/index"
	"pubd/index/schema"
)

// Params are the parsed parameters of a request. They are valid until the next one is parsed, and as long as the query
// string.
type Params struct {
	Operation params.Operation
	Pubid     []byte   // of a lookup of one pub
	UIDs      [][]byte // of a lookup of several
	Query     index.Query
	// HasPage is set if a distance search has page or amount, which its response then shows.
	HasPage bool
	// Lat, Lng and Radius, in degrees and kilometres, describe the circle. Around is the UID of the pub at the centre.
	Lat, Lng, Radius float64
	Around           []byte
	After            []byte // the UID of the pub after which an export begins; nil for all

	Format params.Format
	// Members are the members of each pub in the response, ascending. Of a lookup or search, Plain is set if they are
	// those of a prepared pub, as JSON and perhaps with a distance, Whole if all prepared members are among them,
	// Detailed if the details of a pub are needed.
	Members                []params.Member
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
	chosen   params.Members // by fields; 0 means all of the snapshot
	included params.Members // by include
	strict   bool
	near     bool // results have their distance from a point, without being limited to a radius

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
func (p *Params) Parse(resource params.Operation, raw, accept []byte, maxUnpaged int, columns Columns) fault.Fault {
	f := p.parse(resource, raw, accept, maxUnpaged, columns)
	if f.IsSet() {
		f = p.withHint(f, resource)
	}
	return f
}

func (p *Params) parse(resource params.Operation, raw, accept []byte, maxUnpaged int, columns Columns) fault.Fault {
	p.reset(resource, raw)
	if resource == params.Search {
		p.Operation = params.None // until it is known which of its operations it is
	}
	if !p.values.read(raw) {
		return fault.Fault{Row: fault.MalformedQuery}
	}
	if resource == params.Points && len(raw) == 0 {
		p.Everything = true
		return fault.Fault{}
	}
	if columns != nil && resource != params.Suggest && !resource.IsPrepared() {
		var f fault.Fault
		if p.columns, f = columns.Of(p.values.value(params.ParamSnapshot)); f.IsSet() {
			return f
		}
		p.takeColumns()
	}
	p.values.leaveTo(resource)
	if strict, _ := parseTruth(p.values.value(params.ParamStrict)); strict {
		if f := p.values.rejectUnknown(resource); f.IsSet() {
			return f
		}
	}
	if f := p.findOperation(resource); f.IsSet() {
		return f
	}
	switch p.Operation {
	case params.Search:
		p.Query.Page, p.Query.Amount = 1, params.DefaultAmount
	case params.Distance:
		p.Query.Page, p.Query.Amount, p.Query.Sort = 1, maxUnpaged, schema.SortDistance
		p.HasPage = p.values.has(params.ParamPage) || p.values.has(params.ParamAmount)
	case params.Suggest:
		p.Query.Amount = params.DefaultSuggestions
	}
	if f := p.parseRows(); f.IsSet() {
		return f
	}
	if p.Operation != params.Lookup {
		if f := p.parseColumns(); f.IsSet() {
			return f
		}
	}
	p.finish(accept)
	return fault.Fault{}
}

// reset prepares p for the next request. Slices keep their memory.
func (p *Params) reset(resource params.Operation, raw []byte) {
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
func (p *Params) findOperation(resource params.Operation) fault.Fault {
	v := p.values
	single := resource == params.Search && v.has(params.ParamPubid) && !v.has(params.ParamPubids)
	if single {
		p.Operation = params.Lookup
	}
	switch {
	case single && slices.Contains(v.repeated, params.ParamPubid):
		return fault.Fault{Row: fault.DuplicateParameter, Parameter: params.ParamPubid.String()}
	case !single && len(v.repeated) > 0:
		return fault.Fault{Row: fault.DuplicateParameter, Parameter: v.repeated[0].String()}
	case !single && p.repeated != "":
		return fault.Fault{Row: fault.DuplicateParameter, Parameter: p.repeated}
	case single || resource == params.Search && v.has(params.ParamPubids):
		p.Operation = params.Lookup
		return fault.Fault{}
	case resource.IsPrepared():
		return fault.Fault{}
	}
	if !v.has(params.ParamSearch) {
		switch resource {
		case params.Search:
			return fault.Fault{Row: fault.MissingParameter}
		case params.Suggest:
			return missing(params.ParamSearch, "there is nothing to complete")
		case params.Points:
			return missing(params.ParamSearch, "points of all pubs take no parameters")
		}
	}
	if resource == params.Suggest {
		return fault.Fault{}
	}
	p.Operation = resource
	circle, f := p.hasCircle()
	if circle && resource == params.Search {
		p.Operation = params.Distance
	}
	return f
}

func missing(absent params.Param, rule string) fault.Fault {
	return fault.Fault{Row: fault.MissingCompanion, Parameter: absent.String(), Rule: rule}
}

// circleParameters are those of a circle: without near and around, all are required if one is given.
const circleParameters = params.Set(1<<params.ParamLat | 1<<params.ParamLng | 1<<params.ParamDistance)

// hasCircle reports whether pubs in a circle are asked for, and returns an error if a parameter is missing for that or
// for the order.
func (p *Params) hasCircle() (circle bool, f fault.Fault) {
	v := p.values
	switch {
	case v.has(params.ParamAround):
		if circle = true; !v.has(params.ParamDistance) {
			return circle, missing(params.ParamDistance, "around needs it")
		}
	case !v.has(params.ParamNear):
		absent := circleParameters &^ v.present
		if circle = absent != circleParameters; circle && absent != 0 {
			return circle, fault.Fault{Row: fault.MissingPoint, Parameter: absent.First().String()}
		}
	}
	if p.Operation != params.Search {
		return circle, fault.Fault{} // nothing else has an order
	}
	switch value := v.value(params.ParamSort); {
	case request.EqualLower(value, "weighted") && !v.has(params.ParamWeights):
		return circle, missing(params.ParamWeights, "sort=weighted needs them")
	case request.EqualLower(value, "random") && !v.has(params.ParamSeed):
		return circle, missing(params.ParamSeed, "sort=random needs one")
	}
	return circle, fault.Fault{}
}

// parseRows parses the given parameters of the operation.
func (p *Params) parseRows() fault.Fault {
	for rest := p.given(); rest != 0; rest &= rest - 1 {
		parameter := rest.First()
		row := &params.Rows[p.Operation][parameter]
		if parsers[parameter](p, row, p.values.values[parameter]) {
			continue
		}
		f := fault.Fault{Row: fault.InvalidParameter, Parameter: row.Name, Rule: row.Rule}
		switch {
		case parameter == params.ParamSort && p.canSortByDistance():
			f.Rule = params.SortRuleByDistance
		case parameter == params.ParamFacets:
			f.Rule = params.FacetsRule(p.withColumns(params.CountedNames))
		case parameter == params.ParamFacetSearch:
			f.Rule = params.FacetSearchRule(p.withColumns(params.FacetNames))
		}
		return f
	}
	return fault.Fault{}
}

// given returns the parameters with a value that have an effect on the operation.
func (p *Params) given() params.Set { return p.values.present & params.Effective[p.Operation] }

// finish decides what follows from several parameters.
func (p *Params) finish(accept []byte) {
	if p.near || p.Operation == params.Distance || (p.Operation == params.Points || p.Operation == params.Export) && p.values.has(params.ParamDistance) {
		p.setCircle(geo.Point{Lat: p.Lat, Lng: p.Lng})
	}
	if params.Effective[p.Operation].Has(params.ParamFormat) && !p.values.has(params.ParamFormat) {
		p.Format = acceptedFormat(accept)
	}
	switch p.Operation {
	case params.Points:
		p.Query.Amount, p.Query.Sort = params.MaxHitPoints, schema.SortRandom // a sample if there are too many hits
		p.Query.NoDistances, p.Work = true, true
	case params.Export:
		if !params.Rows[params.Export][params.ParamFormat].Allows(p.Format) { // by Accept
			p.Format = params.CSV
		}
		p.Everything = p.given()&params.Filtering == 0 && len(p.byColumn) == 0
		p.Query.All = p.Query.All || !p.values.has(params.ParamSearch)
		p.Query.Sort, p.Query.NoDistances, p.Work = schema.SortName, true, !p.Everything
		p.add(params.Columns)
	case params.Lookup:
		if p.chosen == 0 {
			p.included |= 1 << params.MemberRankings
		}
		p.chooseMembers()
	case params.Search, params.Distance:
		p.Query.Descending = p.Query.Descending || p.Query.Sort == schema.SortRelevance
		p.Query.More = p.Query.More || p.Query.Sort == schema.SortRelevance && !p.values.has(params.ParamRelax)
		isPaged := 0 < p.Query.Amount && p.Query.Amount <= params.MaxAmount
		p.Work = p.given()&params.Costly != 0 || len(p.byColumn) > 0 || !isPaged || p.Query.Sort.IsExpensive()
		p.chooseMembers()
	}
}

// chooseMembers determines which members the pubs of the response have.
func (p *Params) chooseMembers() {
	shown := p.included
	if p.Query.Circle != nil || p.Around != nil {
		shown |= 1 << params.MemberDistance
	}
	switch p.Query.Sort {
	case schema.SortFair:
		shown |= 1 << params.MemberFair
	case schema.SortWeighted:
		shown |= 1 << params.MemberWeighted
	}
	p.Whole = p.chosen == 0
	p.Plain = p.Whole && shown&^(1<<params.MemberDistance) == 0 && p.Format == params.JSON
	if p.Whole {
		shown |= params.Prepared
	} else {
		shown = shown&^(1<<params.MemberDistance&^p.chosen) | p.chosen&^(1<<params.MemberDistance)
	}
	p.Detailed, p.Timed = shown&params.WithDetails != 0, shown&params.Timed != 0
	p.add(shown)
}

func (p *Params) add(shown params.Members) {
	for rest := shown; rest != 0; rest &= rest - 1 {
		p.Members = append(p.Members, params.Member(bits.TrailingZeros64(uint64(rest))))
	}
}

// Center completes the parameters of a distance search around a pub: the circle is around its point, and the pub is
// left out. It is an error if the pub has no point.
func (p *Params) Center(at geo.Point) fault.Fault {
	if at.Lat != at.Lat {
		return fault.Fault{Row: fault.InvalidParameter, Parameter: params.ParamAround.String(), Rule: params.Table[params.ParamAround].Rule}
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

// acceptedFormat returns the preferred format of an Accept header (RFC 9110, section 12.5.1): the first of equally
// preferred ones, JSON if it names none. */* and application/* stand for JSON.
func acceptedFormat(accept []byte) params.Format {
	best, most := params.JSON, 0
	for name, weight := range request.Items(accept) {
		for f := range params.FormatCount {
			isNamed := request.EqualLower(name, f.MediaType()) || f == params.JSON && (string(name) == "*/*" || request.EqualLower(name, "application/*"))
			if !isNamed {
				continue
			}
			if weight > most {
				best, most = f, weight
			}
		}
	}
	return best
}
