package list

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pubd/index"
	"pubd/loader"
)

// The columns of Open Pubs. The published file calls the first one fas_id, or has no header line.
const (
	openUID = iota
	openName
	openAddress
	openPostcode
	openEasting
	openNorthing
	openLatitude
	openLongitude
	openAuthority
	openColumns
)

// isOpenPubs reports whether a text begins as the published file does.
func isOpenPubs(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasPrefix(line, []byte("fas_id,")) || bytes.HasPrefix(line, []byte("fsa_id,"))
}

// openOpenPubs opens the Open Pubs file. Each line is a row, so that an unclosed quote costs only one row.
func (l *List) openOpenPubs(text []byte) {
	l.Form = OpenPubs
	l.Columns = []string{"UID", "name", "address", "postcode", "easting", "northing", "latitude", "longitude", "local_authority"}
	l.read = func(take func(Row) bool) error {
		read, number := int64(0), 0
		for line := range bytes.Lines(text) {
			number++
			read += int64(len(line))
			l.at(read)
			trimmed := strings.TrimSpace(string(line))
			if trimmed == "" || number == 1 && isOpenPubs(line) {
				continue
			}
			if !take(openPub(number, trimmed)) {
				return nil
			}
		}
		return nil
	}
}

func openPub(number int, line string) Row {
	row := Row{Line: number}
	if commas := strings.Count(line, ","); commas > loader.MaxCommas {
		row.Fault = &loader.Complaint{Line: number, Value: loader.Shorten(line), Rule: fmt.Sprintf("must have 9 fields, has %d commas", commas)}
		return row
	}
	reader := csv.NewReader(strings.NewReader(line))
	reader.LazyQuotes = true
	// A line that is not empty is one record, as LazyQuotes accepts any quote.
	fields, _ := reader.Read()
	if !isOpenPub(fields) {
		repaired, ok := repair(fields)
		switch {
		case ok:
			fields, row.Repaired = repaired, true
		case len(fields) == openColumns && !(isMissing(fields[openLatitude]) && isMissing(fields[openLongitude])):
			// The rules for coordinates are more specific.
		default:
			row.Fault = &loader.Complaint{Line: number, Value: loader.Shorten(line), Rule: fmt.Sprintf("must have the 9 fields fsa_id, name, "+
				"address, postcode, easting, northing, latitude, longitude, local_authority, has %d, and it is unclear which is which", len(fields))}
			return row
		}
	}
	for _, text := range []int{openName, openAddress, openPostcode, openAuthority} {
		fields[text] = unescape(fields[text])
	}
	row.Cells = fields
	return row
}

// isOpenPub reports whether each field is in its column.
func isOpenPub(fields []string) bool {
	return len(fields) == openColumns && isPlace(fields[openEasting:openAuthority])
}

// repair restores the columns of a shifted row. A stray quote joins several fields into one, with a comma and a quote
// between them; a comma within a text splits one field into several, of which all but the first begin with a space. ok
// is false unless exactly one position has coordinates and the fields around them add up.
func repair(fields []string) (repaired []string, ok bool) {
	at := -1
	for i := range fields {
		if i+4 <= len(fields) && isPlace(fields[i:i+4]) {
			if at >= 0 {
				return nil, false
			}
			at = i
		}
	}
	if at < 0 {
		return nil, false
	}
	before, after := rejoin(fields[:at]), rejoin(fields[at+4:])
	for len(after) > 1 && after[len(after)-1] == "" {
		after = after[:len(after)-1]
	}
	if len(before) != openEasting || len(after) != 1 {
		return nil, false
	}
	return slices.Concat(before, fields[at:at+4], after), true
}

// rejoin splits fields that a stray quote has joined, and joins those that a comma has split.
func rejoin(fields []string) []string {
	var parts [][]string // of each text
	for _, field := range fields {
		for part := range strings.SplitSeq(field, `,"`) {
			if last := len(parts) - 1; last >= 0 && strings.HasPrefix(part, " ") {
				parts[last] = append(parts[last], part)
				continue
			}
			parts = append(parts, []string{part})
		}
	}
	texts := make([]string, len(parts))
	for i := range texts {
		texts[i] = strings.Join(parts[i], ",")
	}
	return texts
}

// isPlace reports whether four fields may be easting, northing, latitude and longitude.
func isPlace(fields []string) bool {
	return isNumber(fields[0], 1e8) && isNumber(fields[1], 1e8) && isNumber(fields[2], 90) && isNumber(fields[3], 180)
}

// isNumber reports whether a field is missing, or a number from -limit to limit.
func isNumber(field string, limit float64) bool {
	value, ok := index.ParseDecimal([]byte(field))
	return isMissing(field) || ok && -limit <= value && value <= limit
}

func isMissing(field string) bool { return field == "" || field == `\N` }

// escaped matches a punctuation mark after backslashes: the file escapes some of them twice.
var escaped = regexp.MustCompile("\\\\+([!-/:-@\\[\\]^-`{-~])")

func unescape(text string) string { return escaped.ReplaceAllString(text, "$1") }
