package bench

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Expensive is a request and its CPU time.
type Expensive struct {
	Path, Query string
	CPU         time.Duration
	values      url.Values
}

// Climb searches for the most expensive requests by hill climbing over all parameters together, while more returns true. It combines the
// parameters of expensive requests with each other and with those that the classes draw. It returns the most expensive request of each kind,
// the most expensive first. cost returns the CPU time of a request, or 0 if it is rejected.
func (m *Mix) Climb(cost func(path, query string) time.Duration, more func() bool) []Expensive {
	records := map[string]Expensive{}
	var pool []Expensive
	try := func(path string, values url.Values) {
		query := values.Encode()
		took := cost(path, query)
		if kind := kindOf(path, values); took > records[kind].CPU {
			records[kind] = Expensive{path, query, took, values}
			pool = slices.SortedFunc(maps.Values(records), func(a, b Expensive) int { return cmp.Compare(b.CPU, a.CPU) })
		}
	}
	var known []url.Values
	for _, query := range KnownExpensive {
		values, err := url.ParseQuery(query)
		if err != nil {
			panic(err)
		}
		known = append(known, values)
		try(Pubs, values)
	}
	classes := append(AllClasses(), Extensions...)
	for _, class := range classes {
		try(class.Path(), class.draw(m))
	}
	for more() {
		parent := pool[min(len(pool)-1, int(10*m.rng.ExpFloat64()))]
		child := maps.Clone(parent.values)
		for range 1 + m.rng.IntN(3) {
			switch other := m.rng.IntN(8); {
			case other == 0:
				m.change(child, known[m.rng.IntN(len(known))])
			case other < 3:
				m.change(child, pool[m.rng.IntN(len(pool))].values)
			default:
				m.change(child, classes[m.rng.IntN(len(classes))].draw(m))
			}
		}
		try(parent.Path, repaired(parent.Path, child))
	}
	return pool
}

// KnownExpensive are the requests from which climbing starts: some were expensive in earlier versions, others look expensive.
var KnownExpensive = []string{
	"search=*&lat=52&lng=-1&distance=5000&include=rankings,local_rankings,match,label&format=geojson&facets=location,trading,common_category" +
		"&sort=weighted&weights=beer:1,atmos:1&bbox=-179,-89,179,89&page=7&rated=true",
	"search=*&bbox=-179,-89,179,89",
	"search=*&bbox=-179,-89,179,89&near=52,-1&sort=distance&facets=location,trading,common_category",
	"search=*&sort=weighted&weights=beer:1,atmos:1,fengshui:1,service:1,toilets:1,total:1&page=400&amount=100",
	"search=*&sort=random&seed=1&bbox=-180,-90,180,90&min_beer=0&min_reviews=1&amount=100&page=50&format=geojson",
	"search=*&near=51.5,-0.1&sort=distance&order=desc&facets=location&min_total=1&page=100&amount=100",
	"search=*&lat=51.5&lng=-0.1&distance=20000&sort=relevance&include=local_rankings,label",
	"search=r&sort=relevance&page=20&amount=100&include=rankings,local_rankings,match,label&facets=location,trading,common_category",
	"search=*&amount=100&location=" + strings.Repeat("a,", 1800) + "b", "search=*&category=" + strings.Repeat(",", 3800),
	"search=bridge+uppeer+bridge+cclub+bridge+uppeer+bridge+uppeer&lat=51.5&lng=-0.1&distance=20&sort=total&rated=true",
	"search=town+lion+town+town+upper+upper+the+bar+west&sort=review_count",
	"search=cross+end+old+%26+cross+cross+castle+olde+old&lat=57&lng=-5&distance=300&sort=total",
	"search=thornhawm+gwynnne+broadbfridge+siunclairs+hazelbridgge+clovontubber+carricpkroe+weonburyx",
	"search=*&sort=relevance&near=52.85276,-0.36995&order=desc&page=4000&amount=100&trading=open&bbox=-179,-89,179,89&include=rankings,local_rankings,match,label",
	"search=*+T+*&sort=weighted&weights=beer:1,atmos:1,fengshui:1,service:1,toilets:1,total:1&lat=51.52421&lng=-0.10514&distance=1000&order=desc" +
		"&page=4000&amount=100&trading=open&include=rankings,local_rankings,match,label",
	"search=red+lion+inn+arms+xyzzyxyzzy&lat=52&lng=-1&distance=400&bbox=-5,50,1,56&min_reviews=1&include=match,label,rankings,local_rankings&format=csv",
}

// kindOf returns the kind of a request. Only the most expensive of a kind is kept, so that the results differ in more than details.
func kindOf(path string, values url.Values) string {
	words, place, sort := "all", "", values.Get("sort")
	if text := values.Get("search"); text != "*" {
		words = strconv.Itoa(min(9, len(strings.Fields(text))) / 3)
	}
	for _, name := range []string{"distance", "near", "pubids"} {
		if values.Has(name) {
			place = name
		}
	}
	switch sort {
	case "weighted", "random", "relevance", "distance":
	default:
		sort = ""
	}
	return path + words + place + sort
}

// centre are the parameters that define a centre. A request has one centre, so they change together.
var centre = []string{"lat", "lng", "distance", "near", "around"}

// change removes a parameter, scales its number, or replaces or extends its value with that of another request.
func (m *Mix) change(values, other url.Values) {
	names := slices.Sorted(maps.Keys(other))
	if len(names) == 0 {
		return
	}
	name := names[m.rng.IntN(len(names))]
	old, value := values.Get(name), other.Get(name)
	number, err := strconv.ParseFloat(old, 64)
	switch way := m.rng.IntN(6); {
	case way == 0:
		values.Del(name)
	case way < 3 && err == nil && name != "lat" && name != "lng":
		values.Set(name, strconv.FormatFloat(max(1, number*[]float64{0.5, 2, 10}[m.rng.IntN(3)]), 'f', 0, 64))
	case slices.Contains(centre, name):
		for _, name := range centre {
			values.Del(name)
			if other.Has(name) {
				values.Set(name, other.Get(name))
			}
		}
	case way > 3 && name == "search": // some words of both, which may repeat
		words := slices.Concat(strings.Fields(old), strings.Fields(old), strings.Fields(value), []string{"*"})
		m.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		values.Set(name, strings.Join(words[:1+m.rng.IntN(min(30, len(words)))], " "))
	case way > 3 && old != "" && slices.Contains([]string{"location", "trading", "category", "exclude", "pubids"}, name):
		values.Set(name, old+","+value)
	default:
		values.Set(name, value)
	}
}

// repaired returns a request with the parameters that its other parameters require.
func repaired(path string, values url.Values) url.Values {
	switch {
	case path != Pubs:
		return url.Values{"search": {values.Get("search")}}
	case values.Has("pubids"):
		values.Del("search")
	case values.Get("search") == "":
		values.Set("search", "*")
	}
	switch sort := values.Get("sort"); {
	case sort == "weighted" && !values.Has("weights"):
		values.Set("weights", "beer:1,atmos:2")
	case sort == "random" && !values.Has("seed"):
		values.Set("seed", "1")
	case sort == "distance" && !values.Has("near") && !values.Has("distance"):
		values.Del("sort")
	}
	return values
}
