package index

import (
	"bytes"
	"math/bits"
	"runtime"
	"slices"
	"unicode/utf8"

	"pubd/index/relax"
	"pubd/index/text"
)

// Highlight is which folded words of a field of a pub matched, and from which to before which character of its value
// each is written.
type Highlight struct {
	Field string
	Words [][]byte
	Spans [][2]int
}

// The fields that may match, in the order of answers. Those that say where a pub is follow the names.
const (
	highlightName = iota
	highlightLocation
	highlightAddress
	highlightPostcode
	highlightArea
	highlightAltNames
	highlightCategory
	highlightCount
)

var highlightColumns = [highlightCount]int{ColumnName, ColumnLocation, ColumnAddress, ColumnPostcode, ColumnArea, ColumnAltNames, ColumnCategory}

// highlightField returns the name of a field as answers write it.
func highlightField(field int) string { return Columns[highlightColumns[field]].Name }

// highlighter finds which words of a pub matched.
type highlighter struct {
	explanation *explanation // of which the words were collected; nil until they are needed
	wanted      []wantedWord // the words that matched
	places      []wantedWord // the words of the place
	runs        []wantedRun
	joined      []byte    // of runs
	begins      [256]bool // by byte: whether a run begins with it
	raw         []byte
	folded      []byte
	synonym     []byte
	words       text.Phrase // of the folded text
	spans       [][2]int
	isMatched   []bool // by word
	at          []int  // positions of words
	run         []byte
	fuzzy       text.FuzzyMatcher
	fields      []Highlight
}

// wantedWord is a word of the query that matched pubs. The last word matches as a prefix, too.
type wantedWord struct {
	last        bool
	abbreviated string // or spelt out
	inside      bool   // it may match inside a word
	letters     uint32 // of Word
	text.Misspelling
}

// wantedRun is a run of neighbouring words that matched when written together, or as a prefix if prefix is set.
type wantedRun struct {
	start, end int // in joined
	prefix     bool
}

// Highlights returns which words of a pub matched: of name and location, and of other fields that have any. The result
// must be that of the last search, and the pub one of its pubs. The highlights are valid until the next call. It takes
// some microseconds and does not allocate once the workspace has grown.
func (w *Workspace) Highlights(s *Snapshot, result *Result, pub uint32) []Highlight {
	h := &w.highlight
	how := &result.explanation
	if result.more != nil && result.added.Has(pub) {
		how = result.more
	}
	if h.explanation != how || how.answer == nil && len(how.words) == 0 { // of a lookup
		h.prepare(s, how, w)
	}
	h.fields = h.fields[:0]
	if len(h.wanted)+len(h.places)+len(h.runs) == 0 {
		h.fields = append(h.fields, Highlight{Field: highlightField(highlightName)}, Highlight{Field: highlightField(highlightLocation)})
		return h.fields
	}
	h.raw, h.folded, h.spans, h.words = h.raw[:0], h.folded[:0], h.spans[:0], h.words[:0]
	prepared := s.pubs.at(pub)
	details := s.details.texts(pub)
	for field, value := range [highlightCount][]byte{
		prepared.value(ColumnName), prepared.value(ColumnLocation), details[ColumnAddress-PreparedColumns], details[ColumnPostcode-PreparedColumns],
		details[ColumnArea-PreparedColumns], details[ColumnAltNames-PreparedColumns], prepared.value(ColumnCategory),
	} {
		if len(value) == 0 && field > highlightLocation {
			continue
		}
		h.addField(field, value)
		if m := &h.fields[len(h.fields)-1]; field > highlightLocation && len(m.Words) == 0 {
			h.fields = h.fields[:len(h.fields)-1]
		}
	}
	runtime.KeepAlive(s)
	return h.fields
}

// addField adds the words of a field that matched, given as escaped JSON.
func (h *highlighter) addField(field int, escaped []byte) {
	start := len(h.raw)
	h.raw = AppendUnescaped(h.raw, escaped)
	begin, firstWord, firstSpan := len(h.folded), len(h.words), len(h.spans)
	h.folded, h.spans = text.AppendFoldedSpans(h.folded, h.raw[start:], h.spans)
	h.words = h.words.AppendWords(h.folded[begin:])
	words := h.words[firstWord:]
	h.isMatched = slices.Grow(h.isMatched[:0], len(words))[:len(words)]
	for i, word := range words {
		h.isMatched[i] = h.matchesWord(h.wanted, word, i == len(words)-1) || isPlaceField(field) && h.matchesWord(h.places, word, i == len(words)-1)
	}
	h.markRuns(words)
	if !slices.Contains(h.isMatched, true) {
		h.fields = append(h.fields, Highlight{Field: highlightField(field)})
		return
	}
	spans, kept := h.spans[firstSpan:], 0
	for i, isMatched := range h.isMatched {
		if isMatched {
			words[kept], spans[kept] = words[i], spans[i]
			kept++
		}
	}
	h.fields = append(h.fields, Highlight{highlightField(field), words[:kept:kept], spans[:kept:kept]})
}

func isPlaceField(field int) bool { return highlightLocation <= field && field <= highlightArea }

// prepare collects the words that matched.
func (h *highlighter) prepare(s *Snapshot, e *explanation, w *Workspace) {
	h.explanation = e
	h.wanted, h.places, h.runs, h.joined, h.begins = h.wanted[:0], h.places[:0], h.runs[:0], h.joined[:0], [256]bool{}
	a := e.answer
	if a == nil || a.Step == NotRelaxed {
		for i, word := range e.words {
			isRepeated := slices.ContainsFunc(e.words[i+1:], func(later []byte) bool { return bytes.Equal(later, word) })
			if !isRepeated {
				h.wanted = append(h.wanted, wantedWord{Misspelling: text.Misspelling{Word: word}, last: i == len(e.words)-1})
			}
		}
		return
	}
	for _, word := range a.Place {
		h.places = append(h.places, wantedWord{Misspelling: text.Misspelling{Word: word}})
	}
	for i, word := range e.words {
		one := wantedWord{last: a.IsLast(i), inside: a.IsInside() && utf8.RuneCount(word) >= relax.MinInfix, abbreviated: relax.Abbreviation(word),
			letters: text.LettersOf(word), Misspelling: s.relax.Misspelling(a, i, &w.relax)}
		h.wanted = append(h.wanted, one)
		if rest, cut := relax.CutThe(word); cut {
			h.wanted = append(h.wanted, wantedWord{Misspelling: text.Misspelling{Word: rest}, last: one.last})
		}
	}
	longest := 1
	if a.JoinsRuns() {
		longest = text.MaxJoined
	}
	for first := range e.words {
		for end := first + 1; end <= min(first+longest, len(e.words)); end++ {
			start := len(h.joined)
			for _, word := range e.words[first:end] {
				h.joined = append(h.joined, word...)
			}
			h.addRun(start, a.IsLast(end-1))
			if rest, cut := relax.CutThe(h.joined[start:]); cut {
				h.addRun(len(h.joined)-len(rest), a.IsLast(end-1))
			}
		}
	}
}

// addRun adds what was joined from start on.
func (h *highlighter) addRun(start int, last bool) {
	h.begins[h.joined[start]] = true
	h.runs = append(h.runs, wantedRun{start, len(h.joined), last && utf8.RuneCount(h.joined[start:]) >= relax.MinJoinedPrefix})
}

// matchesWord reports whether one of some words of the query matches a word of a pub, which may be the last of its
// field.
func (h *highlighter) matchesWord(wanted []wantedWord, word []byte, end bool) bool {
	if h.matchesSpelling(wanted, word) {
		return true
	}
	for other := range text.Synonyms(word, end) {
		h.synonym = append(h.synonym[:0], other...)
		return h.matchesSpelling(wanted, h.synonym)
	}
	return false
}

// matchesSpelling reports whether a word of the query matches one spelling of a word of a pub.
func (h *highlighter) matchesSpelling(wanted []wantedWord, word []byte) bool {
	letters := uint32(0) // until they are needed
	for i := range wanted {
		one := &wanted[i]
		if one.Edits > 0 && letters == 0 {
			letters = text.LettersOf(word)
		}
		switch {
		case bytes.Equal(one.Word, word) || one.last && bytes.HasPrefix(word, one.Word):
			return true
		case one.abbreviated != "" && one.abbreviated == string(word):
			return true
		case one.inside && bytes.Contains(word, one.Word):
			return true
		case one.Edits > 0 && bits.OnesCount32(one.letters&^letters) <= one.Edits && h.isNear(one, word):
			return true
		}
	}
	return false
}

// markRuns marks the words of runs that a run of the query matches when both are written together. The runs are of
// all words, and of the words except "the" and "and".
func (h *highlighter) markRuns(words text.Phrase) {
	if len(h.runs) == 0 {
		return
	}
	h.at = h.at[:0]
	for i := range words {
		h.at = append(h.at, i)
	}
	h.markRunsAt(words, h.at)
	without := slices.DeleteFunc(h.at, func(i int) bool { return text.IsStop(words[i]) })
	if len(without) < len(words) {
		h.markRunsAt(words, without)
	}
}

// markRunsAt marks matching runs of the words at the given positions: runs of up to MaxJoined neighbours, and the run
// of all.
func (h *highlighter) markRunsAt(words text.Phrase, at []int) {
	for low, position := range at {
		if !h.begins[words[position][0]] {
			continue
		}
		h.run = h.run[:0]
		end := len(at)
		if low > 0 {
			end = min(end, low+text.MaxJoined)
		}
		for high := low + 1; high <= end; high++ {
			before := len(h.run)
			h.run = append(h.run, words[at[high-1]]...)
			if high-low > text.MaxJoined && high < len(at) {
				continue
			}
			if slices.ContainsFunc(h.runs, func(r wantedRun) bool {
				one := h.joined[r.start:r.end]
				return bytes.Equal(h.run, one) || r.prefix && before < len(one) && bytes.HasPrefix(h.run, one)
			}) {
				for _, position := range at[low:high] {
					h.isMatched[position] = true
				}
			}
		}
	}
}

// isNear reports whether a text is at most a number of edits from another, or from a prefix of it.
func (h *highlighter) isNear(wanted *wantedWord, word []byte) bool {
	if !wanted.AnyFirst {
		one, _ := utf8.DecodeRune(wanted.Word)
		if first, _ := utf8.DecodeRune(word); first != one {
			return false
		}
	}
	return h.fuzzy.Distance(wanted.Word, word, wanted.Edits, wanted.Prefix) <= wanted.Edits
}
