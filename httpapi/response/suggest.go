package response

import (
	"math"

	"pubd/httpapi/jsonappend"
	"pubd/httpapi/query"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/schema"
)

// appendSuggestions appends the body of suggest.
func appendSuggestions(dst []byte, v *views.View, p *query.Params, r *Result) []byte {
	dst = jsonappend.List(append(dst, `{"suggestions":`...), r.Suggestions, appendSuggestion)
	return appendHint(jsonappend.Integer(dst, `,"total_pubs":`, v.Snapshot.Len()), v, p, &r.Found)
}

func appendSuggestion(dst []byte, s index.Suggestion) []byte {
	dst = schema.AppendString(append(dst, `{"text":`...), s.Text)
	dst = append(append(dst, `,"type":"`...), s.Kind.String()...)
	dst = jsonappend.Integer(dst, `","pubs":`, s.Pubs)
	if s.Kind == index.SuggestedPub {
		dst = schema.AppendString(append(dst, `,"name":`...), s.Name)
		if len(s.Location) > 0 {
			dst = schema.AppendString(append(dst, `,"location":`...), s.Location)
		}
		if len(s.UID) > 0 {
			dst = schema.AppendString(append(dst, `,"UID":`...), s.UID)
		}
	}
	if !math.IsNaN(float64(s.Distance)) {
		dst = jsonappend.Metres(append(dst, `,"distance":`...), s.Distance)
	}
	return append(dst, '}')
}
