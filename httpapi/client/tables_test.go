package client_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"pubd/httpapi/params"
)

// The client has each parameter but strict, and each value that one may have.
func TestTables(t *testing.T) {
	var source strings.Builder
	for _, name := range []string{"query.go", "pub.go", "export.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	for _, p := range params.Table {
		names := []string{p.Name}
		if p.Name != "order" && p.Name != "format" {
			names = slices.Concat(names, p.Choices)
		}
		for _, name := range names {
			name, isMinimum := strings.CutPrefix(name, "min_")
			if !strings.Contains(source.String(), `"`+name+`"`) && !(isMinimum && strings.Contains(source.String(), `"min_`+name+`"`)) && name != "strict" {
				t.Errorf("parameter %s: the client has no %q", p.Name, name)
			}
		}
	}
}
