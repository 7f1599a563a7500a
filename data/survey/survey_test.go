package survey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pubd/data"
	"pubd/geo"
	"pubd/index"
	"pubd/loader"
)

// madeUp returns a generated directory without mistakes.
func madeUp(t *testing.T, pubs int, seed uint64) *index.Directory {
	t.Helper()
	var text bytes.Buffer
	if err := data.Generate(&text, pubs, seed, nil); err != nil {
		t.Fatal(err)
	}
	result, err := loader.Load("made-up.csv", text.Bytes(), loader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &result.Directory
}

func TestCleanDirectories(t *testing.T) {
	for seed := range uint64(3) {
		s := Of(madeUp(t, 2000, seed), Options{})
		if len(s.Findings) > 2 {
			t.Errorf("seed %d: got %d findings, want 2 at most: %v", seed, len(s.Findings), s.Findings)
		}
	}
	if s := Of(madeUp(t, 20_000, 1), Options{}); len(s.Findings) > 20 {
		t.Errorf("20,000 pubs: got %v, want 20 at most", s.Counts)
	}
}

// plants make mistakes of each kind in a pub.
var plants = map[Kind]func(pubs []index.Pub, pub int){
	Zero:    func(pubs []index.Pub, pub int) { pubs[pub].Latitude, pubs[pub].Longitude = 0, 0 },
	Swapped: func(pubs []index.Pub, pub int) { p := &pubs[pub]; p.Latitude, p.Longitude = p.Longitude, p.Latitude },
	Sign:    func(pubs []index.Pub, pub int) { pubs[pub].Longitude *= -1 },
	Sea:     func(pubs []index.Pub, pub int) { pubs[pub].Longitude -= 25 },
	Country: func(pubs []index.Pub, pub int) { pubs[pub].Latitude, pubs[pub].Longitude = 46.95, 7.44 }, // Bern
	Far:     func(pubs []index.Pub, pub int) { pubs[pub].Latitude, pubs[pub].Longitude = 60.8, -0.85 }, // Unst
	Duplicate: func(pubs []index.Pub, pub int) {
		was := &pubs[pub-1]
		pubs[pub].Name, pubs[pub].Latitude, pubs[pub].Longitude = strings.ToLower(was.Name)+"!", was.Latitude+0.0002, was.Longitude
	},
	Location: func(pubs []index.Pub, pub int) {
		pubs[pub].Location = misspelt(pubs[pub].Location)
	},
	Mojibake:    func(pubs []index.Pub, pub int) { pubs[pub].Name += " CafÃ©" },
	Invisible:   func(pubs []index.Pub, pub int) { pubs[pub].Name += "\u200b" },
	Entity:      func(pubs []index.Pub, pub int) { pubs[pub].Name += " &amp; Grill" },
	Placeholder: func(pubs []index.Pub, pub int) { pubs[pub].Name = "#REF!" },
	Spaces:      func(pubs []index.Pub, pub int) { pubs[pub].Trading = " open" },
	Capitals:    func(pubs []index.Pub, pub int) { pubs[pub].Name = strings.ToUpper(pubs[pub].Name) + " HOUSE" },
	Total: func(pubs []index.Pub, pub int) {
		pubs[pub].Ratings = index.Rated(map[index.Metric]float64{index.Beer: 1, index.Atmos: 2, index.Fengshui: 3, index.Service: 2, index.Toilets: 1, index.Total: 9})
	},
}

// Exactly the planted mistakes are found.
func TestPlantedMistakes(t *testing.T) {
	for seed := range uint64(3) {
		directory := madeUp(t, 2000, seed)
		clean := findings(Of(directory, Options{}))
		pub := typicalPub(directory.Pubs, 100+int(seed)*150)
		lines := make([]int, len(directory.Pubs))
		for i := range lines {
			lines[i] = i + 7
		}
		for _, kind := range Kinds {
			plant := plants[kind.Kind]
			if plant == nil {
				t.Fatalf("%s: is planted by no test", kind.Kind)
			}
			pubs := slices.Clone(directory.Pubs)
			plant(pubs, pub)
			if kind.Kind == Far && !isLonely(pubs, pub) {
				continue // this directory has pubs there
			}
			s := Of(&index.Directory{Pubs: pubs, CountsReviews: directory.CountsReviews}, Options{Lines: lines})
			for _, f := range s.Findings {
				if f.UID != pubs[f.Pub].UID || f.Name != pubs[f.Pub].Name || f.Location != pubs[f.Pub].Location || f.Reason == "" ||
					f.Line != f.Pub+7 || (f.Other != nil) != (f.Kind == Duplicate) {
					t.Errorf("seed %d: got %+v", seed, f)
				}
			}
			got, want := findings(s), append(slices.Clone(clean), fmt.Sprint(kind.Kind, " ", pub+7))
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s in seed %d, %+v: got %q, want %q", kind.Kind, seed, pubs[pub], got, want)
			}
		}
	}
}

// misspelt returns a name without its fourth character.
func misspelt(name string) string { return name[:3] + name[4:] }

// isLonely reports whether at most one other pub is within 200 km, which is far in a made-up directory.
func isLonely(pubs []index.Pub, pub int) bool {
	at := geo.Point{Lat: pubs[pub].Latitude, Lng: pubs[pub].Longitude}.Vector()
	near := 0
	for i := range pubs {
		if i != pub && geo.Distance(at, geo.Point{Lat: pubs[i].Latitude, Lng: pubs[i].Longitude}.Vector()) < 200 {
			near++
		}
	}
	return near <= 1
}

// typicalPub returns the first pub from start on that is rated, in a large place whose misspelling is not the name of
// another, and so far west that it would be in the sea or abroad with the other sign.
func typicalPub(pubs []index.Pub, start int) int {
	places, folded := map[string]int{}, map[string]bool{}
	for i := range pubs {
		places[pubs[i].Location]++
		folded[string(index.AppendFolded(nil, []byte(pubs[i].Location)))] = true
	}
	isPlace := func(name string) bool { return folded[string(index.AppendFolded(nil, []byte(name)))] }
	hasNear := func(pub int) bool {
		at := geo.Point{Lat: pubs[pub].Latitude, Lng: pubs[pub].Longitude}.Vector()
		for i := range pubs {
			if i != pub && pubs[i].Location == pubs[pub].Location &&
				geo.Distance(at, geo.Point{Lat: pubs[i].Latitude, Lng: pubs[i].Longitude}.Vector()) < 5 {
				return true
			}
		}
		return false
	}
	pub := start
	for math.IsNaN(pubs[pub].Latitude) || math.IsNaN(pubs[pub-1].Latitude) || places[pubs[pub].Location] < 7 || len(pubs[pub].Location) < 6 ||
		pubs[pub].ReviewCount == 0 || pubs[pub].Longitude > -2.5 || isPlace(misspelt(pubs[pub].Location)) || !hasNear(pub) {
		pub = pub%(len(pubs)-1) + 1
	}
	return pub
}

// findings returns kinds and lines, with the first pub on line 7.
func findings(s *Survey) []string {
	var all []string
	for _, f := range s.Findings {
		all = append(all, fmt.Sprint(f.Kind, " ", f.Pub+7))
	}
	return all
}

// Hostile directories take no longer than others and cause no errors.
func TestHostileDirectories(t *testing.T) {
	count := 4_000
	for name, pub := range map[string]func(i int) index.Pub{
		"one place and name": func(int) index.Pub { return index.Pub{Name: "Bell", Latitude: 51, Longitude: 1} },
		"zeros":              func(int) index.Pub { return index.Pub{Name: "Bell"} },
		"nowhere": func(int) index.Pub {
			return index.Pub{Name: "Bell", Location: "Diss", Latitude: math.NaN(), Longitude: math.NaN()}
		},
		"poles": func(i int) index.Pub {
			return index.Pub{Name: "Bell", Latitude: 90 - float64(i%2)*180, Longitude: float64(i%360) - 180}
		},
		"one parallel and name": func(i int) index.Pub { return index.Pub{Name: "Bell", Latitude: 51, Longitude: float64(i)/500 - 170} },
		"alike": func(i int) index.Pub {
			last := rune(0x20000 + i)
			if i%2 == 0 {
				last = rune(0x4e00 + i/10)
			}
			return index.Pub{Name: "Bell", Location: "aaaaaaaa" + string(last), Latitude: float64(i) / 1e3, Longitude: 179.9}
		},
		"spellings": func(i int) index.Pub {
			location := "Wymondham" + string(rune(0x20000+i))
			if i%2 == 0 {
				location = "Wymondham" + strings.Repeat("!", i%200) + strings.Repeat("?", i/200)
			}
			return index.Pub{Name: "Bell", Location: location, Latitude: 52, Longitude: 1}
		},
		"marks": func(i int) index.Pub {
			return index.Pub{Name: strings.Repeat("Ã©&#1;\u202e ", 60), Location: strings.Repeat("x", 1000), Latitude: 1, Longitude: float64(i%9) / 1e5}
		},
	} {
		var pubs []index.Pub
		for i := range count {
			p := pub(i)
			p.UID = fmt.Sprint(i)
			for metric := range p.Ratings {
				p.Ratings[metric] = math.NaN()
			}
			pubs = append(pubs, p)
		}
		done := int64(0)
		s := Of(&index.Directory{Pubs: pubs}, Options{Progress: func(d, total int64) {
			if d < done || d > total {
				t.Fatalf("%s: progress %d of %d after %d", name, d, total, done)
			}
			done = d
		}})
		if _, err := json.Marshal(s); err != nil || done == 0 {
			t.Errorf("%s: %v, progress %d", name, err, done)
		}
		if s.Pubs != count || slices.ContainsFunc(s.Findings, func(f Finding) bool { return strings.ContainsAny(f.Reason, "\u202e\n\x1b") }) {
			t.Errorf("%s: got %d pubs, or a reason with unprintable characters", name, s.Pubs)
		}
		if name == "one place and name" && s.Counts[Duplicate] != count-1 || name == "zeros" && (s.Counts[Zero] != count || s.Counts[Duplicate] > 0) ||
			name == "spellings" && s.Counts[Location] != count/2 {
			t.Errorf("%s: got %v", name, s.Counts)
		}
	}
}

func TestSmallDirectories(t *testing.T) {
	nowhere := index.Pub{UID: "1", Name: "Bell", Latitude: math.NaN(), Longitude: math.NaN(), Ratings: index.Rated(nil)}
	text, err := json.Marshal(Of(&index.Directory{Pubs: []index.Pub{nowhere}}, Options{}))
	if err != nil || !strings.Contains(string(text), `"metrics":[]`) || !strings.Contains(string(text), `"spacing":null,"counts":{},"findings":[]`) {
		t.Errorf("got %s, %v", text, err)
	}
}

// The findings in real directories were checked by eye.
func TestRealFiles(t *testing.T) {
	const folder = "../../../shared/data/"
	for name, want := range map[string]map[Kind]int{
		"uk-pubs.csv":   {Duplicate: 18, Placeholder: 1, Capitals: 1822},
		"ie-pubs.json":  {Duplicate: 1, Capitals: 3},
		"breweries.csv": {Swapped: 8, Sea: 2, Far: 7, Duplicate: 35, Placeholder: 1, Capitals: 18},
	} {
		result, err := loader.LoadFile(folder+name, loader.Options{Lines: true})
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("the data files are not in %s", folder)
		}
		if err != nil {
			t.Fatal(err)
		}
		if s := Of(&result.Directory, Options{Lines: result.Lines, Columns: result.Columns}); !maps.Equal(s.Counts, want) || len(s.FileFindings) > 0 {
			t.Errorf("%s: got %v and %v, want %v and nothing about the file", name, s.Counts, s.FileFindings, want)
		}
	}
}
