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

	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/spool"
	"pubd/index/text"
)

// content is an index file in memory.
type content []byte

func (c *content) WriteAt(part []byte, at int64) (int, error) {
	if end := int(at) + len(part); end > len(*c) {
		*c = append(*c, make([]byte, end-len(*c))...)
	}
	return copy((*c)[at:], part), nil
}

// opened returns places as they are read from a file.
func opened(t *rapid.T, places *Collected, points []geo.Point) *Index {
	var file content
	w := indexfile.NewWriter(&file, indexfile.Header{Pubs: len(points)})
	places.Code(indexfile.Writing(w), len(points))
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	parsed, err := indexfile.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	r := indexfile.NewReader(parsed)
	x := Read(r, len(points), &text.Vocabulary{}, geo.NewIndex(points, func(uint32) bool { return true }))
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return x
}

// modelPlace is a phrase with its pubs, and those that have it as a part of their addresses.
type modelPlace struct{ pubs, parts []uint32 }

// model is the places of pubs by their phrases.
type model struct {
	places map[string]*modelPlace
	points []geo.Point
}

func newModel(texts []Texts, points []geo.Point) model {
	m := model{map[string]*modelPlace{}, points}
	for i := range texts {
		for _, value := range []string{texts[i].Location, texts[i].Area} {
			for _, piece := range append(strings.Split(value, ","), value) {
				m.add(uint32(i), false, folded(piece)...)
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
			if !text.HasDigit([]byte(strings.Join(rest, ""))) && (at > 0 || len(rest) < len(words)) {
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

func (m model) add(pub uint32, isPart bool, words ...string) {
	var phrase text.Phrase
	for _, word := range words {
		if word != "" {
			phrase = append(phrase, []byte(word))
		}
	}
	if phrase = phraseOf(phrase); len(phrase) == 0 {
		return
	}
	name := string(phrase.AppendTo(nil))
	place := cmp.Or(m.places[name], &modelPlace{})
	if m.places[name] = place; isPart {
		place.parts = append(place.parts, pub)
	} else {
		place.pubs = append(place.pubs, pub)
	}
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
	drawnStreets  = rapid.SampledFrom([]string{"High Street, High Street", "Mill Lane, Leeds", "5 Mill Lane; York", "AB1 2CD", "the"})
	drawnAlike    = rapid.SampledFrom([]string{"AB1 2CD", "AB12 CD", "N36 7LJG", "N3 67LJ", "LS1 1AA"})
)

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
			at := geo.Point{Lat: float64(rapid.IntRange(52, 53).Draw(t, "lat")), Lng: float64(rapid.IntRange(0, 1).Draw(t, "lng"))}
			if rapid.IntRange(0, 4).Draw(t, "known") == 0 {
				at = geo.Point{Lat: math.NaN(), Lng: math.NaN()}
			}
			texts, points = append(texts, pub), append(points, at)
		}
		space := spool.InMemory()
		defer space.Close()
		collected := Collect(len(texts), func(i uint32) Texts { return texts[i] }, points, space)
		m, x := newModel(texts, points), opened(t, &collected, points)
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
		if !ok || !slices.Equal(pool.List(x.Having(number)), place.pubs) || x.IsPart(number) != (place.parts != nil) {
			t.Fatalf("%q has %v: found %v, a part %v, with %v", phrase, *place, ok, x.IsPart(number), pool.List(x.Having(number)))
		}
		want, isTight := m.centre(place.pubs)
		if got, ok := x.Centre(&Place{phrase: number, isPhrase: true}); ok != isTight || ok && got != want {
			t.Fatalf("%q has its centre at %v, %v; want %v, %v", phrase, got, ok, want, isTight)
		}
		if place.parts != nil && isTight {
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
	if x.Longest() != longest {
		t.Fatalf("the longest phrase has %d words, want %d", x.Longest(), longest)
	}
	for i, part := range collected.Parts {
		if !slices.Equal(parts[string(part)], collected.PartPubs[i]) || i > 0 && string(part) <= string(collected.Parts[i-1]) {
			t.Fatalf("part %q has pubs %v, want %v", part, collected.PartPubs[i], parts[string(part)])
		}
	}
	if len(collected.Parts) != len(parts) {
		t.Fatalf("%d parts, want %d", len(collected.Parts), len(parts))
	}
	for _, begin := range begins {
		if text.HasDigit([]byte(begin)) {
			m.checkSuggestions(t, x, begin, &w)
		}
	}
}

func (m model) checkSuggestions(t *rapid.T, x *Index, begin string, w *Workspace) {
	shown := func(numbers []uint32) (all []string) {
		for _, number := range numbers {
			at, ok := x.SuggestedCentre(number)
			if !ok {
				at = geo.Point{}
			}
			all = append(all, fmt.Sprintf("%s with %d at %v", x.AppendShown(nil, number), x.SuggestedPubs(number), at))
		}
		return all
	}
	want := func(phrases []string) (all []string) {
		for _, phrase := range phrases {
			at, ok := m.centre(m.places[phrase].pubs)
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
