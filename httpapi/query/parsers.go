package query

import (
	"pubd/httpapi/params"
	"pubd/httpapi/request"
	"pubd/index/schema"
)

// A parser parses the value of a parameter, by its row for the operation, and reports whether it is valid.
type parser func(p *Params, row *params.Parameter, value []byte) bool

// parsers has that of each parameter.
var parsers = func() (all [params.ParamCount]parser) {
	all = [params.ParamCount]parser{
		params.ParamPubid:       asIs(func(p *Params) *[]byte { return &p.Pubid }),
		params.ParamSearch:      (*Params).parseSearch,
		params.ParamPage:        whole(func(p *Params) *int64 { return &p.Query.Page }),
		params.ParamAmount:      whole(func(p *Params) *int { return &p.Query.Amount }),
		params.ParamSort:        (*Params).parseSort,
		params.ParamOrder:       (*Params).parseOrder,
		params.ParamRated:       flag(func(p *Params) *bool { return &p.Query.Rated }),
		params.ParamLat:         decimal(func(p *Params) *float64 { return &p.Lat }),
		params.ParamLng:         decimal(func(p *Params) *float64 { return &p.Lng }),
		params.ParamDistance:    decimal(func(p *Params) *float64 { return &p.Radius }),
		params.ParamMarker:      (*Params).parseMarker,
		params.ParamRelax:       (*Params).parseRelax,
		params.ParamPubids:      (*Params).parsePubids,
		params.ParamBox:         (*Params).parseBox,
		params.ParamExclude:     (*Params).parseExclude,
		params.ParamNear:        (*Params).parseNear,
		params.ParamAround:      (*Params).parseAround,
		params.ParamWeights:     (*Params).parseWeights,
		params.ParamSeed:        whole(func(p *Params) *uint64 { return &p.Query.Seed }),
		params.ParamInclude:     (*Params).parseInclude,
		params.ParamFields:      (*Params).parseFields,
		params.ParamFacets:      (*Params).parseFacets,
		params.ParamFormat:      (*Params).parseFormat,
		params.ParamSnapshot:    asIs(func(p *Params) *[]byte { return &p.Snapshot }),
		params.ParamStrict:      flag(func(p *Params) *bool { return &p.strict }),
		params.ParamAfter:       asIs(func(p *Params) *[]byte { return &p.After }),
		params.ParamFacetSearch: (*Params).parseFacetSearch,
		params.ParamFeatures:    (*Params).parseFeatures,
		params.ParamOpen:        (*Params).parseOpen,
		params.ParamOpenUnknown: flag(func(p *Params) *bool { return &p.Query.OpenUnknown }),
	}
	for facet := range schema.ExtraFacet {
		if filtering := params.ByName[params.FilterNames[facet]]; all[filtering] == nil {
			all[filtering] = filter(facet)
		}
	}
	for number := range schema.ExtraNumber {
		all[params.ParamMinimum+params.Param(number)], all[params.ParamMaximum+params.Param(number)] = limit(number, false), limit(number, true)
	}
	return all
}()

// asIs takes a value as it is.
func asIs(into func(p *Params) *[]byte) parser {
	return func(p *Params, _ *params.Parameter, value []byte) bool {
		*into(p) = value
		return true
	}
}

// flag parses true, false, 1 or 0.
func flag(into func(p *Params) *bool) parser {
	return func(p *Params, _ *params.Parameter, value []byte) (ok bool) {
		*into(p), ok = parseTruth(value)
		return ok
	}
}

// decimal parses a number in the range of its row.
func decimal(into func(p *Params) *float64) parser {
	return func(p *Params, row *params.Parameter, value []byte) (ok bool) {
		*into(p), ok = inRange(row, value)
		return ok
	}
}

// limit parses the least or, if isMost is set, the greatest value of a column of numbers.
func limit(n schema.Number, isMost bool) parser {
	return func(p *Params, row *params.Parameter, value []byte) bool {
		number, ok := inRange(row, value)
		p.addLimit(n, number, isMost)
		return ok
	}
}

// inRange parses a number, and reports whether it is of the kind and in the range of its row.
func inRange(row *params.Parameter, value []byte) (number float64, ok bool) {
	if number, ok = schema.ParseDecimal(value); row.Kind == params.Whole {
		_, ok = schema.ParseInteger(value)
	}
	return number, ok && row.Least <= number && number <= row.Most
}

// whole parses an integer in the range of its row.
func whole[T int | int64 | uint64](into func(p *Params) *T) parser {
	return func(p *Params, row *params.Parameter, value []byte) bool {
		number, ok := schema.ParseInteger(value)
		*into(p) = T(number)
		return ok && row.Least <= float64(number) && float64(number) <= row.Most
	}
}

// filter parses the values of a facet, which FoldValues reads.
func filter(f schema.Facet) parser {
	return func(p *Params, _ *params.Parameter, value []byte) bool {
		p.lists = append(p.lists, list{f, value})
		return true
	}
}

// parseTruth parses true, false, 1 or 0, in any case.
func parseTruth(value []byte) (truth, ok bool) {
	switch {
	case request.EqualLower(value, "true") || string(value) == "1":
		return true, true
	case request.EqualLower(value, "false") || string(value) == "0":
		return false, true
	}
	return false, false
}
