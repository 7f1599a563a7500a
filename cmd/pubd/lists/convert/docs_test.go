package convert

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/lists/merge"
	"pubd/loader"
)

// Values are read as people write them, or refused.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		column string
		values []string
		want   string // empty is missing, "!" refused
	}{
		{"any but UID and name", []string{`\N`, "null", "NaN", "N/A", "#N/A", "-", "–", "—", "--", "None", "none", "?", "Unknown", "k. A.", "Non spécifié", "n.v.t."}, ""},
		{"numbers", []string{"n.a.", "none", "nil", "?", "unknown", "tbc", "k. A."}, ""},
		{"total", []string{"4,5", "4.5/10", "4.5 / 10", "2.25/5", "2,25 von 5", "9/20", "45 %", "45/100"}, "4.5"},
		{"total", []string{"7.50"}, "7.50"},
		{"total", []string{"11", "6/5", "4.5/7", "good", "4,5,6"}, "!"},
		{"review_count", []string{"1,234", "1.234", "1 234", "1'234", "1234"}, "1234"},
		{"review_count", []string{"12.0"}, "12.0"},
		{"review_count", []string{"1,23", "-1", "about 20", "1.2k"}, "!"},
		{"location", []string{"Nonesuch"}, "Nonesuch"},
		{"trading", []string{"OPERATIONAL", "active", "open?"}, "open"},
		{"trading", []string{"closed?", "permanently closed", "CLOSED_PERMANENTLY"}, "closed"},
		{"trading", []string{"temporarily closed", "CLOSED_TEMPORARILY"}, "temporarily_closed"},
		{"trading", []string{"Sundays only"}, "Sundays only"},
		{"latitude", []string{"51,5", "51.5°", "51°30'N", "N 51 30 0", "51.5 N"}, "51.5"},
		{"latitude", []string{"0.1 W", "91", "north"}, "!"},
	} {
		column := c.column
		switch column {
		case "any but UID and name":
			column = "location"
		case "numbers":
			column = "total"
		}
		for _, value := range c.values {
			header := []string{"UID", "name", "latitude", "longitude", "location", "trading", "total", "review_count"}
			cells := []string{"1", "Bell", "0", "0", "", "", "", "1"}
			cells[slices.Index(header, column)] = value
			var text strings.Builder
			testkit.OK(t, csv.NewWriter(&text).WriteAll([][]string{header, cells}))
			result := testkit.Must(Convert(t.Context(), "in", []byte(text.String()), Options{}))(t)
			got := "!"
			if isKept := !slices.ContainsFunc(result.Counts, func(c merge.Count) bool { return c.Example != nil && c.Column == column }); len(result.Snapshot.Rows) == 1 && isKept && slices.Contains(result.Snapshot.Columns, column) {
				got = rows(result.Snapshot, column)["1"]
			}
			testkit.FailIf(t, got != c.want, "%s %q: got %q, want %q", column, value, got, c.want)
		}
	}
}

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
