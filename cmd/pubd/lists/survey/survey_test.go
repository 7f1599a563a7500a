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

	"pubd/bench/testkit"
	"pubd/data"
	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/loader"
)

// madeUp returns a generated directory without mistakes.
func madeUp(t *testing.T, pubs int, seed uint64) *corpus.Directory {
	t.Helper()
	var text bytes.Buffer
	testkit.OK(t, data.Generate(&text, pubs, seed, nil))
	result := testkit.Must(loader.Load("made-up.csv", text.Bytes(), loader.Options{}))(t)
	return &result.Directory
}

func TestCleanDirectories(t *testing.T) {
	for seed := range uint64(3) {
		s := Of(madeUp(t, 2000, seed), Options{})
		testkit.FailIf(t, len(s.Findings) > 2,
			"seed %d: got %d findings, want 2 at most: %v", seed, len(s.Findings), s.Findings)
	}
	if s := Of(madeUp(t, 20_000, 1), Options{}); len(s.Findings) > 20 {
		t.Errorf("20,000 pubs: got %v, want 20 at most", s.Counts)
	}
}

// Hostile directories take no longer than others and cause no errors.
func TestHostileDirectories(t *testing.T) {
	count := 4_000
	for name, pub := range map[string]func(i int) schema.Pub{
		"one place and name": func(int) schema.Pub { return schema.Pub{Name: "Bell", Latitude: 51, Longitude: 1} },
		"zeros":              func(int) schema.Pub { return schema.Pub{Name: "Bell"} },
		"nowhere": func(int) schema.Pub {
			return schema.Pub{Name: "Bell", Location: "Diss", Latitude: math.NaN(), Longitude: math.NaN()}
		},
		"poles": func(i int) schema.Pub {
			return schema.Pub{Name: "Bell", Latitude: 90 - float64(i%2)*180, Longitude: float64(i%360) - 180}
		},
		"one parallel and name": func(i int) schema.Pub { return schema.Pub{Name: "Bell", Latitude: 51, Longitude: float64(i)/500 - 170} },
		"marks": func(i int) schema.Pub {
			return schema.Pub{Name: strings.Repeat("Ã©&#1;\u202e ", 60), Location: strings.Repeat("x", 1000), Latitude: 1, Longitude: float64(i%9) / 1e5}
		},
	} {
		var pubs []schema.Pub
		for i := range count {
			p := pub(i)
			p.UID = fmt.Sprint(i)
			for metric := range p.Ratings {
				p.Ratings[metric] = math.NaN()
			}
			pubs = append(pubs, p)
		}
		s := Of(&corpus.Directory{Pubs: pubs}, Options{})
		testkit.Must(json.Marshal(s))(t)
		if s.Pubs != count || slices.ContainsFunc(s.Findings, func(f Finding) bool { return strings.ContainsAny(f.Reason, "\u202e\n\x1b") }) {
			t.Errorf("%s: got %d pubs, or a reason with unprintable characters", name, s.Pubs)
		}
		if name == "one place and name" && s.Counts[Duplicate] != count-1 || name == "zeros" && (s.Counts[Zero] != count || s.Counts[Duplicate] > 0) {
			t.Errorf("%s: got %v", name, s.Counts)
		}
	}
}

// The findings in real directories were checked by eye.
func TestRealFiles(t *testing.T) {
	const folder = "../../../../../shared/data/"
	for name, want := range map[string]map[Kind]int{
		"uk-pubs.csv":   {Duplicate: 47, Placeholder: 1},
		"ie-pubs.json":  {Duplicate: 4},
		"breweries.csv": {Swapped: 8, Sea: 2, Far: 7, Duplicate: 61, Placeholder: 1},
	} {
		result, err := loader.LoadFile(folder+name, loader.Options{})
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("the data files are not in %s", folder)
		}
		testkit.OK(t, err)
		if s := Of(&result.Directory, Options{Lines: result.Lines}); !maps.Equal(s.Counts, want) || len(s.FileFindings) > 0 {
			t.Errorf("%s: got %v and %v, want %v and nothing about the file", name, s.Counts, s.FileFindings, want)
		}
	}
}
