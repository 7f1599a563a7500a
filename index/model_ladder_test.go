package index

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// modelTexts are the words by which a query can find a pub.
type modelTexts struct {
	plain, wide, name, place []string
	joined                   []string
}

func newModelTexts(pub *Pub) (t modelTexts) {
	name, location, area := modelWords(pub.Name), modelWords(pub.Location), modelWords(pub.Area)
	t.name, t.place = name, slices.Concat(location, area)
	t.plain = slices.Concat(name, location)
	t.wide = slices.Concat(t.plain, area, modelWords(pub.Address), modelWords(pub.Postcode))
	for _, field := range []string{pub.Name, pub.Location, pub.Address, pub.Postcode, pub.Area} {
		words := strings.Fields(fold(field))
		for _, words := range [][]string{words, dropped(words, "the and")} {
			for _, run := range modelRuns(words) {
				if len(run) > 1 {
					t.joined = append(t.joined, strings.Join(run, ""))
				}
			}
		}
	}
	return t
}

// modelRuns returns all runs of one, two or three neighbouring words, and the run of all words.
func modelRuns(words []string) (runs [][]string) {
	for low := range words {
		for high := low + 1; high <= len(words); high++ {
			if high-low <= 3 || high-low == len(words) {
				runs = append(runs, words[low:high])
			}
		}
	}
	return runs
}

// modelWords returns the words of a field with their synonyms.
func modelWords(field string) (all []string) {
	words := strings.Fields(fold(field))
	for i, word := range words {
		all = append(append(all, word), modelSynonyms(word, i == len(words)-1)...)
	}
	return all
}

func modelSynonyms(word string, last bool) []string {
	numbers := strings.Fields("one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12")
	switch at := slices.Index(numbers, word); {
	case at >= 0:
		return []string{numbers[at^1]}
	case word == "saint":
		return []string{"st"}
	case word == "st" && !last:
		return []string{"saint"}
	}
	return nil
}

const (
	modelGeneric = "inn pub ph public house hotel tavern bar club ale restaurant ltd ye olde"
	modelFiller  = "a at by called in near of on to uk"
)

func isOneOf(word, of string) bool { return slices.Contains(strings.Fields(of), word) }

// modelAbbreviation returns what a word abbreviates, or its abbreviation.
func modelAbbreviation(word string) string {
	pairs := strings.Fields(`adm admiral bros brothers capt captain center centre co company dr doctor gen general gray grey gt great ii 2 iii 3
		iv fourth jct junction lt little mt mount no number rd road rly railway sgt sergeant sq square st street stn station theater theatre
		wagon waggon wm william`)
	if at := slices.Index(pairs, word); at >= 0 {
		return pairs[at^1]
	}
	return ""
}

// written reports whether a word is one of words or, if it is the last of the query, a prefix of one.
func written(words []string, word string, last bool) bool {
	return slices.ContainsFunc(words, func(other string) bool { return other == word || last && strings.HasPrefix(other, word) })
}

// readsWord and readsJoined report whether a pub has a word without a correction: readsWord in its fields, readsJoined in its joined words.
func readsWord(words []string, word string, last bool, how string) bool {
	cut, isCut := strings.CutPrefix(word, "the")
	return written(words, word, last) || how != "wider" && how != "joined" && slices.Contains(words, modelAbbreviation(word)) ||
		how != "wider" && how != "words" && isCut && utf8.RuneCountInString(word) > 5 && written(words, cut, last)
}

func readsJoined(joined []string, word string, last bool, how string) bool {
	if how == "wider" || how == "words" {
		return false
	}
	size := utf8.RuneCountInString(word)
	cut, isCut := strings.CutPrefix(word, "the")
	return written(joined, word, last && size >= 4) || isCut && size > 5 && written(joined, cut, last && size >= 7)
}

// where returns the pubs for which a condition holds.
func (m *model) where(is func(t *modelTexts) bool) []bool {
	all := make([]bool, len(m.texts))
	for i := range all {
		all[i] = is(&m.texts[i])
	}
	return all
}

func countTrue(all []bool) (n int) {
	for _, one := range all {
		if one {
			n++
		}
	}
	return n
}

// matching returns the pubs that a word matches.
func (m *model) matching(word string, last bool, how string) []bool {
	key := strings.Join([]string{word, map[bool]string{true: "last"}[last], how}, " ")
	if found, ok := m.known[key]; ok {
		return found
	}
	var found []bool
	switch how {
	case "strict":
		found = m.where(func(t *modelTexts) bool { return written(t.plain, word, last) })
	case "infix":
		found = m.where(func(t *modelTexts) bool {
			return readsWord(t.wide, word, last, "known") || readsJoined(t.joined, word, last, "known") || utf8.RuneCountInString(word) >= 3 &&
				slices.ContainsFunc(t.wide, func(other string) bool { return strings.Contains(other, word) })
		})
	case "typo", "far", "any":
		known := m.matching(word, last, "known")
		if how != "any" && countTrue(known) > 0 {
			found = known
			break
		}
		corrections := m.corrections(word, last, how)
		found = m.where(func(t *modelTexts) bool {
			return slices.ContainsFunc(t.wide, func(other string) bool { _, ok := corrections[other]; return ok })
		})
		for i := range found {
			found[i] = found[i] || known[i]
		}
	default:
		found = m.where(func(t *modelTexts) bool {
			return readsWord(t.wide, word, last, how) || readsJoined(t.joined, word, last, how)
		})
	}
	m.known[key] = found
	return found
}

// modelEdits returns how many edits are allowed in a word, and whether its first character may be wrong.
func modelEdits(word, how string) (edits int, anyFirst bool) {
	size := utf8.RuneCountInString(word)
	switch {
	case strings.ContainsAny(word, "0123456789"):
		return 0, false
	case how == "far" && size < 3:
		return 0, false
	case how == "far" && size < 5:
		return 1, size == 4
	case how == "far":
		return 2, false
	case size < 4:
		return 0, false
	case size < 8:
		return 1, how == "typo" && size >= 5
	}
	return 2, how == "typo"
}

// corrections returns the possible corrections of a word, with their distances.
func (m *model) corrections(word string, last bool, how string) map[string]int {
	edits, anyFirst := modelEdits(word, how)
	if edits == 0 || how == "any" && m.isPlace(func(words []string) bool { return written(words, word, last) }) {
		return nil
	}
	found := map[string]int{}
	for _, other := range m.words {
		if away := modelDistance(word, other, last); away <= edits && (anyFirst || []rune(word)[0] == []rune(other)[0]) {
			found[other] = away
		}
	}
	return found
}

// modelDistance returns the distance from a word to another or, for the last word of a query, to its closest prefix.
func modelDistance(word, other string, last bool) int {
	a, b := []rune(word), []rune(other)
	closest := alignment(a, b)
	if !last && closest > 2 {
		return closest
	}
	for end := 1; last && end <= len(b) && end <= len(a)+2; end++ {
		closest = min(closest, alignment(a, b[:end]))
	}
	return closest
}

// isPlace reports whether has holds for the place of at least one pub, and for at least half as many places as names.
func (m *model) isPlace(has func(words []string) bool) bool {
	places := countTrue(m.where(func(t *modelTexts) bool { return has(t.place) }))
	return places > 0 && 2*places >= countTrue(m.where(func(t *modelTexts) bool { return has(t.name) }))
}

// all returns the pubs that match all words.
func (m *model) all(words []string, how string, ends bool) []bool {
	found := m.where(func(*modelTexts) bool { return true })
	for at, word := range words {
		for i, is := range m.matching(word, ends && at == len(words)-1, how) {
			found[i] = found[i] && is
		}
	}
	return found
}

// A modelWay is the way in which a query found its results.
type modelWay struct {
	step             Step
	how              string
	runs, ends       bool
	words, corrected []string
	asked            []string // all words of the query
}

// attempt returns the pubs that match words in one way.
func (m *model) attempt(w modelWay) []bool {
	found := m.all(w.words, w.how, w.ends)
	for _, run := range modelRuns(w.words) {
		if !w.runs || len(run) < 2 || len(run) > 3 {
			continue
		}
		for at := 0; at+len(run) <= len(w.words); at++ {
			if &w.words[at] == &run[0] {
				joined := slices.Concat(w.words[:at], []string{strings.Join(run, "")}, w.words[at+len(run):])
				for i, is := range m.all(joined, w.how, w.ends) {
					found[i] = found[i] || is
				}
			}
		}
	}
	return found
}

func (m *model) find(q modelQuery, keep func(int) bool, a *modelAnswer) ([]int, modelWay) {
	if strings.TrimSpace(q.text) == "*" {
		return m.filter(keep), modelWay{}
	}
	words := dropped(strings.Fields(fold(q.text)), "the and")
	if len(words) == 0 {
		return nil, modelWay{}
	}
	strict := modelWay{how: "strict", words: words, ends: true, asked: words}
	hits := m.filter(func(i int) bool { return keep(i) && m.attempt(strict)[i] })
	if q.strict || len(words) > 8 {
		return hits, strict
	}
	within := func(radius float64) func(int) bool {
		return func(i int) bool { return keep(i) && m.distance(i, q) <= radius }
	}
	if q.near && !slices.ContainsFunc(hits, within(25)) {
		for _, radius := range []float64{1, 5, 25} {
			if hits, way := m.relax(words, within(radius), true, false, a); hits != nil {
				return hits, way
			}
		}
	}
	if hits != nil {
		return hits, strict
	}
	return m.relax(words, keep, q.inCircle && !q.near, true, a)
}

// relax makes the attempts of package relax, in order.
func (m *model) relax(words []string, keep func(int) bool, inCircle, partial bool, a *modelAnswer) ([]int, modelWay) {
	core := dropped(words, modelGeneric+" "+modelFiller)
	both := [][]string{words}
	if len(core) < len(words) {
		both = append(both, core)
	}
	var hits []int
	var way modelWay
	try := func(w modelWay, found []bool, most int) bool {
		w.asked = words
		kept := m.filter(func(i int) bool { return found[i] && keep(i) })
		if len(kept) == 0 || len(kept) > most {
			return false
		}
		if w.step == Typo || w.step == Partial {
			w.corrected = m.corrected(w, kept)
			if !slices.Equal(w.corrected, w.words) {
				a.corrected = strings.Join(w.corrected, " ")
			}
		}
		hits, way, a.step, a.words = kept, w, w.step, strings.Join(w.words, " ")
		return true
	}
	each := func(step Step, how string, queries ...[]string) bool {
		return slices.ContainsFunc(queries, func(query []string) bool {
			if how == "far" && !inCircle && !m.isSupported(query) {
				return false
			}
			w := modelWay{step: step, how: strings.TrimSuffix(how, " runs"), words: query, runs: strings.HasSuffix(how, " runs"), ends: true}
			return try(w, m.attempt(w), math.MaxInt)
		})
	}
	choices := func(keepsPlaces bool) bool {
		if !partial {
			return false
		}
		return slices.ContainsFunc(m.choices(core, inCircle), func(c modelChoice) bool { return c.keepsPlaces == keepsPlaces && try(c.way, c.pubs, c.most) })
	}
	_ = each(Wider, "wider", words) ||
		each(Joined, "joined runs", words) ||
		each(Words, "words", core) ||
		each(Words, "known runs", core) ||
		each(Infix, "infix", both...) ||
		each(Typo, "typo", both...) ||
		each(Typo, "far", both...) ||
		choices(true) ||
		each(Typo, "any", both...) ||
		choices(false)
	return hits, way
}

// isSupported reports whether a query has a known word that is not generic or filler.
func (m *model) isSupported(words []string) bool {
	for i, word := range words {
		if utf8.RuneCountInString(word) >= 3 && !isOneOf(word, modelGeneric+" "+modelFiller) && countTrue(m.matching(word, i == len(words)-1, "known")) > 0 {
			return true
		}
	}
	return false
}

type modelChoice struct {
	way         modelWay
	weight      int
	kept        []bool
	pubs        []bool
	most        int
	keepsPlaces bool
}

// choices returns the choices of some words of the core, in the order in which they are attempted.
func (m *model) choices(core []string, inCircle bool) (all []modelChoice) {
	type one struct {
		pubs, telling []bool
		known, place  bool
		weight        int
	}
	words := make([]one, len(core))
	for i, word := range core {
		last := i == len(core)-1
		w := &words[i]
		w.pubs = m.matching(word, last, "typo")
		w.known = countTrue(m.matching(word, last, "known")) > 0
		corrections := m.corrections(word, last, "typo")
		has := func(words []string) bool {
			if w.known {
				return readsWord(words, word, last, "known")
			}
			return slices.ContainsFunc(words, func(other string) bool { _, ok := corrections[other]; return ok })
		}
		w.place = !inCircle && m.isPlace(has)
		named := m.where(func(t *modelTexts) bool { return has(t.name) })
		if countTrue(named) == 0 {
			named = m.where(func(t *modelTexts) bool { return w.known && readsJoined(t.joined, word, last, "known") })
		}
		w.telling = make([]bool, len(m.pubs))
		n := countTrue(named)
		if !w.place && !(n > 50 && n*32 > len(m.pubs)) && utf8.RuneCountInString(word) >= 3 && !isOneOf(word, modelGeneric+" "+modelFiller) {
			w.telling = named
		}
		if n := countTrue(w.pubs); n > 0 {
			if w.weight = bits.Len(uint(len(m.pubs) / n)); !w.known {
				w.weight = max(1, w.weight/2)
			}
		}
	}
	for chosen := 1; chosen < 1<<len(core)-1; chosen++ {
		c := modelChoice{most: math.MaxInt, keepsPlaces: true, way: modelWay{step: Partial, how: "typo"}, pubs: m.where(func(*modelTexts) bool { return true })}
		told := make([]bool, len(m.pubs))
		tooManyErrors, unknownKept := false, false
		for i, word := range core {
			kept := chosen>>i&1 == 1
			c.kept = append(c.kept, kept)
			switch w := words[i]; {
			case kept:
				c.way.words, c.way.ends, c.weight = append(c.way.words, word), i == len(core)-1, c.weight+w.weight
				tooManyErrors, unknownKept = tooManyErrors || countTrue(w.pubs) == 0, unknownKept || !w.known
				for j := range c.pubs {
					c.pubs[j], told[j] = c.pubs[j] && w.pubs[j], told[j] || w.telling[j]
				}
			case w.known && w.place:
				c.keepsPlaces = false
			case w.known:
				c.most = 50
			}
		}
		if tooManyErrors || !c.keepsPlaces && (unknownKept || c.most == 50) {
			continue
		}
		for j := range c.pubs {
			c.pubs[j] = c.pubs[j] && told[j]
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b modelChoice) int {
		if c := cmp.Or(b.weight-a.weight, len(b.way.words)-len(a.way.words)); c != 0 {
			return c
		}
		for i := range a.kept {
			if a.kept[i] != b.kept[i] {
				return map[bool]int{true: 1, false: -1}[a.kept[i]]
			}
		}
		return 0
	})
	return all
}

// corrected returns the corrected words of a query.
func (m *model) corrected(w modelWay, hits []int) (all []string) {
	for i, word := range w.words {
		last := w.ends && i == len(w.words)-1
		if known := m.matching(word, last, "known"); slices.ContainsFunc(hits, func(i int) bool { return known[i] }) {
			all = append(all, word)
			continue
		}
		best, most, fewest := word, 0, 0
		corrections := m.corrections(word, last, w.how)
		for _, other := range m.words {
			away, ok := corrections[other]
			count := 0
			for _, i := range hits {
				if ok && slices.Contains(m.texts[i].wide, other) {
					count++
				}
			}
			if count > most || count == most && count > 0 && away < fewest {
				best, most, fewest = other, count, away
			}
		}
		all = append(all, best)
	}
	return all
}

// relevance combines a pub's tier, its number of corrections, and the words of its name that the query lacks, in decreasing significance.
func (m *model) relevance(i int, q modelQuery, w modelWay) int {
	if q.text == "*" {
		return 0
	}
	title := strings.Join(dropped(strings.Fields(fold(m.pubs[i].Name)), "the and"), " ")
	tier, corrections := 2, 0
	for at, word := range w.words {
		last := w.ends && at == len(w.words)-1
		how := w.how
		if how == "infix" || how == "typo" || how == "far" || how == "any" || how == "words" || how == "wider" || how == "joined" {
			how = "known"
		}
		edits := 0
		if anyWord := w.how == "any" && !m.isPlace(func(words []string) bool { return written(words, word, last) }); anyWord ||
			(w.how == "typo" || w.how == "far") && countTrue(m.matching(word, last, "known")) == 0 {
			edits, _ = modelEdits(word, w.how)
		}
		corrections += m.correctionsIn(i, word, last, how, w.how, edits)
		has := func(words []string) bool {
			if how == "strict" {
				return written(words, word, last)
			}
			return readsWord(words, word, last, how) || m.isNear(words, word, last, w.how, edits)
		}
		if !has(m.texts[i].name) && has(m.texts[i].wide) {
			tier = 3
		}
	}
	for _, asked := range [][]string{w.words, w.corrected} {
		if asked := strings.Join(asked, " "); asked != "" && strings.HasPrefix(title, asked) {
			tier = min(tier, 1)
			if title == asked {
				tier = 0
			}
		}
	}
	missing := 0
	words, matched := m.matchedOf(i, w)
	for j, word := range words {
		switch {
		case matched[j], slices.Contains(w.asked, word), isOneOf(word, "the and"):
		case isOneOf(word, modelGeneric):
			missing++
		default:
			missing += 2
		}
	}
	return tier*10000 + corrections*100 + missing
}

// correctionsIn returns the number of corrections by which a word matches a pub.
func (m *model) correctionsIn(i int, word string, last bool, how, attempt string, edits int) int {
	switch {
	case how == "strict", m.matching(word, last, "known")[i]:
		return 0
	case edits > 1 && !m.isNear(m.texts[i].wide, word, last, attempt, 1):
		return 2
	}
	return 1
}

// isNear reports whether a word is within a number of edits of one of others.
func (m *model) isNear(words []string, word string, last bool, how string, edits int) bool {
	_, anyFirst := modelEdits(word, how)
	return edits > 0 && slices.ContainsFunc(words, func(other string) bool {
		return modelDistance(word, other, last) <= edits && (anyFirst || []rune(word)[0] == []rune(other)[0])
	})
}

// matchedOf returns the words of a pub's name, and whether each was matched. The query saint matches only the first word of "St Mark St".
func (m *model) matchedOf(i int, w modelWay) (words []string, marked []bool) {
	words = strings.Fields(fold(m.pubs[i].Name))
	marked = make([]bool, len(words))
	joins := w.how != "strict" && w.how != "wider" && w.how != "words"
	for at, word := range w.words {
		last := w.ends && at == len(w.words)-1
		edits := 0
		if w.how == "any" && !m.isPlace(func(words []string) bool { return written(words, word, last) }) ||
			(w.how == "typo" || w.how == "far") && countTrue(m.matching(word, last, "known")) == 0 {
			edits, _ = modelEdits(word, w.how)
		}
		for j, other := range words {
			spellings := append([]string{other}, modelSynonyms(other, j == len(words)-1)...)
			how := w.how
			if how == "strict" {
				how = "wider"
			}
			marked[j] = marked[j] || readsWord(spellings, word, last, how) || m.isNear(spellings, word, last, w.how, edits) ||
				w.how == "infix" && utf8.RuneCountInString(word) >= 3 && slices.ContainsFunc(spellings, func(s string) bool { return strings.Contains(s, word) })
		}
	}
	for _, asked := range modelRuns(w.words) {
		if !joins || len(asked) > 1 && (!w.runs || len(asked) > 3) {
			continue
		}
		last := w.ends && &asked[len(asked)-1] == &w.words[len(w.words)-1]
		for _, kept := range []string{"", "the and"} {
			var places []int
			var left []string
			for j, word := range words {
				if !isOneOf(word, kept) {
					places, left = append(places, j), append(left, word)
				}
			}
			for _, run := range modelRuns(left) {
				joined, short := strings.Join(run, ""), strings.Join(run[:len(run)-1], "")
				one := strings.Join(asked, "")
				if cut, ok := strings.CutPrefix(one, "the"); ok && utf8.RuneCountInString(one) > 5 && strings.HasPrefix(joined, cut) {
					one = cut
				}
				if len(one) > len(short) && readsJoined([]string{joined}, one, last, "joined") {
					for j := range left {
						if &left[j] == &run[0] {
							for k := range run {
								marked[places[j+k]] = true
							}
						}
					}
				}
			}
		}
	}
	return words, marked
}
