package bench

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pubd/index"
)

// An Expensive is a request with what it costs.
type Expensive struct {
	Path, Query string
	CPU         time.Duration
}

// A Climber looks for the most expensive requests by hill climbing over all parameters together.
type Climber struct {
	*Mix
	words []string // of the directory, the most common first
}

// NewClimber makes a climber that asks about some pubs, as [NewMix] does.
func NewClimber(pubs []index.Pub, seed uint64) *Climber {
	counts := map[string]int{}
	var folded []byte
	for i := range pubs {
		folded = index.AppendFolded(folded[:0], []byte(pubs[i].Name+" "+pubs[i].Location))
		for word := range strings.FieldsSeq(string(folded)) {
			counts[word]++
		}
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	return &Climber{NewMix(pubs, seed), words}
}

// Climb changes expensive requests into more expensive ones while more is true, and returns the most expensive of each kind, the
// most expensive first. cost is the CPU time of a request, 0 if it is rejected.
func (c *Climber) Climb(cost func(path, query string) time.Duration, more func() bool) []Expensive {
	type climbed struct {
		values url.Values
		Expensive
	}
	records := map[string]climbed{}
	var pool []climbed
	try := func(values url.Values) {
		path := Pubs
		if values.Has("suggest") {
			path, values = "/api/v1/suggest", url.Values{"search": {values.Get("search")}}
		}
		query := values.Encode()
		took := cost(path, query)
		if kind := kindOf(path, values); took > records[kind].CPU {
			records[kind] = climbed{values, Expensive{path, query, took}}
			pool = slices.SortedFunc(maps.Values(records), func(a, b climbed) int { return cmp.Compare(b.CPU, a.CPU) })
		}
	}
	for _, query := range KnownExpensive {
		values, err := url.ParseQuery(query)
		if err != nil {
			panic(err)
		}
		try(values)
	}
	for more() {
		if c.rng.IntN(20) == 0 || len(pool) == 0 {
			try(c.changed(url.Values{"search": {"*"}}, 12))
			continue
		}
		near := min(len(pool)-1, int(10*c.rng.ExpFloat64()))
		try(c.changed(pool[near].values, 1+c.rng.IntN(3)))
	}
	found := make([]Expensive, len(pool))
	for i := range pool {
		found[i] = pool[i].Expensive
	}
	return found
}

// KnownExpensive are where climbing starts: requests that cost much in some version, or that look as if they could.
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
	"search=red+lion+inn+arms+xyzzyxyzzy&lat=52&lng=-1&distance=400&bbox=-5,50,1,56&min_reviews=1&include=match,label,rankings,local_rankings&format=csv",
}

// kindOf returns the kind within which requests are compared, so that the most expensive ones do not differ in details only.
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

// searchedWord returns one that many pubs have, or that is near or in many of theirs.
func (c *Climber) searchedWord() string {
	word := c.words[c.rng.IntN(min(len(c.words), 40))]
	at := c.rng.IntN(len(word))
	switch c.rng.IntN(8) {
	case 0:
		return word[at:]
	case 1:
		return word[:at] + word[at:at+1] + word[at:]
	case 2:
		return c.words[c.rng.IntN(len(c.words))]
	case 3:
		return c.words[c.rng.IntN(len(c.words))] + word[:at]
	case 4:
		return c.pick("*", "&", "\ufdfa", strings.Repeat("s", 200), "a", "ing")
	}
	return word
}

func (c *Climber) pick(from ...string) string { return from[c.rng.IntN(len(from))] }

// list returns some of what one draws, separated by commas.
func (c *Climber) list(most int, one func() string) string {
	items := make([]string, 1+c.rng.IntN(most))
	for i := range items {
		items[i] = one()
	}
	return strings.Join(items, ",")
}

// subset returns some of the names, separated by commas.
func (c *Climber) subset(names ...string) string {
	c.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return strings.Join(names[:1+c.rng.IntN(len(names))], ",")
}

// kilometres returns a radius, from a street to more than the Earth.
func (c *Climber) kilometres() string {
	return c.pick("0", "1", "20", "100", "200", "300", "400", "500", "700", "1000", "2000", "5000", "20000", "1e300")
}

// aBox is around everything, halves of it, or between any two pubs.
func (c *Climber) aBox() string {
	if c.rng.IntN(3) > 0 {
		return c.pick("-180,-90,180,90", "-179,-89,179,89", "-3,-90,180,90", "-180,-90,-1,90", "-180,52,180,90", "-180,-90,180,54", "-1,-90,-2,90",
			"179,-90,0,90", "-6,50,1,55", "-10,49,2,61")
	}
	a, b := c.located[c.rng.IntN(len(c.located))], c.located[c.rng.IntN(len(c.located))]
	return fmt.Sprintf("%v,%v,%v,%v", a.Longitude, min(a.Latitude, b.Latitude), b.Longitude, max(a.Latitude, b.Latitude))
}

// changed returns a request with some parameters changed, added or left out.
func (c *Climber) changed(values url.Values, changes int) url.Values {
	values = maps.Clone(values)
	for range changes {
		name := climbed[c.rng.IntN(len(climbed))]
		if name != "search" && c.rng.IntN(4) == 0 {
			delete(values, name)
			continue
		}
		if name != "near" && name != "around" && name != "circle" {
			values.Set(name, c.value(name, values.Get(name)))
			continue
		}
		for _, other := range []string{"lat", "lng", "distance", "near", "around"} { // a request has one centre
			delete(values, other)
		}
		at := c.circle(1)
		switch name {
		case "circle":
			at.Set("distance", c.kilometres())
			delete(at, "search")
			maps.Copy(values, at)
		case "near":
			values.Set("near", at.Get("lat")+","+at.Get("lng"))
		case "around":
			values.Set("around", c.located[c.rng.IntN(len(c.located))].UID)
			values.Set("distance", c.kilometres())
		}
	}
	if values.Has("pubids") {
		delete(values, "search")
	} else if !values.Has("search") {
		values.Set("search", "*")
	}
	switch sort := values.Get("sort"); {
	case sort == "weighted" && !values.Has("weights"):
		values.Set("weights", c.value("weights", ""))
	case sort == "random" && !values.Has("seed"):
		values.Set("seed", "1")
	case sort == "distance" && !values.Has("near") && !values.Has("distance"):
		delete(values, "sort")
	}
	return values
}

// climbed are the parameters that are changed, those that matter most several times; circle stands for lat, lng and distance.
var climbed = strings.Fields("search search search search search page page amount sort sort sort order rated circle circle distance distance near around marker relax " +
	"trading category location min_beer min_toilets min_total min_reviews bbox bbox exclude weights include include include fields facets facets format format pubids suggest")

// choices are what the value of a parameter is drawn from where nothing about the directory matters.
var choices = map[string][]string{
	"amount": {"1", "20", "100", "100"}, "order": {"desc"}, "rated": {"true"}, "relax": {"false"}, "min_reviews": {"0", "1", "2", "5", "20"},
	"sort": strings.Fields("name location review_count beer toilets total fair distance distance relevance relevance weighted weighted random"), "format": {"json", "geojson", "csv", "ndjson"},
}

// subsets are those of which a parameter has some.
var subsets = map[string][]string{
	"weights": {"beer:1", "atmos:2", "fengshui:3", "service:5", "toilets:7", "total:100"}, "include": {"rankings", "local_rankings", "match", "label"},
	"fields": strings.Fields("UID name location trading latitude longitude beer total review_count distance"), "facets": {"location", "trading", "common_category"},
}

// value draws the value of a parameter.
func (c *Climber) value(name, old string) string {
	if from := choices[name]; from != nil {
		return c.pick(from...)
	}
	if from := subsets[name]; from != nil {
		return c.subset(slices.Clone(from)...)
	}
	switch name {
	case "search":
		return c.text(old)
	case "page":
		return c.pick("1", "2", "7", "10", "100", "500", "5000", strconv.Itoa(1+c.rng.IntN(len(c.pubs)/20+1)))
	case "distance":
		return c.kilometres()
	case "marker":
		return c.pub().Name
	case "trading":
		return c.list(3, func() string { return c.pub().Trading })
	case "category":
		return c.list(5, func() string { return c.pub().Category })
	case "location":
		for {
			if list := c.list(200, func() string { return c.pub().Location }); len(list) < 2000 {
				return list
			}
		}
	case "min_beer", "min_toilets", "min_total":
		return strconv.Itoa(c.rng.IntN(11))
	case "bbox":
		return c.aBox()
	case "exclude", "pubids":
		return c.list(100, func() string { return c.pub().UID })
	}
	return ""
}

// text changes words to search for.
func (c *Climber) text(old string) string {
	words := strings.Fields(old)
	if len(words) == 0 || old == "*" && c.rng.IntN(2) == 0 {
		words = []string{c.searchedWord()}
	}
	for again := true; again; again = c.rng.IntN(3) == 0 {
		at := c.rng.IntN(len(words))
		switch c.rng.IntN(7) {
		case 0:
			words = slices.Delete(words, at, min(at+1, len(words)-1))
		case 1:
			words = append(words, words...)
		case 2, 3:
			words = slices.Insert(words, at, c.searchedWord())
		case 4:
			words = []string{"*"}
		default:
			words[at] = c.searchedWord()
		}
	}
	for len([]rune(strings.Join(words, " "))) > 200 && len(words) > 1 {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}
