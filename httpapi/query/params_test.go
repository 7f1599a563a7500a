package query

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index"
	"pubd/index/schema"
)

const (
	testUnpaged = 777
	malformed   = "Malformed query string"
	near        = "search=x&lat=1&lng=2&distance=3"
)

// describe returns the parsed parameters that differ from the defaults, or the message of an error.
func describe(a *Params, f fault.Fault) string {
	if f.IsSet() {
		message, _, _ := strings.Cut(strings.TrimPrefix(string(f.Append(nil)), `{"error":"`), `","code"`)
		return message
	}
	if a.Operation == params.Lookup {
		return fmt.Sprintf("lookup %q", a.Pubid)
	}
	q := &a.Query
	text := fmt.Sprintf("%v %q", a.Operation, q.Text)
	sort, amount := schema.SortName, params.DefaultAmount
	if a.Operation == params.Distance {
		text += fmt.Sprintf(" %v,%v,%v", a.Lat, a.Lng, a.Radius)
		sort, amount = schema.SortDistance, testUnpaged
	}
	for _, member := range []struct {
		shown bool
		text  string
	}{
		{q.All, "all"}, {a.HasPage, "paged"}, {q.Page != 1, fmt.Sprint("page=", q.Page)}, {q.Amount != amount, fmt.Sprint("amount=", q.Amount)},
		{q.Sort != sort, "sort=" + q.Sort.String()}, {q.Descending, "desc"}, {q.Rated, "rated"}, {q.Strict, "strict"},
		{q.Marker != nil, fmt.Sprintf("marker=%q", q.Marker)},
	} {
		if member.shown {
			text += " " + member.text
		}
	}
	return text
}

func twice(name string) string { return "Duplicate parameter '" + name + "'" }

// rejectedNear is rejected of sort in a query with a point.
func rejectedNear() string { return "Invalid parameter 'sort': " + params.SortRuleByDistance }

func rejected(name string) string {
	return "Invalid parameter '" + name + "': " + params.Table[params.ByName[name]].Rule
}

// queries returns testdata/queries.txt with errors in full.
func queries(t testing.TB) (list []testkit.Case) {
	for _, c := range testkit.Cases(t, "queries.txt") {
		if c.Want == "invalid sort near a point" {
			c.Want = rejectedNear()
		} else if name, invalid := strings.CutPrefix(c.Want, "invalid "); invalid {
			c.Want = rejected(name)
		}
		list = append(list, c)
	}
	return list
}

func TestParse(t *testing.T) {
	var used Params // as in service
	for _, c := range queries(t) {
		for _, a := range []*Params{&used, new(Params)} {
			testkit.Equal(t, "?"+c.Given, describe(a, a.Parse(params.Search, []byte(c.Given), nil, testUnpaged, nil)), c.Want)
		}
	}
	for p := range params.ParamCount {
		for _, second := range []string{"x", "", "+"} {
			query := fmt.Sprintf("%v=&x&%v=%s", p, p, second)
			testkit.Equal(t, "?"+query, describe(&used, used.Parse(params.Search, []byte(query), nil, testUnpaged, nil)), twice(p.String()))
		}
	}
}

// Every parameter has a row in the tables of the service, and a parser.
func TestParametersAreComplete(t *testing.T) {
	for p, row := range params.Table {
		testkit.StopIf(t, parsers[p] == nil || params.ByName[row.Name] != params.Param(p) || !slices.ContainsFunc([]params.Operation{params.Lookup, params.Search, params.Export}, row.Has) || row.Doc == "" || row.Example == "", "parameter %d %q: needs a row in httpapi/params/table.go and, unless it filters by a facet, one in parsers.go", p, row.Name)
	}
}

// exampleOf returns a query string with the example of a parameter, and those that it needs.
func exampleOf(row params.Parameter) string {
	query := row.Name + "=" + url.QueryEscape(row.Example)
	switch row.Name {
	case "lat", "lng", "distance":
		return "lat=1&lng=2&distance=3"
	case "around":
		return query + "&distance=3"
	case "format":
		return "format=csv"
	case "open_unknown":
		return query + "&open=now"
	}
	return query
}

// An export without a filter is one of all pubs, whatever else is given; every filter ends that.
func TestExportOfEverything(t *testing.T) {
	var p Params
	for _, row := range params.Table {
		query := exampleOf(row)
		f := p.Parse(params.Export, []byte(query), nil, testUnpaged, nil)
		testkit.Equal(t, "?"+query, describe(&p, f), describe(&p, fault.Fault{}))
		p.FoldValues(new(Folded))
		q := p.Query
		filters := len(q.Text) > 0 || q.Rated || q.Circle != nil || q.Open || !reflect.DeepEqual(q.Filter, index.Filter{}) ||
			row.Name == "marker" // which has no effect without a circle, but is meant as a filter
		testkit.Equal(t, "?"+query+": everything", p.Everything, !filters)
		testkit.Equal(t, "?"+query+": work", p.Work, filters)
	}
}

// These parameters, and the limits of numbers, make a search more than the work of a page.
func TestWork(t *testing.T) {
	const want = "trading category location bbox exclude near around include fields facets format facet_search features open open_unknown area postcode"
	var p Params
	var got []string
	for _, row := range params.Table {
		query := "search=x&" + exampleOf(row)
		if f := p.Parse(params.Search, []byte(query), nil, params.DefaultAmount, nil); f.IsSet() {
			continue // such as pubids, which is no search
		}
		isLimit := strings.HasPrefix(row.Name, params.Least) || strings.HasPrefix(row.Name, params.Most)
		if p.Work && !isLimit {
			got = append(got, row.Name)
		}
		testkit.FailIf(t, p.Operation != params.Lookup && isLimit != (p.Work && !slices.Contains(strings.Fields(want), row.Name)), "?%s: work %v, want lists in TestWork what takes more than a page", query, p.Work)
	}
	testkit.Equal(t, "work", strings.Join(got, " "), want)
}

// What a pub of the response has follows from include, fields, sort and the point.
func TestMembers(t *testing.T) {
	const columns, more = schema.PreparedColumns, schema.ColumnFeatures - schema.PreparedColumns
	var p Params
	for query, want := range map[string]string{
		"":                              fmt.Sprint(columns, " members, plain, whole"),
		"&near=1,2":                     fmt.Sprint(columns+1, " members, plain, whole"),
		"&format=csv":                   fmt.Sprint(columns, " members, whole"),
		"&fields=name":                  "1 members",
		"&fields=name&near=1,2":         "1 members",
		"&fields=name,postcode":         "2 members, detailed",
		"&include=address":              fmt.Sprint(columns+more, " members, whole, detailed"),
		"&include=extra&fields=UID":     "2 members, detailed",
		"&include=label&sort=fair":      fmt.Sprint(columns+3, " members, whole"),
		"&sort=weighted&weights=beer:1": fmt.Sprint(columns+1, " members, whole"),
	} {
		if f := p.Parse(params.Search, []byte("search=x"+query), nil, testUnpaged, nil); f.IsSet() {
			t.Fatalf("%s: %s", query, f.Append(nil))
		}
		got := fmt.Sprintf("%d members", len(p.Members))
		for _, shape := range []struct {
			is   bool
			name string
		}{{p.Plain, "plain"}, {p.Whole, "whole"}, {p.Detailed, "detailed"}} {
			if shape.is {
				got += ", " + shape.name
			}
		}
		testkit.Equal(t, "?search=x"+query, got, want)
	}
}

// Logs and metrics have the operation of an error, unless it is rejected before that is known.
func TestOperationOfErrors(t *testing.T) {
	var p Params
	for query, want := range map[string]params.Operation{"search=%zz": params.None, "search=x&y=1&strict=1": params.None, "page=1": params.None, "search=x&page=1&page=2": params.None,
		"pubids=x&page=1&page=2": params.None, "pubid=x&pubid=y": params.Lookup, "pubid=x&format=y": params.Lookup, "search=x&lat=1": params.Distance, "search=x&sort=random": params.Search} {
		f := p.Parse(params.Search, []byte(query), nil, testUnpaged, nil)
		testkit.FailIf(t, !f.IsSet(), "?%s: is no error", query)
		testkit.Equal(t, "?"+query, p.Operation, want)
	}
	for _, resource := range []params.Operation{params.Suggest, params.Stats, params.Points, params.Export} {
		p.Parse(resource, []byte("search=%zz"), nil, testUnpaged, nil)
		testkit.Equal(t, resource.String(), p.Operation, resource)
	}
}

// An export has formats of its own.
func TestFormatOfExport(t *testing.T) {
	var p Params
	for query, want := range map[string]string{"strict=x&format=x": "format", "format=json": "format", "format=spreadsheet": "format", "format=csv": ""} {
		testkit.Equal(t, "?"+query, p.Parse(params.Export, []byte(query), nil, testUnpaged, nil).Parameter, want)
	}
}

// A parameter is ignored, and named, where it has no effect: by resource, so that a lookup names none of a search.
func TestIgnored(t *testing.T) {
	var p Params
	for resource, ignores := range map[params.Operation]string{params.Search: "after", params.Suggest: "sort", params.Stats: "search", params.Points: "format", params.Export: "pubid"} {
		var named []string
		for _, row := range params.Table {
			p.Parse(resource, []byte(row.Name+"="+url.QueryEscape(row.Example)+"&search=x"), nil, testUnpaged, nil)
			ignored := slices.Contains(strings.Split(string(p.AppendIgnored(nil)), ", "), row.Name)
			testkit.Equal(t, fmt.Sprint(resource, ": ", row.Name, " is ignored"), ignored, !row.TakenBy(resource))
			if ignored {
				named = append(named, row.Name)
			}
		}
		testkit.FailIf(t, !slices.Contains(named, ignores), "%v: %s is not ignored", resource, ignores)
	}
}

// reference parses a query string with net/url. Unlike url.ParseQuery, it treats a semicolon as any other character,
// rejects invalid UTF-8, and returns the first repeated parameter.
func reference(raw string) (values map[string]string, repeated string, unknown []string, ok bool) {
	values = map[string]string{}
	for pair := range strings.SplitSeq(raw, "&") {
		left, right, _ := strings.Cut(pair, "=")
		name, err1 := url.QueryUnescape(left)
		value, err2 := url.QueryUnescape(right)
		if err1 != nil || err2 != nil || !utf8.ValidString(name) || !utf8.ValidString(value) {
			return nil, "", nil, false
		}
		_, known := params.ByName[name]
		_, given := values[name]
		switch {
		case !known:
			unknown = append(unknown, name)
		case given && repeated == "":
			repeated = name
		case !given:
			values[name] = value
		}
	}
	return values, repeated, slices.DeleteFunc(unknown, func(name string) bool { return name == "" }), true
}

func TestQueryStringAgreesWithReference(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"pubid", "search", "page", "amount", "lat", "marker", "relax", "Search", "x", "=", "=", "&", "&", "+", "%20", "%26", "%3D",
			"%2B", "%2", "%", "%zz", "%C3%A9", "%C3", "é", "\xc3", "%00", ";", "#", "?", "%E2%80%83", "\u00a0", "\t", "1"}),
		rapid.StringN(0, 3, 6))
	var q queryString // reused, as in service
	agree := func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(t, "pieces"), "")
		wanted, repeated, unknown, wantOK := reference(raw)
		ok := q.read([]byte(raw))
		testkit.StopIf(t, ok != wantOK, "?%q: ok %v, want %v", raw, ok, wantOK)
		if !ok {
			return
		}
		for p := range params.ParamCount {
			value, given := wanted[p.String()]
			testkit.StopIf(t, q.given.Has(p) != given || q.has(p) != (strings.TrimSpace(value) != "") || q.has(p) && string(q.values[p]) != value,
				"?%q: %v is %q, given %v, want %q, %v", raw, p, q.values[p], q.given.Has(p), value, given)
		}
		testkit.StopIf(t, len(q.repeated) > 0 != (repeated != "") || repeated != "" && q.repeated[0].String() != repeated,
			"?%q: repeated %v, want %q", raw, q.repeated, repeated)
		slices.Sort(unknown)
		unknown = slices.Compact(unknown)
		for i := range unknown {
			unknown[i] = strings.ReplaceAll(url.QueryEscape(unknown[i]), "+", "%20")
		}
		got, want := string((&Params{values: &q}).AppendIgnored(nil)), strings.Join(unknown, ", ")
		testkit.StopIf(t, got != want, "?%q: ignored %q, want %q", raw, got, want)
	}
	for range 50 { // each checks 100 query strings
		rapid.Check(t, agree)
	}
}
