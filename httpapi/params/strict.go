package params

import (
	"strings"
	"unicode/utf8"

	"pubd/httpapi/fault"
	"pubd/index"
)

// isStrict reports whether to reject unknown parameters.
func (q *queryString) isStrict() bool {
	strict, ok := parseTruth(q.value(paramStrict))
	return ok && strict
}

// rejectUnknown rejects the first parameter that a resource does not have, including those of other resources.
// Parameters without a name are ignored.
func (q *queryString) rejectUnknown(resource Operation) fault.Fault {
	for _, name := range q.ignored {
		if len(name) > 0 {
			return unknown(string(name), resource)
		}
	}
	for parameter := range parameterCount {
		if q.given.has(parameter) && !Table[parameter].TakenBy(resource) {
			return unknown(parameter.String(), resource)
		}
	}
	return fault.Fault{}
}

// maxShownName is how many bytes of the name of an unknown parameter an error repeats.
const maxShownName = 64

// unknown rejects a parameter by name, and suggests the most similar known one.
func unknown(name string, resource Operation) fault.Fault {
	f := fault.Fault{Row: fault.UnknownParameter, Parameter: nearest(name, resource)}
	if len(name) > maxShownName {
		end := maxShownName
		for !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end] + "…"
	}
	quoted := index.AppendString(nil, name)
	f.Rule = string(quoted[1 : len(quoted)-1])
	return f
}

// longestAlias is the longest name that aliased compares.
const longestAlias = 32

// aliased returns the parameter of a resource that has a name as an alias, or as its name in another style such as
// minBeer or page[size]; parameterCount if there is none. It is cheap, and does not allocate.
func aliased[T string | []byte](name T, resource Operation) parameter {
	var letters [longestAlias]byte
	n := 0
	if len(name) > longestAlias {
		return parameterCount
	}
	for i := range len(name) {
		switch c := name[i]; {
		case 'A' <= c && c <= 'Z':
			letters[n] = c - 'A' + 'a'
			n++
		case 'a' <= c && c <= 'z':
			letters[n] = c
			n++
		case c == '-' || c == '_' || c == '.' || c == '[' || c == ']':
		default:
			return parameterCount
		}
	}
	if p, ok := byAlias[string(letters[:n])]; ok && Table[p].TakenBy(resource) {
		return p
	}
	return parameterCount
}

// nearest returns the name of the parameter of a resource that a name means, or that is most similar, the first of
// several, or empty if none is at most two edits away, or one for a name of three letters.
func nearest(text string, resource Operation) (best string) {
	if p := aliased(text, resource); p < parameterCount {
		return p.String()
	}
	if len(text) > maxShownName {
		return ""
	}
	least := maxShownName
	for parameter := range parameterCount {
		if !Table[parameter].TakenBy(resource) {
			continue
		}
		name := parameter.String()
		if edits := index.Edits(strings.ToLower(text), name); edits <= min(2, len(name)-2) && edits < least {
			best, least = name, edits
		}
	}
	return best
}

// maxHints is the maximum number of ignored names in a hint.
const maxHints = 8

// AppendHint appends which parameters the ignored ones may mean, such as "limit (amount?), offset (page?)"; nothing if
// there are none. Misspelt names are not among them, because comparing takes longer than answering: strict=true names
// the nearest one. It must be called after [Params.AppendIgnored].
func (p *Params) AppendHint(dst []byte) []byte {
	hints := 0
	for _, name := range p.values.ignored {
		meant := aliased(name, p.Operation)
		if meant == parameterCount || hints == maxHints {
			continue
		}
		if hints > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(append(AppendEscaped(dst, name, ""), " ("...), meant.String()...), "?)"...)
		hints++
	}
	return dst
}
