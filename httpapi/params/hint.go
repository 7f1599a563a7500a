package params

import (
	"bytes"
	"slices"
	"strings"

	"pubd/httpapi/fault"
	"pubd/index"
)

// withHint adds to a fault what to write instead, percent-encoded, if that is known and the rule does not say it.
func (p *Params) withHint(f fault.Fault, resource Operation) fault.Fault {
	given, known := byName[f.Parameter]
	switch f.Row {
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

// renamed returns a hint to write one of some parameters instead of an unknown one that means it; empty if none does.
func (p *Params) renamed(resource Operation, wanted ...parameter) string {
	for _, unknown := range p.values.unknown {
		for _, want := range wanted {
			if aliased(unknown.name, resource) == want {
				return "write " + want.String() + "=" + shown(unknown.value) + " instead of " + shown(unknown.name)
			}
		}
	}
	return ""
}

// instead returns a hint for a wrong value.
func (p *Params) instead(given parameter, value []byte) string {
	row := &rows[p.Operation][given]
	write := func(value string) string { return "write " + row.Name + "=" + value }
	switch {
	case given == paramBox:
		var edges [4]float64
		part := strings.Split(string(value), ",")
		switch {
		case parseDegrees(value, edges[:], 180, true) && edges[1] > edges[3]:
			return write(shown([]byte(strings.Join([]string{part[0], part[3], part[2], part[1]}, ",")))) + ": the south comes first"
		case len(part) == 4 && parseDegrees(value, edges[:], 90, true):
			return write(shown([]byte(strings.Join([]string{part[1], part[0], part[3], part[2]}, ",")))) + ": longitudes come first"
		}
	case given == paramSort && bytes.ContainsAny(value, "-+: "):
		for _, name := range sortNames {
			if key := strings.Trim(strings.ToLower(string(value)), "-+"); key == name || strings.HasPrefix(key, name+":") || strings.HasPrefix(key, name+" ") {
				return write(name) + "&order=asc, or order=desc"
			}
		}
	case row.Kind == Choice || row.Kind == Choices:
		choices := slices.Clip(row.Choices)
		if given == paramFacets {
			for _, column := range p.columns {
				if column.Name != "" {
					choices = append(choices, column.Name)
				}
			}
		}
		for item := range bytes.SplitSeq(value, []byte(",")) {
			choice := strings.ToLower(string(item))
			nearest := mostSimilar(choice, choices)
			if nearest != "" && nearest != choice {
				return write(nearest)
			}
		}
	case row.Kind == Decimal && bytes.Count(value, []byte(",")) == 1:
		decimal := bytes.Replace(value, []byte(","), []byte("."), 1)
		if _, ok := index.ParseDecimal(decimal); ok {
			return write(string(decimal)) + ": decimals follow a point"
		}
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
