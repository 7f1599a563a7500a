package reading

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"pubd/index/places"
	"pubd/index/terms"
	"pubd/index/text"
)

// Named is a place that a query names.
type Named struct {
	places.Place
	// Rest are the words that are left, without generic and filler words and without the place nouns beside the place; it
	// ends as a last word does unless the place ends the query. Name are the same less the wishes.
	Rest, Name terms.Part
}

// Place returns the place that words are.
func (r *Reading) Place(words text.Phrase) (p places.Place, ok bool) {
	return r.index.Places.Find(words, &r.w.Places)
}

// Places returns the places that the query names, at most two, the longer first. It reads them when they are first needed.
func (r *Reading) Places() []Named {
	if !r.isPlaced {
		r.isPlaced = true
		r.readPlaces()
	}
	return r.places
}

// isPlace reports whether one of the places that the query names leaves nothing of it. It looks up only the words that
// can be such a place.
func (r *Reading) isPlace() bool {
	if slices.ContainsFunc(r.Words, IsSaint) {
		r.Places()
	}
	n, first := len(r.Words), 0
	for first < n && r.Classes[first].Is(text.Usual|text.PlaceNoun) {
		first++
	}
	for end := n; !r.isPlaced && end > 0; end-- {
		whole, head := r.Words[:end], r.withoutInward(r.Words[:end])
		for from := 0; from <= min(first, end-1) && !r.isPlaced; from++ {
			if r.isPlaceName(whole[from:]) || len(head) < end && from < len(head) && r.isPlaceName(head[from:]) {
				r.Places()
			}
		}
		if !r.Classes[end-1].Is(text.Usual | text.PlaceNoun) {
			break
		}
	}
	return slices.ContainsFunc(r.places, func(n Named) bool { return len(n.Rest.Positions) == 0 })
}

// isPlaceName reports whether words name a place.
func (r *Reading) isPlaceName(words text.Phrase) bool {
	_, ok := r.Place(words)
	return ok
}

// readPlaces finds the places that the query names: the longest that ends it, or what of it remains without the usual
// words at its end, or without place nouns there, too; and the longest that begins it and leaves something, or what
// remains without the usual words at its beginning. If there is none: the same with st for a saint; then the longest that
// ends what remains without wishes at its end, too; then the longest behind the first where word, or of, that has one.
func (r *Reading) readPlaces() {
	r.readEnds(r.Words)
	words := r.Words
	if len(r.places) == 0 && len(words) < terms.MaxPositions && slices.ContainsFunc(words, IsSaint) {
		words = r.abbreviated()
		r.Texts, r.Classes = append(r.Texts, st), append(r.Classes, text.ClassOf(st))
		r.readEnds(words)
	}
	if len(r.places) > 0 {
		return
	}
	if end := r.before(len(words), text.Usual|text.PlaceNoun|text.Wish); end > 0 {
		if p, at, ok := r.placeEnding(words[:end]); ok {
			r.addPlace(p, words, at, end, true)
			return
		}
	}
	for low := 1; low < len(words); low++ {
		if !r.Classes[low-1].Is(text.Where) && string(words[low-1]) != "of" {
			continue
		}
		for high := len(words); high > low; high-- {
			if p, ok := r.Place(words[low:high]); ok {
				r.addPlace(p, words, low, high, true)
				return
			}
		}
	}
}

// namesPlace reports whether some words of the query name a place.
func (r *Reading) namesPlace(words text.Phrase) bool {
	if r.hasPlaces && len(words) == len(r.Words) {
		return len(r.Places()) > 0
	}
	part := &r.w.part
	part.index, part.w = r.index, r.w
	part.Words, part.Classes = append(part.Words[:0], words...), part.Classes[:0]
	for _, word := range words {
		class := text.ClassOf(word)
		if at := slices.IndexFunc(r.Words, func(other []byte) bool { return bytes.Equal(word, other) }); at >= 0 {
			class = r.Classes[at]
		}
		part.Classes = append(part.Classes, class)
	}
	part.Texts, part.places = part.Words, part.places[:0]
	part.readPlaces()
	return len(part.places) > 0
}

// leastWhole is the number of pubs that have a last word whole from which on it begins no other.
const leastWhole = 3

// MayBegin reports whether the last of some words of the query may begin a longer one: where they name a place, it does
// not if enough pubs have it whole.
func (r *Reading) MayBegin(words text.Phrase) bool {
	last := words[len(words)-1]
	if len(words) < 2 || utf8.RuneCount(last) < MinTelling {
		return true
	}
	whole, codes := r.index.Terms.Words.Exact(last), r.index.Terms.CodesOf(last)
	count := whole.Len()
	for _, pub := range codes.IDs() {
		if count < leastWhole && !whole.Has(pub) {
			count++
		}
	}
	return max(count, codes.Len()) < leastWhole || !r.namesPlace(words)
}

var st = []byte("st")

// IsSaint reports whether a word may be read as st.
func IsSaint(word []byte) bool { return string(word) == "saint" || string(word) == "sankt" }

// abbreviated returns the words with st for each saint.
func (r *Reading) abbreviated() text.Phrase {
	r.saints = append(r.saints[:0], r.Words...)
	for i, word := range r.saints {
		if IsSaint(word) {
			r.saints[i] = st
		}
	}
	return r.saints
}

// readEnds finds the places that words end and begin with.
func (r *Reading) readEnds(words text.Phrase) {
	n := len(words)
	usual := r.before(n, text.Usual)
	tried := 0
	for _, end := range [...]int{n, usual, r.before(usual, text.Usual|text.PlaceNoun)} {
		if end != tried && end > 0 {
			if p, at, ok := r.placeEnding(words[:end]); ok {
				r.addPlace(p, words, at, n, false)
				break
			}
		}
		tried = end
	}
	first := 0
	for first < n && r.Classes[first].Is(text.Usual) {
		first++
	}
	if !r.readBeginning(words, 0) && first > 0 {
		r.readBeginning(words, first)
	}
	if len(r.places) == 2 {
		one, other := &r.places[0], &r.places[1]
		switch {
		case slices.EqualFunc(one.Words, other.Words, slices.Equal):
			r.places = r.places[:1]
		case len(other.Words) > len(one.Words):
			*one, *other = *other, *one
		}
	}
}

// before returns where the words of some classes begin that end before a position.
func (r *Reading) before(end int, some text.Class) int {
	for end > 0 && r.Classes[end-1].Is(some) {
		end--
	}
	return end
}

// placeEnding returns the longest place that ends words, and where it begins.
func (r *Reading) placeEnding(words text.Phrase) (p places.Place, at int, ok bool) {
	words = r.withoutInward(words)
	for at := range words {
		if p, ok = r.Place(words[at:]); ok {
			return p, at, true
		}
	}
	return p, 0, false
}

// readBeginning reads the longest place that begins the words from a position on and leaves some, and reports whether
// there is one.
func (r *Reading) readBeginning(words text.Phrase, from int) bool {
	for end := len(words) - 1; end > from; end-- {
		if p, ok := r.Place(words[from:end]); ok {
			r.addPlace(p, words, 0, end, true)
			return true
		}
	}
	return false
}

// addPlace adds a place that leaves the words before and after it, from positions low and high on; ends says whether the
// last of them is matched as a last word.
func (r *Reading) addPlace(p places.Place, words text.Phrase, low, high int, ends bool) {
	r.places = slices.Grow(r.places, 1)[:len(r.places)+1]
	n := &r.places[len(r.places)-1]
	*n = Named{p, terms.Part{Positions: n.Rest.Positions[:0], Ends: ends}, terms.Part{Positions: n.Name.Positions[:0], Ends: ends}}
	rest := n.Rest.Positions
	for i := range words {
		if i < low || i >= high {
			rest = append(rest, uint8(i))
		}
	}
	for ends && len(rest) > 0 && r.Classes[rest[0]].Is(text.PlaceNoun) {
		rest = rest[1:]
	}
	for !ends && len(rest) > 0 && r.Classes[rest[len(rest)-1]].Is(text.PlaceNoun) && string(words[rest[len(rest)-1]]) != "station" {
		rest = rest[:len(rest)-1]
	}
	for _, i := range rest {
		class, position := r.Classes[i], i
		if class.Is(text.Usual) {
			continue
		}
		if string(words[i]) != string(r.Words[i]) {
			position = uint8(len(r.Words)) // of st
		}
		n.Rest.Positions = append(n.Rest.Positions, position)
		if !class.Is(text.Wish) {
			n.Name.Positions = append(n.Name.Positions, position)
		}
	}
}

// withoutInward returns words without the inward code of a British postcode at their end, a digit and two letters, if no
// pub has the postcode and what is before is a phrase with a digit.
func (r *Reading) withoutInward(words text.Phrase) text.Phrase {
	n := len(words) - 1
	cut := places.InwardAt(words[n])
	if cut < 0 {
		return words
	}
	head := words[:n]
	if cut > 0 {
		r.w.head = append(append(r.w.head[:0], head...), words[n][:cut])
		head = r.w.head
	}
	isPhrase := func(words text.Phrase) bool {
		_, ok := r.index.Places.Phrase(words, &r.w.Places)
		return ok
	}
	if len(head) == 0 || !text.HasDigit(head[len(head)-1]) || !isPhrase(head[len(head)-1:]) ||
		isPhrase(words[n:]) || n > 0 && isPhrase(words[n-1:]) {
		return words
	}
	return head
}
