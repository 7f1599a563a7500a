package convert

import (
	"slices"
	"testing"

	"pubd/bench/testkit"
	"pubd/loader"
)

// Each preset maps to what there is, and the page of imports names it.
func TestPresets(t *testing.T) {
	page := string(testkit.Read(t, "../../../../docs/data.md"))
	for name, preset := range presets {
		testkit.Contains(t, "docs/data.md", page, "`--map "+name+"`")
		for _, m := range preset.mappings {
			testkit.FailIf(t, loader.ColumnName(m.Ours) != m.Ours && !slices.Contains(Parts, m.Ours), "%s: %s is not a column", name, m.Ours)
		}
	}
}
