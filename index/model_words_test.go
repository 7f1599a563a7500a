package index

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/index/features"
	"pubd/index/text"
)

var modelNumbers = strings.Fields("one two three four five six seven eight nine ten eleven twelve")

// is reports whether a word has one of some classes, are whether all words have, and haveA whether any has.
func is(word string, class text.Class) bool { return text.ClassOf([]byte(word)).Is(class) }

func are(words []string, class text.Class) bool { return len(without(words, class)) == 0 }

func haveA(words []string, class text.Class) bool { return len(without(words, class)) < len(words) }

func without(words []string, class text.Class) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return is(word, class) })
}

// dropped returns words without those of a class when there are others, or else all.
func dropped(words []string, class text.Class) []string {
	if left := without(words, class); len(left) > 0 {
		return left
	}
	return words
}

// withoutStops returns words without "the" and "and" when there are others, or else all.
func withoutStops(words []string) []string {
	left := slices.DeleteFunc(slices.Clone(words), isStop)
	if len(left) > 0 {
		return left
	}
	return words
}

func isStop(word string) bool { return word == "the" || word == "and" }

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

// spellings returns a word of a field and its synonyms.
func spellings(word string, last bool) []string {
	if i := slices.Index(modelNumbers, word); i >= 0 {
		return []string{word, strconv.Itoa(i + 1)}
	}
	if n, err := strconv.Atoi(word); err == nil && strconv.Itoa(n) == word && 1 <= n && n <= len(modelNumbers) {
		return []string{word, modelNumbers[n-1]}
	}
	switch {
	case word == "saint" || word == "sankt":
		return []string{word, "st"}
	case word == "st" && !last:
		return []string{word, "saint", "sankt"}
	}
	return []string{word}
}

func allSpellings(words []string) (all []string) {
	for i, word := range words {
		all = append(all, spellings(word, i == len(words)-1)...)
	}
	return all
}

// elided returns the words that stand after an apostrophe in a field, such as Étoile in L'Étoile.
func elided(field string) (all []string) {
	for _, run := range strings.Fields(field) {
		characters := []rune(run)
		for i := 1; i < len(characters); i++ {
			before := characters[i-1]
			if strings.ContainsRune("'‘’ʼ＇`´", characters[i]) && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
				if words := strings.Fields(fold(string(characters[i+1:]))); len(words) > 0 && utf8.RuneCountInString(words[0]) >= 3 {
					all = append(all, words[0])
				}
				break
			}
		}
	}
	return all
}

// brandForms returns the words of a brand with an s more, or without their own.
func brandForms(brand string) (all []string) {
	for _, word := range strings.Fields(fold(brand)) {
		less, ends := strings.CutSuffix(word, "s")
		switch {
		case utf8.RuneCountInString(word) < 4 || hasDigit(word) || is(word, text.Usual):
		case ends:
			all = append(all, less)
		default:
			all = append(all, word+"s")
		}
	}
	return all
}

// withChains returns a query with the name of a chain for each nickname that fewer pubs are called.
func (m *model) withChains(query []string) (all []string) {
	hasBrands := slices.ContainsFunc(m.pubs, func(pub modelPub) bool { return pub.Brand != "" })
	for _, word := range query {
		name := strings.Fields(string(features.BuiltIn().Chain([]byte(word))))
		if hasBrands && len(name) > 0 && m.namedAll([]string{word}).count() < m.namedAll(name[:1]).count() {
			all = append(all, name...)
		} else {
			all = append(all, word)
		}
	}
	return all
}

// modelTexts are the words of some fields with their synonyms, and their neighbouring words written together.
type modelTexts struct{ words, joined []string }

func newModelTexts(fields ...string) (t modelTexts) {
	for _, field := range fields {
		words := strings.Fields(fold(field))
		t.words = slices.Concat(t.words, allSpellings(words), elided(field))
		for _, words := range [][]string{words, withoutStops(words)} {
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

// wordsOf returns words of which the last is a last word, if wanted.
func wordsOf(words []string, last bool) (all []modelWord) {
	for i, word := range words {
		all = append(all, modelWord{word, last && i == len(words)-1})
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

// stands reports whether some words have a word as it stands.
func (w modelWord) stands(words []string) bool {
	return w.text != "" && slices.ContainsFunc(words, func(other string) bool { return other == w.text || w.last && strings.HasPrefix(other, w.text) })
}

// reads reports whether some words have a word as it stands or as one of the same words.
func (w modelWord) reads(words []string) bool {
	return w.stands(words) ||
		slices.ContainsFunc(text.Same([]byte(w.text)), func(same string) bool { return slices.Contains(words, same) })
}

// joins reports whether a word is one of some joined words.
func (w modelWord) joins(joined []string) bool {
	return modelWord{w.text, w.last && w.size() >= 4}.stands(joined)
}

// isInside reports whether a word stands inside one of some words.
func (w modelWord) isInside(words []string) bool {
	return w.size() >= 3 && slices.ContainsFunc(words, func(other string) bool { return strings.Contains(other, w.text) })
}

// modelHow is how words may match.
type modelHow int

const (
	howStrict modelHow = iota
	howKnown           // attempt 1, second half
	howInfix           // attempt 3
	howLikely          // attempt 4, but not joined
	howTypo            // attempt 4
	howFar             // attempt 5
	howAny             // attempt 5 in a circle, where no word is a place word
)

// edits returns how many edits are allowed in a word, and whether its first character may be wrong.
func (w modelWord) edits(how modelHow) (edits int, anyFirst bool) {
	size := w.size()
	switch {
	case hasDigit(w.text) || how < howLikely || size < 3 || how > howTypo && size < 4:
		return 0, false
	case size < 8:
		return 1, how <= howTypo && size >= 4
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
	edits, anyFirst := w.edits(how)
	if !ok && edits > 0 && (!m.isKnown(w) || how == howFar && !m.isPlaceWord(w) || how == howAny) {
		found = map[string]int{}
		for _, other := range m.words {
			away := modelDistance(w.text, other, w.last && w.size() >= 4)
			if away <= edits && (anyFirst || []rune(w.text)[0] == []rune(other)[0]) {
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
// beginning, that to the closest beginning of the second. It is at least 4 where that is certain without a look.
func modelDistance(word, other string, begins bool) int {
	a, b := []rune(word), []rune(other)
	if len(a) > len(b)+3 || !begins && len(b) > len(a)+3 {
		return 4 // or more
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
		return slices.Min(d[len(a)])
	}
	return d[len(a)][len(b)]
}

// modelMatch has the pubs where a word matches in a name, in location, area or codes, and in all fields.
type modelMatch struct{ named, placed, all modelSet }

// matching returns the pubs that a word matches.
func (m *model) matching(w modelWord, how modelHow) modelMatch {
	key := modelKey{w, how}
	if found, ok := m.matched[key]; ok {
		return found
	}
	corrections := m.corrections(w, how)
	where := func(field func(pub *modelPub) modelTexts) modelSet {
		return m.whether(func(pub *modelPub) bool {
			t := field(pub)
			return w.stands(t.words) || how > howStrict && w.reads(t.words) || how > howStrict && how != howLikely && w.joins(t.joined) ||
				how == howInfix && w.isInside(t.words) || isCorrected(corrections, t.words)
		})
	}
	found := modelMatch{
		where(func(pub *modelPub) modelTexts { return pub.name }),
		where(func(pub *modelPub) modelTexts { return pub.location }),
		where(func(pub *modelPub) modelTexts { return pub.all }),
	}
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

// weight returns how much a word tells that some pubs match.
func (m *model) weight(pubs modelSet) int {
	return len(strconv.FormatInt(int64(len(m.pubs)/pubs.count()), 2))
}
