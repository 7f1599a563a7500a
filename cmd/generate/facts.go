package main

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"text/template"

	"pubd/cmd/pubd/lists/cell"
	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index/features"
	"pubd/index/schema"
)

//go:embed parts.tmpl
var partsText string

var parts = template.Must(template.New("parts").Funcs(template.FuncMap{
	"cell": func(text string) string { return strings.ReplaceAll(text, "|", "\\|") }, // of a table in Markdown
	"plus": func(text string) string { return strings.ReplaceAll(text, " ", "+") },
	"join": strings.Join,
	"sentence": func(text string) string { // the first
		first, _, _ := strings.Cut(strings.TrimSuffix(text, "."), ". ")
		return first + "."
	},
}).Parse(partsText))

// facts are what the templates are given.
type facts struct{}

func (facts) Columns() []schema.Column   { return schema.Columns[:] }
func (facts) Includes() []params.Include { return params.Includes[:] }
func (facts) Metrics() []string          { return choices("weights") }

// Features are those that a pub may have.
func (facts) Features() []string { return features.BuiltIn().Names() }

// Tags are the tags of OpenStreetMap that tell of each feature, such as wheelchair=yes.
func (facts) Tags() map[string]featureTags {
	all := map[string]featureTags{}
	for _, o := range cell.TagOffers {
		tags := all[o.Feature]
		for value := range strings.FieldsSeq(o.Yes) {
			tags.Yes = append(tags.Yes, "`"+o.Tag+"="+value+"`")
		}
		for value := range strings.FieldsSeq(o.No) {
			tags.No = append(tags.No, "`"+o.Tag+"="+value+"`")
		}
		all[o.Feature] = tags
	}
	return all
}

// featureTags are those that say that a pub has a feature, or does not.
type featureTags struct{ Yes, No []string }

func (facts) Sorts() (sorts []schema.Sort) {
	for sort := range schema.Sort(schema.SortCount) {
		sorts = append(sorts, sort)
	}
	return sorts
}

// Addressed are the parameters of a search that the address bar of the explorer may have.
func (facts) Addressed() (names []string) {
	for _, p := range params.Table {
		if p.Has(params.Search) && !slices.Contains(strings.Fields("page amount include fields facets format snapshot strict facet_search"), p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Errors are the codes of the errors with the same status and documentation, in the order of the table.
func (facts) Errors() (rows []errorRow) {
	for _, f := range fault.Table {
		last := len(rows) - 1
		if last < 0 || rows[last].Status != f.Status || rows[last].Doc != f.Doc {
			rows = append(rows, errorRow{f.Status, []string{f.Code}, f.Doc})
		} else if !slices.Contains(rows[last].Codes, f.Code) {
			rows[last].Codes = append(rows[last].Codes, f.Code)
		}
	}
	return rows
}

type errorRow struct {
	Status int
	Codes  []string
	Doc    string
}

// A parameterGroup has the parameters that the same resources take in the same way.
type parameterGroup struct {
	Resources  []string
	Parameters []params.Parameter
}

// ByResource has each parameter in the group of its resources, and again in that of each resource for which it is
// different. Of the limits of ratings it has those of the first.
func (facts) ByResource() (groups []parameterGroup) {
	add := func(p params.Parameter, taking ...string) {
		i := slices.IndexFunc(groups, func(g parameterGroup) bool { return slices.Equal(g.Resources, taking) })
		if i < 0 {
			i, groups = len(groups), append(groups, parameterGroup{Resources: taking})
		}
		groups[i].Parameters = append(groups[i].Parameters, p)
	}
	ratings := choices("weights")
	for _, p := range params.Table {
		if _, number, _ := strings.Cut(p.Name, "_"); slices.Index(ratings, number) > 0 {
			continue
		}
		var same []string
		for _, r := range params.Resources {
			if _, differs := p.Except[r.Operation]; differs {
				add(p.For(r.Operation), path.Base(r.Path))
			} else if p.TakenBy(r.Operation) {
				same = append(same, path.Base(r.Path))
			}
		}
		add(p, same...)
	}
	return groups
}

// choices returns the values that a parameter may have.
func choices(name string) []string {
	return params.Table[params.ByName[name]].Choices
}
