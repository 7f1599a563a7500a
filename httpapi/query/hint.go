package query

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/httpapi/request"
)

// withHint adds to a fault what to write instead, percent-encoded, if that is known and the rule does not say it.
func (p *Params) withHint(f fault.Fault, resource params.Operation) fault.Fault {
	given, known := params.ByName[f.Parameter]
	switch f.Row {
	case fault.MalformedQuery:
		p.values.decoded = p.values.decoded[:0]
		if text, _ := p.values.decode(p.Raw); text != nil { // which is no UTF-8
			f.Hint = "write texts in UTF-8, percent-encoded: caf%C3%A9 for café"
		}
	case fault.MissingParameter:
		f.Hint = p.renamed(resource, params.ParamSearch, params.ParamPubid, params.ParamPubids)
		if f.Hint == "" && (p.values.given&(1<<params.ParamLat|1<<params.ParamLng|1<<params.ParamNear|1<<params.ParamAround|1<<params.ParamBox)) != 0 {
			f.Hint = "add search=*, which stands for all pubs"
		}
	case fault.MissingPoint, fault.MissingCompanion:
		f.Hint = p.renamed(resource, given)
		if f.Hint == "" && given == params.ParamDistance && f.Row == fault.MissingPoint {
			f.Hint = "add distance=5, in kilometres, or write near=LAT,LNG for the nearest pubs however far"
		}
	case fault.DuplicateParameter:
		isLimit := strings.HasPrefix(f.Parameter, params.Least) || strings.HasPrefix(f.Parameter, params.Most)
		if !known && !isLimit || known && (params.Table[given].Kind == params.Texts || params.Table[given].Kind == params.Choices) {
			f.Hint = "separate values by commas: " + f.Parameter + "=A,B"
		}
	case fault.InvalidParameter:
		if known {
			f.Hint = p.instead(given, p.values.values[given])
		}
	}
	return f
}

// Hint returns what a query probably means that is valid and means something else, for the body of its response; empty
// if it may mean what it says. Parameters of other systems are told what they are called here.
func (p *Params) Hint() string {
	for _, unknown := range p.values.unknown {
		if meant := p.meant(unknown, p.Operation); meant < params.ParamCount && !p.values.has(meant) {
			return p.rename(unknown, meant)
		}
		before, _, isLimit := bytes.Cut(unknown.name, []byte("_"))
		if p.Operation != params.Lookup && p.Operation != params.Suggest && isLimit && (string(before) == "min" || string(before) == "max") {
			return shown(unknown.name) + " has no effect: columns of numbers are " + params.Listed(p.numberNames())
		}
	}
	for _, least := range p.ranges {
		for _, most := range p.ranges {
			if name := p.NumberName(least.Number); least.Number == most.Number && least.Least > most.Most {
				return fmt.Sprintf("no pub has a %s of at least %v and at most %v", name, least.Least, most.Most)
			}
		}
	}
	return ""
}

// meant returns the parameter of an operation that an unknown one means; parameterCount if there is none.
func (p *Params) meant(unknown pair, o params.Operation) params.Param {
	if len(bytes.TrimSpace(unknown.value)) == 0 {
		return params.ParamCount
	}
	return aliased(unknown.name, o)
}

// rename returns a hint to write a parameter instead of an unknown one that means it.
func (p *Params) rename(unknown pair, want params.Param) string {
	switch {
	case want == params.ParamPage && slices.Contains(params.Offsets, strings.ToLower(string(unknown.name))):
		return "write page instead of " + shown(unknown.name) + ": it counts pages of amount pubs, from 1"
	case !p.accepts(want, unknown.value):
		return "write " + want.String() + " instead of " + shown(unknown.name) + ": it " + params.Rows[p.Operation][want].Rule
	}
	return "write " + want.String() + "=" + shown(unknown.value) + " instead of " + shown(unknown.name)
}

// accepts reports whether a parameter can have a value in this query.
func (p *Params) accepts(want params.Param, value []byte) bool {
	row := &params.Rows[p.Operation][want]
	return parsers[want](&Params{Operation: p.Operation, values: p.values, columns: p.columns}, row, value)
}

// numberNames are the columns of numbers, as their limits name them.
func (p *Params) numberNames() []string {
	names := append(slices.Clip(params.MetricNames), "reviews")
	for _, column := range p.columns {
		if column.IsNumber && column.Name != "" {
			names = append(names, column.Name)
		}
	}
	return names
}

// renamed returns a hint to write one of some parameters instead of an unknown one that means it; empty if none does.
func (p *Params) renamed(resource params.Operation, wanted ...params.Param) string {
	for _, unknown := range p.values.unknown {
		if meant := p.meant(unknown, resource); slices.Contains(wanted, meant) {
			return p.rename(unknown, meant)
		}
	}
	return ""
}

// instead returns a hint for a wrong value, which writes one that is right.
func (p *Params) instead(given params.Param, value []byte) string {
	row := &params.Rows[p.Operation][given]
	write := func(value, why string) string {
		if !p.accepts(given, []byte(value)) {
			return ""
		}
		return "write " + row.Name + "=" + shown([]byte(value)) + why
	}
	switch {
	case given == params.ParamBox:
		if edge := strings.Split(string(value), ","); len(edge) == 4 {
			return cmp.Or(write(edge[0]+","+edge[3]+","+edge[2]+","+edge[1], ": the south comes first"),
				write(edge[1]+","+edge[0]+","+edge[3]+","+edge[2], ": longitudes come first"))
		}
	case given == params.ParamOpen:
		return write(row.Example[:len("2026-11-28T")]+string(value), " with a date")
	case given == params.ParamSort && bytes.ContainsAny(value, "-+: "):
		for _, name := range params.SortNames {
			if key := strings.Trim(strings.ToLower(string(value)), "-+"); key == name || strings.HasPrefix(key, name+":") || strings.HasPrefix(key, name+" ") {
				return write(name, "&order=asc, or order=desc")
			}
		}
	case row.Kind == params.Choice || row.Kind == params.Choices:
		choices := row.Choices
		if given == params.ParamFacets {
			choices = p.withColumns(choices)
		}
		for item := range bytes.SplitSeq(value, []byte(",")) {
			choice := strings.ToLower(string(item))
			nearest := mostSimilar(choice, choices)
			if nearest != "" && nearest != choice {
				return write(nearest, "")
			}
		}
	case row.Kind == params.Decimal && bytes.Count(value, []byte(",")) == 1:
		return write(strings.Replace(string(value), ",", ".", 1), ": decimals follow a point")
	}
	return ""
}

// shown returns a value percent-encoded, cut if it is long.
func shown(value []byte) string {
	if len(value) > maxShownName {
		return "…"
	}
	return string(request.AppendEscaped(nil, value, ",*:"))
}
