package index

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"pubd/index/text"
)

// highlighter finds which words of a pub matched.
type highlighter struct {
	step   Step
	asked  []askedWord // the words that matched, each once; none until they are asked for
	runs   []askedRun
	joined []byte // of runs
	folded []byte
	words  text.Phrase // of the folded text
	inRun  []bool      // by word
	run    []byte
	runes  [2][]rune
	rows   [3][]int
}

// askedWord is a word that matched pubs: as a beginning, too, where it is the last, and with up to edits edits.
type askedWord struct {
	text  []byte
	last  bool
	edits int
}

// askedRun is neighbouring words that matched, written together; a beginning is enough where prefix is set.
type askedRun struct {
	start, end int // in joined
	prefix     bool
}

// EachMatch calls do with each folded word of a name or location of a pub that a search found which a word of the query matched. The result
// is that of the last search. The words are valid until the next call. It takes about 1 µs and does not allocate once the workspace has grown.
func (w *Workspace) EachMatch(result *Result, of []byte, do func(word []byte)) {
	h := &w.highlight
	if len(result.matched) == 0 {
		return
	}
	if len(h.asked) == 0 {
		h.prepare(result)
	}
	h.folded = AppendFolded(h.folded[:0], of)
	h.words = h.words[:0].AppendWords(h.folded)
	h.findRuns()
	for i, word := range h.words {
		if h.inRun[i] || h.matches(word, i == len(h.words)-1) {
			do(word)
		}
	}
}

// prepare collects the words that matched.
func (h *highlighter) prepare(result *Result) {
	h.step = result.Step
	for i, matched := range result.matched {
		word := askedWord{text: matched, last: i == len(result.matched)-1}
		if h.step == Typo || h.step == Partial {
			word.edits = text.AllowedEdits(matched)
		}
		if word.last || !slices.ContainsFunc(h.asked, func(other askedWord) bool { return bytes.Equal(other.text, matched) }) {
			h.asked = append(h.asked, word)
		}
	}
	h.runs, h.joined = h.runs[:0], h.joined[:0]
	if h.step == Joined || h.step == Words {
		for first := range result.matched {
			for end := first + 1; end <= min(first+text.MaxJoined, len(result.matched)); end++ {
				start := len(h.joined)
				for _, word := range result.matched[first:end] {
					h.joined = append(h.joined, word...)
				}
				prefix := end == len(result.matched) && utf8.RuneCount(h.joined[start:]) >= 4
				h.runs = append(h.runs, askedRun{start, len(h.joined), prefix})
			}
		}
	}
}

// matches reports whether a word of the query matches one of a pub, which ends its field or not, in the way of the step.
func (h *highlighter) matches(word []byte, end bool) bool {
	synonym := ""
	for other := range text.Synonyms(word, end) {
		synonym = other
	}
	for i := range h.asked {
		one := &h.asked[i]
		switch {
		case bytes.Equal(one.text, word) || one.last && bytes.HasPrefix(word, one.text):
			return true
		case synonym != "" && (synonym == string(one.text) || one.last && len(one.text) <= len(synonym) && synonym[:len(one.text)] == string(one.text)):
			return true
		case h.step == Infix && utf8.RuneCount(one.text) >= 3 && bytes.Contains(word, one.text):
			return true
		case one.edits > 0 && word[0] == one.text[0] && h.isNear(one, word):
			return true
		}
	}
	return false
}

// findRuns finds the words that are part of a run that a run of the query matches when both are written together.
func (h *highlighter) findRuns() {
	h.inRun = slices.Grow(h.inRun[:0], len(h.words))[:len(h.words)]
	clear(h.inRun)
	if len(h.runs) == 0 {
		return
	}
	for low := range h.words {
		h.run = h.run[:0]
		for high := low + 1; high <= min(low+text.MaxJoined, len(h.words)); high++ {
			h.run = append(h.run, h.words[high-1]...)
			if slices.ContainsFunc(h.runs, func(r askedRun) bool {
				one := h.joined[r.start:r.end]
				return bytes.Equal(h.run, one) || r.prefix && bytes.HasPrefix(h.run, one)
			}) {
				for i := low; i < high; i++ {
					h.inRun[i] = true
				}
			}
		}
	}
}

// isNear reports whether one text is at most a number of edits (optimal string alignment) from another, or from a beginning of it.
func (h *highlighter) isNear(asked *askedWord, of []byte) bool {
	for i, rest := range [][]byte{asked.text, of} {
		h.runes[i] = h.runes[i][:0]
		for len(rest) > 0 {
			r, size := utf8.DecodeRune(rest)
			h.runes[i], rest = append(h.runes[i], r), rest[size:]
		}
	}
	one, word := h.runes[0], h.runes[1]
	if one[0] != word[0] || len(one)-len(word) > asked.edits || !asked.last && len(word)-len(one) > asked.edits {
		return false
	}
	for i := range h.rows {
		h.rows[i] = slices.Grow(h.rows[i][:0], len(word)+1)[:len(word)+1]
	}
	before, row, next := h.rows[0], h.rows[1], h.rows[2]
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(one); i++ {
		next[0] = i
		for j := 1; j <= len(word); j++ {
			cost := 1
			if one[i-1] == word[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && one[i-1] == word[j-2] && one[i-2] == word[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	if asked.last {
		return slices.Min(row) <= asked.edits
	}
	return row[len(word)] <= asked.edits
}
