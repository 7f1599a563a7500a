package main

import (
	"encoding/csv"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A requester draws query strings about a CSV directory. The same directory and seed give the same ones. It is not safe for concurrent use.
type requester struct {
	rng                       *rand.Rand
	uids, names, places, lats []string
	lngs                      []string
}

func newRequester(t *testing.T, directory string, seed uint64) *requester {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(directory)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(names ...string) (values []string) {
		for i, title := range rows[0] {
			for _, name := range names {
				if strings.EqualFold(title, name) {
					for _, row := range rows[1:] {
						values = append(values, row[i])
					}
					return values
				}
			}
		}
		return []string{""}
	}
	return &requester{rand.New(rand.NewPCG(seed, 0)), column("uid", "id"), column("name"), column("location"),
		column("latitude", "lat"), column("longitude", "lng", "lon")}
}

func (r *requester) one(of ...string) string { return of[r.rng.IntN(len(of))] }

func (r *requester) chance(percent int) bool { return r.rng.IntN(100) < percent }

// draw returns the query string of one request. About one in ten is invalid.
func (r *requester) draw() string {
	switch n := r.rng.IntN(100); {
	case n < 15:
		return url.Values{"pubid": {r.one(r.uids...)}}.Encode()
	case n < 18:
		return url.Values{"pubid": {r.one("no-such-pub", "%", "é", "36NTSQ")}}.Encode()
	case n < 22:
		return r.one("", "search=", "page=2", "search=%zz", "search=%ff", "search=a&search=b", "pubid=a&pubid=b",
			"search=a&lat=52", "search=a&lat=52&lng=0", "search=a&lat=91&lng=0&distance=1", "search=*&amount=101",
			"search=*&amount=0", "search=*&page=x", "search=*&sort=colour", "search=*&order=up", "search=*&rated=maybe",
			"search=*&lat=NaN&lng=0&distance=1", "lat=52&lng=0&distance=5", "search="+strings.Repeat("a", 201))
	}
	query := url.Values{"search": {r.text()}}
	if r.chance(30) {
		r.circle(query)
	}
	r.decorate(query)
	return query.Encode()
}

// text returns a text to search for: words of names, prefixes, typing mistakes, everything.
func (r *requester) text() string {
	name := r.one(r.names...)
	words := strings.Fields(name)
	word := name
	if len(words) > 0 {
		word = r.one(words...)
	}
	switch r.rng.IntN(9) {
	case 0:
		return name
	case 1:
		return name + " " + r.one(r.places...)
	case 2:
		return r.begin(word, 1+r.rng.IntN(4))
	case 3:
		return r.begin(name, 1+r.rng.IntN(12))
	case 4:
		return r.slip(word)
	case 5:
		return r.slip(name)
	case 6:
		return "*"
	case 7:
		return word + " " + r.one(strings.Fields(r.one(r.names...)+" x")...)
	}
	return word
}

func (r *requester) begin(text string, length int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), length)])
}

// slip returns a text with a typing mistake.
func (r *requester) slip(text string) string {
	runes := []rune(text)
	if len(runes) < 3 {
		return text
	}
	i := 1 + r.rng.IntN(len(runes)-2)
	switch r.rng.IntN(4) {
	case 0:
		runes = append(runes[:i], runes[i+1:]...)
	case 1:
		runes[i], runes[i+1] = runes[i+1], runes[i]
	case 2:
		runes[i] = rune('a' + r.rng.IntN(26))
	default:
		return string(runes[:i]) + string(rune('a'+r.rng.IntN(26))) + string(runes[i:])
	}
	return string(runes)
}

// circle turns a search into a distance search, mostly around a pub.
func (r *requester) circle(query url.Values) {
	i := r.rng.IntN(len(r.uids))
	lat, lng := r.lats[i%len(r.lats)], r.lngs[i%len(r.lngs)]
	if lat == "" || lng == "" || r.chance(5) {
		lat, lng = r.one("90", "-90", "0", "51.5"), r.one("180", "-180", "0", "-0.1")
	}
	query.Set("lat", lat)
	query.Set("lng", lng)
	query.Set("distance", r.one("0", "0.5", "2", "10", "20.5", "100", "1e3", "30000"))
	if r.chance(10) {
		query.Set("marker", r.one(r.names...))
	}
}

// decorate adds parameters that any search may have.
func (r *requester) decorate(query url.Values) {
	if r.chance(30) {
		query.Set("page", strconv.Itoa(1+r.rng.IntN(1+r.rng.IntN(200))))
	}
	if r.chance(30) || query.Get("distance") != "" && r.chance(70) {
		query.Set("amount", strconv.Itoa(1+r.rng.IntN(100)))
	}
	if r.chance(40) {
		query.Set("sort", r.one("name", "location", "review_count", "beer", "atmos", "fengshui", "service", "toilets", "TOTAL"))
	}
	if r.chance(40) {
		query.Set("order", r.one("asc", "desc", "DESC"))
	}
	if r.chance(25) {
		query.Set("rated", r.one("true", "1", "false"))
	}
	if r.chance(5) {
		query.Set("relax", r.one("false", "true"))
	}
	if r.chance(5) {
		query.Set(r.one("utm_source", "limit", "ü"), "x")
	}
}

// The same seed draws the same requests. All can be sent, and they are varied.
func TestRequester(t *testing.T) {
	directory := generated(t, 500, 3)
	first, second := newRequester(t, directory, 1), newRequester(t, directory, 1)
	distinct := map[string]bool{}
	for i := range 2000 {
		query := first.draw()
		if again := second.draw(); query != again {
			t.Fatalf("request %d: got %q, then %q", i, query, again)
		}
		if strings.ContainsAny(query, " #\r\n") || !utf8.ValidString(query) {
			t.Fatalf("request %d: %q cannot be sent", i, query)
		}
		distinct[query] = true
	}
	if len(distinct) < 1200 {
		t.Errorf("distinct requests of 2000: got %d, want 1200 or more", len(distinct))
	}
}
