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

// nearest returns the name of the parameter of a resource that is most similar, the first of several, or empty if none
// is at most two edits away, or one for a name of three letters.
func nearest(text string, resource Operation) (best string) {
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
