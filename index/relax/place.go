package relax

import (
	"slices"

	"pubd/geo"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/text"
)

// besideRadii are the distances from the centre of a place within which pubs are beside it.
var besideRadii = [...]geo.Kilometres{1, 5}

// places returns the places that the query names.
func (l Ladder) places() []places.Named {
	w := l.w
	if w.isNamed {
		return w.named
	}
	w.named, w.isNamed = l.strict.Places.AppendNamed(w.named[:0], w.words, &w.strict.Places), true
	for i := range w.named {
		n := &w.named[i]
		w.place[i] = append(w.place[i][:0], n.Words...) // which may be in memory of the lookup
		n.Words = w.place[i]
		w.rest[i] = w.rest[i][:0]
		for position := n.Low; position < n.High; position++ {
			if !text.IsUsual(w.words[position]) {
				w.rest[i] = append(w.rest[i], uint8(position))
			}
		}
	}
	return w.named
}

// inside returns the pubs in place i.
func (l Ladder) inside(i int) postings.Set {
	w := l.w
	if !w.isInside[i] {
		w.inside[i], w.isInside[i] = l.strict.Places.Inside(&w.named[i].Place, &w.strict.Places, &w.sets), true
	}
	return w.inside[i]
}

// inPlaces makes attempt 2.
func (l Ladder) inPlaces(yield yield) bool {
	for i := range l.places() {
		n, rest := &l.w.named[i], l.w.rest[i]
		if len(rest) == 0 {
			if !l.allOf(i, yield) {
				return false
			}
			continue
		}
		in := within{l.All, true, l.inside(i), n}
		ends := !n.AtEnd
		if !(l.words(in, rest, ends, yield) && l.slips(in, rest, ends, false, yield)) {
			return false
		}
		for _, radius := range besideRadii {
			in.area = l.strict.Places.Beside(&n.Place, radius, &l.w.strict.Places, &l.w.sets)
			if in.area.Len() == 0 {
				continue
			}
			if !(l.words(in, rest, ends, yield) && l.slip(in, Typo, typo, rest, ends, yield)) {
				return false
			}
		}
	}
	return true
}

// allOf answers with all pubs in place i.
func (l Ladder) allOf(i int, yield yield) bool {
	a := l.begin(Place, known, nil, true)
	return l.offer(within{filter: l.All, place: &l.w.named[i]}, l.inside(i), a, yield)
}

// allOfPlaces makes attempt 8.
func (l Ladder) allOfPlaces(yield yield) bool {
	for i := range l.places() {
		if !l.allOf(i, yield) {
			return false
		}
	}
	return true
}

// wantedPlace answers a query that asks for all pubs of a place.
func (l Ladder) wantedPlace(yield yield) bool {
	w := l.w
	if !WantsPlace(w.words) {
		return true
	}
	l.places()
	alone := slices.IndexFunc(w.rest[:len(w.named)], func(rest []uint8) bool { return len(rest) == 0 })
	if alone < 0 || l.keepsAny(l.All, l.called(w.words)) {
		return true
	}
	if !slices.ContainsFunc(w.words, isWhere) {
		called := l.called(w.named[alone].Words)
		if called.Len() > l.inside(alone).Len() || l.Near && l.keepsAny(l.Close, called) {
			return true // rather a name than a place
		}
	}
	return l.allOf(alone, yield)
}

// called returns the pubs that have all words, whole, in their names.
func (l Ladder) called(words text.Phrase) postings.Set {
	return l.strict.Called(words, &l.w.strict, &l.w.sets)
}

// keepsAny reports whether a pub of a set passes a filter.
func (l Ladder) keepsAny(filter Filter, pubs postings.Set) bool {
	if pubs.Len() == 0 {
		return false
	}
	l.w.attempt.Release()
	return filter.Keep(pubs, &l.w.attempt).Len() > 0
}
