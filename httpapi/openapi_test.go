package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pubd/index"
)

// The OpenAPI document lists the parameters, sort keys, members, metrics, error codes and paths of the service.
func TestOpenAPIIsComplete(t *testing.T) {
	type schema struct {
		Enum       []any
		Properties map[string]schema
	}
	type parameter struct {
		Ref                   string `json:"$ref"`
		Name, In, Description string
		Example               any
		Schema                struct {
			Enum  []any
			Items struct{ Enum []any }
		}
	}
	type response struct {
		Content map[string]struct {
			Examples map[string]struct{ Value struct{ Code string } }
		}
	}
	var document struct {
		OpenAPI string
		Paths   map[string]struct {
			Get struct {
				Parameters []parameter
				Responses  map[string]response
			}
		}
		Components struct {
			Parameters map[string]parameter
			Responses  map[string]response
			Schemas    map[string]schema
		}
	}
	s, _ := withData(t, LogOff)
	answer := ask(t, listen(t, s), request11("GET", "/openapi.json"))
	if err := json.Unmarshal([]byte(answer.body), &document); err != nil || answer.status != http.StatusOK {
		t.Fatalf("%d, %v", answer.status, err)
	}
	pubs := document.Paths["/api/v1/pubs"].Get
	var names, wanted, sorts []string
	for _, p := range pubs.Parameters {
		if name, shared := strings.CutPrefix(p.Ref, "#/components/parameters/"); shared {
			p = document.Components.Parameters[name]
		}
		if p.In == "query" {
			names = append(names, p.Name)
		}
		if p.Description == "" || p.In == "query" && p.Example == nil {
			t.Errorf("parameter %s: has no description or no example", p.Name)
		}
		if want := map[string]string{"include": includeNames, "fields": fieldNames}[p.Name]; want != "" {
			if got := strings.Trim(fmt.Sprintf("%q", p.Schema.Items.Enum), "[]"); strings.ReplaceAll(got, `"`, "") != strings.ReplaceAll(want, ",", "") {
				t.Errorf("parameter %s: got %s, want %s", p.Name, got, want)
			}
		}
		for _, one := range p.Schema.Enum {
			if p.Name == "sort" {
				sorts = append(sorts, one.(string))
			}
		}
	}
	for _, row := range parameters {
		if row.name != "after" { // of exports
			wanted = append(wanted, row.name)
		}
	}
	if !slices.Equal(names, wanted) {
		t.Errorf("parameters: got %v\nwant %v", names, wanted)
	}
	slices.Sort(sorts)
	if want := slices.Sorted(maps.Keys(sortsByName)); !slices.Equal(sorts, want) {
		t.Errorf("sorts: got %v, want %v", sorts, want)
	}
	var shown []string
	for _, m := range members {
		shown = append(shown, m.name)
	}
	slices.Sort(shown)
	equal(t, "members of a pub", slices.Sorted(maps.Keys(document.Components.Schemas["Pub"].Properties)), shown)
	for metric := range index.Metric(index.MetricCount) {
		if _, ok := document.Components.Schemas["Statistics"].Properties["metrics"].Properties[metric.String()]; !ok {
			t.Errorf("statistics have no %s", metric)
		}
	}
	codes := map[string]bool{}
	responses := slices.Collect(maps.Values(document.Components.Responses))
	for _, path := range document.Paths {
		responses = slices.AppendSeq(responses, maps.Values(path.Get.Responses))
	}
	for _, response := range responses {
		for _, example := range response.Content["application/json"].Examples {
			codes[example.Value.Code] = true
		}
	}
	for name, row := range declaredFaults(t) {
		if !codes[row.code] {
			t.Errorf("no response has the code %s of %s", row.code, name)
		}
	}
	for _, r := range resources {
		if _, ok := document.Paths[r.path]; !ok && !strings.HasSuffix(r.path, "/") {
			t.Errorf("no path %s", r.path)
		}
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
