package merge

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"

	"pubd/index/schema"
	"pubd/loader"
)

// A Snapshot is a table of pubs that package loader accepts.
type Snapshot struct {
	Columns []string
	Rows    [][]string
}

// WriteCSV writes a snapshot as CSV with a header line.
func (s Snapshot) WriteCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(slices.Concat([][]string{s.Columns}, s.Rows))
}

// writeJSON writes a snapshot as a list with an object on each line or, for NDJSON, as those lines.
func (s Snapshot) writeJSON(w io.Writer, isList bool) error {
	before, between, after := "", "\n", "\n"
	if isList {
		before, between, after = "[\n", ",\n", "\n]\n"
	}
	line := []byte(before)
	for _, row := range s.Rows {
		line = appendObject(line, s.Columns, row)
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = append(line[:0], between...)
	}
	_, err := io.WriteString(w, after)
	return err
}

// appendObject appends a row that the loader has accepted, as a JSON object.
func appendObject(dst []byte, columns, row []string) []byte {
	dst = append(dst, '{')
	for i, text := range row {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(schema.AppendString(dst, columns[i]), ": "...)
		number, isNumber := 0.0, false
		if loader.KindOf(columns[i]) != schema.Text {
			number, isNumber = schema.ParseDecimal([]byte(text))
		}
		switch {
		case text == "" || text == "null":
			dst = append(dst, "null"...)
		case isNumber && json.Valid([]byte(text)):
			dst = append(dst, text...)
		case isNumber:
			dst = schema.AppendNumber(dst, number)
		default:
			dst = schema.AppendString(dst, text)
		}
	}
	return append(dst, '}')
}
