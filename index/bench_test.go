package index_test

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"pubd/bench"
	"pubd/data/lane"
	"pubd/geo"
	"pubd/index"
)

// corpora are the corpora generated so far, by size.
var corpora = map[int]*bench.Corpus{}

// corpusOf returns the corpus of a size, generating it on first use.
func corpusOf(b *testing.B, size int) *bench.Corpus {
	if corpora[size] == nil {
		corpus, err := bench.NewCorpus(size)
		if err != nil {
			b.Fatal(err)
		}
		corpora[size] = corpus
	}
	return corpora[size]
}

// sizes returns the sizes to measure: in the quick lane, all but the largest.
func sizes() []int { return bench.Sizes[:len(bench.Sizes)-lane.Pick(1, 0)] }

var sorts = func() map[string]index.Sort {
	byName := map[string]index.Sort{"": index.SortName}
	for sort := range index.SortCount {
		byName[sort.String()] = sort
	}
	return byName
}()

// maxUnpaged is the page size of a distance search without an amount.
const maxUnpaged = 1000

// parse converts a drawn request to a query, as a server does.
func parse(b *testing.B, request string) index.Query {
	values, err := url.ParseQuery(request)
	if err != nil {
		b.Fatal(err)
	}
	number := func(name string) float64 {
		value, _ := strconv.ParseFloat(values.Get(name), 64)
		return value
	}
	text := values.Get("search")
	q := index.Query{Text: []byte(text), All: text == "*", Rated: values.Has("rated"), Sort: sorts[values.Get("sort")],
		Descending: values.Get("order") == "desc", Page: int64(number("page")), Amount: int(number("amount"))}
	switch {
	case values.Has("lat"):
		circle := geo.NewCircle(geo.Point{Lat: number("lat"), Lng: number("lng")}, geo.Kilometres(number("distance")))
		q.Circle = &circle
		if !values.Has("sort") {
			q.Sort = index.SortDistance
		}
		if q.Amount == 0 {
			q.Amount = maxUnpaged
		}
	case q.Amount == 0:
		q.Amount = 20
	}
	return q
}

// A verdict is a digest of an answer.
type verdict struct {
	total int
	sum   uint32 // of each ordinal multiplied by its position
	step  index.Step
}

func verdictOf(a *index.Result) verdict {
	v := verdict{total: a.Total, step: a.Step}
	for place, pub := range a.Pubs {
		v.sum += uint32(place+1) * pub
	}
	return v
}

func BenchmarkLookup(b *testing.B) {
	for _, size := range sizes() {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := corpusOf(b, size).Snapshot
			uids := make([][]byte, 512)
			for i := range uids {
				uids[i] = []byte(s.Pub(uint32(i * size / len(uids))).UID)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				place := i % len(uids)
				if pub, ok := s.Lookup(uids[place]); !ok || pub != uint32(place*size/len(uids)) {
					b.Fatalf("UID %s: got %d, %v", uids[place], pub, ok)
				}
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, size := range sizes() {
		for _, class := range bench.AllClasses() {
			if class.Name == "lookup" {
				continue
			}
			b.Run(fmt.Sprintf("%d/%s", size, class.Name), func(b *testing.B) {
				corpus := corpusOf(b, size)
				requests := corpus.Requests[class.Name]
				var w index.Workspace
				queries := make([]index.Query, len(requests))
				wanted := make([]verdict, len(requests))
				for i, request := range requests {
					queries[i] = parse(b, request)
					a := corpus.Snapshot.Search(&queries[i], &w)
					wanted[i] = verdictOf(&a)
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					place := i % len(queries)
					a := corpus.Snapshot.Search(&queries[place], &w)
					if got := verdictOf(&a); got != wanted[place] {
						b.Fatalf("%s: got %+v, want %+v", requests[place], got, wanted[place])
					}
				}
			})
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, size := range sizes() {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			directory, err := bench.Directory(size)
			if err != nil {
				b.Fatal(err)
			}
			pubs := directory.Pubs
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				directory.Pubs = slices.Clone(pubs)
				b.StartTimer()
				if s, err := index.InMemory(directory, index.BuildOptions{Workers: 1}); err != nil || s.Len() != size {
					b.Fatalf("got %d pubs, %v", s.Len(), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/pub")
		})
	}
}

// BenchmarkWeighted requests a late page of nearly all pubs, the most expensive case of sorting by weighted means.
func BenchmarkWeighted(b *testing.B) {
	for _, size := range sizes() {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := corpusOf(b, size).Snapshot
			q := index.Query{All: true, Sort: index.SortWeighted, Page: min(500, int64(s.Rated()/200)), Amount: 100, Weights: index.Weights{1, 1, 1, 1, 1, 1}}
			q.Filter.Values[index.Trading] = [][]byte{[]byte("open")}
			var w index.Workspace
			a := s.Search(&q, &w)
			want := verdictOf(&a)
			b.ReportAllocs()
			for b.Loop() {
				a := s.Search(&q, &w)
				if got := verdictOf(&a); got != want {
					b.Fatalf("got %+v, want %+v", got, want)
				}
			}
		})
	}
}
