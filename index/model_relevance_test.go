package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"pubd/index/schema"
	"pubd/index/text"
)

// nameWord is a word of a name with its synonyms.
type nameWord struct {
	text      string
	spellings []string
}

// modelTitle is a name of a pub.
type modelTitle struct {
	words   []nameWord
	isBrand bool
}

// titlesOf returns the words of a pub's names without "the" and "and".
func titlesOf(pub *schema.Pub) (titles []modelTitle) {
	others := slices.DeleteFunc(strings.Split(pub.AltNames, ";"), func(name string) bool { return strings.TrimSpace(name) == "" })
	others = append(others, pub.Name)
	if pub.Brand != "" {
		others = append(others, pub.Brand)
	}
	for at, name := range others {
		words := withoutStops(strings.Fields(fold(name)))
		var title []nameWord
		for i, word := range words {
			title = append(title, nameWord{word, spellings(word, i == len(words)-1)})
		}
		titles = append(titles, modelTitle{title, pub.Brand != "" && at == len(others)-1})
	}
	return titles
}

// mayBe reports whether a matched word may be a word with some spellings in an answer.
func (m *model) mayBe(t *modelTry, w modelWord, spellings []string) bool {
	whole := modelWord{text: w.text}
	return whole.reads(spellings) || isCorrected(m.corrections(w, t.how), spellings) || t.how == howInfix && w.isInside(spellings)
}

// A modelRank is how well a name of a pub answers a query.
type modelRank struct {
	tier, others int
	isSpecific   bool // has other words that are not generic
}

func (a modelRank) compare(b modelRank) int {
	specific := map[bool]int{true: 1}
	return cmp.Or(a.tier-b.tier, a.others-b.others, specific[a.isSpecific]-specific[b.isSpecific])
}

// rankOf ranks a name of a pub.
func (m *model) rankOf(name []nameWord, isPlaced bool, query []string, t *modelTry) (r modelRank) {
	title, matched := make([]string, len(name)), textsOf(t.words)
	for i := range name {
		title[i] = name[i].text
	}
	if t.alone {
		if t.place != nil && slices.Equal(title, t.place.words) {
			return modelRank{tier: 0}
		}
		return modelRank{tier: 3}
	}
	begins := func(w modelWord, word string) bool { return w.last && strings.HasPrefix(word, w.text) }
	wanted, begun, has := make([]bool, len(name)), make([]bool, len(name)), make([]bool, len(matched))
	for i, word := range name {
		wanted[i] = slices.ContainsFunc(query, func(w string) bool { return slices.Contains(word.spellings, w) })
		for j, w := range t.words {
			is := m.mayBe(t, w, word.spellings)
			wanted[i], begun[i], has[j] = wanted[i] || is, begun[i] || begins(w, word.text), has[j] || is || begins(w, word.text)
		}
		eachRun(len(matched), false, func(low, high int) {
			if strings.Join(matched[low:high], "") == word.text {
				wanted[i] = true
				for j := low; j < high; j++ {
					has[j] = true
				}
			}
		})
	}
	eachRun(len(title), true, func(low, high int) {
		joined := strings.Join(title[low:high], "")
		for j, w := range t.words {
			whole := t.step != "" && modelWord{text: w.text}.joins([]string{joined})
			beginning := t.step != "" && w.size() >= 4 && begins(w, joined)
			for i := low; i < high; i++ {
				wanted[i], begun[i] = wanted[i] || whole, begun[i] || beginning
			}
			has[j] = has[j] || whole || beginning
		}
	})
	for i, word := range title {
		switch {
		case wanted[i]:
		case is(word, text.Generic):
			r.others++
		case begun[i]:
			r.others, r.isSpecific = r.others+1, true
		default:
			r.others, r.isSpecific = r.others+2, true
		}
	}
	beginsWith := func(words []modelWord) bool {
		for i, w := range words {
			if i >= len(name) || !m.mayBe(t, w, name[i].spellings) && !begins(w, title[i]) {
				return false
			}
		}
		return len(words) > 0
	}
	specific := slices.DeleteFunc(slices.Clone(t.words), func(w modelWord) bool { return is(w.text, text.Generic) })
	hasAll := !slices.Contains(has, false)
	switch {
	case slices.Equal(title, query) || slices.Equal(title, matched):
		r.tier = 0
	case hasAll && !r.isSpecific:
		r.tier = 1
	case slices.Contains(has, true) && !r.isSpecific:
		r.tier = 2
	case isPlaced:
		r.tier = 3
	case hasAll && (beginsWith(t.words) || beginsWith(specific)):
		r.tier = 4
	case hasAll:
		r.tier = 5
	default:
		r.tier = 6
	}
	return r
}

// modelRelevance is the keys of the order by relevance, before fair score and total order; smaller is better.
type modelRelevance [7]float64

// relevance returns the keys of a pub that a try has found, or a query without words.
func (m *model) relevance(i int, q modelQuery, query []string, denied modelDenied, t *modelTry) (keys modelRelevance) {
	pub := &m.pubs[i]
	if t == nil {
		if q.inCircle {
			keys[0] = pub.point().to(q.at())
		}
		return keys
	}
	isPlaced := t.step != "place" && (slices.Contains(pub.phrases, strings.Join(query, " ")) ||
		slices.Contains(pub.phrases, strings.Join(dropped(query, text.Usual), " ")) ||
		containsAll(slices.Concat(pub.placeWords, pub.codes), query))
	best := modelRank{tier: 7}
	for _, name := range pub.titles {
		rank := m.rankOf(name.words, isPlaced && !name.isBrand, query, t)
		if name.isBrand {
			rank.tier = min(rank.tier+1, 6)
			if isPlaced {
				rank.tier = min(rank.tier, 3)
			}
		}
		if rank.compare(best) < 0 {
			best = rank
		}
	}
	corrections, outside := 0.0, 0.0
	for _, w := range t.words {
		if !t.alone && !m.stands(w)[i] {
			corrections++
		}
	}
	if t.in != nil && !t.in[i] {
		outside = 1
	}
	lacks, wished := m.lacks(pub, query, t), 0.0
	for _, feature := range m.wishedIn(t, query).features {
		wished += pub.lack(feature, q.when, query)
	}
	isDenied := 0.0
	if denied.pubs != nil && denied.pubs[i] {
		isDenied = 1
	}
	if denied.feature != "" {
		lack := pub.lack(denied.feature, q.when, query)
		switch lack {
		case 0:
			isDenied, wished = 1, wished+1
		case 1:
			wished++
		default:
			isDenied = 0
		}
	}
	distance, fromMiddle := pub.point().to(q.at()), 0.0
	if t.alone && t.place != nil && len(m.middle(t.place)) > 0 {
		middle := m.middle(t.place)[0]
		away := math.Round(pub.point().to(middle)*1000) / 1000
		fromMiddle = modelPoints(away)
		if q.at().to(middle) > m.reach(t.place) {
			distance = away
		}
	}
	if t.ring && !t.alone && len(m.middle(t.place)) > 0 {
		fromMiddle = modelPoints(math.Round(pub.point().to(m.middle(t.place)[0])*1000) / 1000)
	}
	isFair := m.isFair(t, query)
	if !q.inCircle {
		switch {
		case isFair:
			return modelRelevance{isDenied, outside, lacks + wished}
		case t.alone:
			return modelRelevance{isDenied, outside, lacks + wished, float64(best.tier), corrections, fromMiddle, float64(best.others)}
		}
		return modelRelevance{isDenied, outside, lacks, float64(best.tier), corrections + wished, fromMiddle, float64(best.others)}
	}
	if isFair {
		away := 0.0
		if t.place == nil {
			away = max(0, modelPoints(pub.point().to(q.at()))-2)
		}
		return modelRelevance{isDenied, outside, away + 2*lacks + 6*wished}
	}
	points := modelPoints(distance) + 2*lacks + 2*corrections + 6*wished
	if best.tier >= 4 && best.isSpecific {
		points += 2
	}
	return modelRelevance{isDenied, outside, points, float64(best.tier), distance}
}

// isFair reports whether a place, or any pub, answers a query for the best.
func (m *model) isFair(t *modelTry, query []string) bool { return t.alone && haveA(query, text.Best) }

// modelPoints returns how often half a kilometre is doubled to reach a distance; infinity where it is unknown.
func modelPoints(distance float64) float64 {
	if distance != distance {
		return math.Inf(1)
	}
	return max(0, math.Ceil(math.Log2(distance/0.5)))
}

// reach returns how far the middle one of the pubs in a place is from its middle, in kilometres.
func (m *model) reach(place *modelPlace) float64 {
	var distances []float64
	for i := range m.pubs {
		if place.in[i] && m.pubs[i].hasPoint() {
			distances = append(distances, m.pubs[i].point().to(m.middle(place)[0]))
		}
	}
	if len(distances) == 0 {
		return 0
	}
	slices.Sort(distances)
	return distances[(len(distances)-1)/2]
}

// lacks returns the number of words that the query says of a pub and that neither its names nor its category have.
func (m *model) lacks(pub *modelPub, query []string, t *modelTry) (n float64) {
	wished := m.wishedIn(t, query)
	for i, word := range query {
		isSaid := is(word, text.Wish) || is(word, text.Generic) && !is(word, text.Plain)
		isUsed := !t.alone || wished.covers(i) || t.place != nil && slices.Contains(t.place.words, word)
		if isSaid && !isUsed && !pub.grants(word) {
			n++
		}
	}
	return n
}

// highlightedIn returns the words of a pub's name that an answer highlights.
func (m *model) highlightedIn(name string, t *modelTry) string {
	if t.alone {
		return ""
	}
	words, wanted := strings.Fields(fold(name)), t.words
	if t.how == howKnown {
		eachRun(len(t.words), false, func(low, high int) {
			wanted = append(wanted[:len(wanted):len(wanted)], writtenTogether(t.words, low, high))
		})
	}
	isMatched := make([]bool, len(words))
	for i, word := range words {
		spellings := spellings(word, i == len(words)-1)
		for _, other := range elided(name) {
			if strings.HasSuffix(word, other) {
				spellings = append(spellings, other)
			}
		}
		isMatched[i] = slices.ContainsFunc(t.words, func(w modelWord) bool {
			return w.stands(spellings) || t.step != "" && (w.reads(spellings) || m.mayBe(t, w, spellings))
		})
	}
	for _, isLeft := range []func(word string) bool{func(string) bool { return false }, isStop} {
		var at []int // the words but for the stops
		for i, word := range words {
			if !isLeft(word) {
				at = append(at, i)
			}
		}
		mark := func(low, high int) {
			run := ""
			for _, i := range at[low:high] {
				run += words[i]
			}
			before := len(run) - len(words[at[high-1]]) // of the last word
			isRun := func(w modelWord) bool {
				return modelWord{w.text, w.last && w.size() >= 4 && len(w.text) > before}.stands([]string{run})
			}
			if t.step != "" && slices.ContainsFunc(wanted, isRun) {
				for _, i := range at[low:high] {
					isMatched[i] = true
				}
			}
		}
		for i := range at {
			mark(i, i+1)
		}
		eachRun(len(at), true, mark)
	}
	var highlighted []string
	for i, word := range words {
		if isMatched[i] {
			highlighted = append(highlighted, word)
		}
	}
	return strings.Join(highlighted, " ")
}
