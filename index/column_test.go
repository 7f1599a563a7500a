package index

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// The names are those of requests, answers, snapshot files and sections of index files: whoever reads them knows them.
// Files with other columns or sections have another version of the format.
func TestNames(t *testing.T) {
	s := inMemory(t, corpus.Directory{Pubs: []schema.Pub{{UID: "a", Name: "A", Latitude: math.NaN(), Longitude: math.NaN()}}})
	content := fmt.Sprintf("format %d\n", FormatVersion()) +
		listed("columns", schema.ColumnCount, func(i int) string { return schema.Columns[i].Name }) +
		listed("sections", len(s.Sections()), func(i int) string { return s.Sections()[i].Name })
	others := listed("metrics", schema.MetricCount, func(i int) string { return schema.Metric(i).String() }) +
		listed("facets", int(schema.ExtraFacet), func(i int) string { return schema.Facet(i).String() }) +
		listed("sort keys", int(schema.SortCount), func(i int) string { return schema.Sort(i).String() })
	const file = "testdata/names.txt"
	want := string(testkit.Read(t, file))
	version, _, _ := strings.Cut(content, "\n")
	testkit.StopIf(t, strings.HasPrefix(want, version+"\n") && !strings.HasPrefix(want, content),
		"index files have other columns or sections, and the version of before: raise indexfile.Version, then run this test with -update")
	testkit.Golden(t, file, content+others)
}

func listed(what string, count int, name func(i int) string) string {
	line := what + ":"
	for i := range count {
		line += "\n  " + name(i)
	}
	return line + "\n"
}

// Each row of the table of columns says all of its column, and finds a value of its own.
func TestColumnsAreComplete(t *testing.T) {
	names, places := map[string]bool{}, map[any]bool{}
	var pub schema.Pub
	for i := range schema.Columns {
		c := &schema.Columns[i]
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if lower := strings.ToLower(name); name == "" || names[lower] {
				t.Errorf("%s: its name %q is missing or taken", c.Name, name)
			} else {
				names[lower] = true
			}
		}
		testkit.FailIf(t, !strings.HasSuffix(c.Doc, "."), "%s: got doc %q, want a sentence", c.Name, c.Doc)
		if has := [...]bool{schema.Text: c.Text != nil, schema.Decimal: c.Decimal != nil, schema.Whole: c.Whole != nil}; !has[c.Kind] || has[schema.Text] && has[schema.Decimal] ||
			has[schema.Text] && has[schema.Whole] || has[schema.Decimal] && has[schema.Whole] {
			t.Errorf("%s: of kind %d, it has access to %v", c.Name, c.Kind, has)
			continue
		}
		number, err := strconv.ParseFloat(c.Example, 64)
		testkit.FailIf(t, c.Example == "" || c.Kind != schema.Text && err != nil || c.Kind == schema.Decimal && (number < c.Least || number > c.Most || c.Least >= c.Most),
			"%s: example %q", c.Name, c.Example)
		var place, want any
		switch c.Kind {
		case schema.Text:
			text := c.Text(&pub)
			*text, place, want = c.Example, text, c.Example
		case schema.Decimal:
			decimal := c.Decimal(&pub)
			*decimal, place, want = number, decimal, number
		case schema.Whole:
			whole := c.Whole(&pub)
			*whole, place, want = int64(number), whole, int64(number)
		}
		testkit.FailIf(t, places[place] || !c.Has(&pub) || c.Value(&pub) != want,
			"%s: got %v, want %v, found elsewhere %v", c.Name, c.Value(&pub), want, places[place])
		places[place] = true
		testkit.FailIf(t, c.OnRequest && c.Kind != schema.Text || c.Required && c.Kind != schema.Text,
			"%s: on request or required, but no text", c.Name)
	}
	if missing := reflect.ValueOf(pub); slices.ContainsFunc(reflect.VisibleFields(missing.Type()), func(f reflect.StructField) bool {
		return f.Name != "Extra" && missing.FieldByIndex(f.Index).IsZero()
	}) {
		t.Errorf("no column has a field of %+v", pub)
	}
	s := inMemory(t, corpus.Directory{Pubs: []schema.Pub{pub}})
	if got := s.Pub(0); !reflect.DeepEqual(*got, pub) {
		t.Errorf("got %+v, want %+v", *got, pub)
	}
}

// Each row of the tables of metrics and sort keys says all of it.
func TestKeysAreComplete(t *testing.T) {
	for metric := range schema.Metric(schema.MetricCount) {
		testkit.FailIf(t, metric.String() == "" || metric.Label() == "" || schema.Columns[metric.Column()].Name != metric.String() || metric.Sort().String() != metric.String(),
			"%s, %q: column %s, sort key %s", metric, metric.Label(), schema.Columns[metric.Column()].Name, metric.Sort())
	}
	names := map[string]bool{"": true}
	for key := range schema.SortCount {
		isPrepared := key.Order() != schema.NoOrder
		if names[key.String()] || key.Doc() == "" || (rankers[key] == nil) != isPrepared || isPrepared && (key.IsExpensive() || key.Needs() != schema.NeedsNothing) {
			t.Errorf("%s: it is incomplete", key)
		}
		names[key.String()] = true
	}
}
