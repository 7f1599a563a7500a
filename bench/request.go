package bench

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pubd/httpapi/params"
	"pubd/index/schema"
)

// A Request is the first line of a request, in parts.
type Request struct {
	Method, Path string
	Query        url.Values
	Version      string // of HTTP
}

// Line returns the line. A path without parameters has no question mark.
func (r Request) Line() string {
	target := url.URL{Path: r.Path, RawQuery: r.Query.Encode()}
	return r.Method + " " + target.RequestURI() + " HTTP/" + r.Version
}

// RequestOf returns a GET request of a query string, without the parameters that its path or its other parameters
// forbid.
func RequestOf(path, query string) Request {
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(err)
	}
	return Request{"GET", path, repaired(path, values), "1.1"}
}

// Varied returns a request with a few parameters changed, by those of another one or to extreme values.
func (m *Mix) Varied(r, other Request) Request {
	r.Query = maps.Clone(r.Query)
	for range 1 + m.rng.IntN(3) {
		if m.rng.IntN(2) == 0 {
			m.change(r.Query, other.Query)
		} else {
			m.change(r.Query, m.extremes())
		}
	}
	repaired(r.Path, r.Query)
	return r
}

// Any returns a request of any kind: of a class, with extreme values, or one of either with parameters of another.
// Most are valid.
func (m *Mix) Any() Request {
	classes := AllClasses()
	class := classes[m.rng.IntN(len(classes))]
	r := Request{m.one("GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "OPTIONS"), class.Path(), class.draw(m), m.one("1.1", "1.1", "1.1", "1.0")}
	if m.rng.IntN(4) == 0 {
		r.Path = m.one(Paths...)
	}
	for range m.rng.IntN(4) {
		m.change(r.Query, m.extremes())
	}
	if m.rng.IntN(10) > 0 {
		repaired(r.Path, r.Query)
	}
	return r
}

// one returns one of some values.
func (m *Mix) one(values ...string) string { return values[m.rng.IntN(len(values))] }

// Metrics are the names of the metrics.
var Metrics = func() (names []string) {
	for metric := range schema.Metric(schema.MetricCount) {
		names = append(names, metric.String())
	}
	return names
}()

// extremes returns all parameters, with values that are usual, that concern many pubs, or that are at an edge. Those that
// are not drawn here have a value of the table of parameters.
func (m *Mix) extremes() url.Values {
	pub, at := m.pub(), m.located[m.rng.IntN(len(m.located))]
	many := func(value func(pub *schema.Pub) string) string {
		values := make([]string, []int{1, 100}[m.rng.IntN(2)])
		for i := range values {
			drawn := m.pub()
			values[i] = value(&drawn)
		}
		return strings.Join(values, ",")
	}
	uid := func(pub *schema.Pub) string { return pub.UID }
	letter := string([]rune(pub.Name)[:1])
	q := query(
		"search", m.one("*", letter, "the "+letter, m.word(), m.word()+" "+letter, pub.Name, pub.Name+" "+pub.Location,
			pub.Location, "pubs in "+pub.Location, pub.Postcode, m.nonsense(), m.typo().Get("search"),
			m.joined().Get("search"), m.infix().Get("search")),
		"page", m.one("1", "2", "100", "4000"), "amount", m.one("1", "20", "100"), "seed", m.upTo(9), "strict", "false",
		"weights", m.one(m.one(Metrics...)+":"+m.upTo(9), strings.Join(Metrics, ":1,")+":1"),
		"marker", pub.Name, "pubid", pub.UID, "pubids", many(uid), "exclude", many(uid), "after", pub.UID,
		"trading", many(func(pub *schema.Pub) string { return pub.Trading }),
		"category", many(func(pub *schema.Pub) string { return pub.Category }),
		"location", many(func(pub *schema.Pub) string { return pub.Location }),
		"min_"+m.one(Metrics...), m.one("0", "3", "9"), "min_reviews", m.one("0", "1", "9"),
		"bbox", m.one("-180,-90,180,90", "-179,-89,179,89", "-5,50,1,56", "170,-90,-170,90", "-180,80,180,90", m.box()),
		"facet_search", m.one("location:", "common_category:")+letter)
	for _, p := range params.Table {
		value := p.Example
		switch p.Kind {
		case params.Flag:
			value = m.one(append([]string{"true", "false"}, p.Choices...)...)
		case params.Choice:
			value = m.one(p.Choices...)
		case params.Choices:
			value = m.one(value, strings.Join(p.Choices, ","))
		}
		if !q.Has(p.Name) {
			q.Set(p.Name, value)
		}
	}
	q.Del("snapshot") // of which there is none
	q.Del("near")
	q.Del("around")
	lat, lng := fmt.Sprint(at.Latitude), fmt.Sprint(at.Longitude)
	lat, lng = m.one(lat, lat, "-90", "90", "0"), m.one(lng, lng, "0", "180")
	distance := m.one("1", "20", "100", "400", "1000", "5000", "20000")
	switch m.rng.IntN(3) {
	case 0:
		return set(q, "near", lat+","+lng)
	case 1:
		return set(q, "around", at.UID, "distance", distance)
	}
	return set(q, "lat", lat, "lng", lng, "distance", distance)
}

// KnownExpensive are the requests from which hill climbing starts: some were expensive in earlier versions, others look
// expensive.
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
	"search=t&near=-90,0&amount=20", "search=the+the+the+the&near=-90,180",
	"search=t&lat=51.52421&lng=-0.10514&distance=1000&sort=relevance&page=4000&amount=100&trading=open" +
		"&facets=location,trading,common_category&include=rankings,local_rankings,match,label&format=csv",
	"search=the+the+the+the&lat=52&lng=-1&distance=400&sort=relevance&bbox=-179,-89,179,89" +
		"&facets=location,trading,common_category&include=rankings,local_rankings,match,label&format=csv",
	"search=the+t&lat=52&lng=-1&distance=400&sort=weighted&weights=total:2&min_reviews=0" +
		"&facets=location,trading,common_category&include=rankings,local_rankings,match,label,address&format=spreadsheet",
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

// repaired changes a query, and returns it: it adds the parameters that its path and its other parameters require, and
// removes those that they forbid.
func repaired(path string, values url.Values) url.Values {
	drop := func(names ...string) {
		for _, name := range names {
			values.Del(name)
		}
	}
	lookup := path == Pubs && (values.Has("pubid") || values.Has("pubids"))
	switch {
	case lookup && values.Has("pubids"):
		drop("pubid", "search")
	case !lookup && values.Get("search") == "":
		values.Set("search", "*")
	}
	switch {
	case values.Has("near"):
		drop("lat", "lng", "distance", "around")
	case !values.Has("distance"):
		drop("lat", "lng", "around")
	case values.Has("around"):
		drop("lat", "lng")
	case !values.Has("lat") || !values.Has("lng"):
		drop("lat", "lng", "distance")
	}
	if path != ExportPath {
		drop("after")
	}
	switch sort := values.Get("sort"); {
	case sort == "weighted" && !values.Has("weights"):
		values.Set("weights", "beer:1,atmos:2")
	case sort == "random" && !values.Has("seed"):
		values.Set("seed", "1")
	case sort == "distance" && !values.Has("near") && !values.Has("distance"):
		drop("sort")
	}
	amount, _ := strconv.Atoi(values.Get("amount"))
	format := values.Get("format")
	switch {
	case amount > 100:
		values.Set("amount", "100")
	case path == suggestPath && amount > 20:
		values.Set("amount", "20")
	case path == ExportPath && (format == "json" || format == "spreadsheet"):
		drop("format")
	}
	return values
}
