package cell

import (
	"testing"

	"pubd/bench/testkit"
	"pubd/index/schema"
	"pubd/loader"
)

// Values are read as people write them; what is not understood stays as it is, so that the rules of snapshots refuse it.
func TestValue(t *testing.T) {
	const same = "same"
	for _, c := range []struct {
		column string
		values []string
		want   string
	}{
		{"location", []string{`\N`, "null", "NaN", "N/A", "#N/A", "#REF!", "#WERT!", "-", "–", "—", "--", "None", "none", "?", "Unknown", "k. A.", "Non spécifié", "n.v.t."}, ""},
		{"total", []string{"n.a.", "none", "nil", "?", "unknown", "tbc", "k. A."}, ""},
		{"total", []string{"4,5", "4.5/10", "4.5 / 10", "2.25/5", "2,25 von 5", "9/20", "45 %", "45/100"}, "4.5"},
		{"total", []string{"7.50", "11", "6/5", "4.5/7", "good", "4,5,6"}, same},
		{"review_count", []string{"1,234", "1.234", "1 234", "1'234", "1234"}, "1234"},
		{"review_count", []string{"12.0", "1,23", "-1", "about 20", "1.2k"}, same},
		{"trading", []string{"OPERATIONAL", "active", "open?"}, "open"},
		{"trading", []string{"closed?", "permanently closed", "CLOSED_PERMANENTLY"}, "closed"},
		{"trading", []string{"temporarily closed", "CLOSED_TEMPORARILY"}, "temporarily_closed"},
		{"trading", []string{"Sundays only"}, same},
		{"location", []string{"Nonesuch"}, same},
		{"name", []string{"None", "-"}, same},
	} {
		for _, value := range c.values {
			want := map[bool]string{true: value, false: c.want}[c.want == same]
			testkit.Equal(t, c.column+" "+value, Value(c.column, loader.KindOf(c.column), value), want)
		}
	}
	testkit.Equal(t, "a link of a list", Value("location", schema.Text, `[{"a":1}]`), "")
}
