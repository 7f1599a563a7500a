package bench

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pubd/httpapi/params"
)

// Extensions are the classes of parameters beyond the basic API, each parameter on its own: those that are drawn from
// the directory, then the others with the value of their example.
var Extensions = withExamples([]Class{
	{Name: "pubids", draw: (*Mix).pubids},
	{Name: "trading", draw: with("trading", func(m *Mix) string { return m.pub().Trading })},
	{Name: "category", draw: with("category", func(m *Mix) string { return m.pub().Category })},
	{Name: "location", draw: with("location", func(m *Mix) string { return m.pub().Location })},
	{Name: "min_total", draw: with("min_total", func(m *Mix) string { return strconv.Itoa(m.rng.IntN(10)) })},
	{Name: "min_reviews", draw: with("min_reviews", func(m *Mix) string { return strconv.Itoa(1 + m.rng.IntN(50)) })},
	{Name: "bbox", draw: with("bbox", (*Mix).box)},
	{Name: "exclude", draw: with("exclude", func(m *Mix) string { return m.pub().UID })},
	{Name: "near", draw: (*Mix).nearest},
	{Name: "around", draw: (*Mix).aroundPub},
	{Name: "sort=fair", draw: sortedBy("fair")},
	{Name: "sort=weighted", draw: sortedBy("weighted")},
	{Name: "sort=random", draw: sortedBy("random")},
	{Name: "include", draw: with("include", func(*Mix) string { return "rankings,label" })},
	{Name: "fields", draw: with("fields", func(*Mix) string { return "UID,name,location,latitude,longitude" })},
	{Name: "format=geojson", draw: with("format", func(*Mix) string { return "geojson" })},
	{Name: "format=csv", draw: with("format", func(*Mix) string { return "csv" })},
	{Name: "suggest", Reach: 0.8, draw: (*Mix).prefix, path: suggestPath},
	{Name: "stats", draw: func(*Mix) url.Values { return query() }, path: statsPath},
})

// withExamples adds a class for each costly parameter of a search that has none.
func withExamples(classes []Class) []Class {
	for _, p := range params.Table {
		named := slices.ContainsFunc(slices.Concat(classes, Classes), func(c Class) bool { return c.Name == p.Name || strings.HasPrefix(c.Name, p.Name+"=") })
		if p.Costly && p.Has(params.Search) && !named {
			classes = append(classes, Class{Name: p.Name, draw: with(p.Name, func(*Mix) string { return p.Example })})
		}
	}
	return classes
}

// searched returns a search for all pubs or, half of the time, for those with a word.
func (m *Mix) searched() url.Values {
	if m.rng.IntN(2) == 0 {
		return query("search", "*")
	}
	return query("search", m.word())
}

// with adds a parameter to a search.
func with(name string, value func(*Mix) string) func(*Mix) url.Values {
	return func(m *Mix) url.Values { return set(m.searched(), name, value(m)) }
}

func sortedBy(key string) func(*Mix) url.Values {
	return func(m *Mix) url.Values {
		q := set(m.searched(), "sort", key, "order", "desc", "page", m.upTo(3))
		switch key {
		case "weighted":
			q.Set("weights", "beer:"+m.upTo(5)+",atmos:"+m.upTo(5)+",toilets:"+m.upTo(5))
		case "random":
			q.Set("seed", m.upTo(1000))
		}
		return q
	}
}

func (m *Mix) pubids() url.Values {
	uids := make([]string, 20)
	for i := range uids {
		uids[i] = m.pub().UID
	}
	return query("pubids", strings.Join(uids, ","))
}

// box returns a box a few kilometres wide.
func (m *Mix) box() string {
	pub := m.located[m.rng.IntN(len(m.located))]
	return fmt.Sprintf("%.4f,%.4f,%.4f,%.4f", pub.Longitude-0.1, pub.Latitude-0.05, pub.Longitude+0.1, pub.Latitude+0.05)
}

func (m *Mix) nearest() url.Values { return m.near(query("search", "*", "sort", "distance")) }

func (m *Mix) aroundPub() url.Values {
	return query("search", "*", "around", m.located[m.rng.IntN(len(m.located))].UID, "distance", "20", "amount", "20")
}
