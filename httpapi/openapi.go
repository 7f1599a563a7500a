package httpapi

import (
	_ "embed"
	"slices"
	"strings"
	"text/template"

	"pubd/httpapi/query"
	"pubd/httpapi/views"
)

//go:embed openapi.json
var openAPI string

//go:embed openapi.tmpl
var openAPIOfColumns string

// openAPIOf returns the OpenAPI document with the parameters of the extra columns of the snapshot being served, which may
// be nil: wherever area is one, and among the facets.
func openAPIOf(served *views.View) []byte {
	if served == nil || len(served.Columns) == 0 {
		return []byte(openAPI)
	}
	escape := func(name string) string { return strings.ReplaceAll(name, ".", `\\.`) }
	added := template.Must(template.New("").Funcs(template.FuncMap{"escape": escape}).Parse(openAPIOfColumns))
	named := slices.DeleteFunc(slices.Clone(served.Columns), func(c query.Column) bool { return c.Name == "" })
	insert := func(name, after, before string) []string {
		var text strings.Builder
		if err := added.ExecuteTemplate(&text, name, named); err != nil {
			panic(err) // the template is ours
		}
		return []string{after + before, after + text.String() + before}
	}
	return []byte(strings.NewReplacer(slices.Concat(
		insert("references", "", `{"$ref": "#/components/parameters/area"}`),
		insert("parameters", "\"parameters\": {\n   ", ""),
		insert("facets", "\"enum\": [\n         ", `"location"`),
		insert("pattern", `"^(location|`, ""),
	)...).Replace(openAPI))
}
