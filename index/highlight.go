package index

import (
	"bytes"
	"cmp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"pubd/index/match"
	"pubd/index/schema"
	"pubd/index/terms"
	"pubd/index/text"
)

// Highlight is which folded words of a field of a pub matched, and from which to before which character of its value
// each is written.
type Highlight struct {
	Field string
	Words [][]byte
	Spans [][2]int
}

// HighlightColumns are the columns that may match, in the order of answers. The first two are shown in any case.
var HighlightColumns = [...]int{
	schema.ColumnName, schema.ColumnLocation, schema.ColumnAddress, schema.ColumnPostcode, schema.ColumnArea, schema.ColumnAltNames, schema.ColumnCategory, schema.ColumnBrand,
}

// highlighter finds which words of a pub matched.
type highlighter struct {
	how       *match.Answer // of which the words were collected; nil until they are needed
	terms     *text.Dictionary
	wanted    []text.Range // the terms that matched, in ascending order
	places    []text.Range // the words of the place
	kinds     [256]kind    // by byte
	runs      []terms.Form // runs of neighbouring words that matched when written together
	joined    []byte       // of runs
	begins    [256]bool    // by byte: whether a run begins with it
	raw       []byte
	folded    []byte
	elided    []byte      // words of the field that follow elided ones
	words     text.Phrase // of the folded text
	spans     [][2]int
	isMatched []bool      // by word
	at        []int       // positions of some words
	some      text.Phrase // these words
	run       []byte
	fields    []Highlight
}

// A kind is what a byte says of a word that it begins.
type kind byte

const (
	isSeparator kind = iota
	cannotMatch
	mayMatch // or folding is needed to know
)

// Highlights returns which words of a pub matched: of name and location, and of other fields that have any. The result
// must be that of the last search, and the pub one of its pubs. The highlights are valid until the next call. It takes
// some microseconds and does not allocate once the workspace has grown.
func (w *Workspace) Highlights(s *Snapshot, result *Result, pub uint32) []Highlight {
	h := &w.highlight
	how := result.how
	if result.more != nil && result.more.Pubs.Has(pub) {
		how = result.more
	}
	if how != nil && h.how != how {
		h.prepare(s, how)
	}
	h.fields = h.fields[:0]
	if how == nil || len(h.wanted)+len(h.places)+len(h.runs) == 0 {
		h.fields = append(h.fields, Highlight{Field: schema.Columns[schema.ColumnName].Name}, Highlight{Field: schema.Columns[schema.ColumnLocation].Name})
		return h.fields
	}
	h.raw, h.folded, h.spans, h.words = h.raw[:0], h.folded[:0], h.spans[:0], h.words[:0]
	prepared, details := s.segment.Pubs.At(pub), s.segment.Details.Texts(pub)
	for i, column := range HighlightColumns {
		var value []byte
		if column < schema.PreparedColumns {
			value = prepared.Value(column)
		} else {
			value = details[column-schema.PreparedColumns]
		}
		if found := h.matched(column, value); i < 2 || len(found.Words) > 0 {
			h.fields = append(h.fields, found)
		}
	}
	runtime.KeepAlive(s)
	return h.fields
}

// isCandidate reports whether a word of a value, escaped as in JSON, may have matched, by the first bytes of its words.
func (h *highlighter) isCandidate(escaped []byte) bool {
	before := isSeparator
	for _, c := range escaped {
		k := h.kinds[c]
		if k == mayMatch && (before == isSeparator || !isAlphanumeric(c)) {
			return true
		}
		before = k
	}
	return false
}

// matched returns the words of a column that matched; the value is escaped as in JSON.
func (h *highlighter) matched(column int, escaped []byte) Highlight {
	if !h.isCandidate(escaped) { // as most
		return Highlight{Field: schema.Columns[column].Name}
	}
	start := len(h.raw)
	h.raw = schema.AppendUnescaped(h.raw, escaped)
	begin, firstWord, firstSpan := len(h.folded), len(h.words), len(h.spans)
	h.folded, h.spans = text.AppendFoldedSpans(h.folded, h.raw[start:], h.spans)
	h.words = h.words.AppendWords(h.folded[begin:])
	words, spans := h.words[firstWord:], h.spans[firstSpan:]
	h.isMatched = slices.Grow(h.isMatched[:0], len(words))[:len(words)]
	h.elided = text.AppendElided(h.elided[:0], h.raw[start:])
	ofPlace := column == schema.ColumnLocation || schema.ColumnAddress <= column && column <= schema.ColumnArea
	for i, word := range words {
		end := i == len(words)-1
		h.isMatched[i] = h.matchesWord(h.wanted, word, end) || ofPlace && h.matchesWord(h.places, word, end)
	}
	h.markRuns(words)
	kept := 0
	for i, isMatched := range h.isMatched {
		if isMatched {
			words[kept], spans[kept] = words[i], spans[i]
			kept++
		}
	}
	return Highlight{schema.Columns[column].Name, words[:kept:kept], spans[:kept:kept]}
}

// prepare collects the terms that matched.
func (h *highlighter) prepare(s *Snapshot, a *match.Answer) {
	h.how, h.terms = a, s.segment.Terms.Words.Terms
	h.wanted, h.places, h.runs, h.joined, h.begins = h.wanted[:0], h.places[:0], h.runs[:0], h.joined[:0], [256]bool{}
	for i := range a.Words {
		h.wanted = a.AppendMatched(h.wanted, i)
	}
	h.wanted = merged(h.wanted)
	defer h.classify()
	if a.Step == NotRelaxed {
		return
	}
	for _, word := range a.Place.Words {
		if number, ok := h.terms.Find(word); ok {
			h.places = append(h.places, text.Range{Low: number, High: number + 1})
		}
	}
	h.places = merged(h.places)
	longest := 1
	if a.JoinsRuns() {
		longest = text.MaxJoined
	}
	for first := range a.Words {
		for end := first + 1; end <= min(first+longest, len(a.Words)); end++ {
			start := len(h.joined)
			for _, word := range a.Words[first:end] {
				h.joined = append(h.joined, word...)
			}
			h.runs = append(h.runs, terms.JoinedForm(h.joined[start:], a.IsLast(end-1)))
			h.begins[h.joined[start]] = true
		}
	}
}

// classify sets the kinds of bytes.
func (h *highlighter) classify() {
	for c := range h.kinds {
		switch c := byte(c); {
		case isAlphanumeric(c):
			h.kinds[c] = cannotMatch
		case c >= utf8.RuneSelf || strings.IndexByte("'`&+\\", c) >= 0: // folding makes other words of it
			h.kinds[c] = mayMatch
		default:
			h.kinds[c] = isSeparator
		}
	}
	mark := func(c byte) {
		h.kinds[c] = mayMatch
		if 'a' <= c && c <= 'z' {
			h.kinds[c-'a'+'A'] = mayMatch
		}
	}
	for _, ranges := range [...][]text.Range{h.wanted, h.places} {
		for _, r := range ranges {
			for first := int(h.terms.At(r.Low)[0]); first <= int(h.terms.At(r.High - 1)[0]); first++ {
				mark(byte(first))
			}
		}
	}
	for c, isFirst := range h.begins {
		if isFirst {
			mark(byte(c))
		}
	}
	if h.kinds['a'] == mayMatch { // which n becomes
		mark('n')
	}
	for word, others := range text.AllSynonyms() {
		for _, other := range others {
			if h.has(h.wanted, []byte(other)) || h.has(h.places, []byte(other)) {
				mark(word[0])
			}
		}
	}
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// merged sorts ranges, in place, and merges those that overlap.
func merged(ranges []text.Range) []text.Range {
	slices.SortFunc(ranges, func(a, b text.Range) int { return cmp.Compare(a.Low, b.Low) })
	kept := ranges[:0]
	for _, r := range ranges {
		if n := len(kept); n > 0 && r.Low <= kept[n-1].High {
			kept[n-1].High = max(kept[n-1].High, r.High)
		} else {
			kept = append(kept, r)
		}
	}
	return kept
}

// matchesWord reports whether a word of the field, perhaps its last one, is one of some terms.
func (h *highlighter) matchesWord(wanted []text.Range, word []byte, end bool) bool {
	if h.kinds[word[0]] == mayMatch {
		if h.has(wanted, word) {
			return true
		}
		for _, other := range text.Synonyms(word, end) {
			if h.has(wanted, []byte(other)) {
				return true
			}
		}
	}
	for elided := range bytes.SplitSeq(h.elided, []byte(" ")) {
		if len(elided) > 0 && bytes.HasSuffix(word, elided) && h.has(wanted, elided) {
			return true
		}
	}
	return false
}

func (h *highlighter) has(wanted []text.Range, word []byte) bool {
	if len(wanted) == 0 || h.kinds[word[0]] != mayMatch {
		return false
	}
	number, ok := h.terms.Find(word)
	if !ok {
		return false
	}
	after := sort.Search(len(wanted), func(i int) bool { return wanted[i].Low > number })
	return after > 0 && number < wanted[after-1].High
}

// markRuns marks the words of runs that a run of the query matches when both are written together. The runs are of
// all words, and of the words except "the" and "and".
func (h *highlighter) markRuns(words text.Phrase) {
	if len(h.runs) == 0 {
		return
	}
	for _, withStops := range [...]bool{true, false} {
		h.at, h.some = h.at[:0], h.some[:0]
		for i, word := range words {
			if withStops || !text.IsStop(word) {
				h.at, h.some = append(h.at, i), append(h.some, word)
			}
		}
		h.some.EachRun(1, &h.begins, &h.run, func(low, high int, run []byte) {
			before := len(run) - len(h.some[high-1])
			if slices.ContainsFunc(h.runs, func(r terms.Form) bool {
				return bytes.Equal(run, r.Text) || r.Prefix && before < len(r.Text) && bytes.HasPrefix(run, r.Text)
			}) {
				for _, position := range h.at[low:high] {
					h.isMatched[position] = true
				}
			}
		})
	}
}
