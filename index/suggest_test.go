package index

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/index/suggest"
	"pubd/index/text"
)

// nearEnough is the distance within which nothing is corrected.
const nearEnough geo.Kilometres = 25

// maxRelevant is the number of pubs of a search that are suggested.
const maxRelevant = 64

// slowSuggestions makes suggestions as Suggest documents them, by scanning all pubs of a snapshot. It uses the
// snapshot only for searches by relevance.
type slowSuggestions struct {
	*model // of the pubs by ordinal
	s      *Snapshot
	alike  map[string]int
	most   int
	at     *geo.Circle
}

func newSlowSuggestions(s *Snapshot) slowSuggestions {
	var directory corpus.Directory
	m := slowSuggestions{s: s, alike: map[string]int{}}
	for i := range uint32(s.Len()) {
		directory.Pubs = append(directory.Pubs, *s.Pub(i))
		m.alike[called(&directory.Pubs[i])]++
	}
	m.model = newModel(directory)
	return m
}

// called returns the folded name and location of a pub.
func called(pub *schema.Pub) string { return fold(pub.Name) + "\x00" + fold(pub.Location) }

func vectorOf(p modelPoint) geo.Vector { return geo.Point{Lat: p[0], Lng: p[1]}.Vector() }

// slow is a suggestion with its folded term and its sort key.
type slow struct {
	kind       suggest.Kind
	term, text string
	pubs       int // that order suggestions
	shown      int
	key        float64
}

func titleOf(folded string) string {
	return string(text.Phrase{}.AppendWords([]byte(folded)).WithoutFiller().AppendTo(nil))
}

// titleOf returns the title that is typed: without a half-typed "and" if more names begin so.
func (m *slowSuggestions) titleOf(folded string) string {
	title := titleOf(folded)
	count := func(prefix string) (n int) {
		seen := map[string]bool{}
		for _, pub := range m.pubs {
			if name := titleOf(fold(pub.Name)); strings.HasPrefix(name, prefix) && !seen[name] {
				seen[name], n = true, n+1
			}
		}
		return n
	}
	for _, half := range []string{" a", " an"} {
		if before, ok := strings.CutSuffix(title, half); ok && before != "" && count(before) > count(title) {
			return before
		}
	}
	return title
}

func (m *slowSuggestions) suggest(typed string) []slow {
	folded := fold(typed)
	if folded == "" {
		return nil
	}
	var found []slow
	if m.at != nil {
		found = m.nearby(folded)
		near := m.at.WithRadius(nearEnough)
		byKey := func(a, b slow) int { return cmp.Compare(a.key, b.key) }
		slices.SortStableFunc(found, byKey)
		if !slices.ContainsFunc(found, func(f slow) bool { return near.Contains(m.place(f)) }) {
			slices.SortStableFunc(found, func(a, b slow) int { return cmp.Compare(b.kind%2, a.kind%2) }) // places before pubs
			corrected := m.search(folded, Query{Circle: m.at, Near: true})
			slices.SortStableFunc(corrected, byKey)
			found = append(found, corrected...)
		}
		return m.distinct(m.withPlacesFirst(found, m.titleOf(folded)))
	}
	found = m.begin(folded)
	slices.SortFunc(found, func(a, b slow) int {
		return cmp.Or(cmp.Compare(b.pubs, a.pubs), cmp.Compare(a.kind, b.kind), strings.Compare(a.term, b.term))
	})
	found = m.withPlacesFirst(found, m.titleOf(folded))
	switch {
	case len(found) == 0:
		found = m.search(folded, Query{})
	case len(found) < m.most && (len(strings.Fields(m.titleOf(folded))) > 1 || len(found) < 5 && utf8.RuneCountInString(m.titleOf(folded)) >= 4):
		found = append(found, m.complete(folded)...)
	}
	return m.distinct(found)
}

// withPlacesFirst moves each place before the names and pubs that are called so, and one that is the whole title, if
// fewer are called so than it has, before all.
func (m *slowSuggestions) withPlacesFirst(found []slow, title string) []slow {
	for i, place := range found {
		if place.kind != suggest.Place {
			continue
		}
		called := 0
		for _, pub := range m.pubs {
			if titleOf(fold(pub.Name)) == place.term {
				called++
			}
		}
		at := slices.IndexFunc(found[:i], func(f slow) bool {
			name, _, _ := strings.Cut(f.term, "\x00")
			return f.kind != suggest.Place && titleOf(name) == place.term
		})
		if place.term == title && place.pubs > called {
			at = 0
		}
		if at >= 0 {
			found = slices.Insert(slices.Delete(found, i, i+1), at, place)
		}
	}
	return found
}

// search returns what a search for a text finds.
func (m *slowSuggestions) search(folded string, q Query) (found []slow) {
	var w Workspace
	q.Text, q.Sort, q.Descending, q.Amount = []byte(folded), schema.SortRelevance, true, maxRelevant
	for _, pub := range m.s.Search(&q, &w).Pubs {
		f := m.pub(pub)
		if m.at != nil {
			f.key = m.at.ChordSquared(vectorOf(m.pubs[pub].point()))
		}
		found = append(found, f)
	}
	return found
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

// begin returns all names and places that begin with a text.
func (m *slowSuggestions) begin(folded string) (found []slow) {
	title := m.titleOf(folded)
	spellings := map[string][]string{}
	for _, pub := range m.pubs {
		if own := titleOf(fold(pub.Name)); strings.HasPrefix(own, title) {
			spellings[own] = append(spellings[own], pub.Name)
		}
	}
	for term, texts := range spellings {
		counts := map[string]int{}
		for _, text := range texts {
			counts[text]++
		}
		most := slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int {
			first := slices.Index[[]string]
			return cmp.Or(cmp.Compare(counts[a], counts[b]), first(texts, b)-first(texts, a))
		})
		found = append(found, slow{kind: suggest.Name, term: term, text: most, pubs: len(texts), shown: len(texts)})
	}
	codes := map[string]bool{}
	for term, place := range m.places {
		if !strings.HasPrefix(term, title) || hasDigit(term) != hasDigit(title) {
			continue
		}
		if hasDigit(term) {
			codes[m.asWritten(term)] = true
			continue
		}
		var written []string // as locations, then as areas
		for _, of := range []func(pub *modelPub) string{func(pub *modelPub) string { return pub.Location }, func(pub *modelPub) string { return pub.Area }} {
			for i := range m.pubs {
				if value := of(&m.pubs[i]); titleOf(fold(value)) == term {
					written = append(written, value)
				}
			}
		}
		found = append(found, slow{kind: suggest.Place, term: term, text: written[0], pubs: place.having.count(), shown: place.in.count()})
	}
	for code := range codes {
		place := m.places[code]
		found = append(found, slow{kind: suggest.Place, term: code, text: strings.ToUpper(code), pubs: place.having.count(), shown: place.in.count()})
	}
	return found
}

// asWritten returns the postcode in two words of which another one is all letters.
func (m *slowSuggestions) asWritten(code string) string {
	if cut := len(code) - 3; cut > 0 && m.places[code[:cut]+" "+code[cut:]] != nil {
		return code[:cut] + " " + code[cut:]
	}
	return code
}

// pub returns a pub as a suggestion.
func (m *slowSuggestions) pub(pub uint32) slow {
	p := &m.pubs[pub].Pub
	s := slow{kind: suggest.Pub, term: called(p), text: p.Name, shown: m.alike[called(p)]}
	if p.Location != "" {
		s.text += ", " + p.Location
	}
	return s
}

func (m *slowSuggestions) complete(folded string) (found []slow) {
	var w Workspace
	for _, pub := range m.s.Search(&Query{Text: []byte(folded), Strict: true, Sort: schema.SortRelevance, Descending: true, Amount: maxRelevant}, &w).Pubs {
		if !strings.HasPrefix(titleOf(fold(m.pubs[pub].Name)), m.titleOf(folded)) {
			found = append(found, m.pub(pub))
		}
	}
	return found
}

// nearby returns all pubs that have all words, and then all places that begin with a text, each by distance.
func (m *slowSuggestions) nearby(folded string) []slow {
	title := m.titleOf(folded)
	words := wordsOf(strings.Fields(title), true)
	hasAll := func(all []string) bool {
		return !slices.ContainsFunc(words, func(word modelWord) bool { return !word.stands(all) })
	}
	var pubs, places []slow
	for i, pub := range m.pubs {
		chord := m.at.ChordSquared(vectorOf(pub.point()))
		if math.IsNaN(chord) || !hasAll(slices.Concat(pub.name.words, pub.location.words)) {
			continue
		}
		s := m.pub(uint32(i))
		s.key = chord
		if !strings.HasPrefix(titleOf(fold(pub.Name)), title) {
			s.key *= 16
			if !hasAll(pub.name.words) {
				s.key *= 16
			}
		}
		pubs = append(pubs, s)
	}
	for _, s := range m.begin(folded) {
		if chord := m.at.ChordSquared(m.place(s)); s.kind == suggest.Place && !math.IsNaN(chord) {
			s.key = 16 * chord / float64(s.pubs)
			places = append(places, s)
		}
	}
	slices.SortStableFunc(pubs, func(a, b slow) int { return cmp.Compare(a.key, b.key) })
	slices.SortFunc(places, func(a, b slow) int { return cmp.Or(cmp.Compare(a.key, b.key), strings.Compare(a.term, b.term)) })
	return append(m.distinct(pubs), m.distinct(places)...)
}

// place returns the point of a suggestion's nearest pub, or the centre of a place; NaN if it has none.
func (m *slowSuggestions) place(suggestion slow) geo.Vector {
	at := modelPoint{math.NaN(), math.NaN()}
	if suggestion.kind == suggest.Place {
		return vectorOf(append(m.places[suggestion.term].centre, at)[0])
	}
	nearest := math.Inf(1)
	for i := range m.pubs {
		pub := &m.pubs[i]
		if chord := m.at.ChordSquared(vectorOf(pub.point())); suggestion.kind == suggest.Pub && chord < nearest && called(&pub.Pub) == suggestion.term {
			nearest, at = chord, pub.point()
		}
	}
	return vectorOf(at)
}

// Suggestions for prefixes and misspelt texts, with and without a centre, agree with a scan.
func TestSuggestAgreesWithModel(t *testing.T) {
	t.Parallel()
	cases := testkit.Pick(40, 100)
	rng := rand.New(rand.NewPCG(21, 22))
	names := strings.Fields("Red Lion Lions Crown Crow Crowns The the & and Oxford St Saint Inn 7 Seven Wheatsheaf Wheatear Béll Bells King's Ναύς Ναύτης")
	places := []string{"", "Oxford", "oxford", "Oxted", "St Ives", "High St", "Crown Hill", "The Lions", "Crowland"}
	codes := []string{"", "LS1 1AA", "LS1 1AB", "LS11 1AA", "ls11aa", "AB1 2CD", "AB12 CD", "EC1A 1BB", "N36 7LJG", "D02", "LS1 1é"}
	var w Workspace
	corrected, kinds := 0, map[suggest.Kind]int{}
	for c := range cases {
		var directory corpus.Directory
		size := 1 + rng.IntN([]int{8, 60, 300, 600}[c%4])
		if c%4 == 3 { // dense sets
			size += 1200
		}
		for i := range size {
			pub := schema.Pub{UID: fmt.Sprint(i), Location: places[rng.IntN(len(places))], Postcode: codes[rng.IntN(len(codes))], Latitude: math.NaN(), Longitude: math.NaN()}
			for range 1 + rng.IntN(3) {
				pub.Name += names[min(rng.IntN(len(names)), rng.IntN(len(names)))] + " "
			}
			pub.Name = strings.TrimSpace(pub.Name)
			if spread := []float64{0.001, 0.1, 10, 80}[rng.IntN(4)]; rng.IntN(5) > 0 {
				pub.Latitude, pub.Longitude = math.Round(spread*(rng.Float64()-0.5)*1e4)/1e4, math.Round(spread*(rng.Float64()-0.5)*1e4)/1e4
			}
			if c%3 == 0 {
				pub.Address, pub.Area = "Lien Road", "Wheatshire"
			}
			directory.Pubs = append(directory.Pubs, pub)
		}
		s := inMemory(t, directory)
		m := newSlowSuggestions(s)
		for range 40 {
			pub := m.pubs[rng.IntN(len(m.pubs))]
			letters := []rune(pub.Name)
			letters = letters[:1+rng.IntN(len(letters))]
			if rng.IntN(3) == 0 {
				letters = append([]rune(pub.Name+" "), []rune(pub.Location)[:rng.IntN(1+len([]rune(pub.Location)))]...)
			}
			if code := []rune(pub.Postcode); len(code) > 0 && rng.IntN(3) == 0 {
				letters = code[:1+rng.IntN(len(code))]
				if rng.IntN(2) == 0 {
					letters = slices.DeleteFunc(letters, unicode.IsSpace)
				}
			}
			for range rng.IntN(3) * rng.IntN(2) {
				at := rng.IntN(len(letters))
				letters = slices.Insert(letters, at, []rune("aeiwη ")[rng.IntN(6)])
			}
			m.most, m.at = 1+rng.IntN(MaxSuggestions), nil
			if rng.IntN(2) == 0 {
				spread := []float64{1, 1, 100}[rng.IntN(3)] // also far from all pubs
				circle := geo.NewCircle(geo.Point{Lat: spread * (rng.Float64() - 0.5), Lng: spread * (rng.Float64() - 0.5)}, math.MaxFloat64)
				m.at = &circle
			}
			typed := string(letters)
			var got, want []string
			for _, f := range s.Suggest(&w, &Query{Text: []byte(typed), Amount: m.most, Circle: m.at}) {
				kinds[f.Kind]++
				got = append(got, fmt.Sprint(f.Kind, " ", string(f.Text), " ", f.Pubs))
				testkit.StopIf(t, (len(f.UID) > 0) != (f.Kind == suggest.Pub && f.Pubs == 1) || math.IsNaN(float64(f.Distance)) != (m.at == nil),
					"%q: got %+v", typed, f)
			}
			suggested := m.suggest(typed)
			if m.titleOf(fold(typed)) != titleOf(fold(typed)) { // without a half-typed "and"
				begins := func(f slow) bool {
					return strings.HasPrefix(strings.TrimPrefix(fold(f.text), "the "), strings.TrimPrefix(fold(typed), "the "))
				}
				aside := slices.DeleteFunc(slices.Clone(suggested), begins)
				suggested = append(slices.DeleteFunc(suggested, func(f slow) bool { return !begins(f) }), aside...)
			}
			for _, f := range suggested {
				want = append(want, fmt.Sprint(f.kind, " ", f.text, " ", f.shown))
			}
			testkit.StopIf(t, !slices.Equal(got, want),
				"%d pubs, %q, amount %d, near %v:\n got %q\nwant %q", len(m.pubs), typed, m.most, m.at, got, want)
			if len(got) > 0 && len(m.begin(fold(typed)))+len(m.complete(fold(typed))) == 0 {
				corrected++
			}
		}
	}
	testkit.FailIf(t, corrected < cases/4 || len(kinds) != 3, "%d answers were corrected; kinds %v", corrected, kinds)
}

// The name of a place of the gazetteer and its other names complete a text, with the pubs there.
func TestSuggestPlaces(t *testing.T) {
	d := corpus.Directory{Gazetteer: []corpus.GazetteerPlace{{Name: "Eboracum", At: geo.Point{Lat: 53.96, Lng: -1.08}, Radius: 1, Aliases: "Jorvik; The Walls"}}}
	d.Pubs = []schema.Pub{{UID: "1", Name: "Bell", Latitude: 53.96, Longitude: -1.08}, {UID: "2", Name: "Fox And Hounds", Location: "York", Latitude: 54, Longitude: -1},
		{UID: "3", Name: "Sole Bay", Location: "Southwold", Latitude: 52.33, Longitude: 1.68}, {UID: "4", Name: "Southwark Inn", Location: "Ely", Latitude: 53, Longitude: -1.001}}
	s := inMemory(t, d)
	circle := geo.NewCircle(geo.Point{Lat: 53, Lng: -1}, math.MaxFloat64)
	var w Workspace
	for _, c := range []struct {
		typed string
		at    *geo.Circle
		want  string
	}{
		{"jor", nil, "location Jorvik 1"}, {"walls", nil, "location The Walls 1"}, {"ebor", &circle, "location Eboracum 1"},
		{"fox a", nil, "name Fox And Hounds 1"}, {"fox an", &circle, "pub Fox And Hounds, York 1"}, {"southwo", &circle, "location Southwold 1, pub Sole Bay, Southwold 1, pub Southwark Inn, Ely 1"},
		{"southwor", &circle, "pub Southwark Inn, Ely 1"}, {"fox yor", nil, "pub Fox And Hounds, York 1"}, {"fox yor", &circle, "pub Fox And Hounds, York 1"},
	} {
		var got []string
		for _, f := range s.Suggest(&w, &Query{Text: []byte(c.typed), Amount: 10, Circle: c.at}) {
			got = append(got, fmt.Sprint(f.Kind, " ", string(f.Text), " ", f.Pubs))
		}
		testkit.Equal(t, c.typed, strings.Join(got, ", "), c.want)
	}
}

// Suggest allocates little when its workspace is reused, even for the longest texts.
func TestSuggestAllocatesLittle(t *testing.T) {
	s := inMemory(t, manyPubs(rand.New(rand.NewPCG(3, 4)), 3000))
	circle := geo.NewCircle(geo.Point{Lat: 51.5, Lng: -0.1}, math.MaxFloat64)
	var w Workspace
	for _, typed := range []string{"a", "the", "red lion", "anchro", "anchor redd lionn", strings.Repeat("a ", 100), strings.Repeat("anchor ", 28), strings.Repeat("é", 200)} {
		for _, at := range []*geo.Circle{nil, &circle} {
			q := Query{Text: []byte(typed), Amount: MaxSuggestions, Circle: at}
			if allocs := testing.AllocsPerRun(5, func() { s.Suggest(&w, &q) }); allocs > 20 {
				t.Errorf("%.20q, near %v: %v allocations", typed, at != nil, allocs)
			}
		}
	}
}

// The search of a suggestion is the query, but for what is reset by name.
func TestSuggestionsSearchAsAsked(t *testing.T) {
	var asked Query
	of := reflect.ValueOf(&asked).Elem()
	for i := range of.NumField() {
		fill(of.Field(i))
	}
	got := reflect.ValueOf(asked.relevant([]byte("text"), false, nil))
	reset := []string{"Text", "All", "NoDistances", "Sort", "Descending", "Counts", "Spreads", "Page", "Amount"}
	for i := range of.NumField() {
		name := of.Type().Field(i).Name
		isAsked := reflect.DeepEqual(got.Field(i).Interface(), of.Field(i).Interface())
		testkit.FailIf(t, !isAsked && !slices.Contains(reset, name), "%s: does not reach the search", name)
	}
}

// fill sets a value to something that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	case reflect.Array:
		fill(v.Index(0))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	default:
		v.SetUint(7)
	}
}
