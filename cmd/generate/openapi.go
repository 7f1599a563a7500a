package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index"
	"pubd/index/schema"
)

// A parameter is one as OpenAPI describes it.
type parameter struct {
	Name        string     `json:"name"`
	In          string     `json:"in"`
	Description string     `json:"description"`
	Required    bool       `json:"required,omitzero"`
	Style       string     `json:"style,omitzero"`
	Explode     *bool      `json:"explode,omitzero"`
	Schema      jsonSchema `json:"schema"`
	Example     any        `json:"example"`
}

// A jsonSchema is one of JSON Schema.
type jsonSchema struct {
	Type      string      `json:"type"`
	Format    string      `json:"format,omitzero"`
	Items     *jsonSchema `json:"items,omitzero"`
	MinItems  int         `json:"minItems,omitzero"`
	MaxItems  int         `json:"maxItems,omitzero"`
	MinLength int         `json:"minLength,omitzero"`
	MaxLength int         `json:"maxLength,omitzero"`
	Minimum   *float64    `json:"minimum,omitzero"`
	Maximum   *float64    `json:"maximum,omitzero"`
	Pattern   string      `json:"pattern,omitzero"`
	Enum      []string    `json:"enum,omitzero"`
	Default   any         `json:"default,omitzero"`
}

// describe sets the parameters in the OpenAPI document, and in its schemas the metrics, what may match, the sort keys, and the codes
// and statuses of errors.
func describe(document []byte) []byte {
	const shared = "/components/parameters"
	isShared := func(p params.Parameter) bool {
		n := 0
		for _, r := range params.Resources {
			if _, differs := p.Except[r.Operation]; p.TakenBy(r.Operation) && !differs {
				n++
			}
		}
		return n > 1
	}
	isParameter := func(name string) bool {
		return slices.ContainsFunc(params.Table[:], func(p params.Parameter) bool { return p.Name == name })
	}

	var all []member
	for _, p := range params.Table {
		if isShared(p) {
			all = append(all, member{p.Name, encode(parameterOf(p))})
		}
	}
	for _, m := range children(at(document, shared)) {
		if !isParameter(m.name) { // a header
			all = append(all, m)
		}
	}
	document = replace(document, shared, object(all))
	for _, r := range params.Resources {
		var list []jsontext.Value
		for _, p := range params.Table {
			switch _, differs := p.Except[r.Operation]; {
			case !p.TakenBy(r.Operation):
			case isShared(p) && !differs:
				list = append(list, encode(map[string]string{"$ref": "#" + shared + "/" + p.Name}))
			default:
				list = append(list, encode(parameterOf(p.For(r.Operation))))
			}
		}
		pointer := jsontext.Pointer("").AppendToken("paths").AppendToken(r.Path).AppendToken("get").AppendToken("parameters")
		for _, m := range children(at(document, pointer)) {
			if name, isShared := strings.CutPrefix(string(m.value), `{"$ref": "#`+shared+`/`); isShared && !isParameter(strings.TrimSuffix(name, `"}`)) {
				list = append(list, m.value)
			}
		}
		document = replace(document, pointer, encode(list))
	}

	const schemas jsontext.Pointer = "/components/schemas/"
	for pointer, each := range map[jsontext.Pointer]string{"Pub/properties/rankings": "Rank",
		"Pub/properties/local_rankings": "LocalRank", "Statistics/properties/metrics": "Distribution"} {
		metrics := facts{}.Metrics()
		var properties []member
		for _, metric := range metrics {
			reference := encode(map[string]string{"$ref": "#" + string(schemas) + each})
			properties = append(properties, member{metric, reference})
		}
		document = replace(document, schemas+pointer+"/properties", object(properties))
		document = replace(document, schemas+pointer+"/required", encode(metrics))
	}
	list := func(items string) string { return `{"type": "array", "items": ` + items + `, ` }
	words, spans := list(`{"type": "string", "minLength": 1}`), list(list(`{"type": "integer", "minimum": 0}`)+`"minItems": 2, "maxItems": 2}`)
	var matched, where []member
	for _, column := range index.HighlightColumns {
		name := schema.Columns[column].Name
		matched = append(matched, member{name, jsontext.Value(words + `"description": "Words of its ` + name + `."}`)})
		where = append(where, member{name, jsontext.Value(spans + `"description": "In its ` + name + `."}`)})
	}
	const match = schemas + "Pub/properties/match/properties"
	document = replace(document, match+"/spans/properties", object(where))
	document = replace(document, match, object(append(matched, member{"spans", at(document, match+"/spans")})))

	var codes []string
	var statuses []int
	for _, f := range fault.Table {
		codes, statuses = append(codes, f.Code), append(statuses, f.Status)
	}
	slices.Sort(codes)
	slices.Sort(statuses)
	for pointer, values := range map[jsontext.Pointer]any{"Answer/properties/sort": choices("sort"),
		"Error/properties/code": slices.Compact(codes), "Error/properties/status": slices.Compact(statuses)} {
		document = replace(document, schemas+pointer+"/enum", encode(values))
	}

	var out bytes.Buffer
	layOut(&out, bytes.TrimSpace(document), 0)
	out.WriteByte('\n')
	return out.Bytes()
}

// parameterOf returns a parameter as OpenAPI describes it.
func parameterOf(p params.Parameter) parameter {
	o := parameter{Name: p.Name, In: "query", Description: p.Doc, Required: p.Required}
	least, most, isNumber := int(p.Least), int(p.Most), false
	item := jsonSchema{Type: "string"}
	switch p.Kind {
	case params.Text:
		if item.Pattern = p.Pattern; p.Pattern == "" {
			item.MinLength, item.MaxLength = least, most
		}
	case params.Flag:
		item.Enum = append([]string{"true", "false", "1", "0"}, p.Choices...)
	case params.Choice, params.Choices:
		item.Enum, least, most = p.Choices, 1, 0
	case params.Whole, params.Decimal, params.Decimals:
		isNumber, item.Type, item.Format, item.Minimum = true, "number", "double", &p.Least
		if p.Most < math.MaxInt64 {
			item.Maximum = &p.Most
		}
		if p.Kind == params.Whole {
			item.Type, item.Format = "integer", ""
			if item.Maximum == nil {
				item.Format = "int64"
			}
		}
		least, most = p.Items, p.Items
	case params.Texts:
		if !p.Folded {
			item.MinLength = 1
		}
	case params.Pairs:
		item.Pattern = p.Pattern
	}
	if p.Default != "" {
		item.Default = value(p.Default, isNumber)
	}
	o.Schema, o.Example = item, value(p.Example, isNumber)
	if p.Kind == params.Texts || p.Kind == params.Choices || p.Kind == params.Decimals || p.Kind == params.Pairs {
		o.Style, o.Explode = "form", new(bool)
		o.Schema = jsonSchema{Type: "array", Items: &item, MinItems: least, MaxItems: most}
		var examples []any
		for text := range strings.SplitSeq(p.Example, ",") {
			examples = append(examples, value(text, isNumber))
		}
		o.Example = examples
	}
	return o
}

// value returns a text, or the number that it is.
func value(text string, isNumber bool) any {
	if isNumber {
		return jsontext.Value(text)
	}
	return text
}

// encode returns a value as JSON.
func encode(value any) jsontext.Value {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it is one of ours
	}
	return text
}

// A member is one of an object, or a value of an array, which has no name.
type member struct {
	name  string
	value jsontext.Value
}

// object returns an object with members in their order.
func object(list []member) jsontext.Value {
	var parts []string
	for _, m := range list {
		parts = append(parts, string(encode(m.name))+":"+string(m.value))
	}
	return jsontext.Value("{" + strings.Join(parts, ",") + "}")
}

// children returns what an object or an array has, which is valid JSON.
func children(v jsontext.Value) (list []member) {
	d := jsontext.NewDecoder(bytes.NewReader(v))
	_, _ = d.ReadToken()
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		var m member
		if v.Kind() == '{' {
			name, _ := d.ReadToken()
			m.name = name.String()
		}
		read, _ := d.ReadValue()
		m.value = read.Clone()
		list = append(list, m)
	}
	return list
}

// find returns where the value at a pointer begins and ends. The document must have it, with an empty value if that is
// generated.
func find(document []byte, pointer jsontext.Pointer) (start, end int) {
	d := jsontext.NewDecoder(bytes.NewReader(document))
	for d.StackPointer() != pointer {
		if _, err := d.ReadToken(); err != nil {
			panic(fmt.Sprintf("httpapi/openapi.json lacks %s, which is written by hand: %v", pointer, err))
		}
	}
	value, _ := d.ReadValue()
	end = int(d.InputOffset())
	return end - len(value), end
}

func at(document []byte, pointer jsontext.Pointer) jsontext.Value {
	start, end := find(document, pointer)
	return document[start:end]
}

func replace(document []byte, pointer jsontext.Pointer, value jsontext.Value) []byte {
	start, end := find(document, pointer)
	return slices.Concat(document[:start], value, document[end:])
}

// layOut writes a value: on one line if that has at most 140 characters, otherwise each member or item on its own.
func layOut(out *bytes.Buffer, v jsontext.Value, depth int) {
	const width = 140
	line := v.Clone()
	if err := line.Format(jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)); err != nil {
		panic(err) // it is valid
	}
	if isWhole := v.Kind() != '{' && v.Kind() != '['; isWhole || depth > 0 && len(line)+depth <= width {
		out.Write(line)
		return
	}
	inner := "\n" + strings.Repeat(" ", depth+1)
	separator := v[:1]
	for _, m := range children(v) {
		out.Write(separator)
		out.WriteString(inner)
		if separator = []byte(","); v.Kind() == '{' {
			out.WriteString(string(encode(m.name)) + ": ")
		}
		layOut(out, m.value, depth+1)
	}
	out.WriteString(inner[:len(inner)-1])
	out.WriteByte(v[len(v)-1])
}
