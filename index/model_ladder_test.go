package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"pubd/index/text"
)

// modelTry is a way of answering a query, and its answer. Its zero value finds nothing.
type modelTry struct {
	rule      string // what is asked for, and such; empty for the attempts
	step      string // empty for the strict query
	how       modelHow
	words     []modelWord // that were matched; the misspelt ones where a place is misspelt
	place     *modelPlace // of step place
	larger    *modelPlace // of two places
	direction string      // of a part of a place, with a space after it
	alone     bool        // the place, or any pub, answers alone
	ring      bool        // what is near the place answers
	in        modelSet    // the pubs in a place that is asked for
	found     modelSet
	most      int // maximum number of pubs; 0 means any number
}

// isTooMany reports whether a try may not have as many pubs.
func (t *modelTry) isTooMany(found modelSet) bool { return t.most > 0 && found.count() > t.most }

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
	q        modelQuery
	query    []string
	said     []string    // the query without generic and filler words
	core     []modelWord // those, or all where there are none
	begins   bool        // the last word may begin a longer one
	keep     modelSet    // the pubs that pass the filters
	places   []namedPlace
	meant    []namedPlace // those that are not rather names; where there are none and the query asks, all
	isCircle bool         // of a distance search
	isLong   bool
	where    bool     // has a where word
	asks     bool     // has one or a plural kind
	kind     bool     // has a kind
	calledSo modelSet // the pubs that have all words in their names
	nearest  modelSet // the pubs that pass the filters and are within 25 km of the point of near
}

func (m *model) newLadder(q modelQuery, query []string, keep modelSet) *modelLadder {
	said := without(query, text.Usual)
	l := &modelLadder{model: m, q: q, query: query, said: said, keep: keep, isCircle: q.inCircle && !q.near,
		isLong: len(without(query, text.Filler)) > 8,
		where:  haveA(query, text.Where), asks: haveA(query, text.Where|text.PluralKind), kind: haveA(query, text.Kind),
		calledSo: m.namedAll(query).and(keep), nearest: keep.and(m.within(25, q.at()))}
	l.places, l.begins = m.placesOf(query), l.mayBegin(query)
	l.core = wordsOf(dropped(query, text.Usual), l.begins && (len(said) == 0 || !is(query[len(query)-1], text.Usual)))
	for _, place := range l.places {
		if !m.isRatherName(place.modelPlace) {
			l.meant = append(l.meant, place)
		}
	}
	if len(l.meant) == 0 && (l.where || l.kind) {
		l.meant = l.places
	}
	return l
}

// isWish reports whether a word of the query is a wish, as which the words of features count that the snapshot tells of.
func (l *modelLadder) isWish(word string) bool {
	at := slices.Index(l.query, word)
	return is(word, text.Wish) || at >= 0 && l.wishesOf(l.query, func(string) bool { return false }).covers(at)
}

// mayBegin reports whether the last of some words of the query may begin a longer one: where they have a place, it does
// not if 3 pubs have it whole.
func (l *modelLadder) mayBegin(words []string) bool {
	last := modelWord{text: words[len(words)-1]}
	match := l.matching(last, howStrict)
	return len(words) < 2 || last.size() < 3 || match.named.or(match.placed).count() < 3 || len(l.placesOf(words)) == 0
}

// tries makes all tries in order.
func (l *modelLadder) tries(y yield) bool {
	y = y.among(l.keep)
	strict := func() bool { return y(l.strict("", wordsOf(l.query, true))) }
	relax := func(inCircle bool) bool {
		return l.attempts(l.core, modelAttempts[:2], false, y) && (inCircle || l.inPlaces(y)) && l.attempts(l.core, modelAttempts[2:5], inCircle, y)
	}
	guess := func(inCircle bool) bool { return (inCircle || l.ofPlaces(y)) && l.choices(l.core, inCircle, y) }
	asked := func() bool {
		t := l.asked()
		return y(t) && (t.place == nil || t.direction != "" || t.larger != nil || l.rings(t, y))
	}
	switch {
	case l.q.strict:
		return strict()
	case l.isLong:
		asksForPlace := !l.isCircle && len(l.places) > 0 && (l.where || l.kind)
		return strict() && (!asksForPlace || l.wished(y)) && l.heaviest(y) && (!asksForPlace || l.alone(l.places[0].modelPlace, y))
	case l.q.near:
		nearPlace := slices.ContainsFunc(l.places, func(p namedPlace) bool { return p.in.and(l.nearest).count() > 0 })
		isFar := len(l.places) > 0 && !nearPlace
		named := func() bool {
			found := l.strict("", wordsOf(l.query, true)).found.and(l.keep)
			return len(l.places) == 0 || found.count() == 0 || y(l.strict("", wordsOf(l.query, false)))
		}
		here := func() bool {
			isHere := len(l.places) == 0 && haveA(l.query, text.Here) && l.kind
			return !isHere || y(modelTry{step: "place", alone: true, found: l.nearest})
		}
		return asked() &&
			l.together(y) &&
			l.attempts(l.core, modelAttempts[:1], false, y.among(l.nearest)) &&
			named() &&
			l.nearby(2, y) && l.nearby(25, y) && here() &&
			strict() && relax(false) &&
			(isFar || l.ofPlaces(y) && l.longestChoices(y)) &&
			guess(false)
	case l.isCircle:
		return asked() && strict() && relax(true) && guess(true)
	}
	return asked() && strict() && l.wished(y) && relax(false) && guess(false)
}

// rings makes the tries of all pubs near a place that was asked for.
func (l *modelLadder) rings(asked modelTry, y yield) bool {
	for _, kilometres := range []float64{1, 5, 25} {
		t := inPlace(asked.rule, asked.place, l.around(asked.place, kilometres))
		if t.ring = true; !y(t) {
			return false
		}
	}
	return true
}

// none is no pub.
func (l *modelLadder) none() modelSet { return make(modelSet, len(l.pubs)) }

// strict makes the try of a strict query.
func (l *modelLadder) strict(step string, words []modelWord) modelTry {
	matched := words
	if len(words) > 0 && !l.mayBegin(textsOf(words)) {
		matched = wordsOf(textsOf(words), false)
	}
	found := l.all(matched, howStrict, true).or(l.whether(func(pub *modelPub) bool { return isDivided(textsOf(words), pub.phrases) }))
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
	named, placed := l.none(), all
	for _, word := range words {
		match := l.matching(word, how)
		all, named, placed = all.and(match.all), named.or(match.named), placed.and(match.placed)
	}
	if mustFit {
		return all.and(named.or(placed))
	}
	return all
}

// asked makes the try that is asked for.
func (l *modelLadder) asked() modelTry {
	rows := []func() modelTry{l.anyPub, l.wholePlace, l.partOfPlace, l.twoPlaces, l.misspeltPlace}
	if l.isCircle {
		rows = rows[:1]
	}
	for _, row := range rows {
		if t := row(); t.found.and(l.keep).count() > 0 {
			return t
		}
	}
	return modelTry{}
}

// inPlace returns the try of a rule that asks for a place.
func inPlace(rule string, place *modelPlace, found modelSet) modelTry {
	return modelTry{rule: rule, step: "place", place: place, alone: true, in: place.in, found: found}
}

func (l *modelLadder) anyPub() (t modelTry) {
	hasPoint := l.q.inCircle
	isAsked := l.asks || hasPoint && l.kind || len(l.wishesOf(l.query, func(string) bool { return false }).features) > 0
	isName := l.calledSo.count() > 0 && !(l.asks && hasPoint)
	ranks := haveA(l.query, text.Best) ||
		slices.ContainsFunc(l.query, func(word string) bool { return l.isWish(word) && l.granting(word).count() > 0 })
	if !ranks && (!isAsked || isName) || !are(l.withoutWishes(l.query), text.Usual) {
		return t
	}
	return modelTry{rule: "any pub", step: "place", alone: true, found: l.keep}
}

func (l *modelLadder) wholePlace() (t modelTry) {
	at := slices.IndexFunc(l.places, func(p namedPlace) bool { return len(p.rest) == 0 })
	if at < 0 {
		return t
	}
	place := l.places[at].modelPlace
	hasNoun := slices.ContainsFunc(l.query, func(word string) bool {
		return is(word, text.PlaceNoun) && !slices.Contains(place.words, word)
	})
	isMeant := l.asks || hasNoun || (l.kind || !haveA(l.query, text.Generic)) && place.in.count() > l.namedAll(place.words).count()
	if !isMeant || (l.where || l.kind || hasNoun) && l.calledSo.count() > 0 {
		return t
	}
	return inPlace("a place", place, place.in.or(l.calledSo))
}

// modelDirections are angles from north to east in degrees.
var modelDirections = map[string]float64{"north": 0, "east": 90, "south": 180, "west": 270,
	"north east": 45, "south east": 135, "south west": 225, "north west": 315,
	"northeast": 45, "southeast": 135, "southwest": 225, "northwest": 315}

func (l *modelLadder) partOfPlace() (t modelTry) {
	n := 1
	if _, areTwo := modelDirections[strings.Join(l.said[:min(2, len(l.said))], " ")]; areTwo && len(l.said) > 1 {
		n = 2
	}
	if len(l.said) <= n || l.place(l.said) != nil || !l.kind && l.namedAll(l.said).and(l.keep).count() > 0 {
		return t
	}
	direction := strings.Join(l.said[:n], " ")
	wanted, isDirection := modelDirections[direction]
	place := l.place(l.said[n:])
	if !isDirection || place == nil || place.in.count() < 20 || len(l.middle(place)) == 0 {
		return t
	}
	middle := l.middle(place)[0]
	var located []int
	for i := range l.pubs {
		if place.in[i] && l.pubs[i].hasPoint() {
			located = append(located, i)
		}
	}
	slices.SortFunc(located, func(i, j int) int {
		return cmp.Or(l.compareDistances(i, j, middle), l.pubs[i].row-l.pubs[j].row)
	})
	found := l.none()
	for _, i := range located[len(located)/4:] {
		at := l.pubs[i].point()
		angle := math.Atan2((at[1]-middle[1])*math.Cos(middle[0]*math.Pi/180), at[0]-middle[0]) * 180 / math.Pi
		found[i] = math.Abs(math.Remainder(angle-wanted, 360)) <= 50
	}
	t = inPlace("part of a place", place, found)
	t.direction = direction + " "
	return t
}

func (l *modelLadder) twoPlaces() (t modelTry) {
	strict := l.strict("", wordsOf(l.said, true)).found
	if !l.where && !l.kind || l.place(l.said) != nil || l.calledSo.count() > 0 || strict.and(l.keep).count() >= 5 {
		return t
	}
	for at := 1; at < len(l.said); at++ {
		smaller, larger := l.place(l.said[:at]), l.place(l.said[at:])
		if smaller == nil || larger == nil {
			continue
		}
		if larger.in.count() < smaller.in.count() {
			smaller, larger = larger, smaller
		}
		found := smaller.in.and(larger.in.or(l.around(larger, 50))).or(strict)
		if !l.isRatherName(smaller) && (smaller.isRegion || len(smaller.points) > 0) && found.and(l.keep).count() > 0 {
			t = inPlace("two places", smaller, found)
			t.larger = larger
			return t
		}
	}
	return t
}

func (l *modelLadder) misspeltPlace() (t modelTry) {
	words := without(l.said, text.PlaceNoun)
	misspelt := strings.Join(words, " ")
	size := utf8.RuneCountInString(misspelt)
	if !l.asks || len(l.places) > 0 || len(words) == 0 || len(words) > 4 || size < 5 {
		return t
	}
	type candidate struct {
		*modelPlace
		edits, kept int
	}
	var candidates []candidate
	for phrase, place := range l.model.places {
		c := candidate{place, modelDistance(misspelt, phrase, false), place.in.and(l.keep).count()}
		letters := utf8.RuneCountInString(strings.Join(place.words, ""))
		isNear := c.edits == 1 || c.edits == 2 && size >= 8 || c.edits == 3 && size >= 10
		if isNear && c.kept >= []int{1: 3, 2: 20, 3: 100}[c.edits] && letters >= 4 && []rune(phrase)[0] == []rune(misspelt)[0] &&
			!hasDigit(phrase) && len(place.centre) > 0 && l.place(place.words) != nil && !l.isRatherName(place) {
			candidates = append(candidates, c)
		}
	}
	if len(candidates) == 0 {
		return t
	}
	best := slices.MinFunc(candidates, func(a, b candidate) int {
		return cmp.Or(min(b.kept, 20)/20-min(a.kept, 20)/20, a.edits-b.edits, b.kept-a.kept, slices.Compare(a.words, b.words))
	})
	matched := wordsOf(words, true)
	if 5*l.strict("", matched).found.and(l.keep).count() > best.kept {
		return t
	}
	t = inPlace("a place misspelt", best.modelPlace, best.in)
	t.words = matched
	return t
}

// withoutWishes leaves out of words of the query those of wishes, each as often as it is one.
func (l *modelLadder) withoutWishes(words []string) []string {
	left := without(words, text.Wish)
	for _, position := range l.wishesOf(l.query, func(string) bool { return false }).positions {
		if i := slices.Index(left, l.query[position]); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return left
}

// wished makes the try of a place with wishes.
func (l *modelLadder) wished(y yield) bool {
	for _, place := range l.places {
		if len(place.rest) > 0 && len(l.withoutWishes(place.rest)) == 0 {
			found := place.in.or(l.strict("", wordsOf(l.said, true)).found)
			return y(modelTry{rule: "a place with wishes", step: "place", place: place.modelPlace, alone: true, found: found})
		}
	}
	return true
}

// modelAttempts are the attempts 1, in two halves, and 3 to 5.
var modelAttempts = []modelHow{howStrict, howKnown, howInfix, howTypo, howFar}

// attempts makes some attempts with some words, in a circle, in a place or anywhere.
func (l *modelLadder) attempts(words []modelWord, hows []modelHow, inCircle bool, y yield) bool {
	for _, how := range hows {
		t := modelTry{step: "typo", how: how, words: words}
		if how == howFar && inCircle {
			t.how = howAny
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

// inPlaces makes attempt 2.
func (l *modelLadder) inPlaces(y yield) bool {
	for _, place := range l.places {
		rest := l.withoutWishes(place.rest)
		told := func(isRing bool) yield {
			return func(t modelTry) bool {
				t.step, t.place, t.ring = "place", place.modelPlace, isRing
				return y(t)
			}
		}
		isMeant := slices.ContainsFunc(l.meant, func(p namedPlace) bool { return p.modelPlace == place.modelPlace })
		words := wordsOf(rest, place.after && l.begins)
		called := modelTry{how: howKnown, words: wordsOf(rest, false), found: l.whether(func(pub *modelPub) bool {
			return !slices.ContainsFunc(rest, func(word string) bool { return !modelWord{text: word}.reads(pub.name.words) })
		})}
		near := func(kilometres float64) yield { return told(true).among(l.around(place.modelPlace, kilometres)) }
		anywhere := called
		anywhere.step, anywhere.most = "partial", 50
		isLong := func(word string) bool { return utf8.RuneCountInString(word) >= 3 }
		switch {
		case len(rest) == 0:
			if !l.alone(place.modelPlace, y) {
				return false
			}
		case !isMeant:
		case !l.attempts(words, modelAttempts, true, told(false).among(place.in)) ||
			!l.attempts(words, []modelHow{howStrict, howKnown, howTypo}, false, near(5)) ||
			!l.kind && !(near(25)(called) && near(50)(called)) ||
			!l.kind && !l.where && slices.ContainsFunc(rest, isLong) && !y(anywhere):
			return false
		}
	}
	return true
}

// alone makes the try that all pubs in a place answer.
func (l *modelLadder) alone(place *modelPlace, y yield) bool {
	return y(modelTry{step: "place", place: place, alone: true, found: place.in})
}

// ofPlaces makes attempt 6.
func (l *modelLadder) ofPlaces(y yield) bool {
	for _, place := range l.meant {
		if place.in.count() < 3 && !l.where && !l.kind {
			continue
		}
		rest := wordsOf(l.withoutWishes(place.rest), place.after && l.begins)
		inside := func(t modelTry) bool {
			t.step, t.place = "place", place.modelPlace
			return y(t)
		}
		if len(rest) > 1 && !l.choices(rest, false, yield(inside).among(place.in)) || !l.alone(place.modelPlace, y) {
			return false
		}
	}
	return true
}

// together makes the tries (a) of near.
func (l *modelLadder) together(y yield) bool {
	t := l.strict("", wordsOf(l.query, true))
	if t.found.and(l.keep).count() == 0 {
		return l.wished(y)
	}
	if t.found.and(l.nearest).count() == 0 {
		return true
	}
	t.found = t.found.or(l.strict("", l.core).found).and(l.nearest)
	return y(t)
}

// nearby makes the attempts that find a pub within a distance of the point, and answer with all that are near.
func (l *modelLadder) nearby(kilometres float64, y yield) bool {
	within := l.nearest.and(l.within(kilometres, l.q.at()))
	return l.attempts(l.core, modelAttempts[:5], true, func(t modelTry) bool {
		t.found = t.found.and(l.nearest)
		return t.found.and(within).count() == 0 || y(t)
	})
}

// A modelChoice is the try with some words of others.
type modelChoice struct {
	modelTry
	kept   []bool // by word
	weight int
}

// chosen returns the choices of words, the heaviest first.
func (l *modelLadder) chosen(from []modelWord, inCircle bool) (all []modelChoice) {
	type word struct {
		pubs, telling modelSet
		known, place  bool
		weight        int
	}
	var words []word
	for _, one := range from {
		w := word{pubs: l.matching(one, howTypo).all, known: l.isKnown(one), telling: l.none()}
		w.place = !inCircle && l.isPlaceWord(one)
		named := l.matching(one, howLikely).named
		if named.count() == 0 {
			named = l.whether(func(pub *modelPub) bool { return one.joins(pub.name.joined) })
		}
		isCommon := named.count() > 50 && named.count()*32 > len(l.pubs)
		if one.size() >= 3 && !is(one.text, text.Usual|text.PlaceNoun) && !w.place && !isCommon {
			w.telling = named
		}
		if w.pubs.count() > 0 {
			if w.weight = l.weight(w.pubs); !w.known {
				w.weight = max(1, w.weight/2)
			}
		}
		words = append(words, w)
	}
	for chosen := 1; chosen < 1<<len(words)-1; chosen++ {
		c := modelChoice{modelTry: modelTry{step: "partial", how: howTypo, found: l.keep}}
		tells := l.none()
		matchesNothing := false
		for i, w := range words {
			kept := chosen>>i&1 == 1
			c.kept = append(c.kept, kept)
			switch {
			case kept:
				c.words, c.weight, c.found, tells = append(c.words, from[i]), c.weight+w.weight, c.found.and(w.pubs), tells.or(w.telling)
				matchesNothing = matchesNothing || w.pubs.count() == 0
			case w.known && !w.place:
				c.most = 50
			}
		}
		if c.found = c.found.and(tells); !matchesNothing {
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

// choices makes the tries of all choices of words.
func (l *modelLadder) choices(words []modelWord, inCircle bool, y yield) bool {
	for _, c := range l.chosen(words, inCircle) {
		if !y(c.modelTry) {
			return false
		}
	}
	return true
}

// longestChoices makes the try of all choices together that find a pub near the point and keep most words.
func (l *modelLadder) longestChoices(y yield) bool {
	t := modelTry{step: "partial", how: howTypo, words: l.core, found: l.none()}
	longest := 0
	for _, c := range l.chosen(l.core, true) {
		found := c.found.and(l.nearest)
		if found.count() == 0 || c.isTooMany(found) || len(c.words) < longest {
			continue
		}
		if len(c.words) > longest {
			longest, t.found = len(c.words), l.none()
		}
		t.found = t.found.or(found)
	}
	return y(t)
}

// heaviest makes the try of the pubs with most of a long query.
func (l *modelLadder) heaviest(y yield) bool {
	t := modelTry{rule: "a long query", step: "partial", how: howKnown, found: l.none()}
	weights, sum, named := make([]int, len(l.pubs)), 0, l.none()
	for i, word := range l.query {
		w := modelWord{text: word}
		if is(word, text.Filler) || !l.isKnown(w) {
			continue
		}
		t.words = append(t.words, w)
		if slices.Contains(l.query[:i], word) {
			continue
		}
		pubs := l.matching(w, howKnown).all
		sum += l.weight(pubs)
		for i := range weights {
			if pubs[i] {
				weights[i] += l.weight(pubs)
			}
		}
		if w.size() >= 3 && !is(word, text.Generic) {
			named = named.or(l.matching(w, howStrict).named)
		}
	}
	most := sum/2 + 1
	for i := range weights {
		if named[i] && l.keep[i] && weights[i] >= most {
			if weights[i] > most {
				most, t.found = weights[i], l.none()
			}
			t.found[i] = true
		}
	}
	return y(t)
}

// answers returns the try that answers, and the one that adds pubs to it; nil if there is none.
func (l *modelLadder) answers() (first, more *modelTry) {
	l.tries(func(t modelTry) bool {
		if t.isTooMany(t.found) {
			return true
		}
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
	corrected := l.correctedWords(t)
	told = modelTold{step: t.step, words: strings.Join(words, " ")}
	known := slices.Clone(words)
	if t.place != nil {
		told.place = t.direction + strings.Join(t.place.words, " ")
		known = append(known, strings.Fields(told.place)...)
	}
	if t.larger != nil {
		told.larger = strings.Join(t.larger.words, " ")
		known = append(known, t.larger.words...)
	}
	switch {
	case t.alone && len(words) > 0:
		told.corrected = told.place
	case !slices.Equal(corrected, words):
		told.corrected = strings.Join(corrected, " ")
	}
	wished := l.wishedIn(t, l.query)
	told.features = strings.Join(wished.features, " ")
	if t.place != nil && slices.Contains(t.place.words, "st") {
		known = append(known, "saint", "sankt")
	}
	var unused []string
	for i, word := range l.query {
		if !is(word, text.Usual) && !wished.covers(i) && !slices.Contains(known, word) {
			unused = append(unused, word)
		}
	}
	told.unused = strings.Join(unused, " ")
	told.isFair = l.isFair(t, l.query)
	if told.alone = t.alone && t.place != nil && t.direction == "" && t.larger == nil; told.alone {
		told.inside = t.place.in.and(l.keep).count()
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
