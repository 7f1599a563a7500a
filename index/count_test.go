package index

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// Counts are those of a scan, however many pubs are found and values there are, whatever their counts.
func TestCountsAreTheMostFrequent(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const pubs = 3000
	directory := corpus.Directory{Extra: []schema.ExtraColumn{"facet:a", "facet:b", "facet:c", "facet:d", "facet:e"}}
	for i := range pubs {
		pub := schema.Pub{UID: fmt.Sprint(i), Name: fmt.Sprint("half", i%2, " tenth", i%10, " rare", i%100), Latitude: math.NaN(), Longitude: math.NaN()}
		if i > 0 {
			pub.Name += " some"
		}
		for column, values := range []int{2, 60, 400, pubs, 10 * pubs} {
			value := rng.IntN(values)
			if column > 0 && rng.IntN(3) > 0 {
				value %= 1 + values/20 // which many pubs have
			}
			if pub.Extra = append(pub.Extra, fmt.Sprintf("%c v%05d", 'x'+rune(value%3), value)); rng.IntN(50) == 0 {
				pub.Extra[column] = ""
			}
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	s, w := inMemory(t, directory), new(Workspace)
	for _, text := range []string{"*", "some", "half0", "tenth3", "rare7"} {
		for column := range directory.Extra {
			for _, searched := range []string{"", "y", "v0", "v00", "z v", "none"} {
				q := Query{Text: []byte(text), All: text == "*", Counts: []schema.Facet{schema.ExtraFacet + schema.Facet(column)}}
				if searched != "" {
					q.Searched.Facet, q.Searched.Text = q.Counts[0], []byte(searched)
				}
				r := s.Search(&q, w)
				counts := map[string]int{}
				for _, ordinal := range r.Pubs {
					if value := s.Pub(ordinal).Extra; value != nil && strings.Contains(" "+value[column], " "+searched) && value[column] != "" {
						counts[value[column]]++
					}
				}
				var want []Count
				for value, count := range counts {
					want = append(want, Count{[]byte(value), count})
				}
				slices.SortFunc(want, func(a, b Count) int {
					return cmp.Or(b.Pubs-a.Pubs, strings.Compare(string(a.Value), string(b.Value)))
				})
				want = want[:min(len(want), MaxCounts)]
				testkit.FailIf(t, fmt.Sprint(r.Counts[0]) != fmt.Sprint(want), "%s, column %d, values with %q: got %v, want %v", text, column, searched, r.Counts[0], want)
			}
		}
	}
}
