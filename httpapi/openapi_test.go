package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"pubd/index"
)

// at returns the member of a decoded JSON value, or nil.
func at(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// membersAt returns the members of a decoded JSON object there, none if there is no object.
func membersAt(value any, path ...string) map[string]any {
	object, _ := at(value, path...).(map[string]any)
	return object
}

// The OpenAPI document lists the parameters, sort keys, members, metrics, error codes and paths of the service.
func TestOpenAPIIsComplete(t *testing.T) {
	_, addr := serve(t)
	var document any
	ok(t, json.Unmarshal([]byte(ask(t, addr, request11("GET", "/openapi.json")).body), &document))
	var names, wanted, sorts []string
	for _, p := range at(document, "paths", "/api/v1/pubs", "get", "parameters").([]any) {
		if ref, shared := at(p, "$ref").(string); shared {
			p = at(document, "components", "parameters", path.Base(ref))
		}
		name := at(p, "name").(string)
		if at(p, "in") == "query" {
			names = append(names, name)
		}
		if text, _ := at(p, "description").(string); text == "" || at(p, "in") == "query" && at(p, "example") == nil {
			t.Errorf("parameter %s: has no description or no example", name)
		}
		if want := map[string]string{"include": includeNames, "fields": fieldNames}[name]; want != "" {
			equal(t, "parameter "+name, fmt.Sprint(at(p, "schema", "items", "enum")), "["+strings.ReplaceAll(want, ",", "")+"]")
		}
		if name == "sort" {
			for _, one := range at(p, "schema", "enum").([]any) {
				sorts = append(sorts, one.(string))
			}
		}
	}
	for _, row := range parameters {
		if row.name != "after" { // of exports
			wanted = append(wanted, row.name)
		}
	}
	equal(t, "parameters", names, wanted)
	slices.Sort(sorts)
	equal(t, "sorts", sorts, slices.Sorted(maps.Keys(sortsByName)))
	var shown []string
	for _, m := range members {
		shown = append(shown, m.name)
	}
	slices.Sort(shown)
	equal(t, "members of a pub", slices.Sorted(maps.Keys(membersAt(document, "components", "schemas", "Pub", "properties"))), shown)
	for metric := range index.Metric(index.MetricCount) {
		failIf(t, at(document, "components", "schemas", "Statistics", "properties", "metrics", "properties", metric.String()) == nil, "statistics have no %s", metric)
	}
	codes := map[string]bool{}
	responses := slices.Collect(maps.Values(membersAt(document, "components", "responses")))
	for _, path := range membersAt(document, "paths") {
		responses = slices.AppendSeq(responses, maps.Values(membersAt(path, "get", "responses")))
	}
	for _, response := range responses {
		for _, example := range membersAt(response, "content", "application/json", "examples") {
			code, _ := at(example, "value", "code").(string)
			codes[code] = true
		}
	}
	for name, row := range declaredFaults(t) {
		failIf(t, !codes[row.code], "no response has the code %s of %s", row.code, name)
	}
	for _, r := range resources {
		failIf(t, at(document, "paths", r.path) == nil && !strings.HasSuffix(r.path, "/"), "no path %s", r.path)
	}
}

func TestDocuments(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	address := listen(t, s)
	first := ask(t, address, request11("GET", "/openapi.json"))
	if first.status != 200 || first.header.Get("Content-Type") != "application/json; charset=utf-8" || first.header.Get("X-Snapshot") != "" {
		t.Errorf("%d %v", first.status, first.header)
	}
}
