package list

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/xuri/excelize/v2"

	"pubd/bench/testkit"
	"pubd/loader"
)

// A named pipe that nobody writes to is refused, and not waited for.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := OpenFile(path, Options{}); err == nil || !strings.Contains(err.Error(), "a named pipe") {
		t.Errorf("got %v", err)
	}
}

// What takes far more memory or time than it is long is refused, and said.
func TestBombs(t *testing.T) {
	testkit.Long(t, "reads texts of 16 MiB")
	long := strings.Repeat("n", maxName+1)
	for _, c := range []struct{ name, text, want string }{
		{"a row", `[{"id":1},
{"id":2,"a":"` + strings.Repeat("x", maxRow) + `"}]`, "! in:2: an object is longer than 16 MiB: is it a list of pubs?"},
		{"a line", "{\"id\":1}\n{\"id\":2,\"a\":\"" + strings.Repeat("x", maxRow) + "\"}", "! in:2: an object is longer than 16 MiB: is it a list of pubs?"},
		{"a name", `[{"id":1},{"id":2,"` + long + `":{"a":1}}]`,
			"json: id / 1 1 / 1! names of members must be at most 1,000 bytes long in all"},
		{"names in all", `[{"` + long[:600] + `":{"` + long[:400] + `":1}}]`, "json:  / 1! names of members must be at most 1,000 bytes long in all"},
		{"a path", `{"pubs":[{"id":1}],"` + long + `":{"a":[{}]}}`, "json, the list in pubs: id / 1 1"},
		{"lists in lists", `[{"id":1,"a":` + strings.Repeat("[", 9000) + `"x"` + strings.Repeat("]", 9000) + `}]`, "json: id|a / 1 1|"},
		{"many lists", `{` + strings.Repeat(`"a":[{}],`, 2*maxLists) + `"pubs":[]}`, "! in: has several lists: add --list with one of a (1)"},
		{"columns", "id,name" + strings.Repeat(",x", maxColumns) + "\n", "! in:1: has more than 5000 columns: is it a list of pubs?"},
		{"elements", "<kml>" + strings.Repeat("<a>", 2*maxOpen), "! in:1: elements are nested too deep"},
		{"placemarks", "<kml>" + strings.Repeat("<Placemark><name>a</name></Placemark>", maxOpen) + "</kml>", "kml: name / 1 a"},
		{"an element", "<kml>\n<Placemark>" + strings.Repeat("<a>b</a>", maxRow/8) + "</Placemark></kml>",
			"! in:2: must be valid KML: was it copied completely? an element is longer than 16 MiB"},
		{"separators", "id,name\na,A\n" + strings.Repeat(",", 2*loader.MaxCommas), "! in:3: a row has more than a million commas: is a quote left open?"},
		{"a header", "id,name" + strings.Repeat(",", 2*loader.MaxCommas), "! in:1: is longer than 1 MiB, which no line of names is: is a quote left open?"},
		{"gzip", string(gzipped(make([]byte, 100<<20))), "! in: gzip: expands to more than 2 GiB, or to 50 times its size: split it"},
		{"blank lines", strings.Repeat("\n", maxCell), "! in: is empty"},
		{"broken rows", "id,name\n" + strings.Repeat("1,\"x\n2,x\"y\n", 1000), "csv: id|name / 2! a quote that opens here"},
	} {
		if got := table(t, []byte(c.text), Options{}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %.300s, want %s", c.name, got, c.want)
		}
	}
	var members strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&members, `"m%d":1,`, i)
	}
	if got := table(t, []byte("[{"+members.String()+`"n":1}]`), Options{}); !strings.HasPrefix(got, "! in: has more than 5000 names of members") {
		t.Errorf("100,000 names: got %.200s", got)
	}
	doc, err := survey([]byte("{"+members.String()+`"type":"x"}`), nil)
	testkit.FailIf(t, err != nil || len(doc.head) != 1, "the head has %d members, %v", len(doc.head), err)
}

// Rows of many columns hold those that they have: all would cost more than they are long.
func TestRowsAreSparse(t *testing.T) {
	l, err := Open("in", []byte(`[{"a":1,"b":1},{"b":2},{"b":""}]`), Options{})
	testkit.FailIf(t, err != nil || len(l.rows[1].cells) != 1 || len(l.rows[2].cells) != 0, "%v, got %+v", err, l.rows)
}

// The sample of a column is small, has what is rare, and is the same in any order of the rows.
func TestSample(t *testing.T) {
	var rows []string
	for i := range 10 * sampleSize {
		rows = append(rows, fmt.Sprintf("%d,Pub %d,%s\n", i, i, map[bool]string{i == 7: "rare"}[true]))
	}
	sample := func() (all [][]string) {
		l := testkit.Must(Open("in", []byte("id,name,note\n"+strings.Join(rows, "")), Options{Known: known}))(t)
		for field := range l.Columns {
			for cells := range l.Sample(field, 1) {
				all = append(all, slices.Clone(cells))
			}
		}
		return all
	}
	first := sample()
	slices.Reverse(rows)
	testkit.FailIf(t, len(first) != 2*sampleSize+1 || first[2*sampleSize][0] != "rare" || !reflect.DeepEqual(first, sample()), "got %d rows", len(first))
}

// Cells copy the text that they share, and a row of them is held as a whole.
func TestWorkbookBombs(t *testing.T) {
	for _, c := range []struct {
		shared string
		want   bool
	}{
		{"<sst>" + strings.Repeat("<si><t>x</t></si>", 100_000) + "</sst>", false},
		{"<sst>" + strings.Repeat("<x:si><x:t>x</x:t></x:si>", 100_000) + "</sst>", false},
		{"<sst><si><t>a</t></si><si><t>" + strings.Repeat("x", 256<<10) + "</t></si></sst>", true},
		{"<sst><si>" + strings.Repeat("<r><t>x</t></r>", 20_000) + "</si></sst>", true},
	} {
		testkit.Equal(t, c.shared, hasLongString([]byte(c.shared)), c.want)
	}
	book := excelize.NewFile()
	for i := range maxRow/excelize.TotalCellChars + 1 {
		cell, err := excelize.CoordinatesToCellName(i+1, 2)
		if err == nil {
			err = book.SetCellStr("Sheet1", cell, strings.Repeat("x", excelize.TotalCellChars))
		}
		testkit.OK(t, err)
	}
	packed := testkit.Must(book.WriteToBuffer())(t)
	if got := table(t, packed.Bytes(), Options{}); got != "! in:2: a row is longer than 16 MiB: is it a list of pubs?" {
		t.Errorf("got %.300s", got)
	}
}

// Rows with a cell far to the right take no longer than they are long: a few are read, of many the sheet is refused.
func TestWideRows(t *testing.T) {
	for _, c := range []struct {
		wide int
		want string
	}{{3, "xlsx: id|name / 2! has 16384 cells, the header has 2"}, {300, "! in:274: rows have more than 1000 empty cells: delete the columns far to the right of the list"}} {
		book := excelize.NewFile()
		sheet, err := book.NewStreamWriter("Sheet1")
		if err == nil {
			err = sheet.SetRow("A1", []any{"id", "name"})
		}
		for i := range c.wide {
			if err == nil {
				err = sheet.SetRow(fmt.Sprint("XFD", i+2), []any{"x"})
			}
		}
		if err == nil {
			err = sheet.Flush()
		}
		packed, unwritten := book.WriteToBuffer()
		if err = cmp.Or(err, unwritten); err != nil {
			t.Fatal(err)
		}
		if got := table(t, packed.Bytes(), Options{}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%d wide rows: got %.300s, want %s", c.wide, got, c.want)
		}
	}
}

// Blank lines cost no memory, whatever separates their cells.
func TestBlankLines(t *testing.T) {
	for _, line := range []string{"\n", ",\n", ";;\r\n", "\t\"\"\n"} {
		text := []byte(strings.Repeat(line, 100_000) + "id,name\n1,Bell\n")
		if n := testing.AllocsPerRun(1, func() { _ = table(t, text, Options{Known: known}) }); n > 1000 {
			t.Errorf("%q: got %v allocations", line, n)
		}
		if got, want := table(t, text, Options{Known: known}), "csv: id|name / 100002 1|Bell"; got != want {
			t.Errorf("%q: got %s, want %s", line, got, want)
		}
	}
}
