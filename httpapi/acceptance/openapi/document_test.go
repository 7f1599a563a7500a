package openapi

import (
	"context"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// The document is valid, and so are its examples.
func TestDocument(t *testing.T) {
	ok(t, describe(t).Validate(context.Background(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaDefaultsValidation()))
}

// Each parameter, header, response and member has a description, and an example if it helps.
func TestDocumentIsDescribed(t *testing.T) {
	d := describe(t)
	ids := map[string]bool{}
	for path, item := range d.Paths.Map() {
		for method, operation := range item.Operations() {
			failIf(t, operation.OperationID == "" || ids[operation.OperationID] || operation.Summary == "" || operation.Description == "" || len(operation.Tags) != 1,
				"%s %s: needs an operationId of its own, summary, description and a tag", method, path)
			ids[operation.OperationID] = true
			for _, p := range operation.Parameters {
				failIf(t, p.Value.Description == "" || p.Value.Example == nil, "%s %s: parameter %s needs a description and an example", method, path, p.Value.Name)
			}
			for status, response := range operation.Responses.Map() {
				failIf(t, *response.Value.Description == "", "%s %s: %s needs a description", method, path, status)
			}
		}
	}
	for name, header := range d.Components.Headers {
		failIf(t, header.Value.Description == "" || header.Value.Example == nil, "header %s: needs a description and an example", name)
	}
	for name, schema := range d.Components.Schemas {
		isDescribed(t, name, schema.Value)
	}
}

// isDescribed checks a schema and all schemas in it. Objects allow no undocumented members, unless they are maps.
func isDescribed(t *testing.T, name string, schema *openapi3.Schema) {
	t.Helper()
	failIf(t, schema.Description == "", "schema %s: needs a description", name)
	isMap := schema.AdditionalProperties.Schema != nil && len(schema.Properties) == 0
	additional := schema.AdditionalProperties.Has
	failIf(t, schema.Type.Is("object") && !isMap && (additional == nil || *additional), "schema %s: must set additionalProperties to false", name)
	for member, property := range schema.Properties {
		isDescribed(t, name+"."+member, property.Value)
	}
	if schema.Items != nil && schema.Items.Value.Type.Is("object") {
		isDescribed(t, name+"[]", schema.Items.Value)
	}
}
