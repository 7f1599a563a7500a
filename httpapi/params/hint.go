package params

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pubd/httpapi/fault"
)

// withHint adds to a fault what to write instead, percent-encoded, if that is known and the rule does not say it.
func (p *Params) withHint(f fault.Fault, resource Operation) fault.Fault {
	given, known := byName[f.Parameter]
	switch f.Row {
	case fault.MalformedQuery:
		p.values.decoded = p.values.decoded[:0]
		if text, _ := p.values.decode(p.Raw); text != nil { // which is no UTF-8
			f.Hint = "write texts in UTF-8, percent-encoded: caf%C3%A9 for café"
		}
	case fault.MissingParameter:
		f.Hint = p.renamed(resource, paramSearch, paramPubid, paramPubids)
		if f.Hint == "" && (p.values.given&(1<<paramLat|1<<paramLng|1<<paramNear|1<<paramAround|1<<paramBox)) != 0 {
			f.Hint = "add search=*, which stands for all pubs"
		}
	case fault.MissingPoint, fault.MissingCompanion:
		f.Hint = p.renamed(resource, given)
		if f.Hint == "" && given == paramDistance && f.Row == fault.MissingPoint {
			f.Hint = "add distance=5, in kilometres, or write near=LAT,LNG for the nearest pubs however far"
		}
	case fault.DuplicateParameter:
		isLimit := strings.HasPrefix(f.Parameter, least) || strings.HasPrefix(f.Parameter, most)
		if !known && !isLimit || known && (Table[given].Kind == Texts || Table[given].Kind == Choices) {
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
		if meant := p.meant(unknown, p.Operation); meant < parameterCount && !p.values.has(meant) {
			return p.rename(unknown, meant)
		}
		before, _, isLimit := bytes.Cut(unknown.name, []byte("_"))
		if p.Operation != Lookup && p.Operation != Suggest && isLimit && (string(before) == "min" || string(before) == "max") {
			return shown(unknown.name) + " has no effect: columns of numbers are " + listed(p.numberNames())
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
func (p *Params) meant(unknown pair, o Operation) parameter {
	if len(bytes.TrimSpace(unknown.value)) == 0 {
		return parameterCount
	}
	return aliased(unknown.name, o)
}

// rename returns a hint to write a parameter instead of an unknown one that means it.
func (p *Params) rename(unknown pair, want parameter) string {
	switch {
	case want == paramPage && slices.Contains(offsets, strings.ToLower(string(unknown.name))):
		return "write page instead of " + shown(unknown.name) + ": it counts pages of amount pubs, from 1"
	case !p.accepts(want, unknown.value):
		return "write " + want.String() + " instead of " + shown(unknown.name) + ": it " + rows[p.Operation][want].Rule
	}
	return "write " + want.String() + "=" + shown(unknown.value) + " instead of " + shown(unknown.name)
}

// accepts reports whether a parameter can have a value in this query.
func (p *Params) accepts(want parameter, value []byte) bool {
	row := &rows[p.Operation][want]
	return row.parse(&Params{Operation: p.Operation, values: p.values, columns: p.columns}, row, value)
}

// numberNames are the columns of numbers, as their limits name them.
func (p *Params) numberNames() []string {
	names := append(slices.Clip(metricNames), "reviews")
	for _, column := range p.columns {
		if column.IsNumber && column.Name != "" {
			names = append(names, column.Name)
		}
	}
	return names
}

// renamed returns a hint to write one of some parameters instead of an unknown one that means it; empty if none does.
func (p *Params) renamed(resource Operation, wanted ...parameter) string {
	for _, unknown := range p.values.unknown {
		if meant := p.meant(unknown, resource); slices.Contains(wanted, meant) {
			return p.rename(unknown, meant)
		}
	}
	return ""
}

// instead returns a hint for a wrong value, which writes one that is right.
func (p *Params) instead(given parameter, value []byte) string {
	row := &rows[p.Operation][given]
	write := func(value, why string) string {
		if !p.accepts(given, []byte(value)) {
			return ""
		}
		return "write " + row.Name + "=" + shown([]byte(value)) + why
	}
	switch {
	case given == paramBox:
		if edge := strings.Split(string(value), ","); len(edge) == 4 {
			return cmp.Or(write(edge[0]+","+edge[3]+","+edge[2]+","+edge[1], ": the south comes first"),
				write(edge[1]+","+edge[0]+","+edge[3]+","+edge[2], ": longitudes come first"))
		}
	case given == paramOpen:
		return write(row.Example[:len("2026-11-28T")]+string(value), " with a date")
	case given == paramSort && bytes.ContainsAny(value, "-+: "):
		for _, name := range sortNames {
			if key := strings.Trim(strings.ToLower(string(value)), "-+"); key == name || strings.HasPrefix(key, name+":") || strings.HasPrefix(key, name+" ") {
				return write(name, "&order=asc, or order=desc")
			}
		}
	case row.Kind == Choice || row.Kind == Choices:
		choices := row.Choices
		if given == paramFacets {
			choices = p.withColumns(choices)
		}
		for item := range bytes.SplitSeq(value, []byte(",")) {
			choice := strings.ToLower(string(item))
			nearest := mostSimilar(choice, choices)
			if nearest != "" && nearest != choice {
				return write(nearest, "")
			}
		}
	case row.Kind == Decimal && bytes.Count(value, []byte(",")) == 1:
		return write(strings.Replace(string(value), ",", ".", 1), ": decimals follow a point")
	}
	return ""
}

// shown returns a value percent-encoded, cut if it is long.
func shown(value []byte) string {
	if len(value) > maxShownName {
		return "…"
	}
	return string(AppendEscaped(nil, value, ",*:"))
}
