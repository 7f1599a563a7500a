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
	"pubd/index/reading"
	"pubd/index/text"
)

// asked answers a query that asks for all pubs, or for those of a place.
func (m matcher) asked() (goOn bool) {
	if m.asksForAny() {
		return m.offer(m.within(scope{filter: m.All}, m.All.Passing(), m.beginPlace()))
	}
	if m.InCircle {
		return true
	}
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
		a := m.beginPlace()
		a.Place, a.Inside, a.Asked, a.Ring = asked.Place, asked.Inside, true, true
		if !m.offer(m.within(scope{filter: m.All}, m.beside(&a.Place, radius), a)) {
			return false
		}
	}
	return true
}

// asksForAny reports whether a query says nothing but that it asks for pubs, of any name or around a point, or what the
// snapshot tells of them.
func (m matcher) asksForAny() bool {
	if !m.IsOnly(text.Usual | text.Wish) {
		return false
	}
	hasPubs := func(set postings.Set) bool { return set.Len() > 0 }
	ranks := func(i int) bool {
		return m.Classes[i].Is(text.Best) || m.Classes[i].Is(text.Wish) && slices.ContainsFunc(m.x.Terms.Granting(m.Words[i], &m.w.reading.Terms), hasPubs)
	}
	for i := range m.Words {
		if ranks(i) {
			return true
		}
	}
	somewhere, asks := m.Near || m.InCircle, m.Asks()
	if !asks && !(somewhere && m.Says.Is(text.Kind)) && len(m.Features) == 0 {
		return false
	}
	return asks && somewhere || !m.hasAny(m.All, m.called(m.Words))
}

// place answers with all pubs of a place that the query asks for, or is rather than a name.
func (m matcher) place() (a Answer, ok bool) {
	i := slices.IndexFunc(m.Places(), func(n reading.Named) bool { return len(n.Rest.Positions) == 0 })
	if i < 0 {
		return a, false
	}
	p, inside := &m.Places()[i].Place, m.inside(i)
	called := m.called(m.Words)
	calledSo := called // the place
	if !slices.EqualFunc(p.Words, m.Words, bytes.Equal) {
		calledSo = m.called(p.Words)
	}
	named := calledSo.Len()
	asks, kind := m.Asks(), m.Says.Is(text.Kind)
	for i, word := range m.Words {
		asks = asks || m.Classes[i].Is(text.PlaceNoun) && !p.Words.Has(word)
	}
	switch {
	case !asks && (inside.Len() <= named || !kind && m.Says.Is(text.Generic)):
		return a, false
	case (asks || kind) && m.hasAny(m.All, called):
		return a, false
	}
	a = m.beginPlace()
	a.Place, a.Inside = *p, inside
	return m.within(scope{filter: m.All}, m.w.attempt.Either(inside, called), a)
}

// widthOfPart is how far from its direction a part of a place reaches, in degrees.
const widthOfPart = 50

// partOfPlace answers with the pubs of a place that lie in a direction from its middle, without the nearest quarter.
func (m matcher) partOfPlace() (a Answer, ok bool) {
	const least = 20
	content := m.Content
	direction, size := reading.Direction(content)
	if size == 0 {
		return a, false
	}
	p, ok := m.Reading.Place(content[size:])
	if _, isPlace := m.Reading.Place(content); !ok || isPlace {
		return a, false
	}
	middle, ok := m.x.Places.Middle(&p)
	inside := m.insideOf(&p)
	if !ok || inside.Len() < least || !m.Says.Is(text.Kind) && m.hasAny(m.All, m.called(content)) {
		return a, false
	}
	a = m.beginPlace()
	a.Place, a.Inside, a.Direction = p, inside, content[:size]
	at, items := middle.Vector(), m.w.items[:0]
	for _, pub := range m.w.attempt.List(inside) {
		if chord := geo.ChordSquared(at, m.x.Points.Vector(pub)); chord == chord {
			items = append(items, topk.Item{Key: chord, ID: pub})
		}
	}
	m.w.items = items
	if len(items) == 0 {
		return a, false
	}
	collector := m.w.attempt.Collector()
	for _, item := range m.withoutNearest(items) {
		if math.Abs(math.Remainder(bearing(middle, m.x.Points.Point(item.ID))-direction, 360)) <= widthOfPart {
			collector.Add(item.ID)
		}
	}
	return m.within(scope{filter: m.All}, m.w.attempt.Collected(), a)
}

// withoutNearest returns the items without the nearest quarter, in place; equally near ones count in the order of their
// rows.
func (m matcher) withoutNearest(items []topk.Item) []topk.Item {
	before := len(items) / 4
	topk.PartialSort(items, before, before+1)
	border := items[before].Key
	m.w.rows = m.w.rows[:0]
	for _, item := range items {
		if item.Key < border {
			before--
		} else if item.Key == border {
			m.w.rows = append(m.w.rows, m.x.Rows[item.ID])
		}
	}
	slices.Sort(m.w.rows)
	first := m.w.rows[before]
	return slices.DeleteFunc(items, func(item topk.Item) bool {
		return item.Key < border || item.Key == border && m.x.Rows[item.ID] < first
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
	w, content := m.w, m.Content
	if !m.Says.Is(text.Where|text.Kind) || len(content) < 2 {
		return a, false
	}
	if _, isPlace := m.Reading.Place(content); isPlace || m.hasAny(m.All, m.called(m.Words)) {
		return a, false
	}
	strict := w.sets.Keep(m.All.Keep(m.strict(content, true, &w.sets), &w.sets))
	if strict.Len() >= Few {
		return a, false
	}
	for i := m.Divide(content, 0); i > 0; i = m.Divide(content, i) {
		small, _ := m.Reading.Place(content[:i])
		large, _ := m.Reading.Place(content[i:])
		inside, larger := m.insideOf(&small), m.insideOf(&large)
		if larger.Len() < inside.Len() {
			small, large, inside, larger = large, small, larger, inside
		}
		if !m.x.Places.IsLocality(&small) || m.called(small.Words).Len() > inside.Len() {
			continue
		}
		a = m.beginPlace()
		a.Place, a.Inside, a.Larger = small, inside, large.Words
		near := w.attempt.Either(larger, m.x.Places.Beside(&large, largeRadius, &w.reading.Places, &w.attempt))
		if a, ok = m.within(scope{filter: m.All}, w.attempt.Either(w.attempt.Both(inside, near), strict), a); ok {
			return a, true
		}
	}
	return a, false
}

// misspeltPlace answers with all pubs of a place that the query asks for and misspells.
func (m matcher) misspeltPlace() (a Answer, ok bool) {
	const maxWords, minCharacters = 4, 5 // of the misspelt words
	const instead = 5                    // a place has at least so many times the pubs that match as they stand
	if !m.Asks() || len(m.Places()) > 0 {
		return a, false
	}
	words := m.w.misspelt[:0]
	for _, word := range m.Content {
		if !text.ClassOf(word).Is(text.PlaceNoun) {
			words = append(words, word)
		}
	}
	m.w.misspelt = words
	m.w.run = words.AppendTo(m.w.run[:0])
	if len(words) < 1 || len(words) > maxWords || utf8.RuneCount(m.w.run) < minCharacters {
		return a, false
	}
	place, pubs := m.mostLikely(m.w.run)
	a = m.beginPlace()
	if pubs == 0 || instead*m.All.Keep(m.strict(words, true, &m.w.attempt), m.w.scratch()).Len() > pubs {
		return a, false
	}
	a.Place, a.Inside, a.Misspelt = place, m.insideOf(&place), words
	return m.within(scope{filter: m.All}, a.Inside, a)
}

// mostLikely returns the place that a misspelt text most probably names, and how many of its pubs pass: one with at least
// a few pubs if there is one, then with the fewest edits, then with the most pubs. Without pubs, there is none.
func (m matcher) mostLikely(misspelt []byte) (best places.Place, most int) {
	const (
		minTwo, minThree = 8, 10 // characters that allow two and three edits
		unlikely         = 20    // a place with fewer pubs is
	)
	leastPubs := [...]int{1: 3, 2: unlikely, 3: 100} // by edits
	size, edits, fewest := utf8.RuneCount(misspelt), 1, 0
	if size >= minTwo {
		edits++
	}
	if size >= minThree {
		edits++
	}
	w, scratch := m.w, m.w.scratch()
	w.similar = m.x.Places.AppendSimilar(w.similar[:0], misspelt, edits, &w.reading.Terms.Fuzzy)
	for _, one := range w.similar {
		scratch.Release()
		inside := m.x.Places.Inside(&one.Place, &w.reading.Places, scratch)
		pubs := m.All.Keep(inside, scratch).Len()
		if pubs < leastPubs[one.Edits] || m.x.Terms.Called(one.Place.Words, &w.reading.Terms, scratch).Len() > inside.Len() {
			continue
		}
		if _, ok := m.x.Places.Centre(&one.Place); !ok {
			continue
		}
		if most == 0 || cmp.Or(
			cmp.Compare(topk.One(pubs < unlikely), topk.One(most < unlikely)), cmp.Compare(one.Edits, fewest),
			cmp.Compare(most, pubs), slices.CompareFunc(one.Place.Words, best.Words, bytes.Compare)) < 0 {
			best, fewest, most = one.Place, one.Edits, pubs
		}
	}
	return best, most
}
