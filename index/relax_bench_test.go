package index_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pubd/geo"
	"pubd/index"
	"pubd/loader"
)

var relaxedData = flag.String("data", "", "snapshot file for BenchmarkRelaxed, which generates directories without it")

// relaxedKinds are kinds of queries that need relaxing, or name a place. The most expensive ones have the maximum number of words, each
// of which is expensive in some attempt.
var relaxedKinds = []struct {
	name string
	text func(d *questions) string
}{
	{"names misspelt", func(d *questions) string { return d.misspelt(d.pub().Name, 1) }},
	{"names and places misspelt", func(d *questions) string { p := d.pub(); return d.misspelt(p.Name+" "+p.Location, 2) }},
	{"eight words misspelt", func(d *questions) string { return d.misspelt(d.words(8, 8), 2) }},
	{"eight short words misspelt", func(d *questions) string { return d.misspelt(d.words(8, 4), 1) }},
	{"eight parts of words", func(d *questions) string { return d.parts(8, 3) }},
	{"eight words", func(d *questions) string { return d.words(8, 3) }},
	{"seven words and an unknown one", func(d *questions) string { return d.words(7, 3) + " qzxjkvwq" }},
	{"seven frequent words and an unknown one", func(d *questions) string { return d.frequent(7) + " qzxjkvwq" }},
	{"an unknown word and seven frequent ones", func(d *questions) string { return "qzxjkvwq " + d.frequent(6) + " " + d.frequent(1)[:1] }},
	{"a frequent word and an unknown one", func(d *questions) string { return "qzxjkvwq " + d.frequent(1) }},
	{"all joined", func(d *questions) string { p := d.pub(); return strings.ReplaceAll(p.Name+p.Location, " ", "") }},
	{"nonsense", func(d *questions) string { return d.nonsense(8) }},
	{"addresses misspelt", func(d *questions) string { p := d.pub(); return d.misspelt(p.Name+" "+p.Address+" "+p.Postcode, 1) }},
}

// questions draws queries about a snapshot.
type questions struct {
	s    *index.Snapshot
	rng  *rand.Rand
	most []string // words, most frequent first
}

func newQuestions(s *index.Snapshot) *questions {
	d := &questions{s: s, rng: rand.New(rand.NewPCG(1, 2))}
	counts := map[string]int{}
	for range 20_000 {
		p := d.pub()
		for _, word := range strings.Fields(string(index.AppendFolded(nil, []byte(p.Name+" "+p.Location+" "+p.Address+" "+p.Area)))) {
			counts[word]++
		}
	}
	for word := range counts {
		d.most = append(d.most, word)
	}
	slices.SortFunc(d.most, func(a, b string) int { return 2*(counts[b]-counts[a]) + strings.Compare(a, b) })
	return d
}

func (d *questions) pub() *index.Pub { return d.s.Pub(uint32(d.rng.IntN(d.s.Len()))) }

// words draws n words of at least size characters from pubs.
func (d *questions) words(n, size int) string {
	var words []string
	for tries := 0; len(words) < n; tries++ {
		all := strings.Fields(d.pub().Name)
		if word := all[d.rng.IntN(len(all))]; len([]rune(word)) >= size || tries > 1000 {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

func (d *questions) frequent(n int) string {
	var words []string
	for range n {
		words = append(words, d.most[d.rng.IntN(min(60, len(d.most)))])
	}
	return strings.Join(words, " ")
}

func (d *questions) parts(n, size int) string {
	words := strings.Fields(d.words(n, size+2))
	for i, word := range words {
		letters := []rune(word)
		words[i] = string(letters[1:min(1+size, len(letters))])
	}
	return strings.Join(words, " ")
}

func (d *questions) nonsense(n int) string {
	var words []string
	for range n {
		word := make([]byte, 4+d.rng.IntN(8))
		for i := range word {
			word[i] = "aeiourstlnmcdpbh"[d.rng.IntN(16)]
		}
		words = append(words, string(word))
	}
	return strings.Join(words, " ")
}

// misspelt makes this number of edits in each word of a text.
func (d *questions) misspelt(text string, edits int) string {
	words := strings.Fields(text)
	words = words[:min(len(words), index.MaxRelaxedWords)]
	for i, word := range words {
		letters := []rune(word)
		for range edits {
			at := d.rng.IntN(len(letters))
			switch d.rng.IntN(3) {
			case 0:
				letters[at] = rune('a' + d.rng.IntN(26))
			case 1:
				letters = slices.Insert(letters, at, rune('a'+d.rng.IntN(26)))
			default:
				if len(letters) > 1 {
					letters = slices.Delete(letters, at, at+1)
				}
			}
		}
		words[i] = string(letters)
	}
	return strings.Join(words, " ")
}

// relaxedQueries returns queries for a text with different orders, circles and filters.
func relaxedQueries(d *questions, text string) map[string]index.Query {
	at := d.s.Point(uint32(d.rng.IntN(d.s.Len())))
	if at.Lat != at.Lat {
		at = geo.Point{Lat: 52, Lng: -1}
	}
	circle, earth := geo.NewCircle(at, 20), geo.NewCircle(at, 1e9)
	return map[string]index.Query{
		"":          {Text: []byte(text), Amount: 20},
		"relevance": {Text: []byte(text), Amount: 20, Sort: index.SortRelevance},
		"circle":    {Text: []byte(text), Amount: 20, Sort: index.SortDistance, Circle: &circle},
		"near":      {Text: []byte(text), Amount: 20, Sort: index.SortRelevance, Circle: &earth, Near: true},
		"rated":     {Text: []byte(text), Amount: 20, Rated: true, Sort: index.Total.Sort()},
	}
}

// BenchmarkRelaxed reports the mean time of many queries and the CPU time of the most expensive one. The latter is the
// minimum of several measurements, so that other load on the machine has little influence.
func BenchmarkRelaxed(b *testing.B) {
	bench := func(name string, s *index.Snapshot) {
		d := newQuestions(s)
		var w index.Workspace
		for _, kind := range relaxedKinds {
			b.Run(name+"/"+kind.name, func(b *testing.B) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				const questions = 30
				worst, which := time.Duration(0), ""
				var queries []index.Query
				for range questions {
					text := kind.text(d)
					for way, q := range relaxedQueries(d, text) {
						least := time.Duration(1 << 62)
						var a index.Result
						for range 4 {
							begun := threadTime()
							a = s.Search(&q, &w)
							least = min(least, threadTime()-begun)
						}
						if least > worst {
							worst, which = least, fmt.Sprintf("%s %q: %d by %v", way, text, a.Total, a.Step)
						}
						queries = append(queries, q)
					}
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					s.Search(&queries[i%len(queries)], &w)
				}
				b.ReportMetric(float64(worst.Microseconds()), "worst-µs")
				b.Logf("worst: %v: %s", worst, which)
			})
		}
	}
	if *relaxedData != "" {
		content, err := os.ReadFile(*relaxedData)
		if err != nil {
			b.Fatal(err)
		}
		loaded, err := loader.Load(*relaxedData, content, loader.Options{})
		if err != nil {
			b.Fatal(err)
		}
		s, err := index.InMemory(loaded.Directory, index.BuildOptions{})
		if err != nil {
			b.Fatal(err)
		}
		bench("data", s)
		return
	}
	for _, size := range sizes() {
		bench(fmt.Sprint(size), corpusOf(b, size).Snapshot)
	}
}
