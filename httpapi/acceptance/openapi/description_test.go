// Package openapi checks the answers of the service, and their requests, against openapi.json.
package openapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"pubd/bench/testkit"
)

const (
	file   = "../../openapi.json"
	pubs   = "/api/v1/pubs"
	export = "/api/v1/export"
)

// A description is the document, with checks of what kin-openapi leaves out.
type description struct{ *openapi3.T }

func describe(t *testing.T) *description {
	t.Helper()
	openapi3filter.RegisterBodyDecoder("application/geo+json", openapi3filter.JSONBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/octet-stream", openapi3filter.PlainBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", openapi3filter.PlainBodyDecoder) // checkRows checks it, and CSV
	return &description{testkit.Must(openapi3.NewLoader().LoadFromFile(file))(t)}
}

// described returns the request in the document that describes the answer to a request. A slash at the end of a path
// is ignored, HEAD is GET, and other paths and methods get the errors of GET. OPTIONS is not described.
func (d *description) described(path, query, key string) *http.Request {
	if path == pubs+"/" {
		path = pubs
	}
	if d.Paths.Value(path) == nil {
		path = pubs
	}
	r := httptest.NewRequest("GET", "http://pubs.test"+path, nil)
	r.URL.RawQuery = query
	if key != "" {
		r.Header.Set("x-api-key", key)
	}
	return r
}

func (d *description) route(r *http.Request) *routers.Route {
	item := d.Paths.Value(r.URL.Path)
	return &routers.Route{Spec: d.T, Path: r.URL.Path, PathItem: item, Method: r.Method, Operation: item.GetOperation(r.Method)}
}

func (d *description) input(r *http.Request) *openapi3filter.RequestValidationInput {
	return &openapi3filter.RequestValidationInput{Request: r, Route: d.route(r), Options: &openapi3filter.Options{
		AuthenticationFunc: func(_ context.Context, in *openapi3filter.AuthenticationInput) error {
			if r.Header.Get(in.SecurityScheme.Name) == "" {
				return in.NewError(errors.New("no key"))
			}
			return nil
		}, SkipSettingDefaults: true, IncludeResponseStatus: true}}
}

// checkAnswer returns what is wrong with an answer.
func (d *description) checkAnswer(r *http.Request, a answer) error {
	a.body = withRequired(r.URL, a)
	input := d.input(r)
	input.Options.ExcludeResponseBody = isOtherFormat(r.URL, a)
	err := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{RequestValidationInput: input,
		Status: a.status, Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)), Options: input.Options})
	response := input.Route.Operation.Responses.Status(a.status)
	if response == nil {
		return fmt.Errorf("status %d: is not in the document", a.status)
	}
	list := []error{err, checkHeaders(response.Value, a), d.checkRows(r.URL, a)}
	if a.status >= 400 {
		list = append(list, checkCode(response.Value, a))
	}
	return errors.Join(list...)
}

// withRequired adds UID and name to each pub in a body. The document requires them, but the parameter fields can omit
// them.
func withRequired(target *url.URL, a answer) []byte {
	if target.Path != pubs || target.Query().Get("fields") == "" || a.status != http.StatusOK || len(a.body) == 0 {
		return a.body
	}
	complete := func(pub map[string]any) {
		for _, member := range []string{"UID", "name"} {
			if pub[member] == nil {
				pub[member] = "left out"
			}
		}
	}
	var out bytes.Buffer
	for line := range bytes.Lines(a.body) {
		var value map[string]any
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		if decoder.Decode(&value) != nil {
			return a.body // CSV
		}
		results, isJSON := value["results"].([]any)
		features, isGeoJSON := value["features"].([]any)
		for _, pub := range results {
			complete(pub.(map[string]any))
		}
		for _, feature := range features {
			complete(feature.(map[string]any)["properties"].(map[string]any))
		}
		if !isJSON && !isGeoJSON {
			complete(value)
		}
		_ = json.NewEncoder(&out).Encode(value) // it was decoded before
	}
	return out.Bytes()
}

// ofHTTP are headers that the document need not mention.
var ofHTTP = []string{"Date", "Content-Length", "Content-Type", "Connection"}

// checkHeaders finds headers that are not in the document.
func checkHeaders(response *openapi3.Response, a answer) (err error) {
	for name, values := range a.header {
		isIt := func(written string) bool { return strings.EqualFold(written, name) }
		if !slices.Contains(ofHTTP, name) && !slices.ContainsFunc(slices.Collect(maps.Keys(response.Headers)), isIt) {
			err = errors.Join(err, fmt.Errorf("header %s: is not in the document", name))
		}
		if len(values) > 1 {
			err = errors.Join(err, fmt.Errorf("header %s: is repeated %d times", name, len(values)))
		}
	}
	if len(response.Content) == 0 && len(a.body) > 0 {
		err = errors.Join(err, errors.New("has a body: not in the document"))
	}
	return err
}

// checkCode checks the code of an error against the examples, which must have every code.
func checkCode(response *openapi3.Response, a answer) error {
	var body struct {
		Code   string
		Status int
	}
	if err := json.Unmarshal(a.body, &body); err != nil || body.Status != a.status {
		return fmt.Errorf("status %d: the body has %d (%v)", a.status, body.Status, err)
	}
	for _, example := range response.Content["application/json"].Examples {
		if example.Value.Value.(map[string]any)["code"] == body.Code {
			return nil
		}
	}
	return fmt.Errorf("code %s: status %d has no example of it", body.Code, a.status)
}

// isOtherFormat reports whether an answer of pubs has a format that the document has in words alone, so that clients
// generated from it get an Answer.
func isOtherFormat(target *url.URL, a answer) bool {
	return target.Path == pubs && a.status == http.StatusOK && !strings.HasPrefix(a.header.Get("Content-Type"), "application/json")
}

// checkRows checks the lines of NDJSON and the columns of CSV against the schema of a pub, and a FeatureCollection of
// pubs, without its features, against that of an answer. CSV may have further columns.
func (d *description) checkRows(target *url.URL, a answer) error {
	pub := d.Components.Schemas["Pub"].Value
	mediaType, parameters, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	if a.status == http.StatusPartialContent || strings.Contains(parameters, "header=absent") {
		return nil
	}
	switch mediaType {
	case "application/geo+json":
		var value map[string]any
		err := json.Unmarshal(a.body, &value)
		features, isList := value["features"].([]any)
		if err != nil || !isList || value["type"] != "FeatureCollection" {
			return fmt.Errorf("not a FeatureCollection: %w", err)
		}
		for _, feature := range features {
			err = cmp.Or(err, d.Components.Schemas["Feature"].Value.VisitJSON(feature, openapi3.EnableJSONSchema2020()))
		}
		if target.Path == pubs {
			delete(value, "type")
			delete(value, "features")
			value["results"] = []any{}
			err = cmp.Or(err, d.Components.Schemas["Answer"].Value.VisitJSON(value, openapi3.EnableJSONSchema2020()))
		}
		return err
	case "application/x-ndjson":
		for line := range bytes.Lines(a.body) {
			var value any
			err := json.Unmarshal(line, &value)
			if err = cmp.Or(err, pub.VisitJSON(value, openapi3.EnableJSONSchema2020())); err != nil {
				return err
			}
		}
	case "text/csv":
		rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(a.body, []byte("\ufeff")))).ReadAll()
		if err != nil || len(rows) == 0 {
			return fmt.Errorf("%d rows of CSV: %w", len(rows), err)
		}
		if slices.Equal(rows[0], []string{""}) { // no column at all, as of fields=distance without a circle
			return nil
		}
		for _, column := range rows[0] {
			if further := target.Path != pubs || strings.Contains(target.RawQuery, "extra"); pub.Properties[column] == nil && !further {
				return fmt.Errorf("column %s: not a member of a pub", column)
			}
		}
	default:
		if isOtherFormat(target, a) {
			return fmt.Errorf("media type %s: is not in the document", mediaType)
		}
	}
	return nil
}

// The document is valid, and so are its examples.
func TestDocument(t *testing.T) {
	testkit.OK(t, describe(t).Validate(context.Background(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaDefaultsValidation()))
}

// Each parameter, header, response and member has a description, and an example if it helps.
func TestDocumentIsDescribed(t *testing.T) {
	d := describe(t)
	ids := map[string]bool{}
	for path, item := range d.Paths.Map() {
		for method, operation := range item.Operations() {
			testkit.FailIf(t, operation.OperationID == "" || ids[operation.OperationID] || operation.Summary == "" || operation.Description == "" || len(operation.Tags) != 1,
				"%s %s: needs an operationId of its own, summary, description and a tag", method, path)
			ids[operation.OperationID] = true
			for _, p := range operation.Parameters {
				testkit.FailIf(t, p.Value.Description == "" || p.Value.Example == nil, "%s %s: parameter %s needs a description and an example", method, path, p.Value.Name)
			}
			for status, response := range operation.Responses.Map() {
				testkit.FailIf(t, *response.Value.Description == "", "%s %s: %s needs a description", method, path, status)
			}
		}
	}
	for name, header := range d.Components.Headers {
		testkit.FailIf(t, header.Value.Description == "" || header.Value.Example == nil, "header %s: needs a description and an example", name)
	}
	for name, schema := range d.Components.Schemas {
		isDescribed(t, name, schema.Value)
	}
}

// isDescribed checks a schema and all schemas in it. Objects allow no undocumented members, unless they are maps.
func isDescribed(t *testing.T, name string, schema *openapi3.Schema) {
	t.Helper()
	testkit.FailIf(t, schema.Description == "", "schema %s: needs a description", name)
	isMap := schema.AdditionalProperties.Schema != nil && len(schema.Properties) == 0
	additional := schema.AdditionalProperties.Has
	testkit.FailIf(t, schema.Type.Is("object") && !isMap && (additional == nil || *additional), "schema %s: must set additionalProperties to false", name)
	for member, property := range schema.Properties {
		isDescribed(t, name+"."+member, property.Value)
	}
	if schema.Items != nil && schema.Items.Value.Type.Is("object") {
		isDescribed(t, name+"[]", schema.Items.Value)
	}
}

// lookupParameters are the parameters that a lookup uses.
var lookupParameters = []string{"pubid", "pubids", "include", "fields", "format", "snapshot", "strict"}

// canonical returns a query string in the spelling of the document, without parameters that are ignored or count as
// absent. The service accepts other spellings, as info.description says. Invalid values stay unchanged.
func canonical(operation *openapi3.Operation, query string) string {
	given := parse(query)
	kept := url.Values{}
	isLookup := present(given, "pubid") || present(given, "pubids")
	for _, parameter := range operation.Parameters {
		name := parameter.Value.Name
		if parameter.Value.In != "query" || !present(given, name) || isLookup && operation.OperationID == "pubs" && !slices.Contains(lookupParameters, name) {
			continue
		}
		value := given.Get(name)
		switch {
		case strings.HasPrefix(name, "facet"):
			value = category.ReplaceAllString(value, "common_category")
		case name == "near":
			value = aroundNumbers.ReplaceAllString(value, "$1")
		}
		kept.Set(name, respell(parameter.Value.Schema.Value, value))
	}
	return kept.Encode()
}

// category is the other name of a facet.
var category = regexp.MustCompile(`\bcategory\b`)

// aroundNumbers is white space around the numbers of a list.
var aroundNumbers = regexp.MustCompile(`\s*(^|,|$)\s*`)

// parse parses a query string as the service does, which treats a semicolon as any other character.
func parse(query string) url.Values {
	given, _ := url.ParseQuery(strings.ReplaceAll(query, ";", "%3B"))
	return given
}

func present(given url.Values, name string) bool { return strings.TrimSpace(given.Get(name)) != "" }

var decimal = regexp.MustCompile(`^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$`)

// respell spells a value as JSON does. It quotes values that are not JSON numbers, because both libraries parse 1_0
// and 0x1p2 as numbers.
func respell(schema *openapi3.Schema, value string) string {
	switch isNumber := schema.Type.Is("integer") || schema.Type.Is("number"); {
	case isNumber && !decimal.MatchString(value):
		return strconv.Quote(value)
	case schema.Type.Is("integer"):
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && value[0] != '-' {
			return strconv.FormatInt(n, 10)
		}
	case schema.Type.Is("number"):
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			return strconv.FormatFloat(n+0, 'f', -1, 64)
		}
	case schema.Type.Is("array"):
		list := strings.Split(value, ",")
		for i, item := range list {
			name, weight, isWeight := strings.Cut(item, ":")
			if list[i] = respell(schema.Items.Value, item); isWeight && schema.Items.Value.Pattern != "" {
				list[i] = name + ":" + respell(openapi3.NewFloat64Schema(), weight)
			}
		}
		return strings.Join(list, ",")
	case schema.Enum != nil && slices.Contains(schema.Enum, any(strings.ToLower(value))):
		return strings.ToLower(value)
	}
	return value
}
