// Package list reads the files that people keep their pubs in as tables: names of columns, and rows with their lines.
// [Open] takes the bytes of a file in any [Form] and reads all its rows; [List.Rows] gives them. It decides what a file
// is and how it is written. What its columns mean is up to package convert.
//
//	expand, decode  gzip, zstd or a zip archive of one file; UTF-16, UTF-32 and those of spreadsheets become UTF-8
//	csv, xlsx       rows of cells: the dialect, and the line of the header below titles
//	json, xml       objects, of which members are columns: wherever in the file their list is, nested or not
//	osm             elements of OpenStreetMap; those of an extract are read from the file in bounded memory
//
// A row that cannot be read has a fault and costs no other row; a file that cannot be read to its end is an error.
// Nothing is dropped in silence: [List.Found] says what was found, [List.Skipped] what does not count as a row. Files
// may be hostile: sizes, depths and numbers of columns have limits. A List is used by one goroutine at a time.
package list

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"pubd/loader"
	"pubd/loader/disk"
	"pubd/loader/sniff"
)

// A Form is the format of a list.
type Form string

// The forms.
const (
	CSV     Form = "csv"     // a table as text, with commas, semicolons, tabs or vertical bars
	XLSX    Form = "xlsx"    // a sheet of an Excel workbook
	JSON    Form = "json"    // a list of objects, on a line each or anywhere inside an object
	GeoJSON Form = "geojson" // features, in a collection or a sequence
	KML     Form = "kml"     // placemarks, such as those of Google My Maps, also as KMZ
	GPX     Form = "gpx"     // waypoints
	XML     Form = "xml"     // elements that repeat
	OSM     Form = "osm"     // elements of OpenStreetMap: Overpass JSON, or an extract as PBF or XML
)

// Options say how to read a list. The zero value finds out.
type Options struct {
	// Form is the required form; empty for any.
	Form Form
	// Sheet names the sheet of a workbook; empty is the first visible one, or one whose names are known if none of its
	// are, and with it those of the same columns.
	Sheet string
	// Path has the names of the members that lead to the list in JSON, separated by points, where * stands for any name;
	// empty if there is one. Of several lists, each row has that of its own as the member list.
	Path string
	// Header has the names of the columns of a table as MySQL writes it, with a backslash before punctuation and
	// without a line of names; nil if the table has one.
	Header []string
	// Known reports whether a name may be one of a column, by which the line of the header is found; nil if none is.
	Known func(name string) bool
	// Keep is asked about each row of a form that names its cells; tag returns the cell with a name. It returns what
	// the row is if it is no pub, such as "restaurant", and empty to keep it; nil keeps all.
	Keep func(form Form, tag func(name string) string) (other string)
}

// A List is a table.
type List struct {
	Name string
	Form Form
	// Found says how the list is written, such as "semicolons" and "header in line 3".
	Found []string
	// Columns has the names of the columns, as the list spells them, without spaces around them. Names may repeat in
	// a table.
	Columns []string
	// Header is the line of the names, 0 if rows name their columns.
	Header int
	// Separator stands between the columns of a table as text; empty for others.
	Separator string
	// Skipped counts the rows that Options.Keep refused, by what they are.
	Skipped map[string]int

	rows    []row
	sampled [][]sampledRow // by column; see Sample
	fields  map[string]int // columns by name, unless there is a header
	filled  []int          // by column, the number of the last object that has a value, from 1
	options Options
}

// A row has the cells that are not empty: rows of many columns have few.
type row struct {
	line   int
	fields []int32
	cells  []string
	fault  *loader.Complaint
}

// A Row is a row of a list.
type Row struct {
	// Line is where the row begins in the text of the list, from 1; of a workbook, the row of the sheet.
	Line int
	// Cells are the values by column, valid until the next row.
	Cells []string
	// Fault is why the row could not be read; nil if it was. Of a row with a fault, Cells is nil.
	Fault *loader.Complaint
}

// Rows yields each row, in the order of the list.
func (l *List) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		cells := make([]string, len(l.Columns))
		for _, r := range l.rows {
			public := Row{Line: r.line, Fault: r.fault}
			if r.fault == nil {
				clear(cells)
				for i, field := range r.fields {
					cells[field] = r.cells[i]
				}
				public.Cells = cells
			}
			if !yield(public) {
				return
			}
		}
	}
}

// Cells yields the cells of each row that could be read, valid until the next one.
func (l *List) Cells() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for r := range l.Rows() {
			if r.Fault == nil && !yield(r.Cells) {
				return
			}
		}
	}
}

// HeaderIsRow makes the names of the columns a row, too.
func (l *List) HeaderIsRow() {
	l.addCells(l.Header, l.Columns)
	l.takeSample()
}

// sampleSize is how many rows with a value in a column are looked at to tell what it is.
const sampleSize = 1000

// A sampledRow is the number of a row, and the hash of what it contains.
type sampledRow struct {
	hash uint64
	row  int32
}

// takeSample chooses the rows of each column. It takes time in proportion to the cells.
func (l *List) takeSample() {
	l.sampled = make([][]sampledRow, len(l.Columns))
	for number, r := range l.rows {
		at := sampledRow{row: int32(number)}
		for _, cell := range r.cells {
			at.hash += xxhash.Sum64String(cell[:min(len(cell), 64)])
		}
		at.hash *= 0x9e3779b97f4a7c15 // so that sums of few cells differ in their first bits
		for _, field := range r.fields {
			sample := append(l.sampled[field], at)
			if len(sample) == 2*sampleSize {
				sample = smallest(sample)
			}
			l.sampled[field] = sample
		}
	}
	for field, sample := range l.sampled {
		l.sampled[field] = smallest(sample)
	}
}

// smallest returns the rows with the smallest hashes, in their order.
func smallest(sample []sampledRow) []sampledRow {
	slices.SortFunc(sample, func(a, b sampledRow) int { return cmp.Compare(a.hash, b.hash) })
	return sample[:min(len(sample), sampleSize)]
}

// Sample yields the cells in some columns of the rows that have one in the first of them: of more than a thousand, those
// that a hash of their content chooses, whatever the order of the rows is. They are valid until the next.
func (l *List) Sample(fields ...int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		cells := make([]string, len(fields))
		for _, s := range l.sampled[fields[0]] {
			clear(cells)
			r := &l.rows[s.row]
			for i, field := range r.fields {
				if at := slices.Index(fields, int(field)); at >= 0 {
					cells[at] = r.cells[i]
				}
			}
			if !yield(cells) {
				return
			}
		}
	}
}

// addCells adds a row of a table with a header.
func (l *List) addCells(line int, cells []string) {
	n := filled(cells)
	r := row{line: line, fields: make([]int32, 0, n), cells: make([]string, 0, n)}
	for i, cell := range cells {
		if cell != "" {
			r.fields, r.cells = append(r.fields, int32(i)), append(r.cells, cell)
		}
	}
	l.rows = append(l.rows, r)
}

func (l *List) addFault(fault *loader.Complaint) {
	l.rows = append(l.rows, row{line: fault.Line, fault: fault})
}

// maxColumns is the maximum number of columns, which are all the names that objects of a list have.
const maxColumns = 5000

// An object is a row whose cells have names. Of several with the same name, the first that is not empty counts.
type object struct {
	line          int
	names, values []string
	fault         *loader.Complaint
}

func (o *object) set(name, value string) {
	o.names, o.values = append(o.names, name), append(o.values, value)
}

// value returns the first value with a name that is not empty.
func (o *object) value(name string) string {
	for i, known := range o.names {
		if known == name && o.values[i] != "" {
			return o.values[i]
		}
	}
	return ""
}

// addObject adds an object that Options.Keep accepts. Columns are the names of all objects, in the order of their first
// appearance.
func (l *List) addObject(o *object) error {
	if l.options.Keep != nil && len(o.names) > 0 {
		if other := l.options.Keep(l.Form, o.value); other != "" {
			l.Skipped[other]++
			return nil
		}
	}
	r := row{line: o.line, fault: o.fault}
	for i, name := range o.names {
		field, known := l.fields[name]
		if !known {
			if field = len(l.Columns); field == maxColumns {
				return fmt.Errorf("has more than %d names of members: is it a list of pubs? --list names the one to read", maxColumns)
			}
			name = strings.Clone(name)
			l.fields[name] = field
			l.Columns, l.filled = append(l.Columns, name), append(l.filled, 0)
		}
		if value := o.values[i]; value != "" && l.filled[field] <= len(l.rows) {
			r.fields, r.cells = append(r.fields, int32(field)), append(r.cells, value)
			l.filled[field] = len(l.rows) + 1
		}
	}
	l.rows = append(l.rows, r)
	return nil
}

// named returns an error with the name of the file that it is about.
func named(name string, err error) error {
	if complaint, is := errors.AsType[*loader.Complaint](err); is {
		complaint.File = name
		return complaint
	}
	return fmt.Errorf("%s: %w", loader.Visible(name), err)
}

func faultf(line int, rule string, values ...any) error {
	return &loader.Complaint{Line: line, Rule: fmt.Sprintf(rule, values...)}
}

// OpenFile is [Open] for a file. Of an extract of OpenStreetMap, which may be of any size, only the elements that are
// kept are read into memory; of any other file all, at most 2 GiB.
func OpenFile(path string, options Options) (*List, error) {
	if file, _, err := disk.Open(path); err == nil { // otherwise package loader says why
		defer file.Close()
		head := make([]byte, sniff.Enough)
		n, _ := io.ReadFull(file, head)
		if kind := sniff.Of(head[:n]); kind == sniff.PBF || kind == sniff.OSMXML {
			l := newList(path, options)
			return l.finish(l.openExtract(file, kind))
		}
	}
	content, err := loader.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Open(path, content, options)
}

// Open reads a list from memory. The name begins every complaint.
func Open(name string, content []byte, options Options) (*List, error) {
	l := newList(name, options)
	return l.finish(l.open(content))
}

func newList(name string, options Options) *List {
	return &List{Name: name, Skipped: map[string]int{}, fields: map[string]int{}, options: options}
}

func (l *List) open(content []byte) error {
	content, isWorkbook, err := l.expand(content)
	switch {
	case err != nil:
		return err
	case isWorkbook:
		return l.openWorkbook(content)
	}
	kind := sniff.Of(content)
	if kind == sniff.PBF || kind == sniff.OSMXML {
		return l.openExtract(bytes.NewReader(content), kind)
	}
	text, encoding := decode(content)
	if encoding != "" {
		l.Found = append(l.Found, encoding)
		kind = sniff.Of(text)
	}
	if kind == sniff.JavaScript {
		before := bytes.Count(text[:sniff.Literal(text)], []byte("\n"))
		text = bytes.TrimRight(exported.ReplaceAll(text[sniff.Literal(text):], nil), " \t\r\n;)")
		if text = append(bytes.Repeat([]byte("\n"), before), text...); isJSON(text) {
			l.Found, kind = append(l.Found, "JavaScript"), sniff.JSON
		} else {
			kind = sniff.OtherJavaScript
		}
	}
	switch {
	case !kind.Readable():
		return fmt.Errorf("is %v, which cannot be read: %s", kind, kind.Advice())
	case kind == sniff.JSON:
		return l.openJSON(text)
	case kind == sniff.KML || kind == sniff.GPX || kind == sniff.XML:
		return l.openXML(text, kind)
	}
	return l.openCSV(text)
}

// exported matches the end of a file of JavaScript that others import.
var exported = regexp.MustCompile(`(?m)^(module\.exports|export)\b.*\s*\z`)

// finish returns the list, unless there is an error or its form is another than what was asked for. It takes the
// samples of its columns.
func (l *List) finish(err error) (*List, error) {
	if want := l.options.Form; err == nil && want != "" && want != l.Form {
		err = fmt.Errorf("is %s, not %s: leave out --from %s", l.Form, want, want)
	}
	if err == nil && len(l.Columns) > maxColumns {
		err = faultf(l.Header, "has more than %d columns: is it a list of pubs?", maxColumns)
	}
	if err != nil {
		return nil, named(l.Name, err)
	}
	l.takeSample()
	for field := range l.Columns {
		for cells := range l.Sample(field) {
			if hasDecimalComma(cells[0]) {
				l.Found = append(l.Found, "decimal commas")
				return l, nil
			}
		}
	}
	return l, nil
}

// hasDecimalComma reports whether a cell is a number with a decimal comma, rather than one between thousands.
func hasDecimalComma(cell string) bool {
	_, fraction, _ := strings.Cut(cell, ",")
	return loader.WithPoint(cell) != "" && fraction != "" && len(fraction) != 3
}
