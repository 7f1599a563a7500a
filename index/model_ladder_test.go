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
	in        modelSet    // the pubs in a place that is asked for
	found     modelSet
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
	q        modelQuery
	query    []string
	said     []string    // the query without generic and filler words
	core     []modelWord // those, or all where there are none
	keep     modelSet    // the pubs that pass the filters
	places   []namedPlace
	isCircle bool // of a distance search
	isLong   bool
	where    bool     // has a where word
	asks     bool     // has one or a plural kind
	kind     bool     // has a kind
	calledSo modelSet // the pubs that have all words in their names
	nearest  modelSet // the pubs that pass the filters and are within 25 km of the point of near
}

func (m *model) newLadder(q modelQuery, query []string, keep modelSet) *modelLadder {
	said := without(query, text.Usual)
	return &modelLadder{model: m, q: q, query: query, said: said,
		core: wordsOf(dropped(query, text.Usual), len(said) == 0 || !is(query[len(query)-1], text.Usual)),
		keep: keep, places: m.placesOf(query), isCircle: q.inCircle && !q.near, isLong: len(without(query, text.Filler)) > 8,
		where: haveA(query, text.Where), asks: haveA(query, text.Where|text.PluralKind), kind: haveA(query, text.Kind),
		calledSo: m.namedAll(query).and(keep), nearest: keep.and(m.within(25, q.at()))}
}

// tries makes all tries in order.
func (l *modelLadder) tries(y yield) bool {
	y = y.among(l.keep)
	strict := func(y yield) bool { return y(l.strict("", wordsOf(l.query, true))) }
	relax := func() bool {
		return l.attempts(l.core, modelAttempts[:2], false, y) && l.inPlaces(y) && l.attempts(l.core, modelAttempts[2:5], false, y)
	}
	guess := func(inCircle bool) bool {
		return l.choices(inCircle, true, y) && (inCircle || l.placesAlone(y)) && l.choices(inCircle, false, y) &&
			l.attempts(l.core, modelAttempts[5:], inCircle, y)
	}
	switch {
	case l.q.strict:
		return strict(y)
	case l.isLong:
		asksForPlace := !l.isCircle && len(l.places) > 0 && (l.where || l.kind)
		return strict(y) && l.heaviest(y) && (!asksForPlace || l.alone(l.places[0].modelPlace, y))
	case l.q.near:
		nearPlace := slices.ContainsFunc(l.places, func(p namedPlace) bool { return p.in.and(l.nearest).count() > 0 })
		farPlace := len(l.places) > 0 && !nearPlace
		elsewhere := func(t modelTry) bool {
			isThere := func(p namedPlace) bool { return p.in.and(l.keep).and(t.found).count() > 0 }
			return !slices.ContainsFunc(l.places, isThere) || y(t)
		}
		return y(l.asked()) &&
			l.together(y) &&
			l.attempts(l.core, modelAttempts[:1], false, y.among(l.nearest)) &&
			(!farPlace || strict(elsewhere)) &&
			l.nearby(2, y) && l.nearby(25, y) &&
			strict(y) && relax() &&
			(!nearPlace || l.placesAlone(y)) &&
			(farPlace || l.longestChoices(y)) &&
			guess(false)
	case l.isCircle:
		return y(l.asked()) && strict(y) && l.attempts(l.core, modelAttempts[:5], true, y) && guess(true)
	}
	return y(l.asked()) && strict(y) && l.wished(y) && relax() && guess(false)
}

// none is no pub.
func (l *modelLadder) none() modelSet { return make(modelSet, len(l.pubs)) }

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
	if !isAsked || isName || !are(l.withoutWishes(l.query), text.Usual) {
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
	named := l.namedAll(place.words)
	most := named.count()
	if l.q.near && named.and(l.keep).and(l.within(2, l.q.at())).count() > 0 {
		most *= 2
	}
	hasNoun := slices.ContainsFunc(l.query, func(word string) bool {
		return is(word, text.PlaceNoun) && !slices.Contains(place.words, word)
	})
	isMeant := l.asks || hasNoun || (l.kind || !haveA(l.query, text.Generic)) && place.in.count() > most
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

// withoutWishes leaves out wishes, as which the words of features count that the snapshot tells of.
func (l *modelLadder) withoutWishes(words []string) []string {
	wished := l.wishesOf(l.query, func(string) bool { return false })
	return slices.DeleteFunc(without(words, text.Wish), func(word string) bool {
		at := slices.Index(l.query, word)
		return at >= 0 && wished.covers(at)
	})
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

// modelAttempts are the attempts 1, in two halves, 3 to 5, and 9.
var modelAttempts = []modelHow{howStrict, howKnown, howInfix, howTypo, howFar, howAny}

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
		told := func(t modelTry) bool {
			t.step, t.place = "place", place.modelPlace
			return y(t)
		}
		words := wordsOf(rest, place.after)
		switch {
		case len(rest) == 0:
			if !l.alone(place.modelPlace, y) {
				return false
			}
		case l.isRatherName(place.modelPlace) && !l.where:
		case !l.attempts(words, modelAttempts[:5], false, yield(told).among(place.in)) ||
			!l.attempts(words, []modelHow{howStrict, howKnown, howTypo}, false, yield(told).among(l.around(place.modelPlace, 5))):
			return false
		}
	}
	return true
}

// alone makes the try that all pubs in a place answer.
func (l *modelLadder) alone(place *modelPlace, y yield) bool {
	return y(modelTry{step: "place", place: place, alone: true, found: place.in})
}

// placesAlone makes attempt 7.
func (l *modelLadder) placesAlone(y yield) bool {
	for _, place := range l.places {
		if (l.where || l.kind) && !l.alone(place.modelPlace, y) {
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
		w := word{pubs: l.matching(core, howTypo).all, known: l.isKnown(core), telling: l.none()}
		ofPlace := slices.ContainsFunc(l.places, func(p namedPlace) bool { return slices.Contains(p.words, core.text) })
		w.place = !inCircle && (ofPlace || l.isPlaceWord(core))
		named := l.matching(core, howLikely).named
		if named.count() == 0 {
			named = l.whether(func(pub *modelPub) bool { return core.joins(pub.name.joined) })
		}
		isCommon := named.count() > 50 && named.count()*32 > len(l.pubs)
		if core.size() >= 3 && !is(core.text, text.Usual) && !w.place && !isCommon {
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
		c := modelChoice{modelTry: modelTry{step: "partial", how: howTypo, found: l.keep}, most: math.MaxInt, keepsPlaceWords: true}
		tells := l.none()
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

// choices makes the attempts 6 and 8.
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
	t := modelTry{step: "partial", how: howTypo, words: l.core, found: l.none()}
	longest := 0
	for _, c := range l.chosen(true) {
		found := c.found.and(l.nearest)
		if found.count() == 0 || found.count() > c.most || len(c.words) < longest {
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
	var unused []string
	for i, word := range l.query {
		if !is(word, text.Usual) && !wished.covers(i) && !slices.Contains(known, word) {
			unused = append(unused, word)
		}
	}
	told.unused = strings.Join(unused, " ")
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
