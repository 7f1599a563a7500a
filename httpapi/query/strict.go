package query

import (
	"strings"
	"unicode/utf8"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index/schema"
	"pubd/index/text"
)

// leaveTo makes the parameters that only other resources have unknown.
func (q *queryString) leaveTo(resource params.Operation) {
	for rest := q.given &^ params.Taken[resource]; rest != 0; rest &= rest - 1 {
		other := rest.First()
		q.unknown = append(q.unknown, pair{[]byte(other.String()), q.value(other)})
	}
}

// rejectUnknown rejects the first parameter that a resource does not have. Parameters without a name are ignored.
func (q *queryString) rejectUnknown(resource params.Operation) fault.Fault {
	for _, one := range q.unknown {
		if len(one.name) > 0 {
			return unknown(string(one.name), resource)
		}
	}
	return fault.Fault{}
}

// maxShownName is how many bytes of the name of an unknown parameter, or of a value, an error repeats.
const maxShownName = 64

// unknown rejects a parameter by name, and suggests the most similar known one.
func unknown(name string, resource params.Operation) fault.Fault {
	f := fault.Fault{Row: fault.UnknownParameter}
	if meant := nearest(name, resource); meant != "" {
		f.Rule = ": did you mean '" + meant + "'?"
	}
	if len(name) > maxShownName {
		end := maxShownName
		for !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end] + "…"
	}
	quoted := schema.AppendString(nil, name)
	f.Parameter = string(quoted[1 : len(quoted)-1])
	return f
}

// longestAlias is the longest name that aliased compares.
const longestAlias = 32

// aliased returns the parameter of a resource that has a name as an alias, or as its name in another style such as
// minBeer or page[size]; parameterCount if there is none. It is cheap, and does not allocate.
func aliased[T string | []byte](name T, resource params.Operation) params.Param {
	var letters [longestAlias]byte
	n := 0
	if len(name) > longestAlias {
		return params.ParamCount
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
			return params.ParamCount
		}
	}
	if p, ok := params.ByAlias[string(letters[:n])]; ok && params.Table[p].TakenBy(resource) {
		return p
	}
	return params.ParamCount
}

// nearest returns the name of the parameter of a resource that a name means, or that is most similar; empty if there is
// none.
func nearest(text string, resource params.Operation) (best string) {
	if p := aliased(text, resource); p < params.ParamCount {
		return p.String()
	}
	var names []string
	for parameter := range params.ParamCount {
		if params.Table[parameter].TakenBy(resource) {
			names = append(names, parameter.String())
		}
	}
	return mostSimilar(strings.ToLower(text), names)
}

// mostSimilar returns the name that is most similar to a text, the first of several; empty if none is at most two edits
// away, one for a name of three letters, or none for a shorter one, or the text is empty or longer than maxShownName.
func mostSimilar(written string, names []string) (best string) {
	if written == "" || len(written) > maxShownName {
		return ""
	}
	least := maxShownName
	for _, name := range names {
		if edits := text.Edits(written, name); edits <= min(2, len(name)-2) && edits < least {
			best, least = name, edits
		}
	}
	return best
}
