package client_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/client"
	"pubd/httpapi/params"
	"pubd/index"
	"pubd/index/schema"
)

// Both clients have the values that parameters may have, and no others; the client for TypeScript also has the
// parameters of a search. It sets format itself, and after is for exports.
func TestTables(t *testing.T) {
	found := func(text, pattern string) [][]string {
		return regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
	}
	inTS := string(testkit.Read(t, "pubd.ts"))
	types := map[string]string{}
	for _, declared := range found(inTS, `(?m)^(?:export )?type (\w+)(?:<T>)? = (.*)$`) {
		types[declared[1]] = declared[2]
	}
	var values func(expression string) []string
	values = func(expression string) (list []string) {
		for _, word := range found(expression, `'(\w+)'|\w+`) {
			if word[1] != "" {
				list = append(list, word[1])
			} else {
				list = append(list, values(types[word[0]])...)
			}
		}
		return list
	}
	constants := func(kind string) (list []string) {
		for _, constant := range found(string(testkit.Read(t, "query.go")), `(?m)^\t\w+ +`+kind+` += "(\w+)"`) {
			list = append(list, constant[1])
		}
		return list
	}
	same := func(label string, got, want []string) {
		t.Helper()
		slices.Sort(got)
		slices.Sort(want)
		testkit.Equal(t, label, got, slices.Compact(want))
	}

	var names, wantNames, includes, members, facets []string
	query := found(inTS, `(?s)interface Query [^\n]*\{\n(.*?)\n\}`)[0][1]
	expressions := map[string]string{}
	for _, member := range found(query, `(?m)^  (\w+)\?: (.*)$`) {
		names = append(names, member[1])
		expressions[member[1]] = member[2]
	}
	for _, metric := range values("Metric") {
		names = append(names, "min_"+metric, "max_"+metric)
	}
	for _, p := range params.Table {
		choices := slices.Clone(p.Choices)
		switch p.Name {
		case "format", "after":
			continue
		case "sort":
			same("query.go: Sort constants", constants("Sort"), choices)
		case "include":
			includes = choices
			fallthrough
		case "fields":
			members = append(members, choices...)
		case "facets":
			facets = choices
		}
		if wantNames = append(wantNames, p.Name); len(choices) > 0 {
			same("pubd.ts: "+p.Name, values(expressions[p.Name]), choices)
		}
	}
	same("parameters in pubd.ts", names, append(wantNames, "columns"))
	same("query.go: Member constants", constants("Member"), members)
	_, include, _ := strings.Cut(string(testkit.Read(t, "query.go")), "Query.Include can add")
	var added, matched []string
	for _, constant := range found(include[:strings.Index(include, "\n)")], `"(\w+)"`) {
		added = append(added, constant[1])
	}
	same("query.go: members that Query.Include can add", added, includes)
	for _, column := range index.HighlightColumns {
		matched = append(matched, schema.Columns[column].Name)
	}
	same("pubd.ts: MatchedField", values("MatchedField"), matched)
	same("instantsearch.ts: texts", values(found(string(testkit.Read(t, "instantsearch.ts")), `const texts = (.*) as const`)[0][1]), matched)
	matches := reflect.TypeFor[client.Match]()
	var fields []string
	for i := range matches.NumField() - 1 { // the last one is spans
		name, _, _ := strings.Cut(matches.Field(i).Tag.Get("json"), ",")
		fields = append(fields, name)
	}
	same("pub.go: fields of Match", fields, matched)
	described := append(values("Metric"), "review_count")
	same("query.go: Facet constants", append(constants("Facet"), described...), facets)
	same("instantsearch.ts: everyFacet", values(found(string(testkit.Read(t, "instantsearch.ts")), `const everyFacet = (.*)`)[0][1]), facets)
	inPub := found(inTS, `(?s)interface Pub .*?\n\}`)[0][0] + strings.Join(values("Metric"), "?: ")
	inGo := string(testkit.Read(t, "pub.go"))
	for _, column := range schema.Columns {
		testkit.FailIf(t, !regexp.MustCompile(`\b`+column.Name+`\b`).MatchString(inPub), "pubd.ts: Pub lacks %s", column.Name)
		testkit.FailIf(t, !strings.Contains(inGo, `json:"`+column.Name+`"`), "pub.go: Pub lacks %s", column.Name)
	}
}
