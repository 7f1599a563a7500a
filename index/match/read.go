package match

import (
	"bytes"
	"math/bits"
	"slices"

	"pubd/index/features"
	"pubd/index/hours"
	"pubd/index/places"
	"pubd/index/text"
)

const (
	// MaxWords is the maximum number of words, except filler words, of a query that is read and relaxed.
	MaxWords = 8
	// maxRead is the maximum number of words, filler words included, of such a query.
	maxRead = 64
)

// reading is what the words of a query say. Positions are those of texts.
type reading struct {
	words   text.Phrase  // without "the", "and" and what is left out or denied
	texts   text.Phrase  // words, and "st" if places were found by it instead of a saint
	classes []text.Class // by text
	says    text.Class   // the classes of all words together
	isHere  bool         // a word, also one that is left out, means the place where the person is
	isLong  bool         // it has too many words to be read: positions are not valid
	query   []uint8      // the positions of all words
	// core are the positions of the words that are neither generic nor filler, or all; coreEnds is set if the query ends
	// with the core.
	core     []uint8
	coreEnds bool
	places   []named // at most two, the longer first; once isPlaced is set
	isPlaced bool    // places have been read, or none are to be read
	// hasPlaces is set if places are to be read. saints are the words with st for each saint.
	hasPlaces bool
	saints    text.Phrase
	features  []wish        // that the snapshot tells of
	time      features.Time // at which pubs are to be open
	denied    Denied
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
	// place. With ends, it ends the query, and its last word is matched as a last word.
	rest []uint8
	ends bool
	// name are the positions of the rest less the wishes.
	name []uint8
}

// asks reports whether a query asks for pubs somewhere: it has a word such as in or pubs.
func (r *reading) asks() bool { return r.says.Is(text.Where | text.PluralKind) }

// Read reads the words of a query, without "the" and "and": which features of a vocabulary it wishes and, unless it is
// strict, what it leaves out and denies; and, once needed and if places is set, which places it names. Now is when it is
// asked. It returns the words that are left, which are valid until the workspace is used again.
func (x *Index) Read(words text.Phrase, v *features.Vocabulary, now hours.Local, strict, places bool, w *Workspace) text.Phrase {
	r := &w.reading
	r.words, r.classes, r.says = append(r.words[:0], words...), r.classes[:0], 0
	for _, word := range words {
		class := text.ClassOf(word)
		r.classes, r.says = append(r.classes, class), r.says|class
	}
	r.isHere, r.denied, r.time = r.says.Is(text.Here), Denied{}, features.Time{}
	if !strict {
		if x.HasBrands {
			x.nameChains(r, v)
		}
		x.leaveOut(r, v, w)
	}
	r.texts, r.query, r.core, r.features = r.words, r.query[:0], r.core[:0], r.features[:0]
	if len(x.Tells) > 0 {
		x.readFeatures(r, v, now)
	}
	count := 0
	for i := range r.words {
		if !r.classes[i].Is(text.Filler) {
			count++
		}
		if i < maxRead {
			r.query = append(r.query, uint8(i))
			if !r.classes[i].Is(text.Usual) {
				r.core = append(r.core, uint8(i))
			}
		}
	}
	r.isLong = count > MaxWords || len(r.words) > maxRead
	if len(r.core) == 0 {
		r.core = append(r.core, r.query...)
	}
	r.coreEnds = int(r.core[len(r.core)-1]) == len(r.words)-1
	r.places, r.isPlaced, r.hasPlaces = r.places[:0], !places, places
	return r.words
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
	if slices.ContainsFunc(r.words, isSaint) {
		x.placesOf(r, w)
	}
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

// nameChains puts the name of a chain for each nickname that fewer pubs are called.
func (x *Index) nameChains(r *reading, v *features.Vocabulary) {
	for i := 0; i < len(r.words); i++ {
		chain := v.Chain(r.words[i])
		if chain == nil {
			continue
		}
		name := text.Phrase{}.AppendWords(chain)
		if x.exact(&x.Named, r.words[i]).Len() < x.exact(&x.Named, name[0]).Len() {
			r.words = slices.Replace(r.words, i, i+1, name...)
			r.classes = slices.Replace(r.classes, i, i+1, make([]text.Class, len(name))...)
			for _, word := range name {
				r.classes[i] = text.ClassOf(word)
				i++
			}
			i--
			r.sumClasses()
		}
	}
}

// readFeatures finds the features that the query wishes and the snapshot tells of, and the time at which pubs are to be
// open, whose words are no others. Their words are wishes. A kind of pubs is none.
func (x *Index) readFeatures(r *reading, v *features.Vocabulary, now hours.Local) {
	if r.says.Is(text.Time) && x.Tells[features.OpenAt] {
		r.time = features.FindTime(r.words, now)
	}
	for i := 0; i < min(len(r.words), maxRead); i++ {
		feature, n := v.Find(r.words[i:])
		if run := bits.TrailingZeros64(^(r.time.Words >> i)); run > 0 {
			feature, n = features.OpenAt, run
		} else if n > bits.TrailingZeros64(r.time.Words>>i) {
			continue
		}
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
// remains without the usual words at its beginning. If there is none: the same with st for a saint; then the longest that
// ends what remains without wishes at its end, too; then the longest behind the first where word, or of, that has one.
func (x *Index) readPlaces(r *reading, w *Workspace) {
	x.readEnds(r, r.words, w)
	words := r.words
	if len(r.places) == 0 && len(words) < maxRead && slices.ContainsFunc(words, isSaint) {
		words = r.abbreviated()
		r.texts, r.classes = append(r.texts, st), append(r.classes, text.ClassOf(st))
		x.readEnds(r, words, w)
	}
	if len(r.places) > 0 {
		return
	}
	if end := r.before(len(words), text.Usual|text.PlaceNoun|text.Wish); end > 0 {
		if p, at, ok := x.placeEnding(words[:end], w); ok {
			r.addPlace(p, words, at, end, true)
			return
		}
	}
	for low := 1; low < len(words); low++ {
		if !r.classes[low-1].Is(text.Where) && string(words[low-1]) != "of" {
			continue
		}
		for high := len(words); high > low; high-- {
			if p, ok := x.Places.Find(words[low:high], &w.places); ok {
				r.addPlace(p, words, low, high, true)
				return
			}
		}
	}
}

// namesPlace reports whether some words of the query name a place.
func (x *Index) namesPlace(words text.Phrase, w *Workspace) bool {
	if r := &w.reading; r.hasPlaces && len(words) == len(r.words) {
		return len(x.placesOf(r, w)) > 0
	}
	part := &w.phrase
	part.words, part.classes = append(part.words[:0], words...), part.classes[:0]
	for _, word := range words {
		class := text.ClassOf(word)
		if at := slices.IndexFunc(w.reading.words, func(other []byte) bool { return bytes.Equal(word, other) }); at >= 0 {
			class = w.reading.classes[at]
		}
		part.classes = append(part.classes, class)
	}
	part.texts, part.places = part.words, part.places[:0]
	x.readPlaces(part, w)
	return len(part.places) > 0
}

var st = []byte("st")

func isSaint(word []byte) bool { return string(word) == "saint" || string(word) == "sankt" }

// abbreviated returns the words with st for each saint.
func (r *reading) abbreviated() text.Phrase {
	r.saints = append(r.saints[:0], r.words...)
	for i, word := range r.saints {
		if isSaint(word) {
			r.saints[i] = st
		}
	}
	return r.saints
}

// readEnds finds the places that words end and begin with.
func (x *Index) readEnds(r *reading, words text.Phrase, w *Workspace) {
	n := len(words)
	usual := r.before(n, text.Usual)
	tried := 0
	for _, end := range [...]int{n, usual, r.before(usual, text.Usual|text.PlaceNoun)} {
		if end != tried && end > 0 {
			if p, at, ok := x.placeEnding(words[:end], w); ok {
				r.addPlace(p, words, at, n, false)
				break
			}
		}
		tried = end
	}
	first := 0
	for first < n && r.classes[first].Is(text.Usual) {
		first++
	}
	if !x.readBeginning(r, words, 0, w) && first > 0 {
		x.readBeginning(r, words, first, w)
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

// placeEnding returns the longest place that ends words, and where it begins.
func (x *Index) placeEnding(words text.Phrase, w *Workspace) (p places.Place, at int, ok bool) {
	words = x.withoutInward(words, w)
	for at := range words {
		if p, ok = x.Places.Find(words[at:], &w.places); ok {
			return p, at, true
		}
	}
	return p, 0, false
}

// readBeginning reads the longest place that begins the words from a position on and leaves some, and reports whether
// there is one.
func (x *Index) readBeginning(r *reading, words text.Phrase, from int, w *Workspace) bool {
	for end := len(words) - 1; end > from; end-- {
		if p, ok := x.Places.Find(words[from:end], &w.places); ok {
			r.addPlace(p, words, 0, end, true)
			return true
		}
	}
	return false
}

// addPlace adds a place that leaves the words before and after it, from positions low and high on; ends says whether the
// last of them is matched as a last word.
func (r *reading) addPlace(p places.Place, words text.Phrase, low, high int, ends bool) {
	r.places = slices.Grow(r.places, 1)[:len(r.places)+1]
	n := &r.places[len(r.places)-1]
	*n = named{Place: p, rest: n.rest[:0], ends: ends, name: n.name[:0]}
	rest := n.rest
	for i := range words {
		if i < low || i >= high {
			rest = append(rest, uint8(i))
		}
	}
	for ends && len(rest) > 0 && r.classes[rest[0]].Is(text.PlaceNoun) {
		rest = rest[1:]
	}
	for !ends && len(rest) > 0 && r.classes[rest[len(rest)-1]].Is(text.PlaceNoun) && string(words[rest[len(rest)-1]]) != "station" {
		rest = rest[:len(rest)-1]
	}
	for _, i := range rest {
		class, position := r.classes[i], i
		if class.Is(text.Usual) {
			continue
		}
		if string(words[i]) != string(r.words[i]) {
			position = uint8(len(r.words)) // of st
		}
		n.rest = append(n.rest, position)
		if !class.Is(text.Wish) {
			n.name = append(n.name, position)
		}
	}
}

// withoutInward returns words without the inward code of a British postcode at their end, a digit and two letters, if no
// pub has the postcode and what is before is a phrase with a digit.
func (x *Index) withoutInward(words text.Phrase, w *Workspace) text.Phrase {
	n := len(words) - 1
	cut := places.InwardAt(words[n])
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
