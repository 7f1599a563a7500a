package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/data"
	"pubd/index"
	"pubd/index/text"
	"pubd/loader"
)

// facet_search gives the same counts as counting all values and selecting those with a word that begins with the text.
func TestFacetSearch(t *testing.T) {
	s, directory := serveFile(t, "sample.csv", data.Sample(), loader.Options{})
	type count struct {
		Value string
		Count int
	}
	folded := func(written string) string { return string(text.AppendFolded(nil, []byte(written))) }
	for _, c := range []struct{ filter, text string }{
		{"search=*", "b"}, {"search=*", "so"}, {"search=*", "Ox"}, {"search=*", "WEST P"}, {"search=*", "ham"}, {"search=*", "zzz"}, {"search=*", "!!!"},
		{"search=*&trading=open", "b"}, {"search=*&trading=closed", "b"}, {"search=arms", "s"}, {"search=arms", "ton"}, {"search=*", "st "},
	} {
		counts := map[string]int{}
		for i := range directory.Pubs {
			pub := &directory.Pubs[i]
			if _, trading, filtered := strings.Cut(c.filter, "trading="); filtered && pub.Trading != trading {
				continue
			}
			if c.filter == "search=arms" && !strings.Contains(" "+folded(pub.Name), " arms") && !strings.Contains(folded(pub.Location), "arms") {
				continue
			}
			if text := folded(c.text); text != "" && strings.Contains(" "+folded(pub.Location), " "+text) && pub.Location != "" {
				counts[pub.Location]++
			}
		}
		var want []count
		for value, n := range counts {
			want = append(want, count{value, n})
		}
		slices.SortFunc(want, func(a, b count) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(folded(a.Value), folded(b.Value)))
		})
		want = want[:min(len(want), index.MaxCounts)]
		var got struct{ Facets struct{ Location []count } }
		answer := body(s, c.filter+"&amount=1&facet_search=location:"+strings.ReplaceAll(c.text, " ", "+"))
		testkit.OK(t, json.Unmarshal([]byte(answer), &got))
		testkit.Equal(t, "?"+c.filter+" "+c.text, slices.Concat(got.Facets.Location), want)
	}
	for _, wrong := range []string{"location", "location:", "location:+", "name:ox", "location,trading:ox", ":ox", "location:" + strings.Repeat("a", 201)} {
		got := body(s, "search=*&facet_search="+wrong)
		testkit.FailIf(t, !strings.Contains(got, "and the beginning of a word"), "%s: got %s", wrong, got)
	}
	for _, parameter := range []string{"facets=%s", "facet_search=%s:pub"} {
		query := "search=*&amount=1&" + parameter
		testkit.Equal(t, query, body(s, fmt.Sprintf(query, "category")), body(s, fmt.Sprintf(query, "common_category")))
	}
	both := body(s, "search=*&amount=1&fields=UID&facets=trading,location&facet_search=location:soho")
	testkit.FailIf(t, !strings.Contains(both, `"trading":[{"value":"open"`) || !strings.Contains(both, `"location":[{"value":"Soho","count":`), "with facets: got %s", both)
}
