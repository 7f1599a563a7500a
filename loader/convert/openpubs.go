package convert

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

// readOpenPubs reads the Open Pubs file. Each line is a row, so that an unclosed quote costs only one row.
func (d *draft) readOpenPubs(text []byte) {
	read := int64(0)
	number := 0
	for line := range bytes.Lines(text) {
		number++
		read += int64(len(line))
		d.progress(read)
		trimmed := strings.TrimSpace(string(line))
		if trimmed == "" || number == 1 && (strings.HasPrefix(trimmed, "fas_id,") || strings.HasPrefix(trimmed, "fsa_id,")) {
			continue
		}
		d.addOpenPub(number, trimmed)
		if d.tooManyErrors() {
			return
		}
	}
}

func (d *draft) addOpenPub(number int, line string) {
	if commas := strings.Count(line, ","); commas > loader.MaxCommas {
		d.complain(number, "", line, fmt.Sprintf("must have 9 fields, has %d commas", commas))
		return
	}
	reader := csv.NewReader(strings.NewReader(line))
	reader.LazyQuotes = true
	// A line that is not empty is one record, as LazyQuotes accepts any quote.
	fields, _ := reader.Read()
	if !isOpenPub(fields) {
		repaired, ok := repair(fields)
		switch {
		case ok:
			fields = repaired
			d.result.Repaired = append(d.result.Repaired, number)
		case len(fields) == openColumns && !(isMissing(fields[openLatitude]) && isMissing(fields[openLongitude])):
			// The rules for coordinates are more specific.
		default:
			d.complain(number, "", line, fmt.Sprintf("must have the 9 fields fsa_id, name, address, postcode, easting, northing, "+
				"latitude, longitude, local_authority, has %d, and it is unclear which is which", len(fields)))
			return
		}
	}
	// The authority is the only place that a row has as a field of its own.
	authority := unescape(fields[openAuthority])
	cells := []string{fields[openUID], unescape(fields[openName]), authority, unescape(fields[openAddress]), unescape(fields[openPostcode]), authority,
		fields[openLatitude], fields[openLongitude]}
	for _, name := range d.extra {
		at, ok := map[string]int{"easting": openEasting, "northing": openNorthing}[lowered(name)]
		if !ok {
			cells = append(cells, "")
			continue
		}
		cells = append(cells, fields[at])
	}
	d.add(number, cells...)
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
