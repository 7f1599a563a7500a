package places

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/spool"
	"pubd/index/text"
)

// opened returns places, located among the words of locations and areas, as they are read from a file.
func opened(t *rapid.T, places *Collected, texts []Texts, gazetteer []Row, named func(text.Phrase) int, points []geo.Point, space *spool.Space) *Index {
	words := text.NewInverter(space)
	for i := range texts {
		words.AddWords(text.AppendFolded(nil, []byte(texts[i].Location)), uint32(i))
		words.AddWords(text.AppendFolded(nil, []byte(texts[i].Area)), uint32(i))
	}
	options := text.VocabularyOptions{Space: space, Pubs: len(points)}
	local := text.NewVocabulary(words.Inversion().All(), options, func(dst, texts []uint32) []uint32 { return append(dst, texts...) })
	at := geo.NewIndex(points, func(uint32) bool { return true })
	places.Locate(gazetteer, named, local, at)
	var file indexfile.Memory
	w := indexfile.NewWriter(&file, indexfile.Header{Pubs: len(points)})
	places.Code(indexfile.Writing(w), len(points))
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	parsed := testkit.Must(indexfile.Parse(file))(t)
	r := indexfile.NewReader(parsed)
	x := Read(r, len(points), local, at)
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return x
}

// modelPlace is a phrase with its pubs, and those that have it as a part of their addresses.
type modelPlace struct{ pubs, parts []uint32 }

// model is the places of pubs by their phrases, with the words of their locations and areas.
type model struct {
	places     map[string]*modelPlace
	points     []geo.Point
	local      [][]string
	names      map[string]*modelName // of the gazetteer
	localities map[string]bool
}

// modelName is a name of the gazetteer: its points with their radii, and the places of which it is another name.
type modelName struct {
	population float64
	at         []geo.Point
	radii      []geo.Kilometres
	own        []string
}

func newModel(texts []Texts, points []geo.Point) model {
	m := model{map[string]*modelPlace{}, points, make([][]string, len(texts)), map[string]*modelName{}, map[string]bool{}}
	for i := range texts {
		m.local[i] = append(folded(texts[i].Location), folded(texts[i].Area)...)
		for _, value := range []string{texts[i].Location, texts[i].Area} {
			for _, piece := range append(strings.Split(value, ","), value) {
				m.localities[m.add(uint32(i), false, folded(piece)...)] = true
			}
		}
		words := folded(texts[i].Postcode)
		m.add(uint32(i), false, words...)
		m.add(uint32(i), false, strings.Join(words, ""))
		if len(words) == 2 {
			m.add(uint32(i), false, words[0])
			if n := len(words[0]) - 1; n > 0 && unicode.IsDigit(rune(words[0][n-1])) && !unicode.IsDigit(rune(words[0][n])) {
				m.add(uint32(i), false, words[0][:n])
			}
		}
		for at, piece := range strings.FieldsFunc(" "+texts[i].Address, func(r rune) bool { return r == ',' || r == ';' }) {
			words, rest := folded(piece), folded(piece)
			for len(rest) > 0 && text.HasDigit([]byte(rest[0])) {
				rest = rest[1:]
			}
			isFiller := func(word string) bool { return text.ClassOf([]byte(word)).Is(text.EnglishFiller) }
			if len(rest) > 0 && !isFiller(rest[0]) && !isFiller(rest[len(rest)-1]) &&
				!text.HasDigit([]byte(strings.Join(rest, ""))) && (at > 0 || len(rest) < len(words)) {
				m.add(uint32(i), true, rest...)
			}
		}
	}
	for phrase, place := range m.places {
		if m.located(place.parts) < minPart {
			place.parts = nil
		}
		if place.pubs = distinct(append(place.pubs, place.parts...)); len(place.pubs) == 0 {
			delete(m.places, phrase)
		}
	}
	return m
}

func folded(written string) []string {
	return strings.Fields(string(text.AppendFolded(nil, []byte(written))))
}

func distinct(ids []uint32) []uint32 { return slices.Compact(slices.Sorted(slices.Values(ids))) }

func (m model) located(pubs []uint32) (count int) {
	for _, pub := range distinct(pubs) {
		if isKnown(m.points[pub]) {
			count++
		}
	}
	return count
}

// add adds a phrase of a pub, and returns it.
func (m model) add(pub uint32, isPart bool, words ...string) string {
	name := nameOf(strings.Join(words, " "))
	if name == "" {
		return name
	}
	place := cmp.Or(m.places[name], &modelPlace{})
	if m.places[name] = place; isPart {
		place.parts = append(place.parts, pub)
	} else {
		place.pubs = append(place.pubs, pub)
	}
	return name
}

// nameOf returns the phrase of a folded text, empty if it is none.
func nameOf(folded string) string {
	words := slices.DeleteFunc(strings.Fields(folded), func(word string) bool { return word == "the" || word == "and" })
	if len(words) == 0 {
		words = strings.Fields(folded)
	}
	if !slices.ContainsFunc(words, func(word string) bool { return !isOf(word, text.Usual) }) {
		return ""
	}
	return strings.Join(words, " ")
}

func isOf(word string, class text.Class) bool { return text.ClassOf([]byte(word)).Is(class) }

// mayBePlace reports whether a name is neither place nouns only nor one wish.
func mayBePlace(name string) bool {
	words := strings.Fields(name)
	return slices.ContainsFunc(words, func(word string) bool { return !isOf(word, text.PlaceNoun) }) && !(len(words) == 1 && isOf(name, text.Wish))
}

// addGazetteer adds names that no more pubs are called than are in them.
func (m model) addGazetteer(rows []Row, named func(name string) int) {
	for _, row := range rows {
		own := nameOf(strings.Join(folded(row.Name), " "))
		names := []string{own}
		for alias := range strings.SplitSeq(row.Aliases, ";") {
			if name := nameOf(strings.Join(folded(alias), " ")); name != own {
				names = append(names, name)
			}
		}
		for _, name := range names {
			n := m.names[name]
			if n == nil || n.population < row.Population {
				n = &modelName{population: row.Population}
				m.names[name] = n
			}
			if n.population == row.Population {
				n.at, n.radii = append(n.at, row.At), append(n.radii, row.Radius)
				if own != "" && own != name {
					n.own = append(n.own, own)
				}
			}
		}
	}
	delete(m.names, "")
	for name := range m.names {
		if named(name) > len(m.inside(name)) {
			delete(m.names, name)
		}
	}
}

// within returns the pubs in a circle.
func (m model) within(at geo.Point, radius geo.Kilometres) (pubs []uint32) {
	for i, point := range m.points {
		if isKnown(point) && geo.Distance(at.Vector(), point.Vector()) <= radius {
			pubs = append(pubs, uint32(i))
		}
	}
	return pubs
}

// inside returns the pubs in a place.
func (m model) inside(name string) []uint32 {
	own := m.byWords(name)
	n := m.names[name]
	if n == nil {
		return own
	}
	for _, other := range n.own {
		own = distinct(append(own, m.byWords(other)...))
	}
	all := slices.Clone(own)
	for i, at := range n.at {
		near := m.within(at, 1)
		covering := 0
		for _, pub := range m.within(at, 5) {
			if slices.Contains(own, pub) {
				covering++
			}
		}
		switch {
		case n.radii[i] > 0:
			all = append(all, m.within(at, n.radii[i])...)
		case covering < 3 && covering < len(near):
			all = append(all, near...)
		}
	}
	return distinct(all)
}

// byWords returns the pubs that have a phrase or all of its words in location and area.
func (m model) byWords(phrase string) (pubs []uint32) {
	if place := m.places[phrase]; place != nil {
		pubs = append(pubs, place.pubs...)
	}
	for i, local := range m.local {
		if !slices.ContainsFunc(strings.Fields(phrase), func(word string) bool { return !slices.Contains(local, word) }) {
			pubs = append(pubs, uint32(i))
		}
	}
	return distinct(pubs)
}

// centre returns the median point of pubs; ok is false if most are far from it.
func (m model) centre(pubs []uint32) (centre geo.Point, ok bool) {
	var lats, lngs []float64
	for _, pub := range pubs {
		if at := m.points[pub]; isKnown(at) {
			lats, lngs = append(lats, at.Lat), append(lngs, at.Lng)
		}
	}
	if len(lats) == 0 {
		return centre, false
	}
	middle := func(values []float64) float64 {
		slices.Sort(values)
		return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	}
	centre = geo.Point{Lat: middle(lats), Lng: middle(lngs)}
	near := 0
	for _, pub := range pubs {
		if at := m.points[pub]; isKnown(at) && geo.Distance(centre.Vector(), at.Vector()) <= tightRadius {
			near++
		}
	}
	return centre, 2*near >= len(lats)
}

// middle returns the first point of a place within 5 km of its centre, or its centre; its first point if it has none.
func (m model) middle(name string) (at geo.Point, ok bool) {
	centre, isTight := m.centre(m.inside(name))
	if n := m.names[name]; n != nil {
		for _, at := range n.at {
			if !isTight || geo.Distance(at.Vector(), centre.Vector()) <= 5 {
				return at, true
			}
		}
	}
	return centre, isTight
}

// suggestion returns the phrase by which one is suggested.
func (m model) suggestion(phrase string) string {
	if cut := len(phrase) - writtenApart; cut > 0 && len(phrase) < 16 && m.places[phrase[:cut]+" "+phrase[cut:]] != nil {
		return phrase[:cut] + " " + phrase[cut:]
	}
	return phrase
}

// begun returns the suggestions with a digit that begin with a text, in order.
func (m model) begun(begin string) []string {
	found := map[string]bool{}
	for phrase := range m.places {
		if strings.HasPrefix(phrase, begin) {
			found[m.suggestion(phrase)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Texts that are equal when folded, that are codes in several ways, and that are none.
var (
	drawnTowns    = rapid.SampledFrom([]string{"", "Leeds", "LEEDS", "The Bell, York", "York", "leeds, York", "inn", "N367 LJG", "D02 1AA", "ls121aa"})
	drawnOutwards = rapid.SampledFrom([]string{"LS1", "LS12", "AB1", "AB12", "EC1A", "N3", "N36", "D02", "L", "", "12", "CL0UDBERRY"})
	drawnInwards  = rapid.SampledFrom([]string{"2CD", "CD", "1AA", "6AB", "7LJG", "67LJ", "LJG", "D", "and", "in", "55555", "é1a", ""})
	drawnStreets  = rapid.SampledFrom([]string{"High Street, High Street", "Mill Lane, Leeds", "5 Mill Lane; York", "AB1 2CD", "the", "by York, York to"})
	drawnAlike    = rapid.SampledFrom([]string{"AB1 2CD", "AB12 CD", "N36 7LJG", "N3 67LJ", "LS1 1AA"})
)

// Points that are 0.6, 1.7, 3.3 km and far from each other.
var drawnPoints = rapid.Custom(func(t *rapid.T) geo.Point {
	return geo.Point{Lat: rapid.SampledFrom([]float64{52, 52.005, 52.015, 52.03, 53}).Draw(t, "lat"), Lng: float64(rapid.IntRange(0, 1).Draw(t, "lng"))}
})

var drawnNames = rapid.SampledFrom([]string{"York", "Leeds", "Yorks", "Leed York", "The Bell", "Garden", "City Centre", "pub", "N3", "LS1", "Mill Lane"})

func drawnRow(t *rapid.T) Row {
	return Row{Name: drawnNames.Draw(t, "name"), At: drawnPoints.Draw(t, "point"), Population: float64(rapid.IntRange(0, 1).Draw(t, "population")),
		Radius:  rapid.SampledFrom([]geo.Kilometres{0, 0, 2, 200}).Draw(t, "radius"),
		Aliases: strings.Join(rapid.SliceOfN(drawnNames, 0, 2).Draw(t, "aliases"), ";")}
}

func drawnPostcode(t *rapid.T) string {
	if rapid.IntRange(0, 2).Draw(t, "alike") > 0 {
		return drawnAlike.Draw(t, "postcode")
	}
	between := rapid.SampledFrom([]string{" ", " ", "", "-"}).Draw(t, "between")
	return drawnOutwards.Draw(t, "outward") + between + drawnInwards.Draw(t, "inward")
}

// Places are those of a model: their pubs, parts, centres and suggestions.
func TestPlacesAreThoseOfModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts []Texts
		var points []geo.Point
		for range rapid.IntRange(0, 6*maxCodePubs).Draw(t, "pubs") {
			pub := Texts{drawnTowns.Draw(t, "location"), drawnTowns.Draw(t, "area"), drawnPostcode(t), ""}
			if rapid.Bool().Draw(t, "hasAddress") {
				pub.Address = rapid.SampledFrom([]string{"1 ", ""}).Draw(t, "number") + drawnStreets.Draw(t, "street")
			}
			at := drawnPoints.Draw(t, "at")
			if rapid.IntRange(0, 4).Draw(t, "known") == 0 {
				at = geo.Point{Lat: math.NaN(), Lng: math.NaN()}
			}
			texts, points = append(texts, pub), append(points, at)
		}
		space := spool.InMemory()
		defer space.Close()
		collected := Collect(len(texts), func(i uint32) Texts { return texts[i] }, points, space)
		gazetteer := rapid.SliceOfN(rapid.Custom(drawnRow), 0, 6).Draw(t, "gazetteer")
		called := rapid.IntRange(0, 5).Draw(t, "called")
		m := newModel(texts, points)
		m.addGazetteer(gazetteer, func(name string) int { return called * len(name) % 7 })
		x := opened(t, &collected, texts, gazetteer, func(words text.Phrase) int { return called * len(words.AppendTo(nil)) % 7 }, points, space)
		m.check(t, &collected, x)
		collected.Release()
	})
}

func (m model) check(t *rapid.T, collected *Collected, x *Index) {
	var w Workspace
	var pool postings.Pool
	pool.Reset(len(m.points))
	longest := 0
	parts := map[string][]uint32{}
	begins := []string{"2", "é", "7l", "ls1 2cdx", "ab12c"}
	for phrase, place := range m.places {
		words := text.Phrase(nil).AppendWords([]byte(phrase))
		longest = max(longest, len(words))
		number, ok := x.Phrase(words, &w)
		testkit.StopIf(t, !ok || !slices.Equal(pool.List(x.Having(number)), place.pubs) || x.IsPart(number) != (place.parts != nil),
			"%q has %v: found %v, a part %v, with %v", phrase, *place, ok, x.IsPart(number), pool.List(x.Having(number)))
		if _, isTight := m.centre(place.pubs); place.parts != nil && isTight {
			parts[phrase] = distinct(place.parts)
		}
		for _, other := range []string{phrase + "x", phrase + " x", strings.ReplaceAll(phrase, " ", ""), phrase[1:], phrase[:len(phrase)-1], " " + phrase} {
			words := text.Phrase(nil).AppendWords([]byte(other))
			if _, ok := x.Phrase(words, &w); ok != (m.places[strings.TrimSpace(other)] != nil) {
				t.Fatalf("%q is found: %v", other, ok)
			}
		}
		for end := range phrase {
			begins = append(begins, phrase[:end+1])
		}
	}
	m.checkPlaces(t, x)
	testkit.StopIf(t, x.Longest() != longest, "the longest phrase has %d words, want %d", x.Longest(), longest)
	for i, part := range collected.Parts {
		testkit.StopIf(t, !slices.Equal(parts[string(part)], collected.PartPubs[i]) || i > 0 && string(part) <= string(collected.Parts[i-1]),
			"part %q has pubs %v, want %v", part, collected.PartPubs[i], parts[string(part)])
	}
	testkit.StopIf(t, len(collected.Parts) != len(parts), "%d parts, want %d", len(collected.Parts), len(parts))
	for _, begin := range begins {
		if text.HasDigit([]byte(begin)) {
			m.checkSuggestions(t, x, begin, &w)
		}
	}
}

func (m model) checkPlaces(t *rapid.T, x *Index) {
	var w Workspace
	var pool postings.Pool
	for _, name := range append(m.all(), "yorkshire", "garden", "city centre", "city", "bell", "pub") {
		pool.Reset(len(m.points))
		n := m.names[name]
		p, ok := x.Find(text.Phrase(nil).AppendWords([]byte(name)), &w)
		if want := (m.places[name] != nil || n != nil) && mayBePlace(name); ok != want {
			t.Fatalf("%q is a place: %v", name, ok)
		} else if !ok {
			continue
		}
		inside := m.inside(name)
		if got := pool.List(x.Inside(&p, &w, &pool)); !slices.Equal(got, inside) {
			t.Fatalf("in %q are %v, want %v", name, got, inside)
		}
		if got, want := x.IsLocality(&p), m.localities[name] || n != nil; got != want {
			t.Fatalf("%q is a locality: %v", name, got)
		}
		centre, isTight := m.centre(inside)
		if got, ok := x.Centre(&p); ok != isTight || ok && got != centre {
			t.Fatalf("%q has its centre at %v, %v; want %v, %v", name, got, ok, centre, isTight)
		}
		var points []geo.Point
		if n != nil {
			points = n.at
		}
		testkit.StopIf(t, !slices.Equal(x.Points(&p), points),
			"%q has the points %v, want %v", name, x.Points(&p), points)
		middle, hasMiddle := m.middle(name)
		if got, ok := x.Middle(&p); ok != hasMiddle || ok && got != middle {
			t.Fatalf("%q has its middle at %v, %v; want %v, %v", name, got, ok, middle, hasMiddle)
		}
		if isTight {
			points = append(slices.Clone(points), centre)
		}
		var beside []uint32
		for _, at := range points {
			beside = append(beside, m.within(at, 5)...)
		}
		if got := pool.List(x.Beside(&p, 5, &w, &pool)); !slices.Equal(got, distinct(beside)) {
			t.Fatalf("beside %q are %v, want %v", name, got, distinct(beside))
		}
	}
	for _, typed := range []string{"yorc", "yokr", "leds", "lees yor", "mil lan", "y", "xork"} {
		for edits := 1; edits <= 3; edits++ {
			m.checkSimilar(t, x, typed, edits)
		}
	}
}

// all returns the phrases and the names of the gazetteer, in order.
func (m model) all() []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(m.places)), maps.Keys(m.names))
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

func (m model) checkSimilar(t *rapid.T, x *Index, typed string, edits int) {
	var matcher text.FuzzyMatcher
	var got, want []string
	for _, similar := range x.AppendSimilar(nil, []byte(typed), edits, &matcher) {
		got = append(got, fmt.Sprint(string(similar.Place.Words.AppendTo(nil)), similar.Edits, len(x.Points(&similar.Place))))
	}
	for _, name := range m.all() {
		away := matcher.Distance([]byte(typed), []byte(name), 3, false)
		letters := len(strings.ReplaceAll(name, " ", ""))
		if !text.HasDigit([]byte(name)) && letters >= 4 && 0 < away && away <= edits && name[0] == typed[0] &&
			mayBePlace(name) && len(m.inside(name)) > 0 {
			points := 0
			if n := m.names[name]; n != nil {
				points = len(n.at)
			}
			want = append(want, fmt.Sprint(name, away, points))
		}
	}
	testkit.StopIf(t, !slices.Equal(got, want), "%d edits from %q are %q, want %q", edits, typed, got, want)
}

func (m model) checkSuggestions(t *rapid.T, x *Index, begin string, w *Workspace) {
	shown := func(numbers []uint32) (all []string) {
		for _, number := range numbers {
			at, ok := x.SuggestedMiddle(number)
			if !ok {
				at = geo.Point{}
			}
			all = append(all, fmt.Sprintf("%s with %d at %v", x.AppendShown(nil, number), x.SuggestedPubs(number), at))
		}
		return all
	}
	want := func(phrases []string) (all []string) {
		for _, phrase := range phrases {
			at, ok := m.middle(phrase)
			if !ok {
				at = geo.Point{}
			}
			upper := strings.Map(func(r rune) rune { return unicode.ToUpper(r) }, phrase)
			all = append(all, fmt.Sprintf("%s with %d at %v", upper, len(m.places[phrase].pubs), at))
		}
		return all
	}
	begun := m.begun(begin)
	if got, want := shown(x.AppendBegun(nil, []byte(begin), w)), want(begun); !slices.Equal(got, want) {
		t.Fatalf("%q begins\n%q, want\n%q", begin, got, want)
	}
	slices.SortStableFunc(begun, func(a, b string) int { return cmp.Compare(len(m.places[b].pubs), len(m.places[a].pubs)) })
	begun = begun[:min(len(begun), text.MaxCompletions)]
	if got, want := shown(x.AppendSuggestions(nil, []byte(begin), w)), want(begun); !slices.Equal(got, want) {
		t.Fatalf("%q suggests\n%q, want\n%q", begin, got, want)
	}
}

// Completing ends in a file that has a postcode twice, as a phrase and among the codes.
func TestRepeatedCodeEnds(t *testing.T) {
	x := Index{phrases: text.NewDictionary([][]byte{[]byte("ls1"), []byte("ls1 1aa")}, true)}
	x.suggested.completions.Terms = text.NewDictionary(nil, false)
	x.codes = codes{outwards: []uint32{0}, starts: []uint32{0, 1}, inwards: []uint32{inwardOf([]byte("1aa"))}, pubs: []uint32{0}}
	var w Workspace
	late := time.AfterFunc(10*time.Second, func() { panic("completing does not end") })
	defer late.Stop()
	if got := x.AppendBegun(nil, []byte("ls1"), &w); len(got) != 3 {
		t.Errorf("got %v", got)
	}
}
