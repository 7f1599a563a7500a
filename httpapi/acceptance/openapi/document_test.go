package openapi

import (
	"context"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// The document is valid, and so are its examples.
func TestDocument(t *testing.T) {
	d := describe(t)
	if err := d.Validate(context.Background(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaDefaultsValidation()); err != nil {
		t.Errorf("kin-openapi: %v", err)
	}
}

// Each parameter, header, response and member has a description, and an example if it helps.
func TestDocumentIsDescribed(t *testing.T) {
	d := describe(t)
	ids := map[string]bool{}
	for path, item := range d.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.OperationID == "" || ids[operation.OperationID] || operation.Summary == "" || operation.Description == "" || len(operation.Tags) != 1 {
				t.Errorf("%s %s: needs an operationId of its own, summary, description and a tag", method, path)
			}
			ids[operation.OperationID] = true
			for _, p := range operation.Parameters {
				if p.Value.Description == "" || p.Value.Example == nil {
					t.Errorf("%s %s: parameter %s needs a description and an example", method, path, p.Value.Name)
				}
			}
			for status, response := range operation.Responses.Map() {
				if *response.Value.Description == "" {
					t.Errorf("%s %s: %s needs a description", method, path, status)
				}
			}
		}
	}
	for name, header := range d.Components.Headers {
		if header.Value.Description == "" || header.Value.Example == nil {
			t.Errorf("header %s: needs a description and an example", name)
		}
	}
	for name, schema := range d.Components.Schemas {
		isDescribed(t, name, schema.Value)
	}
}

// isDescribed checks a schema and all schemas in it. Objects allow no undocumented members, unless they are maps.
func isDescribed(t *testing.T, name string, schema *openapi3.Schema) {
	t.Helper()
	if schema.Description == "" {
		t.Errorf("schema %s: needs a description", name)
	}
	isMap := schema.AdditionalProperties.Schema != nil && len(schema.Properties) == 0
	if additional := schema.AdditionalProperties.Has; schema.Type.Is("object") && !isMap && (additional == nil || *additional) {
		t.Errorf("schema %s: must set additionalProperties to false", name)
	}
	for member, property := range schema.Properties {
		isDescribed(t, name+"."+member, property.Value)
	}
	if schema.Items != nil && schema.Items.Value.Type.Is("object") {
		isDescribed(t, name+"[]", schema.Items.Value)
	}
}
