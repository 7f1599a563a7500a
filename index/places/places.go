// Package places knows the places that the texts of pubs name, and finds the one that a query names.
//
// A place is a phrase, the folded words that pubs share, without "the" and "and": a location or an area, a piece of
// either between commas, a postcode, its outward code, or a part of an address that [minPart] pubs have. A phrase is
// tight if half of its pubs lie within [tightRadius] of their median point, which is its centre: Leeds is tight, High
// Street is not. All phrases are found when the index is built; a query looks up its words in a hash table.
//
// Nearly each pub has a postcode of its own, which would be two phrases, in two words and in one. Most postcodes are
// therefore stored apart, by their outward codes: eight bytes for each pub, and none for the phrases.
//
// A gazetteer adds names with points, for places in which no pub says that it is. A name counts only if no more pubs
// are called so than are in it.
package places

import (
	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/text"
)

// Index is the places of a snapshot. It is immutable and safe for concurrent use.
type Index struct {
	phrases text.Dictionary
	pubs    postings.Lists
	parts   postings.Bitmap // the phrases that are parts of addresses
	longest int             // number of words of the longest phrase
	codes   codes
	// centred are the tight phrases of several pubs, and centres their centres.
	centred postings.Counted
	tight   []uint32
	centres []geo.Point

	names  text.Dictionary // of the gazetteer
	starts []uint32        // the points of name i are at[starts[i]:starts[i+1]]
	at     []geo.Point

	suggested suggested

	local  *text.Vocabulary
	points *geo.Index
}

// Distances of the definition of a place.
const (
	tightRadius  geo.Kilometres = 50
	pointRadius  geo.Kilometres = 1 // around a point of the gazetteer, in which pubs belong to its place
	coveredBy    geo.Kilometres = 5 // unless a pub so near to the point is in the place anyway
	minPart                     = 3 // pubs with coordinates that make a part of their addresses a phrase
	longestNamed                = 500
)

// Workspace is the working memory of finding places. The zero value is ready to use.
type Workspace struct {
	key      []byte
	head     text.Phrase
	term     []byte
	begun    []uint32
	merged   []uint32
	ordinals []uint32
	operands []postings.Set
}

// Place is a place that a query names: a phrase, a name of the gazetteer, or both.
type Place struct {
	Words            text.Phrase
	phrase, name     uint32
	isPhrase, isName bool
}

// key returns words as one text.
func (w *Workspace) keyOf(words text.Phrase) []byte {
	w.key = words.AppendTo(w.key[:0])
	return w.key
}

// Phrase returns the number of a phrase: those of codes follow those of the dictionary.
func (x *Index) Phrase(words text.Phrase, w *Workspace) (number uint32, ok bool) {
	if len(words) == 0 || len(words) > x.longest {
		return 0, false
	}
	if number, ok = x.phrases.Find(w.keyOf(words)); ok {
		return number, true
	}
	number, ok = x.code(words)
	return uint32(x.phrases.Len()) + number, ok
}

// codeOf returns the number of a code by that of its phrase.
func (x *Index) codeOf(phrase uint32) (code uint32, ok bool) {
	count := uint32(x.phrases.Len())
	return phrase - count, phrase >= count
}

// Longest returns the number of words of the longest phrase.
func (x *Index) Longest() int { return x.longest }

// Having returns the pubs that have a phrase, by its number.
func (x *Index) Having(phrase uint32) postings.Set {
	if code, ok := x.codeOf(phrase); ok {
		return postings.Of(x.codes.pubsOf(code))
	}
	return x.pubs.At(phrase)
}

// IsPart reports whether a phrase is a part of addresses.
func (x *Index) IsPart(phrase uint32) bool {
	return int(phrase) < x.phrases.Len() && x.parts.Has(phrase)
}

// find returns the place that words name.
func (x *Index) find(words text.Phrase, w *Workspace) (p Place, ok bool) {
	p.phrase, p.isPhrase = x.Phrase(words, w)
	if x.names.Len() > 0 && len(words) > 0 && len(words) <= longestNamed {
		p.name, p.isName = x.names.Find(w.keyOf(words))
	}
	p.Words = words
	return p, p.isPhrase || p.isName
}

// Inside returns the pubs in a place: those that have the phrase or all of its words in location and area, and those
// around a point of the gazetteer that is not covered. The set is in the memory of a pool.
func (x *Index) Inside(p *Place, w *Workspace, pool *postings.Pool) postings.Set {
	var having postings.Set
	if p.isPhrase {
		having = x.Having(p.phrase)
	}
	inside := x.withWords(p.Words, having, w, pool)
	if !p.isName {
		return inside
	}
	collector := pool.Collector()
	for _, at := range x.pointsOf(p) {
		if circle := geo.NewCircle(at, coveredBy); x.anyWithin(&circle, inside, w) {
			continue
		}
		circle := geo.NewCircle(at, pointRadius)
		w.ordinals = x.points.AppendWithin(w.ordinals[:0], &circle, false)
		collector.AddAll(w.ordinals)
	}
	collector.AddSet(inside)
	return pool.Collected()
}

// withWords returns a set with the pubs that have all words in location and area.
func (x *Index) withWords(words text.Phrase, set postings.Set, w *Workspace, pool *postings.Pool) postings.Set {
	operands := w.operands[:0]
	for _, word := range words {
		found := x.local.Exact(word)
		if found.Len() == 0 {
			return set
		}
		operands = append(operands, found)
	}
	w.operands = operands
	return pool.Either(set, pool.Intersect(operands))
}

// anyWithin reports whether a pub of a set is in a circle.
func (x *Index) anyWithin(circle *geo.Circle, set postings.Set, w *Workspace) bool {
	if set.Len() == 0 {
		return false
	}
	if set.Bitmap() == nil {
		for _, pub := range set.IDs() {
			if circle.Contains(x.points.Vector(pub)) {
				return true
			}
		}
		return false
	}
	w.ordinals = x.points.AppendWithin(w.ordinals[:0], circle, false)
	for _, pub := range w.ordinals {
		if set.Has(pub) {
			return true
		}
	}
	return false
}

func (x *Index) pointsOf(p *Place) []geo.Point {
	if !p.isName {
		return nil
	}
	return x.at[x.starts[p.name]:x.starts[p.name+1]]
}

// centre returns the centre of a phrase.
func (x *Index) centre(phrase uint32) (at geo.Point, ok bool) {
	if code, ok := x.codeOf(phrase); ok {
		return x.centreOfCode(code)
	}
	if x.centred.Has(phrase) {
		return x.centres[x.centred.UpTo(phrase)-1], true
	}
	if pubs := x.pubs.At(phrase); pubs.Len() == 1 {
		at = x.points.Point(pubs.IDs()[0])
		return at, isKnown(at)
	}
	return at, false
}

// Centre returns a point of a place: its centre, or its first point of the gazetteer.
func (x *Index) Centre(p *Place) (at geo.Point, ok bool) {
	if p.isPhrase {
		if at, ok = x.centre(p.phrase); ok {
			return at, ok
		}
	}
	if points := x.pointsOf(p); len(points) > 0 {
		return points[0], true
	}
	return at, false
}

// Beside returns the pubs within a radius of the centre of a place or of a point of the gazetteer, in the memory of a
// pool.
func (x *Index) Beside(p *Place, radius geo.Kilometres, w *Workspace, pool *postings.Pool) postings.Set {
	collector := pool.Collector()
	around := func(at geo.Point) {
		circle := geo.NewCircle(at, radius)
		w.ordinals = x.points.AppendWithin(w.ordinals[:0], &circle, false)
		collector.AddAll(w.ordinals)
	}
	if p.isPhrase {
		if at, ok := x.centre(p.phrase); ok {
			around(at)
		}
	}
	for _, at := range x.pointsOf(p) {
		around(at)
	}
	return pool.Collected()
}

// Read reads the places of a number of pubs. local has the words of locations and areas, and points the positions of
// the pubs.
func Read(r *indexfile.Reader, pubs int, local *text.Vocabulary, points *geo.Index) *Index {
	x := &Index{local: local, points: points}
	x.Code(indexfile.Reading(r), pubs)
	return x
}

// Code writes or reads the places of a number of pubs as sections whose names begin with "places".
func (x *Index) Code(f indexfile.Codec, pubs int) {
	x.phrases.Code(f, "places")
	x.pubs.Code(f, "places.pubs", x.phrases.Len(), pubs)
	indexfile.ArrayN(f, "places.parts", (*[]uint64)(&x.parts), (x.phrases.Len()+63)/64)
	longest := []uint32{uint32(x.longest)}
	if indexfile.ArrayN(f, "places.longest", &longest, 1); f.Err() == nil {
		x.longest = int(longest[0])
	}
	indexfile.Array(f, "places.tight", &x.tight)
	indexfile.ArrayN(f, "places.centres", &x.centres, len(x.tight))
	if indexfile.CheckBelow(f.Reader, "places.tight", x.tight, x.phrases.Len()) {
		x.centred = postings.CountedOf(x.tight, x.phrases.Len())
		f.Check(x.centred.Len() == len(x.tight), "places.tight", "it has a phrase twice")
	}
	x.codes.code(f, x.phrases.Len(), pubs)
	x.names.Code(f, "places.names")
	indexfile.ArrayN(f, "places.names.starts", &x.starts, x.names.Len()+1)
	indexfile.Array(f, "places.names.points", &x.at)
	indexfile.CheckOffsets(f.Reader, "places.names.starts", x.starts, len(x.at))
	x.suggested.code(f, x.phrases.Len(), x.names.Len())
}
