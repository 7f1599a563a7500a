package httpapi

import (
	"encoding/json"
	"maps"
	"pubd/bench/testkit"
	"slices"
	"testing"

	"pubd/httpapi/fault"
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

// The OpenAPI document lists the metrics, error codes and paths of the service.
func TestOpenAPIIsComplete(t *testing.T) {
	_, addr := serve(t)
	var document any
	testkit.OK(t, json.Unmarshal([]byte(request(t, addr, request11("GET", "/openapi.json")).body), &document))
	for metric := range index.Metric(index.MetricCount) {
		testkit.FailIf(t, at(document, "components", "schemas", "Statistics", "properties", "metrics", "properties", metric.String()) == nil, "statistics have no %s", metric)
	}
	schemas := membersAt(document, "components", "schemas")
	for _, column := range index.Columns {
		testkit.FailIf(t, at(schemas, "Pub", "properties", column.Name) == nil, "a pub has no %s", column.Name)
	}
	isListed := func(value any, path ...string) bool {
		list, _ := at(schemas, append(path, "enum")...).([]any)
		return slices.Contains(list, value)
	}
	for sort := range index.Sort(index.SortCount) {
		testkit.FailIf(t, !isListed(sort.String(), "Answer", "properties", "sort"), "an answer has no sort %s", sort)
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
	// Generated clients and pages have an operation for each method. OPTIONS is what browsers ask on their own.
	for path, item := range membersAt(document, "paths") {
		testkit.Equal(t, "methods of "+path, slices.Collect(maps.Keys(membersAt(item))), []string{"get"})
	}
	for _, row := range fault.Table {
		testkit.FailIf(t, !codes[row.Code] || !isListed(row.Code, "Error", "properties", "code"), "no response has the code %s", row.Code)
		testkit.FailIf(t, !isListed(float64(row.Status), "Error", "properties", "status"), "no error has the status %d", row.Status)
	}
	for _, r := range resources {
		testkit.FailIf(t, at(document, "paths", r.path) == nil, "no path %s", r.path)
	}
}
