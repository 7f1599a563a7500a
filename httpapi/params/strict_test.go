package params

import (
	"pubd/bench/testkit"
	"strings"
	"testing"
)

// For a parameter name with one letter wrong, missing or added, the error suggests that parameter, or one at the same
// distance.
func TestNearest(t *testing.T) {
	for parameter := range parameterCount {
		if parameter == paramAfter {
			continue
		}
		name := parameter.String()
		for _, misspelt := range []string{name[:len(name)-1], name + "s", "x" + name, name[:1] + "x" + name[2:], strings.ToUpper(name)} {
			testkit.FailIf(t, nearest(misspelt, Search) == "", "%s: got nothing, want %s", misspelt, name)
		}
		testkit.Equal(t, name, nearest(name, Search), name)
	}
	for _, far := range []string{"", "x", "callback", "after", strings.Repeat("search", 100)} {
		testkit.Equal(t, far, nearest(far, Search), "")
	}
}

// A hint names what ignored parameters mean: what other APIs call a parameter, and its name in another style. It has at
// most eight, and is in ASCII.
func TestHint(t *testing.T) {
	var p Params
	for _, c := range []struct {
		resource    Operation
		query, want string
	}{
		{Search, "search=x&limit=5&offset=10", "limit (amount?), offset (page?)"},
		{Search, "search=x&Amount=5&minBeer=8&page%5Bsize%5D=5&per-page=3", "Amount (amount?), minBeer (min_beer?), page%5Bsize%5D (amount?), per-page (amount?)"},
		{Search, "search=x&lat=1&lng=2&distance=3&radius=5&radius=6", "radius (distance?)"},
		{Search, "pubid=u01&limit=5&select=name", "select (fields?)"},
		{Search, "search=x&amuont=5&utm_source=x&_=1&q1=x&%C3%A9=1&=x", ""},
		{Suggest, "search=x&q=y&limit=5&offset=10", "limit (amount?), q (search?)"},
		{Search, "search=x&a=1&b=1&count=1&dir=1&id=1&ids=1&kind=1&limit=1&lon=1&not=1&offset=1&q=1&size=1",
			"count (amount?), dir (order?), id (pubid?), ids (pubids?), kind (category?), limit (amount?), lon (lng?), not (exclude?)"},
		{Search, "search=x&" + strings.Repeat("l", 200) + "=1&" + strings.Repeat("-", 33) + "limit=1", ""},
	} {
		f := p.Parse(c.resource, []byte(c.query), nil, testUnpaged)
		testkit.Equal(t, "?"+c.query, f.IsSet(), false)
		p.AppendIgnored(nil)
		testkit.Equal(t, "?"+c.query, string(p.AppendHint(nil)), c.want)
	}
}

// An alias means one parameter, and is none itself.
func TestAliases(t *testing.T) {
	count := 0
	for p, row := range Table {
		for _, alias := range row.Aliases {
			count++
			testkit.Equal(t, row.Name+": "+alias, byAlias[alias], parameter(p))
			_, known := byName[alias]
			testkit.FailIf(t, known || strings.Trim(alias, "abcdefghijklmnopqrstuvwxyz") != "" || len(alias) > longestAlias, "%s: alias %q", row.Name, alias)
		}
	}
	testkit.Equal(t, "names", len(byAlias), count+int(parameterCount))
}
