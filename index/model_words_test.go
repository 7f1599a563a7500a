package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	modelGeneric = strings.Fields(`inn pub house hotel tavern bar club ale restaurant freehouse brewpub gastropub micropub taproom nightclub brewery
		inns pubs houses hotels taverns bars clubs ales restaurants freehouses brewpubs gastropubs micropubs taprooms nightclubs breweries
		ph public ltd ye olde`)
	modelFiller = strings.Fields(`a at by called for in my near of on to uk with me best good nearest closest nearby around menu menus opening open
		time times hours booking bookings review reviews phone number`)
	modelUsual   = slices.Concat(modelGeneric, modelFiller)
	modelWanting = strings.Fields("in near around nearby at by on nearest closest")
	modelKinds   = strings.Fields(`pub bar freehouse nightclub micropub brewpub gastropub taproom brewery
		pubs bars freehouses nightclubs micropubs brewpubs gastropubs taprooms breweries inns taverns hotels clubs`)
	modelStops = []string{"the", "and"}

	modelNumbers       = pairsOf("one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12")
	modelAbbreviations = pairsOf(`adm admiral bros brothers capt captain center centre co company dr doctor gen general gray grey gt great ii 2
		iii 3 iv fourth jct junction lt little mt mount no number rd road rly railway sgt sergeant sq square st street stn station
		theater theatre wagon waggon wm william`)
)

// pairsOf returns the other word by each word of some pairs.
func pairsOf(pairs string) map[string]string {
	words, other := strings.Fields(pairs), map[string]string{}
	for i, word := range words {
		other[word] = words[i^1]
	}
	return other
}

func hasOneOf(words, list []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
}

func without(words, list []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(list, word) })
}

// dropped returns words without those of a list when there are others, or else all.
func dropped(words, list []string) []string {
	if left := without(words, list); len(left) > 0 {
		return left
	}
	return words
}

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

// spellings returns a word of a field and its synonyms.
func spellings(word string, last bool) []string {
	number, isNumber := modelNumbers[word]
	switch {
	case isNumber:
		return []string{word, number}
	case word == "saint":
		return []string{word, "st"}
	case word == "st" && !last:
		return []string{word, "saint"}
	}
	return []string{word}
}

func allSpellings(words []string) (all []string) {
	for i, word := range words {
		all = append(all, spellings(word, i == len(words)-1)...)
	}
	return all
}

// modelTexts are the words of some fields with their synonyms, and their neighbouring words written together.
type modelTexts struct{ words, joined []string }

func newModelTexts(fields ...string) (t modelTexts) {
	for _, field := range fields {
		words := strings.Fields(fold(field))
		t.words = append(t.words, allSpellings(words)...)
		for _, words := range [][]string{words, dropped(words, modelStops)} {
			eachRun(len(words), true, func(low, high int) { t.joined = append(t.joined, strings.Join(words[low:high], "")) })
		}
	}
	return t
}

// eachRun calls do with the bounds of all runs of two or three of n words and, if wanted, of all words.
func eachRun(n int, all bool, do func(low, high int)) {
	for low := range n {
		for high := low + 2; high <= n; high++ {
			if high-low <= 3 || all && high-low == n {
				do(low, high)
			}
		}
	}
}

// modelWord is a word of a query; a last one may also be the beginning of a word of a pub.
type modelWord struct {
	text string
	last bool
}

// lastOf returns words of which the last is a last word.
func lastOf(words []string) (all []modelWord) {
	for i, word := range words {
		all = append(all, modelWord{word, i == len(words)-1})
	}
	return all
}

func textsOf(words []modelWord) (all []string) {
	for _, word := range words {
		all = append(all, word.text)
	}
	return all
}

// writtenTogether returns a run of words as one word.
func writtenTogether(words []modelWord, low, high int) modelWord {
	return modelWord{strings.Join(textsOf(words[low:high]), ""), words[high-1].last}
}

func (w modelWord) size() int { return utf8.RuneCountInString(w.text) }

// afterThe returns what follows the word's "the", which the word also stands for; an empty word if there is no such.
func (w modelWord) afterThe() modelWord {
	if cut, ok := strings.CutPrefix(w.text, "the"); ok && w.size() >= 6 {
		return modelWord{cut, w.last}
	}
	return modelWord{}
}

// stands reports whether some words have a word as it stands.
func (w modelWord) stands(words []string) bool {
	return w.text != "" && slices.ContainsFunc(words, func(other string) bool { return other == w.text || w.last && strings.HasPrefix(other, w.text) })
}

// reads reports whether some words have a word as it stands, abbreviated or spelt out.
func (w modelWord) reads(words []string) bool {
	return w.stands(words) || slices.Contains(words, modelAbbreviations[w.text]) || w.afterThe().stands(words)
}

// joins reports whether a word is one of some joined words.
func (w modelWord) joins(joined []string) bool {
	mayBegin := func(w modelWord) modelWord { return modelWord{w.text, w.last && w.size() >= 4} }
	return mayBegin(w).stands(joined) || mayBegin(w.afterThe()).stands(joined)
}

// isInside reports whether a word stands inside one of some words.
func (w modelWord) isInside(words []string) bool {
	return w.size() >= 3 && slices.ContainsFunc(words, func(other string) bool { return strings.Contains(other, w.text) })
}

// modelHow is how words may match.
type modelHow int

const (
	howStrict      modelHow = iota
	howKnown                // attempt 1, second half
	howInfix                // attempt 3
	howLikely               // attempt 4, but not joined
	howTypo                 // attempt 4
	howFar                  // attempt 5
	howAny                  // attempt 6
	howAnyInCircle          // attempt 6 in a circle, where no word is a place word
)

// edits returns how many edits are allowed in a word, and whether its first character may be wrong.
func (w modelWord) edits(how modelHow) (edits int, anyFirst bool) {
	size := w.size()
	switch {
	case hasDigit(w.text) || how < howLikely || size < 3 || how != howFar && size < 4:
		return 0, false
	case how == howFar && size <= 4:
		return 1, size == 4
	case how == howFar:
		return 2, false
	case size < 8:
		return 1, how <= howTypo && size >= 5
	}
	return 2, how <= howTypo
}

// modelKey is a word and how it matches.
type modelKey struct {
	modelWord
	how modelHow
}

// corrections returns the data words that a word may be corrected to, with their numbers of edits.
func (m *model) corrections(w modelWord, how modelHow) map[string]int {
	key := modelKey{w, how}
	found, ok := m.corrected[key]
	if edits, anyFirst := w.edits(how); !ok && edits > 0 && (!m.isKnown(w) || how == howAny && !m.isPlaceWord(w) || how == howAnyInCircle) {
		found = map[string]int{}
		for _, other := range m.words {
			begins := w.last && (how != howFar || w.size() >= 5)
			if away := modelDistance(w.text, other, begins); away <= edits && (anyFirst || []rune(w.text)[0] == []rune(other)[0]) {
				found[other] = away
			}
		}
	}
	m.corrected[key] = found
	return found
}

// isCorrected reports whether some words have one of some corrections.
func isCorrected(corrections map[string]int, words []string) bool {
	return len(corrections) > 0 && slices.ContainsFunc(words, func(other string) bool { _, ok := corrections[other]; return ok })
}

// modelDistance returns the optimal string alignment distance of two words, by its definition; if the first may be a
// beginning, that to the closest beginning of the second. It is at least 3 where that is certain without a look.
func modelDistance(word, other string, begins bool) int {
	a, b := []rune(word), []rune(other)
	if len(a) > len(b)+2 || !begins && len(b) > len(a)+2 {
		return 3 // or more
	}
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], 1+d[i-2][j-2])
			}
		}
	}
	if begins {
		return slices.Min(d[len(a)][1:])
	}
	return d[len(a)][len(b)]
}

// modelMatch has the pubs where a word matches in a name, in location, area or codes, and in all fields.
type modelMatch struct{ named, placed, all modelSet }

// where returns the pubs where a condition holds for the words of names, of location and area, and of all fields.
func (m *model) where(is func(t modelTexts) bool) modelMatch {
	return modelMatch{m.whether(func(pub *modelPub) bool { return is(pub.name) }), m.whether(func(pub *modelPub) bool { return is(pub.location) }),
		m.whether(func(pub *modelPub) bool { return is(pub.all) })}
}

// matching returns the pubs that a word matches.
func (m *model) matching(w modelWord, how modelHow) modelMatch {
	key := modelKey{w, how}
	if found, ok := m.matched[key]; ok {
		return found
	}
	corrections := m.corrections(w, how)
	found := m.where(func(t modelTexts) bool {
		if how == howStrict {
			return w.stands(t.words)
		}
		return w.reads(t.words) || how != howLikely && w.joins(t.joined) || how == howInfix && w.isInside(t.words) || isCorrected(corrections, t.words)
	})
	if how != howLikely {
		found.placed = found.placed.or(m.whether(func(pub *modelPub) bool { return slices.Contains(pub.codes, w.text) }))
	}
	if how == howStrict {
		found.all = found.named.or(found.placed).or(m.whether(func(pub *modelPub) bool { return slices.Contains(pub.placeWords, w.text) }))
	}
	m.matched[key] = found
	return found
}

// stands returns the pubs that have a word without a correction.
func (m *model) stands(w modelWord) modelSet {
	return m.matching(w, howStrict).all.or(m.matching(w, howKnown).all)
}

// isKnown reports whether some pub has a word without a correction.
func (m *model) isKnown(w modelWord) bool { return m.matching(w, howKnown).all.count() > 0 }

// isPlaceWord reports whether pubs have a word in their location or area, and at least half as many as in their name.
func (m *model) isPlaceWord(w modelWord) bool {
	likely := m.matching(w, howLikely)
	return likely.placed.count() > 0 && 2*likely.placed.count() >= likely.named.count()
}
