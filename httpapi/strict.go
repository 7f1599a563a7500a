package httpapi

import (
	"strings"
	"unicode/utf8"

	"pubd/index"
)

// isStrict reports whether to reject unknown parameters.
func (q *queryString) isStrict() bool {
	strict, ok := parseTruth(q.of[paramStrict])
	return ok && strict
}

// rejectUnknown rejects the first parameter that is not among the known ones of a resource, including those of other
// resources. Parameters without a name are ignored.
func (q *queryString) rejectUnknown(known []parameter) fault {
	for _, name := range q.ignored {
		if len(name) > 0 {
			return unknown(string(name), known)
		}
	}
	uses := [parameterCount]bool{}
	for _, parameter := range known {
		uses[parameter] = true
	}
	for parameter := range parameterCount {
		if q.given[parameter] && !uses[parameter] {
			return unknown(parameter.String(), known)
		}
	}
	return fault{}
}

// maxShownName is how many bytes of the name of an unknown parameter an error repeats.
const maxShownName = 64

// unknown rejects a parameter by name, and suggests the most similar known one.
func unknown(name string, known []parameter) fault {
	f := fault{row: unknownParameter, parameter: nearest(name, known)}
	if len(name) > maxShownName {
		end := maxShownName
		for !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end] + "…"
	}
	quoted := index.AppendString(nil, name)
	f.rule = string(quoted[1 : len(quoted)-1])
	return f
}

// nearest returns the parameter with the most similar name, the first of several, or parameterCount if none is at most
// two edits away, or one for a name of three letters.
func nearest(text string, among []parameter) parameter {
	best, least := parameterCount, maxShownName
	if len(text) > maxShownName {
		return best
	}
	for _, parameter := range among {
		name := parameter.String()
		edits := index.Edits(strings.ToLower(text), name)
		if edits <= min(2, len(name)-2) && edits < least {
			best, least = parameter, edits
		}
	}
	return best
}
