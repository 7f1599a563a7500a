package loader

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"pubd/index/schema"
)

// readCSV reads RFC 4180 with a header line. It returns what ended the reading before the end of the file, or nil.
func readCSV(source *source, draft *draft) *Complaint {
	rows, reason := newCSVRows(source)
	if reason != nil {
		return reason
	}
	header := rows.header
	draft.hint.header = rows.line
	columns, reason := draft.readHeader(rows)
	if reason != nil {
		return reason
	}
	for !draft.tooManyErrors() {
		record, reason := rows.next()
		if record == nil {
			return reason
		}
		line := rows.line
		if len(record) != len(header) {
			rule := fmt.Sprintf("has %d fields, the header has %d", len(record), len(header))
			if breaks := lineBreaks(record); breaks > 0 {
				rule += fmt.Sprintf(", and ends on line %d: is a quote left open?", line+breaks)
			} else if len(record) > len(header) {
				rule += ": put a field with commas in quotes, and write decimals with a point"
			}
			draft.complain(line, "", fault{unknown, "", rule})
			continue
		}
		if slices.Equal(record, header) {
			uid := record[slices.Index(columns, schema.ColumnUID)]
			draft.complain(line, uid, fault{unknown, "", "must be a pub, but repeats the header: remove it"})
			continue
		}
		draft.cells.fill(columns, record)
		draft.add(line, draft.cells)
	}
	return nil
}

// csvRows reads the rows below a header line.
type csvRows struct {
	source *source
	reader *csv.Reader
	header []string
	line   int // of the last row
}

// newCSVRows reads the header line.
func newCSVRows(source *source) (*csvRows, *Complaint) {
	source.expanded.parted = true
	r := &csvRows{source: source, reader: csv.NewReader(source)}
	r.reader.ReuseRecord = true
	r.reader.FieldsPerRecord = -1
	record, err := r.reader.Read()
	if err == io.EOF {
		return nil, &Complaint{Rule: "is empty: its first line must name the columns"}
	}
	if err != nil {
		reason := csvError(err, record, nil, 0)
		if errors.As(err, new(*csv.ParseError)) {
			reason.Rule += "; pubd import takes other separators"
		}
		return nil, reason
	}
	r.header = slices.Clone(record)
	r.line, _ = r.reader.FieldPos(0)
	return r, nil
}

// next returns the fields of the next row, which are valid until the next call. At the end they are nil, and reason is
// what ended the reading before the end of the file, or nil.
func (r *csvRows) next() (record []string, reason *Complaint) {
	r.source.endRow()
	record, err := r.reader.Read()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, csvError(err, record, r.header, r.line)
	}
	r.line, _ = r.reader.FieldPos(0)
	return record, nil
}

// columnsOf returns the column of each field of a header, unknown unless it is one of some, or of all if that is nil, and
// which columns there are.
func (t *columnTable) columnsOf(rows *csvRows, some []column) (columns []column, has []bool, reason *Complaint) {
	columns, has = make([]column, len(rows.header)), make([]bool, len(t.names))
	for i, name := range rows.header {
		c := t.find(name)
		if columns[i] = c; c == unknown || some != nil && !slices.Contains(some, c) {
			columns[i] = unknown
			continue
		}
		if has[c] {
			rule := fmt.Sprintf("must be there once, but the header has %s: leave out or rename one of them",
				Quoted([]string{rows.header[slices.Index(columns, c)], name}))
			return nil, nil, &Complaint{Line: rows.line, Column: t.names[c], Rule: rule}
		}
		has[c] = true
	}
	return columns, has, nil
}

// readHeader returns the column of each field.
func (d *draft) readHeader(rows *csvRows) ([]column, *Complaint) {
	columns, has, reason := d.columns.columnsOf(rows, nil)
	if reason != nil {
		return nil, reason
	}
	d.has = has
	for i, c := range columns {
		if c == unknown {
			d.ignore(rows.header[i])
		}
	}
	var absent []string
	if !d.has[schema.ColumnUID] {
		absent = append(absent, "a column UID (or id, pubid)")
	}
	if !d.has[schema.ColumnName] {
		absent = append(absent, "a column name")
	}
	if absent != nil {
		rule := fmt.Sprintf("the first line must name %s, separated by commas from the others; it has %s; pubd import takes other names and separators",
			strings.Join(absent, " and "), Quoted(rows.header))
		return nil, &Complaint{Line: rows.line, Rule: rule}
	}
	return columns, nil
}

func lineBreaks(fields []string) (n int) {
	for _, field := range fields {
		n += strings.Count(field, "\n")
	}
	return n
}

// csvError returns the complaint about a CSV error. It comes after the row on line after, and fields are those read of
// the next row.
func csvError(err error, fields, header []string, after int) *Complaint {
	var parse *csv.ParseError
	switch {
	case errors.Is(err, errLongRow):
		return &Complaint{Line: after + 1, Rule: err.Error() + ": is a quote left open?"}
	case errors.Is(err, ErrWideRow):
		return &Complaint{Line: after + 1, Rule: err.Error()}
	case !errors.As(err, &parse):
		return &Complaint{Rule: err.Error()}
	case errors.Is(err, csv.ErrBareQuote):
		return &Complaint{Line: parse.Line, Rule: fmt.Sprintf("byte %d: a quote in a field without quotes around it: "+
			"put the field in quotes and double each quote within", parse.Column)}
	}
	column := ""
	if len(fields) < len(header) {
		column = nameOf(header[len(fields)])
	}
	return &Complaint{Line: parse.StartLine + lineBreaks(fields), Column: column, Rule: fmt.Sprintf("the quote that opens here is not closed before line %d, byte %d: "+
		"close it, or double each quote within", parse.Line, parse.Column)}
}
