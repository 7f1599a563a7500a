package relax

import (
	"pubd/geo"
	"pubd/index/postings"
)

// The distances from the point to be near to within which attempts are made before they are made everywhere.
const (
	CloseRadius  geo.Kilometres = 2
	NearbyRadius geo.Kilometres = 25
)

// near yields the answers near a point, in the order of the calls.
func (l Ladder) near(yield yield) {
	nearby, all := within{filter: l.Nearby}, within{filter: l.All}
	if !l.nearAsItStands(yield) {
		return
	}
	far := len(l.places()) > 0
	for i := range l.w.named {
		far = far && !l.keepsAny(l.Nearby, l.inside(i))
	}
	if far && !l.elsewhere(yield) {
		return
	}
	wantsPlace := len(l.w.named) > 0 && !far && WantsPlace(l.w.words)
	if wantsPlace && !l.inPlaces(yield) {
		return
	}
	if !l.around(nearby, yield) {
		return
	}
	if !l.strictly(all, l.w.query, true, NotRelaxed, yield) || !l.attempts(true, false, yield) {
		return
	}
	if wantsPlace && !l.allOfPlaces(yield) {
		return
	}
	if !far && !l.mostWords(yield) {
		return
	}
	l.attempts(false, true, yield)
}

// nearAsItStands yields the pubs nearby that match query or core strictly.
func (l Ladder) nearAsItStands(yield yield) bool {
	w := l.w
	a := l.begin(NotRelaxed, asItStands, w.query, true)
	ofQuery := l.Nearby.Keep(l.strict.Match(w.at(w.query), true, &w.strict, &w.attempt), &w.attempt)
	found := ofQuery
	if len(w.core) < len(w.query) {
		ofCore := l.Nearby.Keep(l.strict.Match(w.at(w.core), true, &w.strict, &w.attempt), &w.attempt)
		switch {
		case ofQuery.Len() == 0:
			a.Step, a.count = Words, len(w.core)
			copy(a.positions[:], w.core)
			found = ofCore
		case ofCore.Len() > 0:
			found = w.attempt.Either(ofQuery, ofCore)
		}
	}
	if found.Len() == 0 {
		return true
	}
	a.Pubs = found
	return yield(a)
}

// elsewhere yields what matches strictly if it is in a place that the query names.
func (l Ladder) elsewhere(yield yield) bool {
	return l.strictly(within{filter: l.All}, l.w.query, true, NotRelaxed, func(a Answer) bool {
		for i := range l.w.named {
			if l.hasCommon(a.Pubs, l.inside(i)) {
				return yield(a)
			}
		}
		return true
	})
}

// around yields what the attempts 1 and 3 to 6 find nearby, those first that find a pub close by. Each attempt is made
// once.
func (l Ladder) around(nearby within, yield yield) bool {
	w := l.w
	w.nearby = w.nearby[:0]
	goOn := true
	keep := func(a Answer) bool {
		a.Pubs = w.sets.Keep(a.Pubs)
		w.nearby = append(w.nearby, a)
		if l.keepsAny(l.Close, a.Pubs) {
			goOn = yield(a)
		}
		return goOn
	}
	if !(l.words(nearby, w.core, true, keep) && l.slips(nearby, w.core, true, true, keep)) {
		return false
	}
	for _, a := range w.nearby {
		if !yield(a) {
			return false
		}
	}
	return true
}

// mostWords yields the pubs nearby of the choices of the core's words that find any and keep the most words.
func (l Ladder) mostWords(yield yield) bool {
	w := l.w
	c := l.prepareChoices(true, l.Nearby)
	a := l.begin(Partial, typo, w.core, true)
	most, all := 0, w.variants[:0]
	for _, one := range c {
		most = max(most, one.words())
	}
	for _, one := range c {
		if one.words() == most {
			all = append(all, l.Nearby.Keep(l.pubsOf(one.choice), &w.attempt))
		}
	}
	w.variants = all
	if len(all) == 0 {
		return true
	}
	a.Pubs = w.attempt.Union(all)
	return yield(a)
}

// hasCommon reports whether two sets have a member in common.
func (l Ladder) hasCommon(a, b postings.Set) bool {
	if a.Len() == 0 || b.Len() == 0 {
		return false
	}
	counter := l.newCounter(a)
	defer counter.clear()
	return counter.common(b) > 0
}
