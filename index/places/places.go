// Package places knows the places that the texts of pubs name, and finds the one that a query names.
//
// A place is a phrase, the folded words that pubs share, without "the" and "and": a location or an area, a piece of
// either between commas, a postcode, its outward code, that with the digit behind it, or a part of an address that
// [minPart] pubs have. Those pubs are in it, and all that have its words in location and area. Pubs are tight if half of them lie within [tightRadius] of
// their median point, which is their centre: Leeds is tight, High Street is not. All places and their centres are found
// when the index is built; a query looks up its words in a hash table.
//
// Nearly each pub has a postcode of its own, which would be two phrases, in two words and in one. Most postcodes are
// therefore stored apart, by their outward codes: eight bytes for each pub, and none for the phrases.
//
// A gazetteer adds names with points, for places in which no pub says that it is, and other names of places. A name
// counts only if no more pubs are called so than are in it.
package places

import (
	"slices"

	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/text"
)

// Index is the places of a snapshot. It is immutable and safe for concurrent use.
type Index struct {
	phrases    text.Dictionary
	pubs       postings.Lists
	parts      postings.Bitmap // the phrases that are parts of addresses or sectors: words alone do not find their pubs
	localities postings.Bitmap // the phrases of locations and areas
	longest    int             // number of words of the longest phrase
	codes      codes
	// centred are the places with a prepared centre, NaN if they are scattered: phrases, and then names. Any other
	// phrase of one pub has its point, and a code the centre of its pubs.
	centred []uint32
	centres []geo.Point
	hasOwn  postings.Counted // centred

	names  text.Dictionary // of the gazetteer
	starts []uint32        // the points of name i are at[starts[i]:starts[i+1]]
	at     []geo.Point
	radii  []geo.Kilometres // by point, 0 if it has none
	// The places of which name i is another name are own[ownStarts[i]:ownStarts[i+1]].
	ownStarts []uint32
	own       text.Dictionary // not in order

	suggested suggested

	local  *text.Vocabulary
	points *geo.Index
}

// Distances of the definition of a place.
const (
	tightRadius  geo.Kilometres = 50
	pointRadius  geo.Kilometres = 1 // around a point of the gazetteer without a radius
	coveredBy    geo.Kilometres = 5 // unless [minCovering] pubs so near to the point are in the place anyway
	middleRadius geo.Kilometres = 5 // around a centre, in which a point of the gazetteer is the middle
	minPart                     = 3 // pubs with coordinates that make a part of their addresses a phrase
	minCovering                 = 3
	longestNamed                = 500
)

// Workspace is the working memory of finding places. The zero value is ready to use.
type Workspace struct {
	key      []byte
	head     text.Phrase
	own      text.Phrase
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

// IsPart reports whether a phrase is a part of addresses or postcodes: words alone do not find its pubs.
func (x *Index) IsPart(phrase uint32) bool {
	return int(phrase) < x.phrases.Len() && x.parts.Has(phrase)
}

// IsLocality reports whether a place is a phrase of a location or an area, or a name of the gazetteer.
func (x *Index) IsLocality(p *Place) bool {
	return p.isName || p.isPhrase && int(p.phrase) < x.phrases.Len() && x.localities.Has(p.phrase)
}

// Find returns the place that words name. Place nouns alone and one wish name none.
func (x *Index) Find(words text.Phrase, w *Workspace) (p Place, ok bool) {
	p.phrase, p.isPhrase = x.Phrase(words, w)
	if x.names.Len() > 0 && len(words) > 0 && len(words) <= longestNamed {
		p.name, p.isName = x.names.Find(w.keyOf(words))
	}
	p.Words = words
	return p, (p.isPhrase || p.isName) && mayName(words)
}

// mayName reports whether words are neither place nouns alone nor one wish.
func mayName(words text.Phrase) bool {
	isOther := func(word []byte) bool { return !text.ClassOf(word).Is(text.PlaceNoun) }
	return slices.ContainsFunc(words, isOther) && (len(words) > 1 || !text.ClassOf(words[0]).Is(text.Wish))
}

// Inside returns the pubs in a place, in the memory of a pool: those that are in it by its words or by those of which
// it is another name, those within the radius of a point of the gazetteer, and those around another point unless pubs
// that are in it by words cover that.
func (x *Index) Inside(p *Place, w *Workspace, pool *postings.Pool) postings.Set {
	var having postings.Set
	if p.isPhrase {
		having = x.Having(p.phrase)
	}
	inside := x.withWords(p.Words, having, w, pool)
	if !p.isName {
		return inside
	}
	for own := x.ownStarts[p.name]; own < x.ownStarts[p.name+1]; own++ {
		w.own = w.own[:0].AppendWords(x.own.At(own))
		having = postings.Set{}
		if phrase, ok := x.Phrase(w.own, w); ok {
			having = x.Having(phrase)
		}
		inside = pool.Either(inside, x.withWords(w.own, having, w, pool))
	}
	collector := pool.Collector()
	collector.AddSet(inside)
	for i := x.starts[p.name]; i < x.starts[p.name+1]; i++ {
		circle := geo.NewCircle(x.at[i], x.radii[i])
		if x.radii[i] == 0 {
			circle = circle.WithRadius(pointRadius)
			if x.covers(x.at[i], inside, min(minCovering, x.points.Count(&circle, false)), w) {
				continue
			}
		}
		w.ordinals = x.points.AppendWithin(w.ordinals[:0], &circle, false)
		collector.AddAll(w.ordinals)
	}
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

// covers reports whether a number of pubs of a set are near a point.
func (x *Index) covers(at geo.Point, set postings.Set, number int, w *Workspace) bool {
	circle := geo.NewCircle(at, coveredBy)
	near := func(pub uint32) bool { return circle.Contains(x.points.Vector(pub)) }
	pubs := set.IDs()
	if set.Bitmap() != nil {
		pubs, near = x.points.AppendWithin(w.ordinals[:0], &circle, false), set.Has
		w.ordinals = pubs
	}
	for i := 0; number > 0 && i < len(pubs); i++ {
		if near(pubs[i]) {
			number--
		}
	}
	return number == 0
}

// Points returns the points of the gazetteer of a place.
func (x *Index) Points(p *Place) []geo.Point {
	if !p.isName {
		return nil
	}
	return x.at[x.starts[p.name]:x.starts[p.name+1]]
}

// Centre returns the centre of the pubs in a place; ok is false if they are not tight.
func (x *Index) Centre(p *Place) (at geo.Point, ok bool) {
	number := p.phrase
	if p.isName {
		number = uint32(x.phrases.Len()) + p.name
	} else if code, ok := x.codeOf(number); ok {
		return x.centreOfCode(code)
	}
	switch {
	case x.hasOwn.Has(number):
		at = x.centres[x.hasOwn.UpTo(number)-1]
	case !p.isName && x.pubs.Count(number) == 1:
		at = x.points.Point(x.pubs.At(number).IDs()[0])
	default:
		return at, false
	}
	return at, isKnown(at)
}

// Middle returns the point from which the pubs in a place are counted: its first point of the gazetteer within
// [middleRadius] of its centre, else its centre. A place without a centre has its first point.
func (x *Index) Middle(p *Place) (at geo.Point, ok bool) {
	points := x.Points(p)
	centre, hasCentre := x.Centre(p)
	circle := geo.NewCircle(centre, middleRadius)
	for _, at := range points {
		if !hasCentre || circle.Contains(at.Vector()) {
			return at, true
		}
	}
	return centre, hasCentre
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
	if at, ok := x.Centre(p); ok {
		around(at)
	}
	for _, at := range x.Points(p) {
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
	indexfile.ArrayN(f, "places.localities", (*[]uint64)(&x.localities), (x.phrases.Len()+63)/64)
	x.codes.code(f, x.phrases.Len(), pubs)
	x.names.Code(f, "places.names")
	indexfile.ArrayN(f, "places.names.starts", &x.starts, x.names.Len()+1)
	indexfile.Array(f, "places.names.points", &x.at)
	indexfile.ArrayN(f, "places.names.radii", &x.radii, len(x.at))
	indexfile.CheckOffsets(f.Reader, "places.names.starts", x.starts, len(x.at))
	x.own.Code(f, "places.names.own")
	indexfile.ArrayN(f, "places.names.own.starts", &x.ownStarts, x.names.Len()+1)
	indexfile.CheckOffsets(f.Reader, "places.names.own.starts", x.ownStarts, x.own.Len())
	indexfile.Array(f, "places.centred", &x.centred)
	indexfile.ArrayN(f, "places.centres", &x.centres, len(x.centred))
	if count := x.phrases.Len() + x.names.Len(); indexfile.CheckBelow(f.Reader, "places.centred", x.centred, count) {
		x.hasOwn = postings.CountedOf(x.centred, count)
		f.Check(x.hasOwn.Len() == len(x.centred), "places.centred", "it has a place twice")
	}
	x.suggested.code(f, x.phrases.Len(), x.names.Len())
}
