package index

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// modelTry is a way of answering a query, and its answer.
type modelTry struct {
	step  string // empty for the strict query
	how   modelHow
	words []modelWord // none if all pubs in a place answer
	place *namedPlace // of step place
	found modelSet
}

// yield is called with one try after the other until it returns false; what calls it returns false then, too.
type yield func(modelTry) bool

// among returns a yield for tries among some pubs.
func (y yield) among(pubs modelSet) yield {
	return func(t modelTry) bool {
		t.found = t.found.and(pubs)
		return y(t)
	}
}

// modelLadder makes the tries of a query.
type modelLadder struct {
	*model
	q          modelQuery
	query      []string
	core       []modelWord
	keep       modelSet // the pubs that pass the filters
	places     []namedPlace
	wantsPlace bool     // has an asking word
	kind       bool     // has a kind
	nearest    modelSet // the pubs that pass the filters and are within 25 km of the point of near
}

func (m *model) newLadder(q modelQuery, query []string, keep modelSet) *modelLadder {
	l := &modelLadder{model: m, q: q, query: query, core: lastOf(dropped(query, modelUsual)), keep: keep,
		wantsPlace: hasOneOf(query, modelWanting), kind: hasOneOf(query, modelKinds), nearest: keep.and(m.within(25, q.at()))}
	if q.near || !q.inCircle {
		l.places = m.placesOf(query)
	}
	return l
}

// tries makes all tries in order.
func (l *modelLadder) tries(y yield) bool {
	y = y.among(l.keep)
	strict := func(y yield) bool { return y(l.strict("", lastOf(l.query))) }
	guess := func(inCircle bool) bool {
		return l.choices(inCircle, true, y) && l.placesAlone(y) && l.choices(inCircle, false, y)
	}
	relax := func() bool {
		return l.attempts(l.core, modelAttempts[:2], false, y) && l.inPlaces(y) && l.attempts(l.core, modelAttempts[2:], false, l.supported(y))
	}
	switch {
	case l.q.strict || len(l.query) > 8:
		return strict(y)
	case l.q.near:
		nearPlace := slices.ContainsFunc(l.places, func(p namedPlace) bool { return p.in.and(l.nearest).count() > 0 })
		farPlace := len(l.places) > 0 && !nearPlace
		elsewhere := func(t modelTry) bool {
			return !slices.ContainsFunc(l.places, func(p namedPlace) bool { return p.in.and(l.keep).and(t.found).count() > 0 }) || y(t)
		}
		return l.wantedPlace(y) &&
			l.together(y.among(l.nearest)) &&
			(!farPlace || strict(elsewhere)) &&
			(!nearPlace || !l.wantsPlace && !l.kind || l.inPlaces(y)) &&
			l.around(2, y) && l.around(25, y) &&
			strict(y) && relax() &&
			(!nearPlace || l.placesAlone(y)) &&
			(farPlace || l.longestChoices(y)) &&
			guess(false)
	case l.q.inCircle:
		return strict(y) && l.attempts(l.core, modelAttempts, true, y) && guess(true)
	}
	return l.wantedPlace(y) && strict(y) && relax() && guess(false)
}

// strict makes the try of a strict query.
func (l *modelLadder) strict(step string, words []modelWord) modelTry {
	found := l.all(words, howStrict, true).or(l.whether(func(pub *modelPub) bool { return isDivided(textsOf(words), pub.phrases) }))
	return modelTry{step: step, how: howStrict, words: words, found: found}
}

// isDivided reports whether words can be divided into phrases.
func isDivided(words, phrases []string) bool {
	for end := 1; end <= len(words); end++ {
		if slices.Contains(phrases, strings.Join(words[:end], " ")) && (end == len(words) || isDivided(words[end:], phrases)) {
			return true
		}
	}
	return false
}

// all returns the pubs that match all words and, if they must fit, one in a name or all in location, area and codes.
func (l *modelLadder) all(words []modelWord, how modelHow, mustFit bool) modelSet {
	all := l.whether(func(*modelPub) bool { return true })
	named, placed := make(modelSet, len(all)), all
	for _, word := range words {
		match := l.matching(word, how)
		all, named, placed = all.and(match.all), named.or(match.named), placed.and(match.placed)
	}
	if mustFit {
		return all.and(named.or(placed))
	}
	return all
}

// modelAttempts are the attempts 1, in two halves, and 3 to 6.
var modelAttempts = []modelHow{howStrict, howKnown, howInfix, howTypo, howFar, howAny}

// attempts makes some attempts with some words, in a circle, in a place or anywhere.
func (l *modelLadder) attempts(words []modelWord, hows []modelHow, inCircle bool, y yield) bool {
	for _, how := range hows {
		t := modelTry{step: "typo", how: how, words: words}
		if how == howAny && inCircle {
			t.how = howAnyInCircle
		}
		switch how {
		case howStrict:
			t = l.strict("words", words)
		case howKnown:
			t.step, t.found = "words", l.all(words, how, false)
			eachRun(len(words), false, func(low, high int) {
				together := slices.Concat(words[:low], []modelWord{writtenTogether(words, low, high)}, words[high:])
				t.found = t.found.or(l.all(together, how, false))
			})
		case howInfix:
			t.step = "infix"
			fallthrough
		default:
			t.found = l.all(words, t.how, true)
		}
		if !y(t) {
			return false
		}
	}
	return true
}

// supported passes attempts on, but 5 only when a word of 3 characters or more is known.
func (l *modelLadder) supported(y yield) yield {
	return func(t modelTry) bool {
		known := slices.ContainsFunc(t.words, func(w modelWord) bool { return w.size() >= 3 && l.isKnown(w) })
		return t.how == howFar && !known || y(t)
	}
}

// inPlaces makes attempt 2.
func (l *modelLadder) inPlaces(y yield) bool {
	for _, place := range l.places {
		told := func(t modelTry) bool {
			t.step, t.place = "place", &place
			return y(t)
		}
		if len(place.rest) == 0 {
			if !l.alone(&place, y) {
				return false
			}
			continue
		}
		some := []modelHow{howStrict, howKnown, howTypo}
		if !(l.attempts(place.rest, modelAttempts, false, yield(told).among(place.in)) &&
			l.attempts(place.rest, some, false, yield(told).among(l.within(1, place.centres...))) &&
			l.attempts(place.rest, some, false, yield(told).among(l.within(5, place.centres...)))) {
			return false
		}
	}
	return true
}

// alone makes the try that all pubs in a place answer.
func (l *modelLadder) alone(place *namedPlace, y yield) bool {
	return y(modelTry{step: "place", place: place, found: place.in})
}

// placesAlone makes attempt 8.
func (l *modelLadder) placesAlone(y yield) bool {
	for _, place := range l.places {
		if (l.wantsPlace || l.kind) && !l.alone(&place, y) {
			return false
		}
	}
	return true
}

// wantedPlace makes the try that comes before the strict query.
func (l *modelLadder) wantedPlace(y yield) bool {
	at := slices.IndexFunc(l.places, func(p namedPlace) bool { return len(p.rest) == 0 })
	if at < 0 || l.namedAll(l.query).and(l.keep).count() > 0 {
		return true
	}
	place := &l.places[at]
	named := l.namedAll(place.words)
	isKind := l.kind && named.count() <= place.in.count() && !(l.q.near && named.and(l.keep).and(l.within(2, l.q.at())).count() > 0)
	return !l.wantsPlace && !isKind || l.alone(place, y)
}

// together makes the try that query and core find pubs near the point strictly.
func (l *modelLadder) together(y yield) bool {
	t, ofCore := l.strict("", lastOf(l.query)), l.strict("words", l.core)
	if t.found.and(l.nearest).count() == 0 {
		return y(ofCore)
	}
	t.found = t.found.or(ofCore.found)
	return y(t)
}

// around makes the attempts that find a pub within a distance of the point, and answer with all that are near.
func (l *modelLadder) around(kilometres float64, y yield) bool {
	within := l.nearest.and(l.within(kilometres, l.q.at()))
	return l.attempts(l.core, modelAttempts, true, func(t modelTry) bool {
		t.found = t.found.and(l.nearest)
		return t.found.and(within).count() == 0 || y(t)
	})
}

// A modelChoice is the try with some words of the core.
type modelChoice struct {
	modelTry
	kept            []bool // by word of the core
	weight, most    int    // most is the maximum number of pubs
	keepsPlaceWords bool   // all known ones
}

// chosen returns the choices, the heaviest first.
func (l *modelLadder) chosen(inCircle bool) (all []modelChoice) {
	type word struct {
		pubs, telling modelSet
		known, place  bool
		weight        int
	}
	var words []word
	for _, core := range l.core {
		w := word{pubs: l.matching(core, howTypo).all, known: l.isKnown(core), telling: make(modelSet, len(l.pubs))}
		ofPlace := slices.ContainsFunc(l.places, func(p namedPlace) bool { return slices.Contains(p.words, core.text) })
		w.place = !inCircle && (ofPlace || l.isPlaceWord(core))
		named := l.matching(core, howLikely).named
		if named.count() == 0 {
			named = l.whether(func(pub *modelPub) bool { return core.joins(pub.name.joined) })
		}
		isCommon := named.count() > 50 && named.count()*32 > len(l.pubs)
		if core.size() >= 3 && !slices.Contains(modelUsual, core.text) && !w.place && !isCommon {
			w.telling = named
		}
		if n := w.pubs.count(); n > 0 {
			if w.weight = bits.Len(uint(len(l.pubs) / n)); !w.known {
				w.weight = max(1, w.weight/2)
			}
		}
		words = append(words, w)
	}
	for chosen := 1; chosen < 1<<len(words)-1; chosen++ {
		c := modelChoice{modelTry: modelTry{step: "partial", how: howTypo, found: l.keep}, most: math.MaxInt, keepsPlaceWords: true}
		tells := make(modelSet, len(l.pubs))
		matchesNothing, keepsUnknown := false, false
		for i, w := range words {
			kept := chosen>>i&1 == 1
			c.kept = append(c.kept, kept)
			switch {
			case kept:
				c.words, c.weight, c.found, tells = append(c.words, l.core[i]), c.weight+w.weight, c.found.and(w.pubs), tells.or(w.telling)
				matchesNothing, keepsUnknown = matchesNothing || w.pubs.count() == 0, keepsUnknown || !w.known
			case w.known && w.place:
				c.keepsPlaceWords = false
			case w.known:
				c.most = 50
			}
		}
		if c.found = c.found.and(tells); !matchesNothing && (c.keepsPlaceWords || !keepsUnknown && c.most > 50) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b modelChoice) int {
		c := cmp.Or(b.weight-a.weight, len(b.words)-len(a.words))
		for i := range a.kept {
			if c == 0 && a.kept[i] != b.kept[i] {
				c = map[bool]int{true: 1, false: -1}[a.kept[i]]
			}
		}
		return c
	})
	return all
}

// choices makes the attempts 7 and 9.
func (l *modelLadder) choices(inCircle, keepsPlaceWords bool, y yield) bool {
	for _, c := range l.chosen(inCircle) {
		if c.keepsPlaceWords == keepsPlaceWords && c.found.count() <= c.most && !y(c.modelTry) {
			return false
		}
	}
	return true
}

// longestChoices makes the try of all choices together that find a pub near the point and keep most words.
func (l *modelLadder) longestChoices(y yield) bool {
	t := modelTry{step: "partial", how: howTypo, words: l.core, found: make(modelSet, len(l.pubs))}
	longest := 0
	for _, c := range l.chosen(true) {
		found := c.found.and(l.nearest)
		if found.count() == 0 || found.count() > c.most || len(c.words) < longest {
			continue
		}
		if len(c.words) > longest {
			longest, t.found = len(c.words), make(modelSet, len(l.pubs))
		}
		t.found = t.found.or(found)
	}
	return y(t)
}

// answers returns the try that answers, and the one that adds pubs to it; nil if there is none.
func (l *modelLadder) answers() (first, more *modelTry) {
	l.tries(func(t modelTry) bool {
		if first == nil {
			if t.found.count() > 0 {
				first = &t
			}
			return first == nil || l.q.more && t.found.count() < 5
		}
		if t.found = t.found.without(first.found); t.found.count() > 0 {
			more = &t
		}
		return more == nil
	})
	return first, more
}

// told returns what an answer says of how it was found.
func (l *modelLadder) told(t *modelTry) (told modelTold) {
	if t == nil {
		return told
	}
	words := textsOf(t.words)
	told = modelTold{step: t.step, words: strings.Join(words, " ")}
	if corrected := l.correctedWords(t); !slices.Equal(corrected, words) {
		told.corrected = strings.Join(corrected, " ")
	}
	if t.place != nil {
		told.place = strings.Join(t.place.words, " ")
	}
	return told
}

// correctedWords returns the words of a try, corrected.
func (l *modelLadder) correctedWords(t *modelTry) (all []string) {
	for _, word := range t.words {
		best, most, fewest := word.text, 0, 0
		if l.stands(word).and(t.found).count() == 0 {
			for other, edits := range l.corrections(word, t.how) {
				having := t.found.and(l.whether(func(pub *modelPub) bool { return slices.Contains(pub.all.words, other) })).count()
				if having > 0 && cmp.Or(most-having, edits-fewest, strings.Compare(other, best)) < 0 {
					best, most, fewest = other, having, edits
				}
			}
		}
		all = append(all, best)
	}
	return all
}
