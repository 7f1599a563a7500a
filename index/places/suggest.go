package places

import (
	"cmp"
	"slices"

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
	shown        text.Dictionary // how it is written; in the order of the terms
}

// Suggestions are numbered: places first, then phrases with a digit.

// AppendSuggestions appends the places that begin with a folded text, those with the most pubs first, at most
// [text.MaxCompletions]. Postcodes and other phrases with a digit are among them only if the text has a digit.
func (x *Index) AppendSuggestions(dst []uint32, folded []byte) []uint32 {
	if !text.HasDigit(folded) {
		return x.suggested.completions.Append(dst, folded)
	}
	start, first := len(dst), uint32(x.suggested.completions.Terms.Len())
	for r := x.phrases.PrefixRange(folded); r.Low < r.High; r.Low++ {
		number := x.AsWritten(first + r.Low)
		if slices.Contains(dst[start:], number) {
			continue
		}
		at, _ := slices.BinarySearchFunc(dst[start:], number, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(x.pubs.Count(b-first), x.pubs.Count(a-first)), cmp.Compare(a, b))
		})
		if at < text.MaxCompletions {
			dst = slices.Insert(dst, start+at, number)
			dst = dst[:min(len(dst), start+text.MaxCompletions)]
		}
	}
	return dst
}

// SuggestedRange returns the numbers of the places that begin with a folded text.
func (x *Index) SuggestedRange(folded []byte) text.Range {
	if !text.HasDigit(folded) {
		return x.suggested.completions.Terms.PrefixRange(folded)
	}
	first := uint32(x.suggested.completions.Terms.Len())
	r := x.phrases.PrefixRange(folded)
	return text.Range{Low: first + r.Low, High: first + r.High}
}

// AsWritten returns the number of the suggestion of the same place that people write: a postcode in two words rather
// than in one.
func (x *Index) AsWritten(number uint32) uint32 {
	first := uint32(x.suggested.completions.Terms.Len())
	if number < first {
		return number
	}
	const inward = 3 // the length of a postcode's second word
	var written [16]byte
	term := x.phrases.At(number - first)
	if at := len(term) - inward; at > 0 && len(term) < len(written) {
		two := append(append(append(written[:0], term[:at]...), ' '), term[at:]...)
		if phrase, ok := x.phrases.Find(two); ok {
			return first + phrase
		}
	}
	return number
}

// Suggested returns a place by the number of its suggestion; without its words.
func (x *Index) Suggested(number uint32) (p Place) {
	s := &x.suggested
	if first := uint32(s.completions.Terms.Len()); number >= first {
		return Place{phrase: number - first, isPhrase: true}
	}
	if phrase := s.phrase[number]; phrase > 0 {
		p.phrase, p.isPhrase = phrase-1, true
	}
	if name := s.name[number]; name > 0 {
		p.name, p.isName = name-1, true
	}
	return p
}

// SuggestedPubs returns about how many pubs a suggested place has: those of the phrase or, if it is none, those in it.
func (x *Index) SuggestedPubs(number uint32) int {
	if first := uint32(x.suggested.completions.Terms.Len()); number >= first {
		return x.pubs.Count(number - first)
	}
	return int(x.suggested.completions.Pubs[number])
}

// AppendShown appends the name of a suggested place as people write it.
func (x *Index) AppendShown(dst []byte, number uint32) []byte {
	first := uint32(x.suggested.completions.Terms.Len())
	if number < first {
		return append(dst, x.suggested.shown.At(number)...)
	}
	for _, c := range x.phrases.At(number - first) { // a postcode
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// TermOf returns the folded words of a suggested place.
func (x *Index) TermOf(number uint32) []byte {
	first := uint32(x.suggested.completions.Terms.Len())
	if number < first {
		return x.suggested.completions.Terms.At(number)
	}
	return x.phrases.At(number - first)
}

// SuggestedCentre returns the centre of a suggested place, or its first point.
func (x *Index) SuggestedCentre(number uint32) (at geo.Point, ok bool) {
	p := x.Suggested(number)
	return x.Centre(&p)
}

// suggest prepares the suggestions: shown has the spelling of each phrase, and named those of the names of the
// gazetteer, with their numbers of pubs.
func (c *Collected) suggest() {
	s := suggested{}
	var terms [][]byte
	var pubs []uint32
	var shown [][]byte
	phrase, name := uint32(0), uint32(0)
	phrases, names := uint32(c.phrases.Len()), uint32(c.names.Len())
	for phrase < phrases || name < names {
		order := 0
		switch {
		case phrase == phrases:
			order = 1
		case name == names:
			order = -1
		default:
			order = slices.Compare(c.phrases.At(phrase), c.names.At(name))
		}
		var term []byte
		var count uint32
		spelling := ""
		byPhrase, byName := uint32(0), uint32(0)
		if order >= 0 {
			term, count, spelling = c.names.At(name), c.named[name].pubs, c.named[name].shown
			name++
			byName = name
		}
		if order <= 0 {
			term, count, spelling = c.phrases.At(phrase), uint32(c.pubs.Count(phrase)), cmp.Or(c.shown[phrase], spelling)
			phrase++
			byPhrase = phrase
		}
		if count == 0 || text.HasDigit(term) {
			continue
		}
		terms, pubs, shown = append(terms, term), append(pubs, count), append(shown, []byte(spelling))
		s.phrase, s.name = append(s.phrase, byPhrase), append(s.name, byName)
	}
	s.completions = text.NewCompletions(text.NewDictionary(terms, false), pubs)
	s.shown = text.NewDictionary(shown, false)
	c.suggested = s
}

func (s *suggested) write(w *indexfile.Writer) {
	s.completions.Terms.Write(w, "places.suggested")
	s.completions.Write(w, "places.suggested")
	indexfile.Put(w, "places.suggested.phrase", s.phrase)
	indexfile.Put(w, "places.suggested.name", s.name)
	s.shown.Write(w, "places.shown")
}

func readSuggested(r *indexfile.Reader, x *Index) (s suggested) {
	s.completions = text.ReadCompletions(r, "places.suggested", text.ReadDictionary(r, "places.suggested"))
	count := s.completions.Terms.Len()
	s.phrase, s.name = indexfile.TakeN[uint32](r, "places.suggested.phrase", count), indexfile.TakeN[uint32](r, "places.suggested.name", count)
	indexfile.CheckBelow(r, "places.suggested.phrase", s.phrase, x.phrases.Len()+1)
	indexfile.CheckBelow(r, "places.suggested.name", s.name, x.names.Len()+1)
	s.shown = text.ReadDictionary(r, "places.shown")
	r.Check(r.Err() != nil || s.shown.Len() == count, "places.shown.offsets", "it differs in number from the places")
	return s
}

// InsideSuggested returns the pubs in a suggested place, in the memory of a pool.
func (x *Index) InsideSuggested(number uint32, w *Workspace, pool *postings.Pool) postings.Set {
	p := x.Suggested(number)
	p.Words = w.head[:0].AppendWords(x.TermOf(number))
	w.head = p.Words
	return x.Inside(&p, w, pool)
}
