package index

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pubd/data/lane"
	"pubd/geo"
	"pubd/index/text"
)

// slowSuggestions makes suggestions as Suggest documents them, by scanning all pubs of a snapshot. It uses the snapshot only for searches by
// relevance.
type slowSuggestions struct {
	s     *Snapshot
	pubs  []slowPub // by ordinal
	alike map[string]int
	most  int
	at    *geo.Circle
}

// slowPub is a pub with the words of its name and location, and its label.
type slowPub struct {
	Pub
	words                   [2]map[string]bool
	title, location, called string
	at                      geo.Vector
}

func newSlowSuggestions(s *Snapshot) slowSuggestions {
	m := slowSuggestions{s: s, alike: map[string]int{}}
	for i := range uint32(s.Len()) {
		pub := slowPub{Pub: *s.Pub(i)}
		pub.title, pub.location, pub.called = titleOf(fold(pub.Name)), fold(pub.Location), fold(pub.Name)+"\x00"+fold(pub.Location)
		pub.at = geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}.Vector()
		for field, value := range []string{pub.Name, pub.Location} {
			pub.words[field] = map[string]bool{}
			words := strings.Fields(fold(value))
			for i, word := range words {
				pub.words[field][word] = true
				for other := range text.Synonyms([]byte(word), i == len(words)-1) {
					pub.words[field][other] = true
				}
			}
		}
		m.pubs = append(m.pubs, pub)
		m.alike[pub.called]++
	}
	return m
}

// slow is a suggestion with its folded term and its sort key.
type slow struct {
	kind       SuggestionKind
	term, text string
	pubs       int
	key        float64
}

func titleOf(folded string) string {
	return string(text.Phrase{}.AppendWords([]byte(folded)).WithoutFiller().AppendTo(nil))
}

func (m *slowSuggestions) suggest(asked string) []slow {
	folded := fold(asked)
	if folded == "" {
		return nil
	}
	var found []slow
	if m.at != nil {
		found = m.nearby(folded, 1)
		near := m.at.WithRadius(nearEnough)
		if !slices.ContainsFunc(found, func(f slow) bool { return near.Contains(m.place(f)) }) {
			for _, corrected := range m.corrections(folded) {
				found = append(found, m.nearby(corrected, wordsAside*wordsAside)...)
			}
		}
		slices.SortStableFunc(found, func(a, b slow) int { return cmp.Compare(a.key, b.key) })
		return m.distinct(found)
	}
	byPubs := func(a, b slow) int {
		return cmp.Or(cmp.Compare(b.pubs, a.pubs), cmp.Compare(a.kind, b.kind), strings.Compare(a.term, b.term))
	}
	found = m.begin(folded)
	slices.SortFunc(found, byPubs)
	if len(found) < m.most && (len(found) == 0 || strings.Contains(titleOf(folded), " ")) {
		found = append(found, m.match(folded)...)
	}
	if len(found) == 0 {
		for _, corrected := range m.corrections(folded) {
			found = append(found, m.begin(corrected)...)
		}
		slices.SortFunc(found, byPubs)
		for _, corrected := range m.corrections(folded) {
			if len(found) == 0 {
				found = m.match(corrected)
			}
		}
	}
	return m.distinct(found)
}

// distinct returns the first suggestions, without duplicates.
func (m *slowSuggestions) distinct(found []slow) (kept []slow) {
	for _, f := range found {
		if len(kept) < m.most && !slices.ContainsFunc(kept, func(k slow) bool { return k.kind == f.kind && k.term == f.term }) {
			kept = append(kept, f)
		}
	}
	return kept
}

// begin returns all names and locations that begin with a text.
func (m *slowSuggestions) begin(folded string) (found []slow) {
	title := titleOf(folded)
	spellings := [2]map[string][]string{{}, {}}
	for _, pub := range m.pubs {
		if strings.HasPrefix(pub.title, title) {
			spellings[0][pub.title] = append(spellings[0][pub.title], pub.Name)
		}
		if pub.location != "" && strings.HasPrefix(pub.location, folded) {
			spellings[1][pub.location] = append(spellings[1][pub.location], pub.Location)
		}
	}
	for kind, all := range spellings {
		for term, texts := range all {
			counts := map[string]int{}
			for _, text := range texts {
				counts[text]++
			}
			most := slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int {
				first := slices.Index[[]string]
				if kind == 1 { // locations: the first by bytes
					return cmp.Or(cmp.Compare(counts[a], counts[b]), strings.Compare(b, a))
				}
				return cmp.Or(cmp.Compare(counts[a], counts[b]), first(texts, b)-first(texts, a))
			})
			found = append(found, slow{kind: SuggestionKind(kind), term: term, text: most, pubs: len(texts)})
		}
	}
	return found
}

// has reports whether a pub has a word in one of its first fields. The first field is the name.
func (m *slowSuggestions) has(pub, fields int, word string, last bool) bool {
	for _, words := range m.pubs[pub].words[:fields] {
		for other := range words {
			if other == word || last && strings.HasPrefix(other, word) {
				return true
			}
		}
	}
	return false
}

func (m *slowSuggestions) hasAll(pub, fields int, words []string) bool {
	for i, word := range words {
		if !m.has(pub, fields, word, i == len(words)-1) {
			return false
		}
	}
	return true
}

// pub returns a pub as a suggestion.
func (m *slowSuggestions) pub(pub uint32) slow {
	p := m.pubs[pub]
	s := slow{kind: SuggestedPub, term: p.called, text: p.Name, pubs: m.alike[p.called]}
	if p.Location != "" {
		s.text += ", " + p.Location
	}
	return s
}

func (m *slowSuggestions) match(folded string) (found []slow) {
	var w Workspace
	for _, pub := range m.s.Search(&Query{Text: []byte(folded), Strict: true, Sort: SortRelevance, Descending: true, Amount: maxRelevant}, &w).Pubs {
		if !strings.HasPrefix(m.pubs[pub].title, titleOf(folded)) {
			found = append(found, m.pub(pub))
		}
	}
	return found
}

// nearby returns all pubs that have all words, and then all locations that begin with a text, each by distance.
func (m *slowSuggestions) nearby(folded string, penalty float64) []slow {
	title := titleOf(folded)
	words := strings.Fields(title)
	var pubs, locations []slow
	for i, pub := range m.pubs {
		chord := m.at.ChordSquared(pub.at)
		if math.IsNaN(chord) || !m.hasAll(i, 2, words) {
			continue
		}
		s := m.pub(uint32(i))
		s.key = penalty * chord
		if !strings.HasPrefix(pub.title, title) {
			s.key *= 16
			if !m.hasAll(i, 1, words) {
				s.key *= 16
			}
		}
		pubs = append(pubs, s)
	}
	for _, s := range m.begin(folded) {
		if chord := m.at.ChordSquared(m.place(s)); s.kind == SuggestedLocation && !math.IsNaN(chord) {
			s.key = penalty * 16 * chord / float64(s.pubs)
			locations = append(locations, s)
		}
	}
	slices.SortStableFunc(pubs, func(a, b slow) int { return cmp.Compare(a.key, b.key) })
	slices.SortFunc(locations, func(a, b slow) int { return cmp.Or(cmp.Compare(a.key, b.key), strings.Compare(a.term, b.term)) })
	return append(m.distinct(pubs), m.distinct(locations)...)
}

// place returns the point of a suggestion's nearest pub, or the centre of a location.
func (m *slowSuggestions) place(of slow) (at geo.Vector) {
	var sum geo.Vector
	nearest := math.Inf(1)
	for _, pub := range m.pubs {
		v := pub.at
		switch chord := m.at.ChordSquared(v); {
		case math.IsNaN(chord):
		case of.kind == SuggestedLocation && pub.location == of.term:
			sum = geo.Vector{X: sum.X + v.X, Y: sum.Y + v.Y, Z: sum.Z + v.Z}
		case of.kind == SuggestedPub && chord < nearest && pub.called == of.term:
			nearest, at = chord, v
		}
	}
	if of.kind == SuggestedLocation {
		length := math.Sqrt(geo.ChordSquared(sum, geo.Vector{}))
		at = geo.Vector{X: sum.X / length, Y: sum.Y / length, Z: sum.Z / length}
	}
	return at
}

// corrections returns texts with one corrected word, those in the most pubs first.
func (m *slowSuggestions) corrections(folded string) (texts []string) {
	words := strings.Fields(titleOf(folded))
	pubs := map[string]int{} // by term
	for i := range m.pubs {
		terms := map[string]bool{}
		maps.Copy(terms, m.pubs[i].words[0])
		maps.Copy(terms, m.pubs[i].words[1])
		for term := range terms {
			pubs[term]++
		}
	}
	var unknown []int
	for i, word := range words {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(pubs)), func(term string) bool {
			return term == word || i == len(words)-1 && strings.HasPrefix(term, word)
		}) {
			unknown = append(unknown, i)
		}
	}
	if len(unknown) > 1 || len(words) > MaxRelaxedWords {
		return nil
	}
	type corrected struct {
		place, pubs int
		first, text string
	}
	var all []corrected
	for i, word := range words {
		if len(unknown) == 1 && unknown[0] != i || len([]rune(word)) < 4 || strings.ContainsAny(word, "0123456789") {
			continue
		}
		groups := map[string][]string{} // terms by their closest prefix
		for term := range pubs {
			letters := []rune(term)
			for end := 1; end <= len(letters); end++ {
				if i < len(words)-1 && end < len(letters) || letters[0] != []rune(word)[0] || !isOneEdit([]rune(word), letters[:end]) {
					continue
				}
				beginning := string(letters[:end])
				groups[beginning] = append(groups[beginning], term)
				break
			}
		}
		for _, terms := range groups {
			slices.Sort(terms)
			c := corrected{i, 0, terms[0], terms[0]}
			for _, term := range terms {
				c.pubs += pubs[term]
				for !strings.HasPrefix(term, c.text) {
					c.text = string([]rune(c.text)[:len([]rune(c.text))-1])
				}
			}
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b corrected) int {
		return cmp.Or(cmp.Compare(b.pubs, a.pubs), cmp.Compare(a.place, b.place), strings.Compare(a.first, b.first))
	})
	for _, c := range all[:min(len(all), maxCorrectedTexts)] {
		other := slices.Clone(words)
		other[c.place] = c.text
		texts = append(texts, strings.Join(other, " "))
	}
	return texts
}

// isOneEdit reports whether two words are at most one edit apart.
func isOneEdit(a, b []rune) bool {
	shared := 0
	for shared < min(len(a), len(b)) && a[shared] == b[shared] {
		shared++
	}
	a, b = a[shared:], b[shared:]
	drop := func(from []rune, n int) string { return string(from[min(n, len(from)):]) }
	return string(a) == string(b) || drop(a, 1) == drop(b, 1) || drop(a, 1) == string(b) || string(a) == drop(b, 1) ||
		len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && drop(a, 2) == drop(b, 2)
}

// Suggestions for prefixes and misspelt texts, with and without a centre, agree with a scan.
func TestSuggestAgreesWithModel(t *testing.T) {
	t.Parallel()
	cases := lane.Pick(40, 200)
	rng := rand.New(rand.NewPCG(21, 22))
	names := strings.Fields("Red Lion Lions Crown Crow Crowns The the & and Oxford St Saint Inn 7 Seven Wheatsheaf Wheatear Béll Bells King's Ναύς Ναύτης")
	places := []string{"", "Oxford", "oxford", "Oxted", "St Ives", "High St", "Crown Hill", "The Lions", "Crowland"}
	var w Workspace
	corrected, kinds := 0, map[SuggestionKind]int{}
	for c := range cases {
		var directory Directory
		size := 1 + rng.IntN([]int{8, 60, 300, 600}[c%4])
		if c%4 == 3 { // dense sets
			size += 1200
		}
		for i := range size {
			pub := Pub{UID: fmt.Sprint(i), Location: places[rng.IntN(len(places))], Latitude: math.NaN(), Longitude: math.NaN()}
			for range 1 + rng.IntN(3) {
				pub.Name += names[min(rng.IntN(len(names)), rng.IntN(len(names)))] + " "
			}
			pub.Name = strings.TrimSpace(pub.Name)
			if spread := []float64{0.001, 0.1, 10, 80}[rng.IntN(4)]; rng.IntN(5) > 0 {
				pub.Latitude, pub.Longitude = math.Round(spread*(rng.Float64()-0.5)*1e4)/1e4, math.Round(spread*(rng.Float64()-0.5)*1e4)/1e4
			}
			if c%3 == 0 { // words that are never suggested
				pub.Address, pub.Area = "Lien Road", "Wheatshire"
			}
			directory.Pubs = append(directory.Pubs, pub)
		}
		s, err := InMemory(directory, BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m := newSlowSuggestions(s)
		for range 40 {
			pub := m.pubs[rng.IntN(len(m.pubs))]
			letters := []rune(pub.Name)
			letters = letters[:1+rng.IntN(len(letters))]
			if rng.IntN(3) == 0 {
				letters = append([]rune(pub.Name+" "), []rune(pub.Location)[:rng.IntN(1+len([]rune(pub.Location)))]...)
			}
			for range rng.IntN(3) * rng.IntN(2) {
				at := rng.IntN(len(letters))
				letters = slices.Insert(letters, at, []rune("aeiwη ")[rng.IntN(6)])
			}
			m.most, m.at = 1+rng.IntN(MaxSuggestions), nil
			if rng.IntN(2) == 0 {
				circle := geo.NewCircle(geo.Point{Lat: rng.Float64() - 0.5, Lng: rng.Float64() - 0.5}, math.MaxFloat64)
				m.at = &circle
			}
			asked := string(letters)
			var got, want []string
			for _, f := range s.Suggest(&w, &Query{Text: []byte(asked), Amount: m.most, Circle: m.at}) {
				kinds[f.Kind]++
				got = append(got, fmt.Sprint(f.Kind, " ", string(f.Text), " ", f.Pubs))
				if (len(f.UID) > 0) != (f.Kind == SuggestedPub && f.Pubs == 1) || math.IsNaN(float64(f.Distance)) != (m.at == nil) {
					t.Fatalf("%q: got %+v", asked, f)
				}
			}
			for _, f := range m.suggest(asked) {
				want = append(want, fmt.Sprint(f.kind, " ", f.text, " ", f.pubs))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d pubs, %q, amount %d, near %v:\n got %q\nwant %q", len(m.pubs), asked, m.most, m.at, got, want)
			}
			if len(got) > 0 && len(m.begin(fold(asked)))+len(m.match(fold(asked))) == 0 {
				corrected++
			}
		}
	}
	if corrected < cases/4 || len(kinds) != 3 {
		t.Errorf("%d answers were corrected; kinds %v", corrected, kinds)
	}
}

// Suggest allocates little when its workspace is reused, even for the longest texts.
func TestSuggestAllocatesLittle(t *testing.T) {
	s, err := InMemory(manyPubs(rand.New(rand.NewPCG(3, 4)), 3000), BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	circle := geo.NewCircle(geo.Point{Lat: 51.5, Lng: -0.1}, math.MaxFloat64)
	var w Workspace
	for _, asked := range []string{"a", "the", "red lion", "anchro", "anchor redd lionn", strings.Repeat("a ", 100), strings.Repeat("anchor ", 28), strings.Repeat("é", 200)} {
		for _, at := range []*geo.Circle{nil, &circle} {
			q := Query{Text: []byte(asked), Amount: MaxSuggestions, Circle: at}
			if allocs := testing.AllocsPerRun(5, func() { s.Suggest(&w, &q) }); allocs > 20 {
				t.Errorf("%.20q, near %v: %v allocations", asked, at != nil, allocs)
			}
		}
	}
}
