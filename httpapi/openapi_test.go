package httpapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/views"
	"pubd/index/schema"
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

// The OpenAPI document has the parameters of extra columns.
func TestOpenAPIOfColumns(t *testing.T) {
	var document any
	testkit.OK(t, json.Unmarshal(openAPIOf(&views.View{Columns: []query.Column{{Name: "style"}, {}, {Name: "price.x", IsNumber: true}}}), &document))
	parameters := membersAt(document, "components", "parameters")
	for _, name := range []string{"style", "price.x", "min_price.x", "max_price.x", "area"} {
		testkit.FailIf(t, at(parameters, name, "name") != name, "no parameter %s", name)
	}
	testkit.FailIf(t, parameters["min_style"] != nil || parameters[""] != nil, "limits of a column of texts, or a nameless parameter")
	for path, want := range map[string]bool{"/api/v1/pubs": true, "/api/v1/points": true, "/api/v1/export": true, "/api/v1/stats": false} {
		given, _ := json.Marshal(at(document, "paths", path, "get", "parameters"))
		testkit.Equal(t, path, strings.Contains(string(given), `"#/components/parameters/min_price.x"`), want)
		isSearch := path == "/api/v1/pubs"
		testkit.Equal(t, path+": facets", strings.Contains(string(given), `"enum":["style","price.x","location"`), isSearch)
		testkit.Equal(t, path+": facet_search", strings.Contains(string(given), `"^(location|style|price\\.x|`), isSearch)
	}
}

// The OpenAPI document has what is not generated: columns of pubs, examples of errors, and the paths of the service.
func TestOpenAPIIsComplete(t *testing.T) {
	s, addr := serve(t)
	var document any
	testkit.OK(t, json.Unmarshal([]byte(send(t, addr, request11("GET", "/openapi.json")).body), &document))
	for _, column := range schema.Columns {
		testkit.FailIf(t, at(document, "components", "schemas", "Pub", "properties", column.Name) == nil,
			"openapi.json: components/schemas/Pub/properties lacks %s, which is written by hand", column.Name)
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
	// Generated clients and pages have an operation for each method. Browsers send OPTIONS on their own.
	for path, item := range membersAt(document, "paths") {
		testkit.Equal(t, "methods of "+path, slices.Collect(maps.Keys(membersAt(item))), []string{"get"})
	}
	for _, row := range fault.Table {
		testkit.FailIf(t, !codes[row.Code], "openapi.json: no response has an example with the code %s", row.Code)
	}
	for _, r := range params.Resources {
		testkit.FailIf(t, at(document, "paths", r.Path) == nil, "openapi.json: paths lacks %s", r.Path)
		testkit.FailIf(t, r.Operation.IsPrepared() && len(served(s).Bodies[r.Operation]) == 0, "%s: views.New prepares no body", r.Path)
	}
}
