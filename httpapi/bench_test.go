package httpapi

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/rs/zerolog"

	"pubd/bench"
	"pubd/httpapi/keys"
	"pubd/index"
)

// A bed is what benchmarks of one size share.
type bed struct {
	service *Service
	corpus  *bench.Corpus
}

var beds = map[int]bed{}

// bedOf makes the bed of a size, once.
func bedOf(t testing.TB, size int) bed {
	if beds[size].service == nil {
		corpus, err := bench.NewCorpus(size)
		if err != nil {
			t.Fatal(err)
		}
		s := New(Config{MaxUnpaged: 1000, Log: zerolog.Nop()})
		s.PublishKeys(keys.Demo())
		s.Publish(corpus.Snapshot, [32]byte{1})
		beds[size] = bed{s, corpus}
	}
	return beds[size]
}

// sizes are those that the time given allows.
func sizes() []int {
	if testing.Short() {
		return bench.Sizes[:len(bench.Sizes)-1]
	}
	return bench.Sizes
}

// newBenchExchange makes an exchange whose request has a key.
func newBenchExchange(path string) *exchange {
	return &exchange{request: request{method: []byte("GET"), path: []byte(path), keys: [][]byte{[]byte("demo")},
		received: time.Now()}}
}

// ask handles a request and gives the digest of its body.
func (bed bed) ask(t testing.TB, x *exchange, query []byte) uint64 {
	x.query = query
	if bed.service.handle(x); x.status != 200 {
		t.Fatalf("%s: status %d: %s", query, x.status, x.body)
	}
	return xxhash.Sum64(x.body)
}

// measure benchmarks requests in turn, each answered as it was the first time.
func (bed bed) measure(b *testing.B, path string, requests []string) {
	x := newBenchExchange(path)
	queries := make([][]byte, len(requests))
	wanted := make([]uint64, len(requests))
	size := 0
	for i, request := range requests {
		queries[i] = []byte(request)
		wanted[i] = bed.ask(b, x, queries[i])
		size += len(x.body)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		place := i % len(queries)
		if got := bed.ask(b, x, queries[place]); got != wanted[place] {
			b.Fatalf("%s: the answer is not what it was: %s", queries[place], x.body)
		}
	}
	b.ReportMetric(float64(size)/float64(len(requests)), "bytes/answer")
}

// BenchmarkRequest is the whole way of a request above the HTTP library. A tenth of a nanosecond a byte of it is the
// check of the answer.
func BenchmarkRequest(b *testing.B) {
	for _, size := range sizes() {
		for _, class := range append(bench.AllClasses(), bench.Extensions...) {
			b.Run(fmt.Sprintf("%d/%s", size, class.Name), func(b *testing.B) {
				bed := bedOf(b, size)
				bed.measure(b, class.Path(), bed.corpus.Requests[class.Name])
			})
		}
	}
}

func BenchmarkPublish(b *testing.B) {
	for _, size := range sizes() {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			bed := bedOf(b, size)
			want := len(bed.service.view.Load().pubs)
			b.ReportAllocs()
			for b.Loop() {
				if v := newView(bed.corpus.Snapshot, [32]byte{1}, 1000, time.Now()); len(v.pubs) != want {
					b.Fatalf("got %d bytes of pubs, want %d", len(v.pubs), want)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/pub")
			b.ReportMetric(float64(want)/float64(size), "bytes/pub")
		})
	}
}

// worst are slow allowed requests of ten kinds, found by searches such as TestSlowest's and by hand; last asks for the
// last page.
var worst = []struct {
	query string
	last  bool
}{
	{"search=bridge+uppeer+bridge+cclub+bridge+uppeer+bridge+uppeer&lat=51.5&lng=-0.1&distance=20&sort=total&rated=true", false},
	{"search=town+lion+town+town+upper+upper+the+bar+west&sort=review_count", false},
	{"search=cross+end+old+%26+cross+cross+castle+olde+old&lat=57&lng=-5&distance=300&sort=total", false},
	{"search=red+bar+cross+cross+arms+n+town+ye+bridge&lat=51.5&lng=-0.1&distance=500&sort=total&amount=100", false},
	{"search=*&lat=51.5&lng=-0.1&distance=20000&marker=red+lion&order=desc", true},
	{"search=lower+n+lion+south+%26+%26+bridge+n+lion+south+lion+red&lat=51.5&lng=-0.1&distance=20&page=20000", false},
	{"search=t&lat=51.5&lng=-0.1&distance=1000&marker=red+lion", true},
	{"search=" + strings.Repeat("st+", 22) + "inn+" + strings.Repeat("st+", 40), false},
	{"search=" + strings.Repeat("the+", 50) + "&lat=51.5&lng=-0.1&distance=20000&rated=true", true},
	{"search=thornhawm+gwynnne+broadbfridge+siunclairs+hazelbridgge+clovontubber+carricpkroe+weonburyx", false},
}

func BenchmarkWorst(b *testing.B) {
	for _, size := range sizes() {
		for i, c := range worst {
			b.Run(fmt.Sprintf("%d/%d", size, i+1), func(b *testing.B) {
				bed := bedOf(b, size)
				query := c.query
				if c.last {
					x := newBenchExchange(bench.Pubs)
					bed.ask(b, x, []byte(query))
					query = fmt.Sprintf("%s&page=%d", query, x.arguments.pages(x.answer.Total))
				}
				bed.measure(b, bench.Pubs, []string{query})
			})
		}
	}
}

var (
	slowest     = flag.Duration("slowest", 0, "let TestSlowest search for so long")
	slowestPubs = flag.Int("slowest-pubs", 50_000, "let TestSlowest search among so many pubs")
)

// A trial is an allowed request that may be slow.
type trial struct {
	words []string
	rest  [len(temptations)]string
	took  time.Duration
	step  index.Step
}

// temptations are other parameters, of which a trial has one of each row.
var temptations = [...][]string{
	{"", "lat=51.5&lng=-0.1&distance=20000", "lat=51.5&lng=-0.1&distance=500", "lat=51.5&lng=-0.1&distance=20",
		"lat=57&lng=-5&distance=300", "lat=57&lng=-5&distance=0"},
	{"", "sort=total", "sort=location", "sort=distance"},
	{"", "order=desc"},
	{"", "amount=100", "amount=1", "page=500", "page=20000"},
	{"", "rated=true"},
	{"", "marker=red+lion", "marker=none"},
}

func (t trial) query() string {
	query := "search=" + url.QueryEscape(strings.Join(t.words, " "))
	for _, rest := range t.rest {
		query += "&" + rest
	}
	return query
}

// kind is what slow trials are compared within, so that the slowest do not differ by details only.
func (t trial) kind() string {
	distinct := len(slices.Compact(slices.Sorted(slices.Values(t.words))))
	return fmt.Sprint(min(len(t.words), 9)/3, min(distinct, 9)/3, t.words[0] == "*", t.rest[0] != "", t.rest[5] != "", t.step)
}

// A foe makes up trials.
type foe struct {
	rng   *rand.Rand
	words []string // of the directory, the most common first
}

func newFoe(s *index.Snapshot) foe {
	counts := map[string]int{}
	var folded []byte
	for ordinal := range uint32(s.Len()) {
		pub := s.Pub(ordinal)
		folded = index.AppendFolded(folded[:0], []byte(pub.Name+" "+pub.Location))
		for word := range strings.FieldsSeq(string(folded)) {
			counts[word]++
		}
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	return foe{rand.New(rand.NewPCG(1, 1)), words}
}

// word is one that many pubs have, or that is near or in many of theirs.
func (f foe) word() string {
	word := f.words[f.rng.IntN(min(len(f.words), 40))]
	at := f.rng.IntN(len(word))
	switch f.rng.IntN(8) {
	case 0:
		return word[at:]
	case 1:
		return word[:at] + word[at:at+1] + word[at:]
	case 2:
		return f.words[f.rng.IntN(len(f.words))]
	case 3:
		return f.words[f.rng.IntN(len(f.words))] + word[:at]
	case 4:
		return []string{"*", "&", "\ufdfa", strings.Repeat("s", maxSearch), "a", "ing"}[f.rng.IntN(6)]
	}
	return word
}

// change changes a trial in one or several ways.
func (f foe) change(t trial) trial {
	t.words = slices.Clone(t.words)
	for again := true; again; again = f.rng.IntN(3) == 0 {
		if row := f.rng.IntN(2 * len(temptations)); row < len(temptations) {
			t.rest[row] = temptations[row][f.rng.IntN(len(temptations[row]))]
			continue
		}
		at := f.rng.IntN(len(t.words))
		switch f.rng.IntN(6) {
		case 0:
			t.words = slices.Delete(t.words, at, min(at+1, len(t.words)-1))
		case 1:
			t.words = append(t.words, t.words...)
		case 2, 3:
			t.words = slices.Insert(t.words, at, f.word())
		default:
			t.words[at] = f.word()
		}
	}
	for len([]rune(strings.Join(t.words, " "))) > maxSearch && len(t.words) > 1 {
		t.words = t.words[:len(t.words)-1]
	}
	return t
}

// TestSlowest climbs from slow requests to slower ones and logs the slowest of each kind: go test -v -slowest 1m.
func TestSlowest(t *testing.T) {
	if *slowest == 0 {
		t.Skip("takes -slowest 1m")
	}
	bed := bedOf(t, *slowestPubs)
	f := newFoe(bed.corpus.Snapshot)
	x := newBenchExchange(bench.Pubs)
	records := map[string]trial{}
	pool := []trial{{words: []string{f.word()}}}
	for begun := time.Now(); time.Since(begun) < *slowest; {
		tried := f.change(pool[min(len(pool)-1, int(10*f.rng.ExpFloat64()))])
		x.query = []byte(tried.query())
		tried.took = time.Hour
		for range 5 {
			asked := time.Now()
			bed.service.handle(x)
			tried.took = min(tried.took, time.Since(asked))
		}
		tried.step = x.answer.Step
		if kind := tried.kind(); x.status == 200 && tried.took > records[kind].took {
			records[kind] = tried
			pool = slices.SortedFunc(maps.Values(records), func(a, b trial) int { return cmp.Compare(b.took, a.took) })
		}
	}
	for _, slow := range pool[:min(len(pool), 30)] {
		t.Logf("%v %s %s", slow.took, slow.step, slow.query())
	}
}

// BenchmarkLongHeaders answers requests with as much of a header as is read.
func BenchmarkLongHeaders(b *testing.B) {
	s, _ := withData(b, LogOff)
	server := NewServer(s)
	for _, c := range []struct{ name, head, item string }{
		{"Accept", "Accept: ", ","},
		{"AcceptMany", "Accept: ", "a,"},
		{"AcceptWeights", "Accept: ", "text/csv;q=1e-320,"},
		{"AcceptNoWeight", "Accept: text/csv", ";q=2"},
		{"IfNoneMatch", "If-None-Match: ", `"",`},
		{"IfNoneMatchLines", "X: y", "\r\nIf-None-Match: \"a\""},
		{"Connection", "Connection: ", "a,"},
		{"ConnectionLines", "X: y", "\r\nConnection: a"},
		{"KeyLines", "X: y", "\r\nx-api-key: a"},
		{"Cookie", "Cookie: ", "a=b;"},
	} {
		sent := []byte(get("pubid=u01", c.head+strings.Repeat(c.item, 14<<10/len(c.item))))
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t := &tape{sent: bytes.NewReader(sent)}
				_ = server.http.ServeConn(&connection{Conn: t})
				if got := t.received.Bytes(); !bytes.HasPrefix(got, []byte("HTTP/1.1 200 ")) && !bytes.HasPrefix(got, []byte("HTTP/1.1 403 ")) {
					b.Fatalf("got %.300q", got)
				}
			}
		})
	}
}
