package httpapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/loader"
)

// A value that is listed with a number of pubs finds that many, whatever its characters: in quotes, and without them if it
// has no comma and no quote. Pubs of the same value have it in any case, with any accents.
func TestListedValuesFindTheirPubs(t *testing.T) {
	parts := strings.Split("A a À B b - + # . ' £ ££ ★ 👍🏽 ❤️ 1 5 , \" / & ß Ω", " ")
	s, _ := withoutData(t, LogOff)
	rapid.Check(t, func(t *rapid.T) {
		directory := corpus.Directory{Extra: []schema.ExtraColumn{"facet:style"}}
		for i, value := range rapid.SliceOfN(rapid.Map(rapid.SliceOfN(rapid.SampledFrom(append(parts, " ")), 1, 4), func(of []string) string { return strings.Join(of, "") }), 1, 49).Draw(t, "values") {
			pub := schema.Pub{UID: fmt.Sprint(i), Name: "A", Latitude: nan, Longitude: nan, Ratings: schema.Rated(nil), Extra: []string{strings.TrimSpace(value)}}
			directory.Pubs = append(directory.Pubs, pub)
		}
		missing := slices.DeleteFunc(slices.Clone(directory.Pubs), func(pub schema.Pub) bool { return pub.Extra[0] != "" })
		x := newExchange("")
		x.service = s
		s.Arrange(Arrangement{Served: testkit.Must(index.InMemory(directory, index.BuildOptions{Workers: 1}))(t)})
		ask := func(query string) (answer struct {
			Total  int `json:"total_results"`
			Facets struct {
				Style []struct {
					Value string
					Count int
				}
			}
		}) {
			x.Request.Query = []byte("search=*&fields=UID&" + query)
			x.Handle(admitting(true))
			testkit.OK(t, json.Unmarshal(x.Response.Body, &answer))
			return answer
		}
		sum := len(missing)
		for _, listed := range ask("facets=style").Facets.Style {
			written := []string{`"` + strings.ReplaceAll(listed.Value, `"`, `""`) + `"`, listed.Value, strings.ToLower(listed.Value)}
			if strings.ContainsAny(listed.Value, `,"`) {
				written = written[:1]
			}
			for _, value := range written {
				got := ask("style=" + url.QueryEscape(value)).Total
				testkit.StopIf(t, got != listed.Count, "style=%s finds %d, listed with %d", value, got, listed.Count)
			}
			sum += listed.Count
		}
		testkit.StopIf(t, sum != len(directory.Pubs), "%d pubs have a listed value, or none: want %d", sum, len(directory.Pubs))
	})
}

// Limits of a column of declared type are taken whatever its values are, and those that are none are missing.
func TestDeclaredTypes(t *testing.T) {
	for values, want := range map[string]string{"n/a,4,3": "3", "n/a,,": ""} {
		content := "UID,name,price,year\n"
		for i, value := range strings.Split(values, ",") {
			content += fmt.Sprintf("%d,Lion,%s,19\n", i+1, value)
		}
		s, _ := serveFile(t, "pubs.csv", []byte(content), loader.Options{Extra: []schema.ExtraColumn{"facet:price:number", "facet:year:text"}})
		addr := listen(t, s)
		got := send(t, addr, get("search=*&fields=UID&facets=price&max_price=3.5")).body
		testkit.Equal(t, values, strings.TrimSpace(uidsIn(got)), want)
		testkit.FailIf(t, strings.Contains(got, "n/a"), "%s: got %s", values, got)
		testkit.Contains(t, "min_year", send(t, addr, get("search=*&min_year=1")).body, "year has texts in this snapshot")
	}
}

// Extra columns that are facets filter and count; those of numbers have limits and a spread.
func TestExtraFacets(t *testing.T) {
	const content = `UID,name,location,area,postcode,beer,review_count,style,price,note,huge
1,Lion,York,North Yorkshire,YO1 7EH,8,3,Victorian,3.5,a,1e308
2,Bell,York,North Yorkshire,YO17EH,6,2,victorian,4,b,1.1e308
3,Swan,Leeds,West Yorkshire,LS1 1AA,,0,"Art, Deco",-2,c,9e307
4,Crown,Leeds,,LS12,9,9,,,d,-1e308
`
	s, _ := serveFile(t, "pubs.csv", []byte(content), loader.Options{Extra: []schema.ExtraColumn{"facet:style", "note", "facet:price", "facet:huge"}})
	addr := listen(t, s)
	for _, c := range []struct{ query, want string }{
		{"style=VICTORIAN", "1 2"},
		{"style=Art,+Deco", "3"},
		{"style=victorian,art,+deco&min_price=3.6", "2"},
		{"min_price=-2&max_price=3.5", "1 3"},
		{"max_price=3.49999", "3"},
		{"min_price=5", ""},
		{"min_price=4&max_price=3", ""},
		{"area=west+yorkshire", "3"},
		{"postcode=yo1", "1 2"},
		{"postcode=LS1,LS12", "3 4"},
		{"max_beer=6", "2"},
		{"min_beer=6&max_beer=8&max_reviews=2", "2"},
		{"max_reviews=0", "3"},
		{"style=&min_price=+", "1 2 3 4"},
		{"note=a", "1 2 3 4"}, // no facet
	} {
		got := send(t, addr, get("search=*&fields=UID&"+c.query)).body
		found := strings.Fields(uidsIn(got))
		slices.Sort(found)
		testkit.Equal(t, c.query, strings.Join(found, " "), c.want)
	}
	for _, c := range []struct{ query, want string }{
		{"facets=style,price,area,total", `"facets":{"style":[{"value":"Victorian","count":2},{"value":"Art, Deco","count":1}],"price":[{"value":"-2","count":1},{"value":"3.5","count":1},{"value":"4","count":1}],` +
			`"area":[{"value":"North Yorkshire","count":2},{"value":"West Yorkshire","count":1}]},"facets_stats":{"price":{"min":-2,"max":4,"mean":1.8333333333333333},"total":{"min":6,"max":9,"mean":7.666666666666667}}}`},
		{"facets=huge&location=york", `"facets_stats":{"huge":{"min":1e+308,"max":1.1e+308,"mean":1.05e+308}}}`},
		{"facets=price&location=york", `"facets_stats":{"price":{"min":3.5,"max":4,"mean":3.75}}}`},
		{"facets=beer,review_count&location=leeds", `"facets_stats":{"beer":{"min":9,"max":9,"mean":9},"review_count":{"min":0,"max":9,"mean":4.5}}}`},
		{"facets=price&style=none", `"facets":{"price":[]},"facets_stats":{"price":{"min":null,"max":null,"mean":null}},"hint":"no pub has the style none: facets=style lists the values"}`},
		{"facet_search=style:de", `"facets":{"style":[{"value":"Art, Deco","count":1}]}}`},
	} {
		got := send(t, addr, get("search=*&fields=UID&"+c.query)).body
		testkit.FailIf(t, !strings.HasSuffix(got, c.want), "%s: got %s", c.query, got)
	}
	for query, want := range map[string]string{
		"min_price=cheap":                "Invalid parameter 'min_price': must be a number",
		"style=a&style=b":                "Duplicate parameter 'style'",
		"style=&style=b&note=&note=":     "Duplicate parameter 'style'",
		"price=1&price=&style=a&style=b": "Duplicate parameter 'price'",
		"facets=note":                    "Invalid parameter 'facets'",
		"min_style=1":                    "Invalid parameter 'min_style': needs a column of numbers, and style has texts in this snapshot",
		"max_beer=11":                    "Invalid parameter 'max_beer'",
		"max_reviews=1.5":                "Invalid parameter 'max_reviews'",
		"facet_search=total:1":           "Invalid parameter 'facet_search'",
		"snapshot=0&min_price=x":         "Snapshot no longer available",
		"snapshot=0&facets=old":          "Snapshot no longer available",
		"snapshot=0&old=a&strict=1":      "Snapshot no longer available",
	} {
		got := send(t, addr, get("search=*&"+query)).body
		testkit.FailIf(t, !strings.Contains(got, want), "%s: got %s, want %s", query, got, want)
	}
	ignored := send(t, addr, get("search=*&style=a&min_price=1&min_note=2")).header.Get("X-Ignored-Params")
	testkit.Equal(t, "ignored", ignored, "min_note")
	for _, path := range []string{"/api/v1/points?search=*&min_price=4", "/api/v1/export?style=victorian&max_price=3.5", "/api/v1/pubs?pubid=1&style=x"} {
		got := send(t, addr, request11("GET", path, "x-api-key: "+goodSecret))
		testkit.Equal(t, path, fmt.Sprint(got.status, got.header.Get("X-Ignored-Params")), "200")
	}
}
