package index

import (
	"runtime"

	"pubd/geo"
	"pubd/index/schema"
	"pubd/index/suggest"
)

// MaxSuggestions is the maximum number of suggestions.
const MaxSuggestions = suggest.Most

// Suggestion is a completion of a text. Its bytes are valid for as long as those of a Result.
type Suggestion = suggest.Suggestion

// SuggestedPub is the kind of a suggestion of a name at a location.
const SuggestedPub = suggest.Pub

// Suggest returns completions of the text of a query, as [suggest.Request.Suggestions] says. Of the circle, only the centre
// matters.
func (s *Snapshot) Suggest(w *Workspace, q *Query) []Suggestion {
	w.begin(s.Len())
	found := suggest.Request{
		Segment: s.segment, Text: q.Text, Amount: q.Amount, Circle: q.Circle,
		Search: func(text []byte, strict bool, around *geo.Circle) []uint32 {
			relevant := q.relevant(text, strict, around)
			return s.Search(&relevant, w).Pubs
		},
		Pool: &w.sets, Around: &w.near, Memory: &w.suggest,
	}.Suggestions()
	runtime.KeepAlive(s)
	return found
}

// relevant returns the search within a suggestion: for the most relevant pubs with a text, else as the query has it, but
// for what only answers show.
func (q Query) relevant(text []byte, strict bool, around *geo.Circle) Query {
	const most = 64
	q.Text, q.All, q.Strict = text, false, q.Strict || strict
	q.Sort, q.Descending = schema.SortRelevance, true
	q.Page, q.Amount, q.NoDistances = 0, most, true
	q.Counts, q.Spreads = nil, nil
	if around != nil {
		q.Circle, q.Near = around, true
	}
	return q
}
