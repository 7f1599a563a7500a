package places

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"unicode/utf8"

	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/text"
)

// suggested are the places that complete a text: the names of the gazetteer and the phrases without a digit.
type suggested struct {
	completions text.Completions
	// By term: the number of the phrase plus 1 and that of the name plus 1, or 0.
	phrase, name []uint32
	inside       []uint32        // how many pubs are in the place
	shown        text.Dictionary // how it is written; in the order of the terms
	similar      text.FuzzyIndex // the terms that a misspelt one may stand for
}

// Suggestions are numbered: places first, then phrases with a digit, by the numbers of the phrases, then the codes that
// are suggested in one word, too. Only their texts give an order.

// AppendSuggestions appends the places that begin with a folded text, those with the most pubs first, at most
// [text.MaxCompletions]. Postcodes and other phrases with a digit are among them only if the text has a digit.
func (x *Index) AppendSuggestions(dst []uint32, folded []byte, w *Workspace) []uint32 {
	if !text.HasDigit(folded) {
		return x.suggested.completions.Append(dst, folded)
	}
	w.begun = x.AppendBegun(w.begun[:0], folded, w)
	start := len(dst)
	for _, number := range w.begun {
		count := x.SuggestedPubs(number)
		at := len(dst)
		for at > start && x.SuggestedPubs(dst[at-1]) < count {
			at--
		}
		if at < start+text.MaxCompletions {
			dst = slices.Insert(dst, at, number)
			dst = dst[:min(len(dst), start+text.MaxCompletions)]
		}
	}
	return dst
}

// AppendBegun appends all places that begin with a folded text, in the order of their texts.
func (x *Index) AppendBegun(dst []uint32, folded []byte, w *Workspace) []uint32 {
	start := len(dst)
	if !text.HasDigit(folded) {
		r := x.suggested.completions.Terms.PrefixRange(folded)
		for number := r.Low; number < r.High; number++ {
			dst = append(dst, number)
		}
		return dst
	}
	first := uint32(x.suggested.completions.Terms.Len())
	r, inOrder := x.phrases.PrefixRange(folded), true
	for phrase := r.Low; phrase < r.High; phrase++ {
		written := x.asWritten(phrase)
		inOrder = inOrder && written == phrase
		dst = append(dst, first+written)
	}
	if !inOrder {
		slices.Sort(dst[start:])
		dst = dst[:start+len(slices.Compact(dst[start:]))]
	}
	middle := len(dst)
	dst = x.appendCodesBegun(dst, folded, r)
	x.mergeByText(dst, start, middle, w)
	middle = len(dst)
	dst = x.appendJoinedBegun(dst, folded, w)
	x.mergeByText(dst, start, middle, w)
	return dst
}

// writtenApart is the length of a postcode's second word that tells where one word is divided.
const writtenApart = 3

// asWritten returns the phrase of the same postcode that people write: one in two words rather than in one. Neither is
// one of codes.
func (x *Index) asWritten(phrase uint32) uint32 {
	var written [16]byte
	term := x.phrases.At(phrase)
	if at := len(term) - writtenApart; at > 0 && len(term) < len(written) {
		two := append(append(append(written[:0], term[:at]...), ' '), term[at:]...)
		if other, ok := x.phrases.Find(two); ok {
			return other
		}
	}
	return phrase
}

// appendCodesBegun appends the codes that begin with a folded text. The phrases of the range begin with it.
func (x *Index) appendCodesBegun(dst []uint32, folded []byte, r text.Range) []uint32 {
	first := uint32(x.suggested.completions.Terms.Len() + x.phrases.Len())
	appendOf := func(outward, begin []byte) (low int) {
		low = len(dst)
		phrase, ok := x.phrases.Find(outward)
		if i, has := slices.BinarySearch(x.codes.outwards, phrase); ok && has {
			dst = x.codes.appendBegun(dst, i, begin, first)
		}
		return low
	}
	if outward, begin, apart := bytes.Cut(folded, []byte(" ")); apart {
		if len(begin) <= maxInward {
			appendOf(outward, begin)
		}
		return dst
	}
	for size := min(writtenApart, len(folded)-1); size > 0; size-- {
		cut := len(folded) - size
		low := appendOf(folded[:cut], folded[cut:])
		dst = append(dst[:low], slices.DeleteFunc(dst[low:], func(number uint32) bool {
			return !isWrittenApart(x.codes.inwards[number-first])
		})...)
	}
	end := postings.LowerBound(x.codes.outwards, r.High)
	for i := postings.LowerBound(x.codes.outwards, r.Low); i < end; i++ {
		dst = x.codes.appendBegun(dst, i, nil, first)
	}
	return dst
}

// appendJoinedBegun appends the codes that begin with a folded text when they are written in one word.
func (x *Index) appendJoinedBegun(dst []uint32, folded []byte, w *Workspace) []uint32 {
	begun := func(condition func(term []byte) bool) int {
		return sort.Search(len(x.codes.joined), func(i int) bool {
			w.term = x.appendCode(w.term[:0], x.codes.joined[i], true)
			return condition(w.term)
		})
	}
	low := begun(func(term []byte) bool { return bytes.Compare(term, folded) >= 0 })
	high := begun(func(term []byte) bool { return bytes.Compare(term, folded) >= 0 && !bytes.HasPrefix(term, folded) })
	first := uint32(x.suggested.completions.Terms.Len() + x.phrases.Len() + len(x.codes.pubs))
	for i := low; i < high; i++ {
		dst = append(dst, first+uint32(i))
	}
	return dst
}

// mergeByText merges two runs of suggestions in the order of their texts: those from start to before middle, and those
// from middle on.
func (x *Index) mergeByText(numbers []uint32, start, middle int, w *Workspace) {
	w.merged = append(w.merged[:0], numbers[start:middle]...)
	one, other := w.merged, numbers[middle:]
	for at := start; len(one) > 0 && len(other) > 0; at++ {
		w.key, w.term = x.AppendSuggested(w.key[:0], one[0]), x.AppendSuggested(w.term[:0], other[0])
		if bytes.Compare(w.key, w.term) < 0 {
			numbers[at], one = one[0], one[1:]
		} else {
			numbers[at], other = other[0], other[1:]
		}
	}
	copy(numbers[len(numbers)-len(one):], one)
}

// suggestedPlace returns a place by the number of its suggestion; without its words.
func (x *Index) suggestedPlace(number uint32) (p Place) {
	s := &x.suggested
	if first := uint32(s.completions.Terms.Len()); number >= first {
		number -= first
		if all := uint32(x.phrases.Len() + len(x.codes.pubs)); number >= all {
			number = uint32(x.phrases.Len()) + x.codes.joined[number-all]
		}
		p.phrase, p.isPhrase = number, true
		if int(number) < x.phrases.Len() && x.names.Len() > 0 {
			p.name, p.isName = x.names.Find(x.phrases.At(number))
		}
		return p
	}
	if phrase := s.phrase[number]; phrase > 0 {
		p.phrase, p.isPhrase = phrase-1, true
	}
	if name := s.name[number]; name > 0 {
		p.name, p.isName = name-1, true
	}
	return p
}

// SuggestedPubs returns about how many pubs a suggested place has: those of the phrase or, if it is a name of the
// gazetteer, those within it.
func (x *Index) SuggestedPubs(number uint32) int {
	if int(number) >= x.suggested.completions.Terms.Len() {
		return x.count(x.suggestedPlace(number).phrase)
	}
	return int(x.suggested.completions.Pubs[number])
}

// count returns the number of pubs of a phrase.
func (x *Index) count(phrase uint32) int {
	if code, ok := x.codeOf(phrase); ok {
		return len(x.codes.pubsOf(code))
	}
	return x.pubs.Count(phrase)
}

// AppendShown appends the name of a suggested place as people write it.
func (x *Index) AppendShown(dst []byte, number uint32) []byte {
	if int(number) < x.suggested.completions.Terms.Len() {
		return append(dst, x.suggested.shown.At(number)...)
	}
	start := len(dst)
	dst = x.AppendSuggested(dst, number)
	for i, c := range dst[start:] { // a postcode
		if 'a' <= c && c <= 'z' {
			dst[start+i] = c - ('a' - 'A')
		}
	}
	return dst
}

// AppendSuggested appends the folded words of a suggested place.
func (x *Index) AppendSuggested(dst []byte, number uint32) []byte {
	first := uint32(x.suggested.completions.Terms.Len())
	if number < first {
		return append(dst, x.suggested.completions.Terms.At(number)...)
	}
	phrases, pubs := uint32(x.phrases.Len()), uint32(len(x.codes.pubs))
	switch number -= first; {
	case number < phrases:
		return append(dst, x.phrases.At(number)...)
	case number < phrases+pubs:
		return x.appendCode(dst, number-phrases, false)
	}
	return x.appendCode(dst, x.codes.joined[number-phrases-pubs], true)
}

// SuggestedMiddle returns the middle of a suggested place.
func (x *Index) SuggestedMiddle(number uint32) (at geo.Point, ok bool) {
	p := x.suggestedPlace(number)
	return x.Middle(&p)
}

// Similar is a place, and how many edits its text is away from another.
type Similar struct {
	Place Place
	Edits int
}

// minSimilar is the minimum number of letters of a place that may be misspelt.
const minSimilar = 4

// AppendSimilar appends the places without digits, of minSimilar letters or more, whose texts are 1 to a number of
// edits, at most 3, away from another, with the same first character. Their words are in memory of dst, which is
// reused: a place that is kept must be copied before the next call. The cost is that of comparing the letters of all
// places that begin with the character, some nanoseconds each.
func (x *Index) AppendSimilar(dst []Similar, typed []byte, edits int, m *text.FuzzyMatcher) []Similar {
	var room [64]text.Range
	for _, r := range m.Append(room[:0], &x.suggested.similar, text.FuzzyQuery{Word: typed, Edits: edits}) {
		term := x.suggested.completions.Terms.At(r.Low)
		away := m.Distance(typed, term, edits, false)
		if away == 0 || utf8.RuneCount(term)-bytes.Count(term, []byte(" ")) < minSimilar {
			continue
		}
		var words text.Phrase
		if len(dst) < cap(dst) {
			words = dst[:len(dst)+1][len(dst)].Place.Words
		}
		p := x.suggestedPlace(r.Low)
		if p.Words = words[:0].AppendWords(term); mayName(p.Words) {
			dst = append(dst, Similar{p, away})
		}
	}
	return dst
}

// suggest prepares the suggestions: shown has the spelling of each phrase, and named those of the names of the
// gazetteer, with their numbers of pubs. inside is how many pubs are in each place: phrases, and then names.
func (c *Collected) suggest(inside []uint32) {
	var all, terms, shown [][]byte
	for _, d := range [...]*text.Dictionary{&c.phrases, &c.names} {
		for i := range uint32(d.Len()) {
			all = append(all, d.At(i))
		}
	}
	slices.SortFunc(all, bytes.Compare)
	s := suggested{}
	var pubs []uint32
	for _, term := range slices.CompactFunc(all, bytes.Equal) {
		count, spelling, place := uint32(0), "", uint32(0)
		byPhrase, byName := uint32(0), uint32(0)
		if name, ok := c.names.Find(term); ok {
			count, spelling, byName = c.named[name].pubs, c.named[name].shown, name+1
		}
		if phrase, ok := c.phrases.Find(term); ok {
			count, spelling, byPhrase, place = uint32(c.pubs.Count(phrase)), cmp.Or(c.shown[phrase], spelling), phrase+1, phrase
		}
		if byName > 0 {
			place = uint32(c.phrases.Len()) + byName - 1
		}
		if count == 0 || text.HasDigit(term) {
			continue
		}
		terms, pubs, shown = append(terms, term), append(pubs, count), append(shown, []byte(spelling))
		s.phrase, s.name, s.inside = append(s.phrase, byPhrase), append(s.name, byName), append(s.inside, inside[place])
	}
	s.completions = text.NewCompletions(text.NewDictionary(terms, false), pubs)
	s.shown = text.NewDictionary(shown, false)
	s.similar.Letters = text.NewLetters(&s.completions.Terms)
	c.suggested = s
}

// code writes or reads the suggestions of a number of phrases and names.
func (s *suggested) code(f indexfile.Codec, phrases, names int) {
	s.completions.Terms.Code(f, "places.suggested")
	count := s.completions.Terms.Len()
	s.completions.Code(f, "places.suggested")
	indexfile.ArrayN(f, "places.suggested.phrase", &s.phrase, count)
	indexfile.ArrayN(f, "places.suggested.name", &s.name, count)
	indexfile.CheckBelow(f.Reader, "places.suggested.phrase", s.phrase, phrases+1)
	indexfile.CheckBelow(f.Reader, "places.suggested.name", s.name, names+1)
	indexfile.ArrayN(f, "places.suggested.inside", &s.inside, count)
	s.shown.Code(f, "places.shown")
	s.similar.Terms = &s.completions.Terms
	indexfile.ArrayN(f, "places.suggested.letters", (*[]uint32)(&s.similar.Letters), count)
	f.Check(s.shown.Len() == count, "places.shown.offsets", "it differs in number from the places")
}

// CountInside returns the number of pubs in a suggested place, in the memory of a pool unless it is prepared.
func (x *Index) CountInside(number uint32, w *Workspace, pool *postings.Pool) int {
	if int(number) < len(x.suggested.inside) {
		return int(x.suggested.inside[number])
	}
	p := x.suggestedPlace(number)
	w.term = x.AppendSuggested(w.term[:0], number)
	p.Words = w.head[:0].AppendWords(w.term)
	w.head = p.Words
	return x.Inside(&p, w, pool).Len()
}
