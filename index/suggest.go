package index

import (
	"runtime"

	"pubd/index/text"
)

// MaxSuggestions is how many suggestions there are at most.
const MaxSuggestions = text.MaxCompletions

// Suggestion is a name or a location that completes a text. Its text is valid as long as a Result is.
type Suggestion struct {
	Text     []byte // in its most frequent spelling
	Location bool   // and no name
	Pubs     int    // that have it
}

// Suggest returns names and locations that begin with a text, those that most pubs have first, names before locations
// that as many have; at most most, and no more than MaxSuggestions. Names are completed without the and and.
func (s *Snapshot) Suggest(w *Workspace, prefix []byte, most int) []Suggestion {
	w.begin(s.Len())
	m := &w.match
	m.folded = AppendFolded(m.folded[:0], prefix)
	suggestions := w.suggestions[:0]
	if len(m.folded) == 0 {
		return suggestions
	}
	m.words = m.words[:0].AppendWords(m.folded).WithoutFiller()
	m.title = m.words.AppendTo(m.title[:0])
	found := s.titles.Append(w.completions[:0], m.title)
	names := len(found)
	found = s.locations.Append(found, m.folded)
	w.completions, w.suggested = found, w.suggested[:0]
	titles, locations := found[:names], found[names:]
	for most = min(most, MaxSuggestions); most > 0 && len(titles)+len(locations) > 0; most-- {
		if len(locations) == 0 || len(titles) > 0 && s.titles.Pubs[titles[0]] >= s.locations.Pubs[locations[0]] {
			_, name, _ := s.pubs.strings(s.titles.shown[titles[0]])
			start := len(w.suggested)
			w.suggested = appendUnescaped(w.suggested, name)
			suggestions = append(suggestions, Suggestion{w.suggested[start:len(w.suggested):len(w.suggested)], false, int(s.titles.Pubs[titles[0]])})
			titles = titles[1:]
		} else {
			suggestions = append(suggestions, Suggestion{s.columns[Location].text(locations[0]), true, int(s.locations.Pubs[locations[0]])})
			locations = locations[1:]
		}
	}
	w.suggestions = suggestions
	runtime.KeepAlive(s)
	return suggestions
}
