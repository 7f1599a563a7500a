package httpapi

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// A format is an output format.
type format uint8

const (
	formatJSON format = iota
	formatGeoJSON
	formatCSV
	formatNDJSON
	formatSpreadsheet
	formatCount
	// formatPoints is only for points, which requests do not name.
	formatPoints = formatCount
)

// formats has the names in requests and the media types for the Accept header. The functions append what comes before
// the hits, a hit, the separator, and what follows them.
var formats = [formatCount + 1]struct {
	name, mediaType string
	contentType     []byte
	open            func(dst []byte, v *view, p *params) []byte
	hit             func(dst []byte, h hit) []byte
	between, after  string
	enveloped       bool // followed by the envelope
	valued          bool // a hit needs the values of members
}{
	formatJSON: {"json", "application/json", []byte("application/json; charset=utf-8"),
		func(dst []byte, _ *view, _ *params) []byte { return append(dst, `{"results":[`...) }, appendHit, ",", "]", true, false},
	formatGeoJSON: {"geojson", "application/geo+json", []byte("application/geo+json"),
		func(dst []byte, _ *view, _ *params) []byte {
			return append(dst, `{"type":"FeatureCollection","features":[`...)
		}, appendFeature, ",", "]", true, true},
	formatCSV:         {"csv", "text/csv", []byte("text/csv; charset=utf-8; header=present"), appendColumns, appendRow, "", "", false, true},
	formatNDJSON:      {"ndjson", "application/x-ndjson", []byte("application/x-ndjson"), func(dst []byte, _ *view, _ *params) []byte { return dst }, appendLine, "", "", false, false},
	formatSpreadsheet: {"spreadsheet", "text/csv", []byte("text/csv; charset=utf-8; header=present"), appendSpreadsheetColumns, appendSpreadsheetRow, "", "", false, true},
	formatPoints:      {contentType: []byte("application/octet-stream")},
}

// acceptedFormat returns the preferred format of an Accept header (RFC 9110, section 12.5.1): the first of equally
// preferred ones, JSON if it names none. */* and application/* stand for JSON.
func acceptedFormat(accept []byte) format {
	best, most := formatJSON, 0
	for len(accept) > 0 {
		var item []byte
		item, accept, _ = bytes.Cut(accept, []byte(","))
		name, parameters, _ := bytes.Cut(item, []byte(";"))
		if name = bytes.TrimSpace(name); len(name) == 0 {
			continue
		}
		for f := range format(formatCount) {
			if !equalLower(name, formats[f].mediaType) && !(f == formatJSON && (string(name) == "*/*" || equalLower(name, "application/*"))) {
				continue
			}
			if q := quality(parameters); q > most {
				best, most = f, q
			}
		}
	}
	return best
}

// quality returns the weight among the parameters of a media type in thousandths, from 0 to 1000: 1000 if there is no
// valid one.
func quality(parameters []byte) int {
	for len(parameters) > 0 {
		var one []byte
		one, parameters, _ = bytes.Cut(parameters, []byte(";"))
		name, value, _ := bytes.Cut(one, []byte("="))
		if !equalLower(bytes.TrimSpace(name), "q") {
			continue
		}
		if weight, ok := parseWeight(bytes.TrimSpace(value)); ok {
			return weight
		}
	}
	return 1000
}

// parseWeight parses a weight such as 0.8 (RFC 9110, section 12.4.2), also without the leading 0, as Java sends it. It
// ignores digits after the third. It avoids strconv.ParseFloat because a header may have a thousand weights, and that
// takes 20 µs for some texts.
func parseWeight(text []byte) (thousandths int, ok bool) {
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	switch {
	case len(whole)+len(fraction) == 0:
		return 0, false
	case string(whole) == "1":
		thousandths = 1000
	case len(whole) > 0 && string(whole) != "0":
		return 0, false
	}
	unit := 100
	for _, digit := range fraction {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		thousandths += int(digit-'0') * unit
		unit /= 10
	}
	return thousandths, thousandths <= 1000
}

// appendHits appends the pubs of a result in the requested format, each with the requested members.
func (v *view) appendHits(dst []byte, p *params, r *result, w *workspace) []byte {
	f := &formats[p.format]
	dst = f.open(dst, v, p)
	switch {
	case !p.plain:
		dst = v.appendChosen(dst, p, r, w)
	case p.query.Circle == nil:
		dst = v.appendPubs(dst, r.found.Pubs)
	default:
		dst = v.appendNear(dst, r.found.Pubs, r.found.Distances)
	}
	return append(dst, f.after...)
}

// appendChosen appends pubs member by member.
func (v *view) appendChosen(dst []byte, p *params, r *result, w *workspace) []byte {
	f := &formats[p.format]
	h := hit{view: v, params: p, result: &r.found, workspace: w}
	for i, ordinal := range r.found.Pubs {
		if i > 0 {
			dst = append(dst, f.between...)
		}
		h.ordinal = ordinal
		if len(r.found.Distances) > 0 {
			h.distance = r.found.Distances[i]
		}
		if f.valued || p.fields != 0 {
			w.open = v.appendOpen(w.open[:0], ordinal)
			w.values.read(w.open)
		}
		if p.detailed {
			w.details = appendDetails(w.details[:0], v.snapshot.Details(ordinal), extraDetails+len(v.extra))
		}
		dst = f.hit(dst, h)
	}
	return dst
}

// appendHit appends a pub as a JSON object.
func appendHit(dst []byte, h hit) []byte {
	chosen := h.params.members
	first := len(dst)
	if h.params.fields == 0 { // all members of the snapshot, as prepared
		dst = h.view.appendOpen(dst, h.ordinal)
		chosen = chosen[memberDistance:]
	}
	for _, member := range chosen {
		dst = append(dst, ',', '"')
		dst = append(append(dst, members[member].name...), '"', ':')
		dst = h.appendMember(dst, member)
	}
	if len(dst) == first {
		dst = append(dst, '{')
	}
	dst[first] = '{'
	return append(dst, '}')
}

// appendFeature appends a pub as a GeoJSON feature (RFC 7946).
func appendFeature(dst []byte, h hit) []byte {
	dst = append(append(dst, `{"type":"Feature","id":`...), h.workspace.values[memberUID]...)
	if lat, lng := h.workspace.values[memberLatitude], h.workspace.values[memberLongitude]; string(lat) != "null" {
		dst = append(append(dst, `,"geometry":{"type":"Point","coordinates":[`...), lng...)
		dst = append(append(append(dst, ','), lat...), `]}`...)
	} else {
		dst = append(dst, `,"geometry":null`...)
	}
	return append(appendHit(append(dst, `,"properties":`...), h), '}')
}

// appendLine appends a pub as a line of JSON.
func appendLine(dst []byte, h hit) []byte { return append(appendHit(dst, h), '\n') }

// appendColumns appends the header line of CSV (RFC 4180).
func appendColumns(dst []byte, v *view, p *params) []byte {
	return appendColumnsEscaped(dst, v, p, false)
}

// appendColumnsEscaped appends a header line, optionally with the formulas in its names escaped. Each extra column has
// one.
func appendColumnsEscaped(dst []byte, v *view, p *params, escape bool) []byte {
	line := len(dst)
	next := func(name string) {
		if len(dst) > line {
			dst = append(dst, ',')
		}
		start := len(dst)
		dst = append(dst, name...)
		if escape {
			dst = escapeFormulas(dst, start)
		}
		dst = quoteCell(dst, start)
	}
	for _, member := range p.members {
		if member != memberExtra {
			next(members[member].name)
			continue
		}
		for _, name := range v.extra {
			next(string(name))
		}
	}
	return append(dst, "\r\n"...)
}

// byteOrderMark makes spreadsheet programs read CSV as UTF-8.
const byteOrderMark = "\ufeff"

// appendSpreadsheetColumns appends the header line of CSV for spreadsheet programs.
func appendSpreadsheetColumns(dst []byte, v *view, p *params) []byte {
	return appendColumnsEscaped(append(dst, byteOrderMark...), v, p, true)
}

// appendRow appends a pub as a line of CSV. A JSON object becomes one cell, except that each extra column has its own.
func appendRow(dst []byte, h hit) []byte { return appendCells(dst, h, false) }

// appendSpreadsheetRow appends a pub as a line of CSV in which no text is a formula.
func appendSpreadsheetRow(dst []byte, h hit) []byte { return appendCells(dst, h, true) }

// appendCells appends a line of CSV, optionally with the formulas in its texts escaped. A line is never empty, because
// readers skip empty lines: a single cell without a value is quoted.
func appendCells(dst []byte, h hit, escape bool) []byte {
	line := len(dst)
	for _, member := range h.params.members {
		if member != memberExtra {
			start := len(dst)
			dst = endCell(h.appendMember(dst, member), start, escape)
			continue
		}
		for _, value := range h.workspace.details[extraDetails:] {
			start := len(dst)
			dst = endCell(append(dst, value...), start, escape)
		}
	}
	dst = dst[:max(line, len(dst)-1)] // the last comma
	if len(dst) == line {
		dst = append(dst, `""`...)
	}
	return append(dst, "\r\n"...)
}

// endCell turns the JSON value at row[start:] into a cell followed by a comma.
func endCell(row []byte, start int, escape bool) []byte {
	first := row[start]
	row = row[:start+asCell(row[start:])]
	if escape && first == '"' {
		row = escapeFormulas(row, start)
	}
	if first == '"' || first == '{' { // no number needs quotes
		row = quoteCell(row, start)
	}
	return append(row, ',')
}

// formulaStarts are the characters that begin a formula in a spreadsheet program, for some languages in full width,
// too (OWASP, CSV Injection).
const formulaStarts = "=+-@\t\r＝＋－＠"

// escapeFormulas puts an apostrophe before each formula in the text at row[start:]. A formula may also begin after a
// semicolon, which separates cells where the comma is the decimal mark, and after quotes, which merge with those of
// the cell.
func escapeFormulas(row []byte, start int) []byte {
	if text := row[start:]; bytes.IndexByte(text, ';') < 0 && bytes.IndexByte(text, '\t') < 0 && beginsPlainly(text) {
		return row
	}
	var escaped []byte // nil: as it is in the row
	first := true
	for i := start; i < len(row); {
		r, size := utf8.DecodeRune(row[i:])
		if first && strings.ContainsRune(formulaStarts, r) {
			if escaped == nil {
				escaped = slices.Clone(row[start:i])
			}
			escaped = append(escaped, '\'')
		}
		if escaped != nil {
			escaped = append(escaped, row[i:i+size]...)
		}
		first = r == ';' || r == '\t' || first && r == '"'
		i += size
	}
	if escaped == nil {
		return row
	}
	return append(row[:start], escaped...)
}

// beginsPlainly reports whether a text certainly does not begin with a formula: with a letter or digit, or not at all.
func beginsPlainly(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	c := text[0] | 0x20 // in lower case
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}

// quoteCell quotes row[start:] if necessary.
func quoteCell(row []byte, start int) []byte {
	quotes := bytes.Count(row[start:], quote)
	if quotes == 0 && bytes.IndexByte(row[start:], ',') < 0 {
		return row
	}
	from := len(row)
	to := from + quotes + 1
	row = slices.Grow(row, quotes+2)[:to+1]
	row[to] = '"'
	for from > start {
		from, to = from-1, to-1
		if row[to] = row[from]; row[from] == '"' {
			to--
			row[to] = '"'
		}
	}
	row[start] = '"'
	return row
}

var quote = []byte(`"`)

// asCell converts a JSON value to text, in place, and returns its length.
func asCell(value []byte) (length int) {
	switch {
	case string(value) == "null":
		return 0
	case value[0] != '"':
		return len(value)
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return copy(value, value[1:len(value)-1])
	}
	escaped := false
	for _, c := range value[1 : len(value)-1] {
		if escaped = c == '\\' && !escaped; !escaped {
			value[length] = c
			length++
		}
	}
	return length
}
