package match

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/text"
)

// MayAsk reports whether a query whose words have been read may be answered by what it asks for rather than as it
// stands; otherwise it certainly is not. It is quick, for the many that do not.
func (x *Index) MayAsk(inCircle bool, w *Workspace) bool {
	r := &w.reading
	switch {
	case r.isLong:
		return false
	case r.isOnly(text.Usual|text.Wish) && r.says.Is(text.Where|text.Kind|text.Best|text.Wish):
		return true
	case inCircle:
		return false
	case x.isPlace(r, w), r.asks() && len(x.placesOf(r, w)) == 0:
		return true
	}
	content := w.contentOf(r)
	if len(content) < 2 {
		return false
	}
	return isDirection(content[0]) || r.says.Is(text.Where|text.Kind) && x.divide(content, w, 0) > 0
}

// isOnly reports whether all words have one of some classes.
func (r *reading) isOnly(some text.Class) bool { return r.areOnly(0, len(r.words), some) }

// areOnly reports whether the words from low to high-1 have one of some classes.
func (r *reading) areOnly(low, high int, some text.Class) bool {
	return !slices.ContainsFunc(r.classes[low:high], func(class text.Class) bool { return !class.Is(some) })
}

// contentOf returns the words of a query that are neither generic nor filler. They are valid until the next call.
func (w *Workspace) contentOf(r *reading) text.Phrase {
	w.content = w.content[:0]
	for i, word := range r.words {
		if !r.classes[i].Is(text.Usual) {
			w.content = append(w.content, word)
		}
	}
	return w.content
}

// divide returns the first position after another at which words can be divided into two places; 0 if there is none.
func (x *Index) divide(words text.Phrase, w *Workspace, after int) int {
	for i := after + 1; i < len(words); i++ {
		if _, ok := x.Places.Find(words[:i], &w.places); ok {
			if _, ok = x.Places.Find(words[i:], &w.places); ok {
				return i
			}
		}
	}
	return 0
}

// asked answers a query that asks for all pubs, or for those of a place.
func (m matcher) asked() (goOn bool) {
	if m.asksForAny() {
		return m.offer(m.keep(within{filter: m.All}, m.All.Passing(), m.begin(Place, known, nil, true)))
	}
	if m.InCircle {
		return true
	}
	m.w.contentOf(m.reading)
	for _, try := range [...]func(m matcher) (Answer, bool){
		matcher.place, matcher.partOfPlace, matcher.twoPlaces, matcher.misspeltPlace,
	} {
		if a, ok := try(m); ok {
			a.Asked = true
			return m.take(a) && (len(a.Direction)+len(a.Larger) > 0 || m.rings(a))
		}
	}
	return true
}

// rings answers with all pubs near a place that was asked for, in growing circles.
func (m matcher) rings(asked Answer) (goOn bool) {
	for _, radius := range [...]geo.Kilometres{1, besideRadius, NearbyRadius} {
		a := m.begin(Place, known, nil, true)
		a.Place, a.Inside, a.Asked, a.Ring = asked.Place, asked.Inside, true, true
		if !m.offer(m.keep(within{filter: m.All}, m.beside(&a.Place, radius), a)) {
			return false
		}
	}
	return true
}

// beside returns the pubs within a radius of the centre of a place or of one of its points.
func (m matcher) beside(p *places.Place, radius geo.Kilometres) postings.Set {
	return m.Places.Beside(p, radius, &m.w.places, &m.w.sets)
}

// asksForAny reports whether a query says nothing but that it asks for pubs, of any name or around a point, or what the
// snapshot tells of them.
func (m matcher) asksForAny() bool {
	if !m.isOnly(text.Usual | text.Wish) {
		return false
	}
	hasPubs := func(set postings.Set) bool { return set.Len() > 0 }
	ranks := func(i int) bool {
		return m.classes[i].Is(text.Best) || m.classes[i].Is(text.Wish) && slices.ContainsFunc(m.allGranting(m.words[i], m.w), hasPubs)
	}
	for i := range m.words {
		if ranks(i) {
			return true
		}
	}
	somewhere, asks := m.Near || m.InCircle, m.asks()
	if !asks && !(somewhere && m.says.Is(text.Kind)) && len(m.features) == 0 {
		return false
	}
	return asks && somewhere || !m.keepsAny(m.All, m.called(m.words))
}

// place answers with all pubs of a place that the query asks for, or is rather than a name.
func (m matcher) place() (a Answer, ok bool) {
	i := slices.IndexFunc(m.places, func(n named) bool { return len(n.rest) == 0 })
	if i < 0 {
		return a, false
	}
	p, inside := &m.places[i].Place, m.inside(i)
	called := m.called(m.words)
	calledSo := called // the place
	if !slices.EqualFunc(p.Words, m.words, bytes.Equal) {
		calledSo = m.called(p.Words)
	}
	named := calledSo.Len()
	asks, kind := m.asks(), m.says.Is(text.Kind)
	for i, word := range m.words {
		asks = asks || m.classes[i].Is(text.PlaceNoun) && !p.Words.Has(word)
	}
	switch {
	case !asks && (inside.Len() <= named || !kind && m.says.Is(text.Generic)):
		return a, false
	case (asks || kind) && m.keepsAny(m.All, called):
		return a, false
	}
	a = m.begin(Place, known, nil, true)
	a.Place, a.Inside = *p, inside
	return m.keep(within{filter: m.All}, m.w.attempt.Either(inside, called), a)
}

// directions are the directions in degrees from north over east.
var directions = map[string]float64{
	"north": 0, "northeast": 45, "east": 90, "southeast": 135, "south": 180, "southwest": 225, "west": 270, "northwest": 315,
}

// widthOfPart is how far from its direction a part of a place reaches, in degrees.
const widthOfPart = 50

func isOneOf(word []byte, words ...string) bool { return slices.Contains(words, string(word)) }

func isDirection(word []byte) bool {
	_, ok := directions[string(word)]
	return ok
}

// partOfPlace answers with the pubs of a place that lie in a direction from its middle, without the nearest quarter.
func (m matcher) partOfPlace() (a Answer, ok bool) {
	const least = 20
	content := m.w.content
	size := 1
	if len(content) > 1 && isOneOf(content[0], "north", "south") && isOneOf(content[1], "east", "west") {
		size = 2
	}
	if len(content) <= size || !isDirection(content[0]) {
		return a, false
	}
	direction := directions[string(bytes.Join(content[:size], nil))]
	p, ok := m.Places.Find(content[size:], &m.w.places)
	if _, isPlace := m.Places.Find(content, &m.w.places); !ok || isPlace {
		return a, false
	}
	middle, ok := m.Places.Middle(&p)
	inside := m.insideOf(&p)
	if !ok || inside.Len() < least || !m.says.Is(text.Kind) && m.keepsAny(m.All, m.called(content)) {
		return a, false
	}
	a = m.begin(Place, known, nil, true)
	a.Place, a.Inside, a.Direction = p, inside, content[:size]
	at, items := middle.Vector(), m.w.items[:0]
	for _, pub := range m.w.attempt.List(inside) {
		if chord := geo.ChordSquared(at, m.Points.Vector(pub)); chord == chord {
			items = append(items, topk.Item{Key: chord, ID: pub})
		}
	}
	m.w.items = items
	if len(items) == 0 {
		return a, false
	}
	collector := m.w.attempt.Collector()
	for _, item := range m.withoutNearest(items) {
		if math.Abs(math.Remainder(bearing(middle, m.Points.Point(item.ID))-direction, 360)) <= widthOfPart {
			collector.Add(item.ID)
		}
	}
	return m.keep(within{filter: m.All}, m.w.attempt.Collected(), a)
}

// withoutNearest returns the items without the nearest quarter, in place; equally near ones count in the order of their
// rows.
func (m matcher) withoutNearest(items []topk.Item) []topk.Item {
	before := len(items) / 4
	topk.PartialSort(items, before, before+1)
	border := items[before].Key
	m.w.terms = m.w.terms[:0]
	for _, item := range items {
		if item.Key < border {
			before--
		} else if item.Key == border {
			m.w.terms = append(m.w.terms, m.Rows[item.ID])
		}
	}
	slices.Sort(m.w.terms)
	first := m.w.terms[before]
	return slices.DeleteFunc(items, func(item topk.Item) bool {
		return item.Key < border || item.Key == border && m.Rows[item.ID] < first
	})
}

// bearing returns the direction from a point to another one near it, in degrees.
func bearing(from, to geo.Point) float64 {
	return 180 / math.Pi * math.Atan2((to.Lng-from.Lng)*math.Cos(from.Lat*math.Pi/180), to.Lat-from.Lat)
}

// largeRadius is how far from the middle of the larger of two places the smaller one may reach.
const largeRadius geo.Kilometres = 50

// twoPlaces answers with the pubs of the smaller of two places that are in or near the larger one.
func (m matcher) twoPlaces() (a Answer, ok bool) {
	w, content := m.w, m.w.content
	if !m.says.Is(text.Where|text.Kind) || len(content) < 2 {
		return a, false
	}
	if _, isPlace := m.Places.Find(content, &w.places); isPlace || m.keepsAny(m.All, m.called(m.words)) {
		return a, false
	}
	strict := w.sets.Keep(m.All.Keep(m.Strict(content, true, w, &w.sets), &w.sets))
	if strict.Len() >= Few {
		return a, false
	}
	for i := m.divide(content, w, 0); i > 0; i = m.divide(content, w, i) {
		small, _ := m.Places.Find(content[:i], &w.places)
		large, _ := m.Places.Find(content[i:], &w.places)
		inside, larger := m.insideOf(&small), m.insideOf(&large)
		if larger.Len() < inside.Len() {
			small, large, inside, larger = large, small, larger, inside
		}
		if !m.Places.IsLocality(&small) || m.called(small.Words).Len() > inside.Len() {
			continue
		}
		a = m.begin(Place, known, nil, true)
		a.Place, a.Inside, a.Larger = small, inside, large.Words
		near := w.attempt.Either(larger, m.Places.Beside(&large, largeRadius, &w.places, &w.attempt))
		if a, ok = m.keep(within{filter: m.All}, w.attempt.Either(w.attempt.Both(inside, near), strict), a); ok {
			return a, true
		}
	}
	return a, false
}

// misspeltPlace answers with all pubs of a place that the query asks for and misspells.
func (m matcher) misspeltPlace() (a Answer, ok bool) {
	const (
		maxWords, minCharacters = 4, 5  // of the misspelt words
		minTwo, minThree        = 8, 10 // characters that allow two and three edits
		unlikely                = 20    // a place with fewer pubs is
		instead                 = 5     // a place has at least so many times the pubs that match as they stand
	)
	leastPubs := [...]int{1: 3, 2: unlikely, 3: 100} // by edits
	if !m.asks() || len(m.places) > 0 {
		return a, false
	}
	w := m.w
	words := w.head[:0] // not in content, which Core overwrites
	for _, word := range w.content {
		if !text.ClassOf(word).Is(text.PlaceNoun) {
			words = append(words, word)
		}
	}
	w.head = words
	w.run = words.AppendTo(w.run[:0])
	size, edits := utf8.RuneCount(w.run), 1
	if len(words) < 1 || len(words) > maxWords || size < minCharacters {
		return a, false
	}
	if size >= minTwo {
		edits++
	}
	if size >= minThree {
		edits++
	}
	var best places.Similar
	pubs := 0
	w.similar = m.Places.AppendSimilar(w.similar[:0], w.run, edits, &w.fuzzy)
	for _, one := range w.similar {
		w.attempt.Release()
		inside := m.Places.Inside(&one.Place, &w.places, &w.attempt)
		kept := m.All.Keep(inside, &w.attempt).Len()
		if kept < leastPubs[one.Edits] || m.called(one.Place.Words).Len() > inside.Len() {
			continue
		}
		if _, ok := m.Places.Centre(&one.Place); !ok {
			continue
		}
		isBetter := pubs == 0 || cmp.Or(
			cmp.Compare(indexOf(kept < unlikely), indexOf(pubs < unlikely)), cmp.Compare(one.Edits, best.Edits),
			cmp.Compare(pubs, kept),
			slices.CompareFunc(one.Place.Words, best.Place.Words, bytes.Compare)) < 0
		if isBetter {
			best, pubs = one, kept
		}
	}
	a = m.begin(Place, known, nil, true)
	if pubs == 0 || instead*m.All.Keep(m.Strict(words, true, w, &w.attempt), &w.attempt).Len() > pubs {
		return a, false
	}
	a.Place, a.Inside, a.Misspelt = best.Place, m.insideOf(&best.Place), words
	return m.keep(within{filter: m.All}, a.Inside, a)
}

// wished answers with all pubs of a place of which the query says only what a person wishes, and those called so.
func (m matcher) wished() (goOn bool) {
	i := slices.IndexFunc(m.places, func(n named) bool { return len(n.rest) > 0 && len(n.name) == 0 })
	if i < 0 {
		return true
	}
	a := m.begin(Place, known, nil, true)
	a.Place, a.Inside = m.places[i].Place, m.inside(i)
	words := m.w.contentOf(m.reading)
	if len(words) == 0 {
		words = m.words
	}
	found := m.Strict(words, true, m.w, &m.w.attempt)
	return m.offer(m.keep(within{filter: m.All}, m.w.attempt.Either(a.Inside, found), a))
}

// besideRadius is the distance from the centre of a place, and from its points, within which pubs are beside it.
const besideRadius geo.Kilometres = 5

// inPlaces looks for what the query says besides a place among the pubs in it, and then beside it.
func (m matcher) inPlaces() (goOn bool) {
	for i := range m.places {
		n := &m.places[i]
		if len(n.name) == 0 {
			if !m.allOf(i) {
				return false
			}
			continue
		}
		if !m.isMeant(i) {
			continue
		}
		in := within{filter: m.All, bounded: true, area: m.inside(i), place: n, inCircle: true}
		if !m.make(asWords, in) || !m.make(slips, in) {
			return false
		}
		in = within{filter: m.All, bounded: true, radius: besideRadius, place: n}
		if !m.make(asWords, in) || !m.make(slips[1:2], in) || !m.says.Is(text.Kind) && !m.near(n) {
			return false
		}
	}
	return true
}

// near answers with the pubs near a place that have the words of the rest in their names, and then, unless the query asks
// for pubs, with any that have.
func (m matcher) near(n *named) (goOn bool) {
	alike := m.calledAlike(n.name)
	if m.haveAnswered(alike) {
		return true
	}
	for _, radius := range [...]geo.Kilometres{NearbyRadius, largeRadius} {
		in := within{filter: m.All, bounded: true, radius: radius, place: n}
		if !m.offer(m.keep(in, alike, m.begin(Place, known, n.name, false))) {
			return false
		}
	}
	isLong := func(position uint8) bool { return utf8.RuneCount(m.texts[position]) >= minTelling }
	if m.says.Is(text.Where) || !slices.ContainsFunc(n.name, isLong) {
		return true
	}
	a := m.begin(Partial, known, n.name, false)
	a.most = maxPartialHits
	return m.offer(m.keep(within{filter: m.All}, alike, a))
}

// calledAlike returns the pubs that have the words at some positions, or the same words, whole in their names.
func (m matcher) calledAlike(positions []uint8) postings.Set {
	operands := m.w.operands[:0]
	for _, position := range positions {
		word := m.texts[position]
		pending := append(m.w.pending[:0], m.exact(&m.Named, word))
		for _, other := range text.Same(word) {
			pending = append(pending, m.exact(&m.Named, []byte(other)))
		}
		m.w.pending = pending
		operands = append(operands, m.w.sets.Union(pending))
	}
	m.w.operands = operands
	return m.w.sets.Intersect(operands)
}

// isMeant reports whether the query names a place that it does not rather as a name; if all are and it asks for pubs,
// whether any.
func (m matcher) isMeant(i int) bool {
	isName := func(i int) bool { return m.called(m.places[i].Words).Len() > m.inside(i).Len() }
	return !isName(i) || m.says.Is(text.Where|text.Kind) && isName(len(m.places)-1-i)
}

// inside returns the pubs in a place that the query names.
func (m matcher) inside(i int) postings.Set {
	w := m.w
	if !w.isInside[i] {
		w.inside[i], w.isInside[i] = m.insideOf(&m.places[i].Place), true
	}
	return w.inside[i]
}

func (m matcher) insideOf(p *places.Place) postings.Set {
	return m.Places.Inside(p, &m.w.places, &m.w.sets)
}

// allOf answers with all pubs in a place that the query names.
func (m matcher) allOf(i int) (goOn bool) {
	a := m.begin(Place, known, nil, true)
	a.Place, a.Inside = m.places[i].Place, m.inside(i)
	return m.offer(m.keep(within{filter: m.All}, a.Inside, a))
}

// ofPlaces answers with the pubs in the places that the query names that have some words of the rest, then with all.
func (m matcher) ofPlaces() (goOn bool) {
	for i := range m.places {
		n := &m.places[i]
		if !m.isMeant(i) || m.inside(i).Len() < leastInside && !m.says.Is(text.Where|text.Kind) {
			continue
		}
		in := within{filter: m.All, bounded: true, area: m.inside(i), place: n}
		if !m.choose(n.name, n.ends, in) || !m.allOf(i) {
			return false
		}
	}
	return true
}

// leastInside is the number of pubs in a place from which on it answers a query that does not ask for pubs.
const leastInside = 3

func (m matcher) allOfFirst() (goOn bool) { return m.allOf(0) }

// called returns the pubs that have all words, whole, in their names.
func (m matcher) called(words text.Phrase) postings.Set { return m.Called(words, m.w, &m.w.sets) }

// keepsAny reports whether a pub of a set passes a filter.
func (m matcher) keepsAny(filter Filter, pubs postings.Set) bool {
	return pubs.Len() > 0 && filter.Keep(pubs, &m.w.scratch).Len() > 0
}
