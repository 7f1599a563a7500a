package match

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"pubd/index/features"
	"pubd/index/places"
	"pubd/index/text"
)

const (
	// MaxWords is the maximum number of words, except filler words, of a query that is read and relaxed.
	MaxWords = 8
	// maxRead is the maximum number of words, filler words included, of such a query.
	maxRead = 64
)

// reading is what the words of a query say. Positions are those of words, without "the" and "and".
type reading struct {
	words   text.Phrase
	classes []text.Class // by word
	says    text.Class   // the classes of all words together
	isLong  bool         // it has too many words to be read: positions are not valid
	query   []uint8      // the positions of all words
	// core are the positions of the words that are neither generic nor filler, or all; coreEnds is set if the query ends
	// with the core.
	core     []uint8
	coreEnds bool
	places   []named // at most two, the longer first; once isPlaced is set
	isPlaced bool    // places have been read, or none are to be read
	features []wish  // that the snapshot tells of
}

// wish is a feature that some words of a query wish, and their positions: low to high-1.
type wish struct {
	feature   string
	low, high uint8
}

// named is a place that a query ends or begins with.
type named struct {
	places.Place
	// rest are the positions of what is left, without generic and filler words and without the place nouns beside the
	// place. With ends, it stands behind the place, and its last word is matched as a last word.
	rest []uint8
	ends bool
	// name are the positions of the rest less the wishes.
	name []uint8
}

// asks reports whether a query asks for pubs somewhere: it has a word such as in or pubs.
func (r *reading) asks() bool { return r.says.Is(text.Where | text.PluralKind) }

// Read reads the words of a query, without "the" and "and": which features of a vocabulary it wishes and, once needed and
// if places is set, which places it names.
func (x *Index) Read(words text.Phrase, v *features.Vocabulary, places bool, w *Workspace) {
	r := &w.reading
	r.words = append(r.words[:0], words...)
	r.classes, r.query, r.core, r.says = r.classes[:0], r.query[:0], r.core[:0], 0
	r.features = r.features[:0]
	count := 0
	for _, word := range words {
		class := text.ClassOf(word)
		r.classes, r.says = append(r.classes, class), r.says|class
		if !class.Is(text.Filler) {
			count++
		}
	}
	if len(x.Tells) > 0 {
		x.readFeatures(r, v)
	}
	r.isLong = count > MaxWords || len(words) > maxRead
	for i := range min(len(words), maxRead) {
		r.query = append(r.query, uint8(i))
		if !r.classes[i].Is(text.Usual) {
			r.core = append(r.core, uint8(i))
		}
	}
	if len(r.core) == 0 {
		r.core = append(r.core, r.query...)
	}
	r.coreEnds = int(r.core[len(r.core)-1]) == len(words)-1
	r.places, r.isPlaced = r.places[:0], !places
}

// placesOf returns the places that the query names, which it reads when they are first needed.
func (x *Index) placesOf(r *reading, w *Workspace) []named {
	if !r.isPlaced {
		r.isPlaced = true
		x.readPlaces(r, w)
	}
	return r.places
}

// isPlace reports whether one of the places that the query names leaves nothing of it. It looks up only the words that
// can be such a place.
func (x *Index) isPlace(r *reading, w *Workspace) bool {
	n, first := len(r.words), 0
	for first < n && r.classes[first].Is(text.Usual|text.PlaceNoun) {
		first++
	}
	for end := n; !r.isPlaced && end > 0; end-- {
		whole, head := r.words[:end], x.withoutInward(r.words[:end], w)
		for from := 0; from <= min(first, end-1) && !r.isPlaced; from++ {
			if x.isNamed(whole[from:], w) || len(head) < end && from < len(head) && x.isNamed(head[from:], w) {
				x.placesOf(r, w)
			}
		}
		if !r.classes[end-1].Is(text.Usual | text.PlaceNoun) {
			break
		}
	}
	return slices.ContainsFunc(r.places, func(n named) bool { return len(n.rest) == 0 })
}

// isNamed reports whether words name a place.
func (x *Index) isNamed(words text.Phrase, w *Workspace) bool {
	_, ok := x.Places.Find(words, &w.places)
	return ok
}

// readFeatures finds the features that the query wishes and the snapshot tells of. Their words are wishes. A kind of pubs
// is none.
func (x *Index) readFeatures(r *reading, v *features.Vocabulary) {
	for i := 0; i < min(len(r.words), maxRead); i++ {
		feature, n := v.Find(r.words[i:])
		if n == 0 || n == 1 && r.classes[i].Is(text.Kind) || !x.Tells[feature] {
			continue
		}
		r.features = append(r.features, wish{feature, uint8(i), uint8(i + n)})
		for j := range n {
			r.classes[i+j] |= text.Wish
		}
		r.says |= text.Wish
		i += n - 1
	}
}

// readPlaces finds the places that the query names: the longest that ends it, or what of it remains without the usual
// words at its end, or without place nouns there, too; and the longest that begins it and leaves something, or what
// remains without the usual words at its beginning.
func (x *Index) readPlaces(r *reading, w *Workspace) {
	n := len(r.words)
	usual := r.before(n, text.Usual)
	tried := 0
	for _, end := range [...]int{n, usual, r.before(usual, text.Usual|text.PlaceNoun)} {
		if end != tried && end > 0 && x.readEnding(r, end, w) {
			break
		}
		tried = end
	}
	first := 0
	for first < n && r.classes[first].Is(text.Usual) {
		first++
	}
	if !x.readBeginning(r, 0, w) && first > 0 {
		x.readBeginning(r, first, w)
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
func (r *reading) before(end int, some text.Class) int {
	for end > 0 && r.classes[end-1].Is(some) {
		end--
	}
	return end
}

// readEnding reads the longest place that ends the words before a position, and reports whether there is one.
func (x *Index) readEnding(r *reading, end int, w *Workspace) bool {
	words := x.withoutInward(r.words[:end], w)
	for i := range words {
		p, ok := x.Places.Find(words[i:], &w.places)
		if !ok {
			continue
		}
		left := i
		for left > 0 && r.classes[left-1].Is(text.PlaceNoun) && string(r.words[left-1]) != "station" {
			left--
		}
		r.addPlace(p, 0, left, false)
		return true
	}
	return false
}

// readBeginning reads the longest place that begins the words from a position on and leaves some, and reports whether
// there is one.
func (x *Index) readBeginning(r *reading, from int, w *Workspace) bool {
	for end := len(r.words) - 1; end > from; end-- {
		p, ok := x.Places.Find(r.words[from:end], &w.places)
		if !ok {
			continue
		}
		for end < len(r.words) && r.classes[end].Is(text.PlaceNoun) {
			end++
		}
		r.addPlace(p, end, len(r.words), true)
		return true
	}
	return false
}

// addPlace adds a place that leaves the words from low to high-1.
func (r *reading) addPlace(p places.Place, low, high int, ends bool) {
	r.places = slices.Grow(r.places, 1)[:len(r.places)+1]
	n := &r.places[len(r.places)-1]
	*n = named{Place: p, rest: n.rest[:0], ends: ends, name: n.name[:0]}
	for i := low; i < high; i++ {
		if class := r.classes[i]; !class.Is(text.Usual) {
			n.rest = append(n.rest, uint8(i))
			if !class.Is(text.Wish) {
				n.name = append(n.name, uint8(i))
			}
		}
	}
}

// withoutInward returns words without the inward code of a British postcode at their end, a digit and two letters, if no
// pub has the postcode and what is before is a phrase with a digit.
func (x *Index) withoutInward(words text.Phrase, w *Workspace) text.Phrase {
	n := len(words) - 1
	cut := inwardAt(words[n])
	if cut < 0 {
		return words
	}
	head := words[:n]
	if cut > 0 {
		w.head = append(append(w.head[:0], head...), words[n][:cut])
		head = w.head
	}
	isPhrase := func(words text.Phrase) bool {
		_, ok := x.Places.Phrase(words, &w.places)
		return ok
	}
	if len(head) == 0 || !text.HasDigit(head[len(head)-1]) || !isPhrase(head[len(head)-1:]) ||
		isPhrase(words[n:]) || n > 0 && isPhrase(words[n-1:]) {
		return words
	}
	return head
}

// inwardAt returns where an inward code begins that ends a word; -1 if none does.
func inwardAt(word []byte) int {
	for _, isRight := range [...]func(r rune) bool{unicode.IsLetter, unicode.IsLetter, unicode.IsDigit} {
		r, size := utf8.DecodeLastRune(word)
		if !isRight(r) {
			return -1
		}
		word = word[:len(word)-size]
	}
	return len(word)
}
