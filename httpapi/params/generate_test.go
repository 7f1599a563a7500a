package params_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index"
)

//go:generate go test -count=1 -run ^TestGenerated$ . -update

var update = flag.Bool("update", false, "rewrite what is generated from the tables")

// TestGenerated compares the OpenAPI document, and the generated parts of documentation, clients and pages, with the
// tables of parameters, members, columns, metrics, sort keys and errors. A generated part stands between two lines
// that contain "generated: name" and "generated: end"; what is around it is written by hand.
func TestGenerated(t *testing.T) {
	parts := map[string]func() string{
		"client parameters": goParameters, "client values": goValues, "client sorts": goSorts, "client members": goMembers,
		"client metrics": goMetrics, "client columns": goColumns, "client includes": goIncludes, "client facets": goFacets,
		"ts names": tsNames, "ts columns": tsColumns, "ts parameters": tsParameters, "ts lists": tsLists,
		"docs parameters": docParameters, "docs sorts": docSorts, "docs includes": docIncludes, "docs errors": docErrors, "docs columns": docColumns,
		"page facts": pageFacts, "page sorts": pageSorts,
	}
	used := map[string]bool{}
	for _, file := range []string{"../client/query.go", "../client/pub.go", "../client/pubd.ts", "../../docs/api.md", "../../docs/data.md",
		"../web/explorer/page/facts.js", "../web/explorer/page/index.html"} {
		compare(t, file, func(content []byte) []byte {
			content = splice(t, file, content, func(name string) string {
				if used[name] = true; parts[name] == nil {
					t.Fatalf("%s: no part %q", file, name)
				}
				return parts[name]()
			})
			if !strings.HasSuffix(file, ".go") {
				return content
			}
			formatted, err := format.Source(content)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			return formatted
		})
	}
	for name := range parts {
		if !used[name] {
			t.Errorf("part %q: is in no file", name)
		}
	}
	compare(t, "../openapi.json", openAPI(t))
	compare(t, "testdata/rules.txt", rules)
}

// compare compares a file with what it should be, or rewrites it.
func compare(t *testing.T, file string, generated func(content []byte) []byte) {
	t.Helper()
	is, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := generated(is)
	if bytes.Equal(is, want) {
		return
	}
	if !*update {
		t.Errorf("%s: is not what the tables say: run go generate ./...", file)
	} else if err := os.WriteFile(file, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// splice replaces each generated part of a file.
func splice(t *testing.T, file string, content []byte, part func(name string) string) []byte {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(string(content)) {
		_, mark, found := strings.Cut(line, "generated: ")
		name := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(mark), "-->"))
		switch {
		case found && name == "end":
			inside = false
		case inside:
			continue
		}
		out.WriteString(line)
		if found && name != "end" {
			inside = true
			out.WriteString(part(name))
		}
	}
	if inside {
		t.Fatalf("%s: a generated part has no end", file)
	}
	return []byte(out.String())
}

// rules returns the rules of all parameters, after the comment of the file.
func rules(content []byte) []byte {
	comment, _, _ := bytes.Cut(content, []byte("\n\n"))
	return []byte(string(comment) + "\n\n" + lines(params.Table[:], func(p params.Parameter) string {
		return strings.TrimSuffix(fmt.Sprintf("%s -> %s", p.Name, p.Rule), " ") + "\n"
	}))
}

// lines joins what is written for each item.
func lines[T any](items []T, line func(item T) string) string {
	var out strings.Builder
	for _, item := range items {
		out.WriteString(line(item))
	}
	return out.String()
}

// upTo returns the values from 0 on, such as metrics.
func upTo[T ~uint8 | ~int](count T) (list []T) {
	for value := T(0); value < count; value++ {
		list = append(list, value)
	}
	return list
}

var metrics, sorts = upTo(index.Metric(index.MetricCount)), upTo(index.Sort(index.SortCount))

// camel returns a name as Go writes it: min_reviews as MinReviews.
func camel(name string) string {
	return lines(strings.Split(name, "_"), func(word string) string { return strings.ToUpper(word[:1]) + word[1:] })
}

// goName is camel, except where the Go client says what answers abbreviate.
func goName(name string) string {
	if name == "common_category" {
		return "Category"
	}
	return camel(name)
}

// byHand are the parameters whose options in the Go client are written by hand, because an option stands for several
// of them or its type says more.
var byHand = strings.Fields("pubid pubids search page amount sort order lat lng distance around relax bbox near weights seed include fields facets format strict after")

// goOptions are the parameters whose options in the Go client follow from their kind.
func goOptions() (list []params.Parameter) {
	for _, p := range params.Table {
		isMetric := slices.ContainsFunc(metrics, func(m index.Metric) bool { return p.Name == "min_"+m.String() })
		if !slices.Contains(byHand, p.Name) && !isMetric {
			list = append(list, p)
		}
	}
	return list
}

// isOptionalWhole reports whether 0 is a whole number that has an effect, so that a zero field cannot stand for it.
func isOptionalWhole(p params.Parameter) bool { return p.Kind == params.Whole && p.Default != "0" }

func goParameters() string {
	types := map[params.Kind]string{params.Text: "string", params.Choice: "string", params.Flag: "bool", params.Whole: "int64", params.Decimal: "*float64",
		params.Texts: "[]string", params.Choices: "[]string", params.Decimals: "[]float64"}
	return lines(goOptions(), func(p params.Parameter) string {
		kind := types[p.Kind]
		if isOptionalWhole(p) {
			kind = "*" + kind
		}
		return fmt.Sprintf("%s\t%s %s\n", comment(p.Doc), camel(p.Name), kind)
	})
}

// comment wraps a text as a comment of Go, indented by one tab.
func comment(text string) string {
	const width = 110
	var out strings.Builder
	line := "\t//"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width {
			out.WriteString(line + "\n")
			line = "\t//"
		}
		line += " " + word
	}
	return out.String() + line + "\n"
}

func goValues() string {
	return lines(goOptions(), func(p params.Parameter) string {
		field := "q." + camel(p.Name)
		switch p.Kind {
		case params.Flag:
			return fmt.Sprintf("\tif %s {\n\t\tv.Set(%q, \"true\")\n\t}\n", field, p.Name)
		case params.Whole:
			if isOptionalWhole(p) {
				return fmt.Sprintf("\tif %s != nil {\n\t\tv.Set(%q, strconv.FormatInt(*%s, 10))\n\t}\n", field, p.Name, field)
			}
			return fmt.Sprintf("\tcount(%q, %s)\n", p.Name, field)
		case params.Decimal:
			return fmt.Sprintf("\tif %s != nil {\n\t\tv.Set(%q, number(*%s))\n\t}\n", field, p.Name, field)
		case params.Texts:
			if p.Folded {
				return fmt.Sprintf("\tset(%q, values(%s))\n", p.Name, field)
			}
			return fmt.Sprintf("\tset(%q, join(%s))\n", p.Name, field)
		case params.Decimals:
			return fmt.Sprintf("\tset(%q, numbers(%s...))\n", p.Name, field)
		}
		return fmt.Sprintf("\tset(%q, %s)\n", p.Name, field)
	})
}

func goSorts() string {
	return lines(sorts, func(s index.Sort) string {
		return fmt.Sprintf("\tSort%s Sort = %q // %s\n", camel(s.String()), s, brief(s.Doc()))
	})
}

// brief returns the first clause of a text, without the marks of code.
func brief(text string) string {
	text, _, _ = strings.Cut(text, ": ")
	text, _, _ = strings.Cut(text, "; ")
	return strings.ReplaceAll(text, "`", "")
}

func goMembers() string {
	list := ""
	for _, column := range index.Columns {
		list += fmt.Sprintf("\tMember%s Member = %q\n", goName(column.Name), column.Name)
	}
	return list
}

// goIncludes has the values of include that are no columns.
func goIncludes() string {
	return lines(params.Includes[:], func(i params.Include) string {
		if slices.ContainsFunc(index.Columns[:], func(c index.Column) bool { return c.Name == i.Name }) {
			return ""
		}
		return fmt.Sprintf("\tMember%s Member = %q\n", camel(i.Name), i.Name)
	})
}

func goFacets() string {
	return lines(choices("facets"), func(name string) string { return fmt.Sprintf("\tFacet%s Facet = %q\n", goName(name), name) })
}

func goMetrics() string {
	return "// ByMetric holds a value for each metric.\ntype ByMetric[T any] struct {\n" +
		lines(metrics, func(m index.Metric) string { return fmt.Sprintf("\t%s T `json:\"%s\"`\n", camel(m.String()), m) }) +
		"}\n\n// each calls do with the value of each metric.\nfunc (b *ByMetric[T]) each(do func(metric string, value T)) {\n" +
		lines(metrics, func(m index.Metric) string { return fmt.Sprintf("\tdo(%q, b.%s)\n", m, camel(m.String())) }) + "}\n"
}

func isMetric(column int) bool {
	return slices.ContainsFunc(metrics, func(m index.Metric) bool { return m.Column() == column })
}

func goColumns() string {
	list := ""
	for i, column := range index.Columns {
		kind := map[index.Kind]string{index.Text: "*string", index.Decimal: "*float64", index.Whole: "int64"}[column.Kind]
		switch {
		case isMetric(i) && !isMetric(i-1):
			list += "\tRatings\n"
			continue
		case isMetric(i):
			continue
		case column.Required:
			kind = kind[1:]
		}
		note := ""
		if column.OnRequest {
			note = " With [MemberAddress]."
		}
		list += fmt.Sprintf("%s\t%s %s `json:\"%s\"`\n", comment(column.Doc+note), goName(column.Name), kind, column.Name)
	}
	return list
}

func quoted(names []string) string {
	return strings.Join(slices.Collect(func(yield func(string) bool) {
		for _, name := range names {
			if !yield("'" + name + "'") {
				return
			}
		}
	}), " | ")
}

// choices returns the values that a parameter may have.
func choices(name string) []string {
	i := slices.IndexFunc(params.Table[:], func(p params.Parameter) bool { return p.Name == name })
	return params.Table[i].Choices
}

func tsNames() string {
	return "export type Metric = " + quoted(choices("weights")) + "\nexport type Sort = " + quoted(choices("sort")) +
		"\nexport type Facet = " + quoted(choices("facets")) + "\nexport type Include = " + quoted(choices("include")) +
		"\nexport type Field = " + quoted(choices("fields")) + "\n"
}

func tsColumns() string {
	list := ""
	for i, column := range index.Columns {
		if isMetric(i) {
			continue
		}
		optional, kind := "", map[index.Kind]string{index.Text: "string | null", index.Decimal: "number | null", index.Whole: "number"}[column.Kind]
		if column.OnRequest {
			optional = "?"
		}
		if column.Required {
			kind, _, _ = strings.Cut(kind, " ")
		}
		list += fmt.Sprintf("  /** %s */\n  %s%s: %s\n", column.Doc, column.Name, optional, kind)
	}
	return list
}

func tsParameters() string {
	types := map[string]string{"sort": "Sort", "include": "Include[]", "fields": "Field[]", "facets": "Facet[]", "facet_search": "`${Facet}:${string}`",
		"bbox": "[west: number, south: number, east: number, north: number]", "near": "[lat: number, lng: number]", "weights": "Partial<ByMetric<number>>"}
	list := ""
	for _, p := range params.Table {
		kind := types[p.Name]
		switch {
		case p.Name == "format" || p.Name == "after" || p.Name == "strict": // of export, or the client's own
			continue
		case kind != "":
		case p.Kind == params.Flag:
			kind = strings.Join(append([]string{"boolean"}, slices.DeleteFunc([]string{quoted(p.Choices)}, func(s string) bool { return s == "" })...), " | ")
		case p.Kind == params.Whole || p.Kind == params.Decimal:
			kind = "number"
		case p.Kind == params.Choice:
			kind = quoted(p.Choices)
		case p.Kind == params.Texts:
			kind = "string[]"
		case p.Kind == params.Decimals:
			kind = "number[]"
		default:
			kind = "string"
		}
		list += fmt.Sprintf("  /** %s */\n  %s?: %s\n", p.Doc, p.Name, kind)
	}
	return list
}

func tsLists() string {
	var folded []string
	for _, p := range params.Table {
		if p.Folded {
			folded = append(folded, "'"+p.Name+"'")
		}
	}
	return "const folded = [" + strings.Join(folded, ", ") + "]\n"
}

// cell makes a text a cell of a table in Markdown.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// resources are the resources by name, and the operations that stand for them.
var resources = []struct {
	name      string
	operation params.Operation
}{{"pubs", params.Search}, {"suggest", params.Suggest}, {"stats", params.Stats}, {"points", params.Points}, {"export", params.Export}}

// docParameters has a row for each parameter, and another for each resource for which it is different.
func docParameters() string {
	row := func(p params.Parameter, resources ...string) string {
		standard := ""
		switch {
		case p.Required:
			standard = "required"
		case p.Default != "":
			standard = "`" + p.Default + "`"
		}
		return fmt.Sprintf("| `%s=%s` | %s | %s | %s |\n", p.Name, strings.ReplaceAll(p.Example, " ", "+"), strings.Join(resources, ", "), standard, cell(p.Doc))
	}
	list := "| parameter | for | default | what it does |\n|---|---|---|---|\n"
	for _, p := range params.Table {
		var same []string
		different := ""
		for _, r := range resources {
			switch _, differs := p.Except[r.operation]; {
			case !p.TakenBy(r.operation):
			case differs:
				different += row(p.For(r.operation), r.name)
			default:
				same = append(same, r.name)
			}
		}
		list += row(p, same...) + different
	}
	return list
}

func docSorts() string {
	return "| `sort` | order |\n|---|---|\n" + lines(sorts, func(s index.Sort) string { return fmt.Sprintf("| `%s` | %s |\n", s, cell(s.Doc())) })
}

func docIncludes() string {
	return "| `include` | adds |\n|---|---|\n" + lines(params.Includes[:], func(i params.Include) string { return fmt.Sprintf("| `%s` | %s |\n", i.Name, cell(i.Doc)) })
}

func docErrors() string {
	list := "| status | code |\n|---|---|\n"
	for rest := fault.Table; len(rest) > 0; {
		first, codes := rest[0], []string{}
		for len(rest) > 0 && rest[0].Status == first.Status && rest[0].Doc == first.Doc {
			if code := "`" + rest[0].Code + "`"; !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
			rest = rest[1:]
		}
		list += strings.TrimSuffix(fmt.Sprintf("| %d | %s: %s", first.Status, strings.Join(codes, ", "), first.Doc), ": ") + " |\n"
	}
	return list
}

func docColumns() string {
	list := "| column | also called | value | example |\n|---|---|---|---|\n"
	for _, column := range index.Columns {
		aliases := lines(column.Aliases, func(name string) string { return ", `" + name + "`" })
		list += fmt.Sprintf("| `%s` | %s | %s | `%s` |\n", column.Name, strings.TrimPrefix(aliases, ", "), cell(column.Doc), column.Example)
	}
	return list
}

func pageFacts() string {
	var names []string
	for _, p := range params.Table {
		if p.Has(params.Search) && !slices.Contains(strings.Fields("page amount include fields facets format snapshot strict facet_search"), p.Name) {
			names = append(names, "'"+p.Name+"'")
		}
	}
	return "import * as texts from './texts.js'\n\n/** The parameters of a search that the address bar may have. */\nexport const parameters = [\n  " + strings.Join(names, ",\n  ") + ",\n]\n\n" +
		"/** The metrics of a pub and their names. */\nexport const metrics = {\n" +
		lines(metrics, func(m index.Metric) string { return fmt.Sprintf("  %s: texts.metric_%[1]s,\n", m) }) +
		"}\n\n/** The sort keys that people choose, and their names inside a sentence. */\nexport const sorts = {\n" +
		lines(chosenSorts(), func(s index.Sort) string { return fmt.Sprintf("  %s: texts.sort_%[1]s,\n", s) }) +
		"}\n\n/** The columns of a pub that include=address shows. */\nexport const requested = [\n" +
		lines(index.Columns[index.PreparedColumns:], func(c index.Column) string { return fmt.Sprintf("  '%s',\n", c.Name) }) + "]\n"
}

// chosenSorts are the sort keys that need no weights and no seed.
func chosenSorts() []index.Sort {
	return slices.DeleteFunc(slices.Clone(sorts), func(s index.Sort) bool { return s.Needs() == index.NeedsWeights || s.Needs() == index.NeedsSeed })
}

func pageSorts() string {
	return lines(chosenSorts(), func(s index.Sort) string {
		return fmt.Sprintf("          <option value=\"%s\">{{.Text \"sort_option\" \"sort\" (.Text \"sort_%[1]s\")}}</option>\n", s)
	})
}

// openAPI returns a function that sets, in the OpenAPI document, the parameters, the columns of a pub, and the names
// of metrics, sort keys and errors.
func openAPI(t *testing.T) func(content []byte) []byte {
	return func(content []byte) []byte {
		document := decode(t, content)
		shared := func(p params.Parameter) bool {
			n := 0
			for _, r := range resources {
				if _, differs := p.Except[r.operation]; p.TakenBy(r.operation) && !differs {
					n++
				}
			}
			return n > 1
		}
		components := document.at("components", "parameters")
		headers := object{}
		for _, m := range components.members {
			if !slices.ContainsFunc(params.Table[:], func(p params.Parameter) bool { return p.Name == m.name }) {
				headers.members = append(headers.members, m)
			}
		}
		components.members = nil
		for _, p := range params.Table {
			if shared(p) {
				components.set(p.Name, parameterOf(p))
			}
		}
		components.members = append(components.members, headers.members...)
		for _, r := range resources {
			o, operation := r.operation, document.at("paths", "/api/v1/"+r.name, "get")
			var list []any
			for _, p := range params.Table {
				_, differs := p.Except[o]
				switch {
				case !p.TakenBy(o):
				case shared(p) && !differs:
					list = append(list, newObject("$ref", "#/components/parameters/"+p.Name))
				default:
					list = append(list, parameterOf(p.For(o)))
				}
			}
			for _, header := range operation.get("parameters").([]any) {
				if ref, ok := header.(*object).get("$ref").(string); ok && slices.ContainsFunc(headers.members, func(m member) bool { return strings.HasSuffix(ref, "/"+m.name) }) {
					list = append(list, header)
				}
			}
			operation.set("parameters", list)
		}
		setPub(t, document.at("components", "schemas", "Pub"))
		for _, at := range [][]string{{"Pub", "properties", "rankings"}, {"Pub", "properties", "local_rankings"}, {"Statistics", "properties", "metrics"}} {
			o := document.at(append([]string{"components", "schemas"}, at...)...)
			value := o.at("properties").members[0].value
			properties, required := new(object), []any{}
			for _, m := range metrics {
				properties.set(m.String(), value)
				required = append(required, m.String())
			}
			o.set("properties", properties)
			o.set("required", required)
		}
		document.at("components", "schemas", "Answer", "properties", "sort").set("enum", anys(choices("sort")))
		codes, statuses := map[string]bool{}, map[int]bool{}
		for _, row := range fault.Table {
			codes[row.Code], statuses[row.Status] = true, true
		}
		e := document.at("components", "schemas", "Error", "properties")
		e.at("code").set("enum", anys(slices.Sorted(maps.Keys(codes))))
		e.at("status").set("enum", anys(slices.Sorted(maps.Keys(statuses))))
		var out bytes.Buffer
		write(&out, document, 0)
		out.WriteByte('\n')
		return out.Bytes()
	}
}

// setPub sets the columns among the properties of a pub. What other members are is written by hand.
func setPub(t *testing.T, pub *object) {
	old, properties := pub.at("properties"), new(object)
	for m := range params.MemberCount {
		i := m.Column()
		if i < 0 {
			value := old.get(m.String())
			if value == nil {
				t.Fatalf("openapi.json: schema Pub: describe the member %v", m)
			}
			properties.set(m.String(), value)
			continue
		}
		column := index.Columns[i]
		kind := map[index.Kind]string{index.Text: "string", index.Decimal: "number", index.Whole: "integer"}[column.Kind]
		doc, o := strings.TrimSuffix(column.Doc, "."), new(object)
		if column.Required || column.Kind == index.Whole {
			o.set("type", kind)
		} else {
			o.set("type", []any{kind, "null"})
			doc += "; null if missing"
		}
		switch column.Kind {
		case index.Text:
			o.set("minLength", 1)
		case index.Decimal:
			o.set("minimum", column.Least)
			o.set("maximum", column.Most)
		case index.Whole:
			o.set("format", "int64")
			o.set("minimum", 0)
		}
		if column.OnRequest {
			doc += "; with include=address"
		}
		o.set("description", doc+".")
		o.set("examples", []any{value(column.Example, column.Kind != index.Text)})
		properties.set(column.Name, o)
	}
	pub.set("properties", properties)
}

// parameterOf returns a parameter as OpenAPI describes it.
func parameterOf(p params.Parameter) *object {
	o := newObject("name", p.Name, "in", "query", "description", p.Doc)
	if p.Required {
		o.set("required", true)
	}
	schema, isNumber, isList := new(object), false, false
	limits := func(o *object, least, most float64, names [2]string, always bool) {
		if always || least != 0 {
			o.set(names[0], least)
		}
		if most != 0 && most < math.MaxInt64 {
			o.set(names[1], most)
		}
	}
	list := func(items *object, least, most float64) {
		isList = true
		schema = newObject("type", "array", "items", items)
		limits(schema, least, most, [2]string{"minItems", "maxItems"}, false)
	}
	switch p.Kind {
	case params.Text:
		if schema.set("type", "string"); p.Pattern != "" {
			schema.set("pattern", p.Pattern)
		} else {
			limits(schema, p.Least, p.Most, [2]string{"minLength", "maxLength"}, false)
		}
	case params.Flag:
		schema = newObject("type", "string", "enum", anys(append([]string{"true", "false", "1", "0"}, p.Choices...)))
	case params.Choice:
		schema = newObject("type", "string", "enum", anys(p.Choices))
	case params.Whole, params.Decimal:
		isNumber = true
		if schema.set("type", "number"); p.Kind == params.Whole {
			if schema.set("type", "integer"); p.Most >= math.MaxInt64 {
				schema.set("format", "int64")
			}
		}
		limits(schema, p.Least, p.Most, [2]string{"minimum", "maximum"}, true)
	case params.Texts:
		item := newObject("type", "string")
		if !p.Folded {
			item.set("minLength", 1)
		}
		list(item, p.Least, p.Most)
	case params.Choices:
		list(newObject("type", "string", "enum", anys(p.Choices)), 1, 0)
	case params.Pairs:
		list(newObject("type", "string", "pattern", p.Pattern), p.Least, p.Most)
	case params.Decimals:
		isNumber = true
		list(newObject("type", "number", "minimum", p.Least, "maximum", p.Most), float64(p.Items), float64(p.Items))
	}
	if p.Default != "" {
		schema.set("default", value(p.Default, isNumber))
	}
	if isList {
		o.set("style", "form")
		o.set("explode", false)
	}
	o.set("schema", schema)
	if !isList {
		o.set("example", value(p.Example, isNumber))
		return o
	}
	examples := []any{}
	for _, item := range strings.Split(p.Example, ",") {
		examples = append(examples, value(item, isNumber))
	}
	o.set("example", examples)
	return o
}

// value returns a text, or the number that it is.
func value(text string, isNumber bool) any {
	if isNumber {
		return json.Number(text)
	}
	return text
}

func anys[T any](list []T) (all []any) {
	for _, item := range list {
		all = append(all, item)
	}
	return all
}

// An object is a JSON object, whose members keep their order.
type object struct{ members []member }

type member struct {
	name  string
	value any
}

func newObject(pairs ...any) *object {
	o := new(object)
	for i := 0; i < len(pairs); i += 2 {
		o.set(pairs[i].(string), pairs[i+1])
	}
	return o
}

func (o *object) get(name string) any {
	for _, m := range o.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (o *object) at(path ...string) *object {
	for _, name := range path {
		o = o.get(name).(*object)
	}
	return o
}

func (o *object) set(name string, value any) {
	for i := range o.members {
		if o.members[i].name == name {
			o.members[i].value = value
			return
		}
	}
	o.members = append(o.members, member{name, value})
}

// decode parses an object.
func decode(t *testing.T, content []byte) *object {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	next := func() json.Token {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	var read func(token json.Token) any
	read = func(token json.Token) any {
		switch token {
		case json.Delim('{'):
			o := new(object)
			for name := next(); name != json.Delim('}'); name = next() {
				o.set(name.(string), read(next()))
			}
			return o
		case json.Delim('['):
			list := []any{}
			for item := next(); item != json.Delim(']'); item = next() {
				list = append(list, read(item))
			}
			return list
		}
		return token
	}
	return read(next()).(*object)
}

// write writes a value: on one line if that has at most 140 characters, otherwise each member or item on its own.
func write(out *bytes.Buffer, value any, depth int) {
	const width = 140
	if line := flat(value); depth > 0 && len(line)+depth <= width {
		out.WriteString(line)
		return
	}
	inner := "\n" + strings.Repeat(" ", depth+1)
	switch v := value.(type) {
	case *object:
		out.WriteByte('{')
		for i, m := range v.members {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(inner + flat(m.name) + ": ")
			write(out, m.value, depth+1)
		}
		out.WriteString(inner[:len(inner)-1] + "}")
	case []any:
		out.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(inner)
			write(out, item, depth+1)
		}
		out.WriteString(inner[:len(inner)-1] + "]")
	default:
		out.WriteString(flat(value))
	}
}

// flat returns a value on one line.
func flat(value any) string {
	switch v := value.(type) {
	case *object:
		parts := []string{}
		for _, m := range v.members {
			parts = append(parts, flat(m.name)+": "+flat(m.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := []string{}
		for _, item := range v {
			parts = append(parts, flat(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // of a text, a number or a truth
	return strings.TrimSpace(out.String())
}
