package convert

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/lists/cell"
)

// What is printed about a list is printable, and a command that is advised can be typed as it is shown.
func TestHostileNames(t *testing.T) {
	const evil = "\x1b[31mTitle\n\u202e"
	rows := func(name string) string {
		text := testkit.Must(json.Marshal([]map[string]string{{name: "The Red Lion"}, {name: "Bell and Crown"}}))(t)
		return string(text)
	}
	for _, c := range []struct{ name, text, want string }{
		{"escapes", rows(evil), "add --map name=COLUMN to"},
		{"long", rows(strings.Repeat("n", 900)), "add --map name=COLUMN to"},
		{"a quote", rows("it's $(x) `y`"), "add --map 'name=it'\\''s $(x) `y`' to"},
	} {
		_, err := Convert("in", []byte(c.text), Options{AutoUID: true})
		said := fmt.Sprint(err)
		if !strings.Contains(said, c.want) || strings.ContainsFunc(said, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%s: got %q, want %s", c.name, said, c.want)
		}
	}
	result, err := Convert("in", []byte("id,name,x"+evil[:8]+".geom\n1,x,51.5 -0.12\n2,y,here\n"), Options{})
	if err != nil || len(result.Complaints) != 1 || !strings.Contains(result.Complaints[0].Error(), `x\x1b[31mTit.geom "here"`) {
		t.Errorf("got %v, %v", result, err)
	}
}

// A value that a workbook repeats is refused before it is looked at, and many columns of other names cost no more than
// what is kept of them.
func TestLongValues(t *testing.T) {
	long := strings.Repeat("a ", cell.MaxLength)
	text := "id,name,address,alt_name\n1," + long + ",,\n2,x," + long + ",\n3,x,," + long + "\n"
	result := testkit.Must(Convert("in", []byte(text), Options{}))(t)
	var columns []string
	for _, c := range result.Complaints {
		columns = append(columns, c.Column)
	}
	for _, c := range result.Counts {
		if c.Example != nil {
			columns = append(columns, c.Column)
		}
	}
	if got := strings.Join(columns, " "); got != "name address alt_names" {
		t.Errorf("refused %s", got)
	}
	var header, row strings.Builder
	for i := range 4000 {
		fmt.Fprint(&header, ",", strings.NewReplacer("0", "-", "1", "_").Replace(fmt.Sprintf("alt%012bname", i)))
		fmt.Fprintf(&row, ",a%d", i)
	}
	var plan Plan
	text = "id,name" + header.String() + "\n1,x" + row.String() + "\n"
	result, err := Convert("in", []byte(text), Options{Planned: func(p Plan) { plan = p }})
	if err != nil || result.Counts[2].LeftOut != 1 || !strings.Contains(result.Counts[2].Example.Rule, "must be at most 1,000 bytes long, is 1") {
		t.Errorf("got %v, %v", result, err)
	}
	if last := plan.Steps[len(plan.Steps)-1].From; !strings.HasSuffix(last, "-___-_name and 3970 more") {
		t.Errorf("the plan says %.300s", last)
	}
}
