// Package list reads the files that people keep their pubs in as tables: names of columns, and rows with their lines.
// [Open] takes the bytes of a file in any [Form]; [List.Read] gives its rows. It decides what a file is and
// how it is written. What its columns mean is up to package convert.
//
//	expand, decode  gzip, zstd or a zip archive of one file; UTF-16, UTF-32 and those of spreadsheets become UTF-8
//	csv, xlsx       rows of cells: the dialect, and the line of the header below titles
//	json, xml       objects, of which members are columns: wherever in the file their list is, nested or not
//	extract         an OpenStreetMap extract, read from the file in bounded memory
//	openpubs        lines of the Open Pubs file, with shifted columns
//
// A row that cannot be read has a fault and costs no other row; a file that cannot be read to its end is an error.
// Nothing is dropped in silence: [List.Found] says what was found, [List.Skipped] what does not count as a row. Files
// may be hostile: sizes, depths and numbers of columns have limits. A List is read by one goroutine at a time, any
// number of times.
package list

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"pubd/loader"
	"pubd/loader/sniff"
)

// A Form is what a list is.
type Form string

// The forms.
const (
	CSV       Form = "csv"       // a table as text, with commas, semicolons, tabs or vertical bars
	XLSX      Form = "xlsx"      // a sheet of an Excel workbook
	JSON      Form = "json"      // a list of objects, on a line each or anywhere inside an object
	GeoJSON   Form = "geojson"   // features, in a collection or a sequence
	KML       Form = "kml"       // placemarks, such as those of Google My Maps, also as KMZ
	GPX       Form = "gpx"       // waypoints
	OSM       Form = "osm"       // elements of OpenStreetMap: Overpass JSON, or an extract as PBF or XML
	OpenPubs  Form = "openpubs"  // the Open Pubs file
	Breweries Form = "breweries" // Open Brewery DB, as JSON or a table
)

// Options say how to read a list. The zero value finds out.
type Options struct {
	// Form is what the list must be; empty if any.
	Form Form
	// Sheet names the sheet of a workbook; empty is the first one.
	Sheet string
	// Path has the names of the members that lead to the list in JSON, separated by points; empty if there is one.
	Path string
	// Known reports whether a name may be one of a column, by which the line of the header is found; nil if none is.
	Known func(name string) bool
	// Keep is asked about each row of a form that names its cells; tag returns the cell with a name. It returns what
	// the row is if it is no pub, such as "restaurant", and empty to keep it; nil keeps all.
	Keep func(form Form, tag func(name string) string) (other string)
	// Progress is called from time to time with the bytes read so far and in total, of every reading; it may be nil.
	Progress func(read, total int64)
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
	// Better is another sheet of the workbook, which has names that are known as this one has not; empty if none has.
	Better string
	// Sample has the cells of the first rows that could be read, at most 20 of 1,000, each cut after 4 KiB.
	Sample [][]string
	// Skipped counts the rows that Options.Keep refused at the last reading, by what they are.
	Skipped map[string]int

	read     func(take func(Row) bool) error
	stopped  func() error // of the context of its opening
	total    int64        // bytes to read
	reported int64
	progress func(read, total int64)
}

// A Row is a row of a list.
type Row struct {
	// Line is where the row begins in the text of the list, from 1; of a workbook, the row of the sheet.
	Line int
	// Cells are the values by column, valid until the next row.
	Cells []string
	// Fault is why the row could not be read; nil if it was. Of a row with a fault, Cells is nil.
	Fault *loader.Complaint
	// Repaired is set if cells had to be moved to their columns.
	Repaired bool
}

// Read calls take with each row, in the order of the list, until take returns false. An error means that the list
// cannot be read to its end, or that the context of its opening has ended.
func (l *List) Read(take func(Row) bool) error {
	err := l.read(func(row Row) bool { return l.stopped() == nil && take(row) })
	if err = cmp.Or(l.stopped(), err); err != nil {
		return named(l.Name, err)
	}
	return nil
}

// named returns an error with the name of the file that it is about.
func named(name string, err error) error {
	var complaint *fault
	if errors.As(err, &complaint) {
		complaint.File = name
		return complaint
	}
	return fmt.Errorf("%s: %w", loader.Visible(name), err)
}

// A fault is a complaint as an error.
type fault struct{ loader.Complaint }

func faultf(line int, rule string, values ...any) error {
	return &fault{loader.Complaint{Line: line, Rule: fmt.Sprintf(rule, values...)}}
}

// OpenFile is [Open] for a file. Of an extract of OpenStreetMap, which may be of any size, only the elements that are
// kept are read into memory; of any other file all, at most 2 GiB.
func OpenFile(ctx context.Context, path string, options Options) (*List, error) {
	// Opening a named pipe must not wait for a writer.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, readError(path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, readError(path, err)
	}
	if info.Mode().IsRegular() {
		head := make([]byte, sniff.Enough)
		n, _ := io.ReadFull(file, head)
		if kind := sniff.Of(head[:n]); kind == sniff.PBF || kind == sniff.OSMXML {
			l := &List{Name: path, Skipped: map[string]int{}, stopped: ctx.Err}
			if err := l.openExtract(ctx, file, kind, options); err != nil {
				return nil, named(path, err)
			}
			return l.finish(options)
		}
	}
	content, err := loader.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Open(ctx, path, content, options)
}

// readError says in the words of package loader why a file cannot be opened.
func readError(path string, err error) error {
	file, said := loader.OpenFile(path)
	if said != nil {
		return said
	}
	file.Close()
	return named(path, err)
}

// Open reads the beginning of a list from memory. It retains content. The name begins every complaint.
func Open(ctx context.Context, name string, content []byte, options Options) (*List, error) {
	l := &List{Name: name, Skipped: map[string]int{}, stopped: ctx.Err}
	if err := l.open(ctx, content, options); err != nil {
		return nil, named(name, err)
	}
	return l.finish(options)
}

func (l *List) open(ctx context.Context, content []byte, options Options) error {
	expanded, err := expand(content)
	if err != nil {
		return err
	}
	if l.Found = append(l.Found, expanded.found...); expanded.workbook {
		return l.openWorkbook(expanded.content, options)
	}
	kind := sniff.Of(expanded.content)
	if kind == sniff.PBF || kind == sniff.OSMXML {
		return l.openExtract(ctx, bytes.NewReader(expanded.content), kind, options)
	}
	text, encoding := decode(expanded.content)
	if encoding != "" {
		l.Found = append(l.Found, encoding)
		kind = sniff.Of(text)
	}
	l.total = int64(len(text))
	switch {
	case !kind.Readable():
		return fmt.Errorf("is %v, which cannot be read: %s", kind, kind.Advice())
	case kind == sniff.JSON:
		return l.openJSON(text, options)
	case kind == sniff.KML || kind == sniff.GPX:
		return l.openXML(text, kind, options)
	}
	if options.Form == OpenPubs || options.Form == "" && isOpenPubs(text) {
		l.openOpenPubs(text)
		return nil
	}
	return l.openCSV(text, options)
}

// maxSample is the maximum length of a cell of the sample, in bytes.
const maxSample = 4 << 10

// finish checks that the form is the one that was asked for, and takes the sample.
func (l *List) finish(options Options) (*List, error) {
	if (l.Form == CSV || l.Form == JSON || l.Form == XLSX) && slices.ContainsFunc(l.Columns, isBreweryType) && (options.Form == "" || options.Form == Breweries) {
		l.Form = Breweries
	}
	if want := options.Form; want != "" && want != l.Form && !(want == Breweries && (l.Form == CSV || l.Form == JSON)) {
		return nil, named(l.Name, fmt.Errorf("is %s, not %s: leave out --from %s", l.Form, want, want))
	}
	if len(l.Columns) > maxColumns {
		return nil, named(l.Name, faultf(l.Header, "has more than %d columns: is it a list of pubs?", maxColumns))
	}
	rows := 0
	if err := l.read(func(row Row) bool {
		rows++
		if row.Fault == nil {
			cells := slices.Clone(row.Cells)
			for i, cell := range cells {
				cells[i] = strings.Clone(cell[:min(len(cell), maxSample)]) // rather than hold all of it
			}
			l.Sample = append(l.Sample, cells)
		}
		return len(l.Sample) < 20 && rows < 1000
	}); err != nil {
		return nil, named(l.Name, err)
	}
	if slices.ContainsFunc(l.Sample, func(cells []string) bool { return slices.ContainsFunc(cells, hasDecimalComma) }) {
		l.Found = append(l.Found, "decimal commas")
	}
	l.progress = options.Progress
	return l, nil
}

// hasDecimalComma reports whether a cell is a number with a decimal comma, rather than one between thousands.
func hasDecimalComma(cell string) bool {
	_, fraction, _ := strings.Cut(cell, ",")
	return loader.WithPoint(cell) != "" && fraction != "" && len(fraction) != 3
}

// at notes that a reading has come to a byte of the text.
func (l *List) at(read int64) {
	if read < l.reported {
		l.reported = 0
	}
	if l.progress != nil && (read-l.reported >= 1<<20 || read == l.total && read > l.reported) {
		l.reported = read
		l.progress(read, l.total)
	}
}

func isBreweryType(name string) bool { return strings.EqualFold(name, "brewery_type") }
