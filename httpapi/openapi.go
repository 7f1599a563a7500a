package httpapi

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"pubd/httpapi/views"
)

//go:embed openapi.json
var openAPI []byte

// openAPIOf returns the OpenAPI document with the parameters of the extra columns of the snapshot being served, which may
// be nil: wherever area is one, and among the facets.
func openAPIOf(served *views.View) []byte {
	if served == nil || len(served.Columns) == 0 {
		return openAPI
	}
	var references, facets, pattern, parameters strings.Builder
	add := func(name, doc, schema string) {
		fmt.Fprintf(&references, "{\"$ref\": \"#/components/parameters/%s\"},\n     ", name)
		fmt.Fprintf(&parameters, "%q: {\"name\": %q, \"in\": \"query\", \"description\": %q, %s},\n   ", name, name, doc, schema)
	}
	for _, c := range served.Columns {
		if c.Name == "" {
			continue
		}
		fmt.Fprintf(&facets, "%q,\n         ", c.Name)
		pattern.WriteString(regexp.QuoteMeta(c.Name) + "|")
		add(c.Name, "Keeps pubs whose "+c.Name+" is one of these, regardless of case and accents. One in quotes may have commas. A column of this directory.",
			`"style": "form", "explode": false, "schema": {"type": "array", "items": {"type": "string"}, "minItems": 1}`)
		if c.IsNumber {
			add("min_"+c.Name, "Keeps pubs whose "+c.Name+" is at least this.", `"schema": {"type": "number"}`)
			add("max_"+c.Name, "Keeps pubs whose "+c.Name+" is at most this.", `"schema": {"type": "number"}`)
		}
	}
	const area, all, begun, enum = `{"$ref": "#/components/parameters/area"}`, "\n  \"parameters\": {\n   ", `"^(location|`, "\"enum\": [\n         "
	before, after, _ := strings.Cut(string(openAPI), `"name": "facets"`)
	after = `"name": "facets"` + strings.Replace(after, enum, enum+facets.String(), 1)
	escaped := strings.ReplaceAll(pattern.String(), `\`, `\\`)
	return []byte(strings.NewReplacer(area, references.String()+area, all, all+parameters.String(), begun, begun+escaped).Replace(before + after))
}
