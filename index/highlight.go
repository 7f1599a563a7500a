package index

import (
	"bytes"
	"math/bits"
	"slices"
	"unicode/utf8"

	"pubd/index/relax"
	"pubd/index/text"
)

// highlighter finds which words of a pub matched.
type highlighter struct {
	asked    []askedWord // the words that matched; empty until they are needed
	runs     []askedRun
	joined   []byte      // of runs
	begins   [256]bool   // by byte: whether a run begins with it
	question text.Phrase // all words of the query, whether they matched or not
	folded   []byte
	synonym  []byte
	words    text.Phrase // of the folded text
	matched  []bool      // by word
	places   []int       // of words
	run      []byte
	fuzzy    text.FuzzyMatcher
}

// askedWord is a word of the query that matched pubs. The last word matches as a prefix, too.
type askedWord struct {
	text        []byte
	last        bool
	abbreviated string // or spelt out
	inside      bool   // it may match inside a word
	letters     uint32 // of text
	relax.Misspelt
}

// askedRun is a run of neighbouring words that matched when written together, or as a prefix if prefix is set.
type askedRun struct {
	start, end int // in joined
	prefix     bool
}

// EachMatch calls do with each folded word of a pub's field that a word of the query matched. The result must be that of the last search, and
// the pub one of its pubs. The words are valid until the next call. It takes about 1 µs and does not allocate once the workspace has grown.
func (w *Workspace) EachMatch(result *Result, of []byte, do func(word []byte)) {
	h := &w.highlight
	if len(result.matched.words) == 0 {
		return
	}
	if len(h.asked) == 0 {
		h.prepare(&result.matched, w.match.words)
	}
	h.folded = AppendFolded(h.folded[:0], of)
	h.match(h.folded)
	for i, word := range h.words {
		if h.matched[i] {
			do(word)
		}
	}
}

// missing returns the number of words of a folded name that neither matched nor are in the query, in halves, because generic words count half. It
// does not count "the" and "and".
func (h *highlighter) missing(name []byte) (halves int) {
	h.match(name)
	for i, word := range h.words {
		if !h.matched[i] {
			halves += h.weightOf(word)
		}
	}
	return halves
}

// weightOf returns the number of halves that an unmatched word adds to the result of missing.
func (h *highlighter) weightOf(word []byte) int {
	switch {
	case text.IsStop(word), slices.ContainsFunc(h.question, func(asked []byte) bool { return bytes.Equal(asked, word) }):
		return 0
	case text.IsGeneric(word):
		return 1
	}
	return 2
}

// The count of a term of names: unknown until it is needed; dependent on the words beside it if a run may begin with it; otherwise counted plus
// the halves that it adds to what the question lacks.
const (
	unknown = iota
	dependent
	counted
)

// count returns the count of a term of names, which is in its canonical spelling.
func (h *highlighter) count(word []byte) uint8 {
	if h.mayJoin(word) {
		return dependent
	}
	for other := range text.Synonyms(word, true) {
		h.synonym = append(h.synonym[:0], other...)
		if h.mayJoin(h.synonym) {
			return dependent
		}
	}
	if h.matches(word, true) {
		return counted
	}
	return counted + uint8(h.weightOf(word))
}

// mayJoin reports whether a word of a pub may be the first word of a run that matches, or match a run alone.
func (h *highlighter) mayJoin(word []byte) bool {
	return slices.ContainsFunc(h.runs, func(r askedRun) bool {
		one := h.joined[r.start:r.end]
		return bytes.HasPrefix(one, word) || r.prefix && bytes.HasPrefix(word, one)
	})
}

// match finds the words of a folded text that matched.
func (h *highlighter) match(folded []byte) {
	h.words = h.words[:0].AppendWords(folded)
	h.matched = slices.Grow(h.matched[:0], len(h.words))[:len(h.words)]
	for i, word := range h.words {
		h.matched[i] = h.matches(word, i == len(h.words)-1)
	}
	h.matchRuns()
}

// prepare collects the words that matched, out of all words of the query.
func (h *highlighter) prepare(m *matched, question text.Phrase) {
	h.question = question
	h.asked, h.runs, h.joined, h.begins = h.asked[:0], h.runs[:0], h.joined[:0], [256]bool{}
	a := m.relaxed
	if a == nil {
		for i, word := range m.words {
			h.asked = append(h.asked, askedWord{text: word, last: i == len(m.words)-1})
		}
		return
	}
	for i, word := range m.words {
		one := askedWord{text: word, last: a.IsLast(i), inside: a.Step == Infix && utf8.RuneCount(word) >= relax.MinInfix,
			letters: text.LettersOf(word), Misspelt: a.Misspelt[i]}
		if a.Abbreviates() {
			one.abbreviated = relax.Abbreviation(word)
		}
		h.asked = append(h.asked, one)
		if rest, cut := relax.CutThe(word); cut && a.Joins() {
			h.asked = append(h.asked, askedWord{text: rest, last: one.last})
		}
	}
	if !a.Joins() {
		return
	}
	longest := 1
	if a.JoinsRuns() {
		longest = text.MaxJoined
	}
	for first := range m.words {
		for end := first + 1; end <= min(first+longest, len(m.words)); end++ {
			start := len(h.joined)
			for _, word := range m.words[first:end] {
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
	h.runs = append(h.runs, askedRun{start, len(h.joined), last && utf8.RuneCount(h.joined[start:]) >= relax.MinJoinedPrefix})
}

// matches reports whether a word of the query matches a word of a pub, which may be the last of its field.
func (h *highlighter) matches(word []byte, end bool) bool {
	if h.matchesSpelling(word) {
		return true
	}
	for other := range text.Synonyms(word, end) {
		h.synonym = append(h.synonym[:0], other...)
		return h.matchesSpelling(h.synonym)
	}
	return false
}

// matchesSpelling reports whether a word of the query matches one spelling of a word of a pub.
func (h *highlighter) matchesSpelling(word []byte) bool {
	letters := uint32(0) // until they are needed
	for i := range h.asked {
		one := &h.asked[i]
		if one.Edits > 0 && letters == 0 {
			letters = text.LettersOf(word)
		}
		switch {
		case bytes.Equal(one.text, word) || one.last && bytes.HasPrefix(word, one.text):
			return true
		case one.abbreviated != "" && one.abbreviated == string(word):
			return true
		case one.inside && bytes.Contains(word, one.text):
			return true
		case one.Edits > 0 && bits.OnesCount32(one.letters&^letters) <= one.Edits && h.isNear(one, word):
			return true
		}
	}
	return false
}

// matchRuns marks the words of runs that a run of the query matches when both are written together. The runs are of all words, and of the words
// except "the" and "and".
func (h *highlighter) matchRuns() {
	if len(h.runs) == 0 {
		return
	}
	h.places = h.places[:0]
	for i := range h.words {
		h.places = append(h.places, i)
	}
	h.matchRunsOf(h.places)
	without := slices.DeleteFunc(h.places, func(i int) bool { return text.IsStop(h.words[i]) })
	if len(without) < len(h.words) {
		h.matchRunsOf(without)
	}
}

// matchRunsOf marks matching runs of the words at the given positions: runs of up to MaxJoined neighbours, and the run of all.
func (h *highlighter) matchRunsOf(places []int) {
	for low, place := range places {
		if !h.begins[h.words[place][0]] {
			continue
		}
		h.run = h.run[:0]
		for high := low + 1; high <= len(places); high++ {
			before := len(h.run)
			h.run = append(h.run, h.words[places[high-1]]...)
			if high-low > text.MaxJoined && (low > 0 || high < len(places)) {
				continue
			}
			if slices.ContainsFunc(h.runs, func(r askedRun) bool {
				one := h.joined[r.start:r.end]
				return bytes.Equal(h.run, one) || r.prefix && before < len(one) && bytes.HasPrefix(h.run, one)
			}) {
				for _, place := range places[low:high] {
					h.matched[place] = true
				}
			}
		}
	}
}

// isNear reports whether a text is at most a number of edits from another, or from a prefix of it.
func (h *highlighter) isNear(asked *askedWord, of []byte) bool {
	if !asked.AnyFirst {
		one, _ := utf8.DecodeRune(asked.text)
		if first, _ := utf8.DecodeRune(of); first != one {
			return false
		}
	}
	return h.fuzzy.Distance(asked.text, of, asked.Edits, asked.last) <= asked.Edits
}
