package query

import (
	"regexp"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/fault"
	"pubd/httpapi/params"
)

// For a parameter name with one letter wrong, missing or added, the error suggests that parameter, or one at the same
// distance.
func TestNearest(t *testing.T) {
	for parameter := range params.ParamCount {
		if parameter == params.ParamAfter {
			continue
		}
		name := parameter.String()
		for _, misspelt := range []string{name[:len(name)-1], name + "s", "x" + name, name[:1] + "x" + name[2:], strings.ToUpper(name)} {
			testkit.FailIf(t, nearest(misspelt, params.Search) == "", "%s: got nothing, want %s", misspelt, name)
		}
		testkit.Equal(t, name, nearest(name, params.Search), name)
	}
	for _, far := range []string{"", "x", "callback", "after", strings.Repeat("search", 100)} {
		testkit.Equal(t, far, nearest(far, params.Search), "")
	}
}

// Each wrong request of somebody's first hour says what to write.
func TestHint(t *testing.T) {
	var p Params
	for _, c := range []struct {
		resource    params.Operation
		query, want string
	}{
		{params.Search, "", ""},
		{params.Search, "q=red+lion", "write search=red%20lion instead of q"},
		{params.Search, "query=x&limit=5", "write search=x instead of query"},
		{params.Search, "id=u01", "write pubid=u01 instead of id"},
		{params.Search, "ids=u01,u02", "write pubids=u01,u02 instead of ids"},
		{params.Search, "lat=51&lng=0&distance=3", "add search=*, which stands for all pubs"},
		{params.Search, "near=51,0", "add search=*, which stands for all pubs"},
		{params.Suggest, "q=red", "write search=red instead of q"},
		{params.Search, "search=*&lat=51&lon=0&distance=3", "write lng=0 instead of lon"},
		{params.Search, "search=*&lat=51&lng=0&radius=3", "write distance=3 instead of radius"},
		{params.Search, "search=*&lat=51&lng=0", "add distance=5, in kilometres, or write near=LAT,LNG for the nearest pubs however far"},
		{params.Search, "search=*&trading=open&trading=closed", "separate values by commas: trading=A,B"},
		{params.Search, "search=*&style=a&style=b", "separate values by commas: style=A,B"},
		{params.Search, "search=*&facets=location&facets=area", "separate values by commas: facets=A,B"},
		{params.Search, "search=*&page=1&page=2", ""}, // the error says it
		{params.Search, "search=*&min_price=1&min_price=2", ""},
		{params.Search, "search=*&bbox=51,-1,52,0", ""}, // may be right
		{params.Search, "search=*&bbox=-1,52,0,51", "write bbox=-1,51,0,52: the south comes first"},
		{params.Search, "search=*&bbox=51.5,-120,51.6,-119", "write bbox=-120,51.5,-119,51.6: longitudes come first"},
		{params.Search, "search=*&sort=-total", "write sort=total&order=asc, or order=desc"},
		{params.Search, "search=*&sort=name:desc", "write sort=name&order=asc, or order=desc"},
		{params.Search, "search=*&sort=beers", "write sort=beer"},
		{params.Search, "search=*&order=descending", ""}, // the rule says it
		{params.Search, "search=*&include=ranking", "write include=rankings"},
		{params.Search, "search=*&fields=name,latitud", "write fields=latitude"},
		{params.Search, "search=*&facets=locaton", "write facets=location"},
		{params.Search, "search=*&facets=area,prise", "write facets=price"},
		{params.Search, "search=*&format=jsn", "write format=json"},
		{params.Search, "search=*&min_beer=7,5", "write min_beer=7.5: decimals follow a point"},
		{params.Search, "search=*&min_price=cheap", ""},
		{params.Search, "search=*&min_beer=51,5", ""}, // is none either
		{params.Search, "search=*&bbox=52,0,51,1", ""},
		{params.Search, "search=*&sort=distance:asc", ""},
		{params.Search, "search=*&lat=51&lon=251&distance=3", "write lng instead of lon: it must be a number from -180 to 180"},
		{params.Search, "search=*&open=20:00", "write open=2026-11-28T20:00 with a date"},
		{params.Search, "search=*&open=8pm", ""},
		{params.Search, "search=*&lat=51,5&lng=0&distance=1", "write lat=51.5: decimals follow a point"},
		{params.Search, "search=*&amount=1000", ""},
		{params.Search, "search=" + strings.Repeat("x", 300), ""},
	} {
		f := p.Parse(c.resource, []byte(c.query), nil, testUnpaged, testColumns{})
		testkit.Equal(t, "?"+c.query, f.Hint, c.want)
		if written := regexp.MustCompile(`^write ((\w+)=.*?)(:? .*|&.*)?$`).FindStringSubmatch(c.want); written != nil && written[2] != "pubids" {
			f = p.Parse(c.resource, []byte("search=*&"+written[1]), nil, testUnpaged, testColumns{})
			testkit.FailIf(t, f.Row == fault.InvalidParameter, "?%s: %s is refused: it %s", c.query, written[0], f.Rule)
		}
	}
	for query, want := range map[string]string{"facets=town": "review_count, style, price, separated", "facet_search=town:x": "features, style or price and"} {
		rule := p.Parse(params.Search, []byte("search=*&"+query), nil, testUnpaged, testColumns{}).Rule
		testkit.FailIf(t, !strings.Contains(rule, want), "?%s: %s, want %s", query, rule, want)
	}
	for _, query := range []string{"search=*&limit=5", "search=*&style=a&min_price=1&max_price=2.5", "pubid=u01&style=a"} {
		testkit.Equal(t, query, p.Parse(params.Search, []byte(query), nil, testUnpaged, testColumns{}), fault.Fault{})
	}
}

// A column that is a parameter hides no other.
func TestCheckColumn(t *testing.T) {
	for _, name := range []string{"style", "Style", "price.x", "max", strings.Repeat("a", 64)} {
		testkit.OK(t, CheckColumn(name))
	}
	for _, name := range []string{"", "1st", "a b", "a\n", strings.Repeat("a", 65), "search", "beer", "min_price", "max_price"} {
		testkit.FailIf(t, CheckColumn(name) == nil, "%q can be a parameter", name)
	}
}

type testColumns struct{}

func (testColumns) Of([]byte) ([]Column, fault.Fault) {
	return []Column{{Name: "style"}, {Name: "price", IsNumber: true}}, fault.Fault{}
}

// An alias means one parameter, and is none itself.
func TestAliases(t *testing.T) {
	count := 0
	for p, row := range params.Table {
		for _, alias := range row.Aliases {
			count++
			testkit.Equal(t, row.Name+": "+alias, params.ByAlias[alias], params.Param(p))
			_, known := params.ByName[alias]
			testkit.FailIf(t, known || strings.Trim(alias, "abcdefghijklmnopqrstuvwxyz") != "" || len(alias) > longestAlias, "%s: alias %q", row.Name, alias)
		}
	}
	testkit.Equal(t, "names", len(params.ByAlias), count+int(params.ParamCount))
}
