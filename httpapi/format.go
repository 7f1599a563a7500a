package httpapi

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"pubd/httpapi/params"
	"pubd/index"
)

// formats has the media types as they are sent. The functions append what comes before the hits, and a hit.
var formats = [params.FormatCount]struct {
	mediaType      []byte
	open           func(dst []byte, h hit) []byte
	append         func(dst []byte, h hit) []byte
	between, after string
	enveloped      bool // followed by the envelope
	valued         bool // a hit needs the values of members
}{
	params.JSON:        {[]byte("application/json; charset=utf-8"), opening(`{"results":[`), appendHit, ",", "]", true, false},
	params.GeoJSON:     {[]byte("application/geo+json"), opening(`{"type":"FeatureCollection","features":[`), appendFeature, ",", "]", true, true},
	params.CSV:         {[]byte("text/csv; charset=utf-8; header=present"), appendColumns, appendRow, "", "", false, true},
	params.NDJSON:      {[]byte("application/x-ndjson"), opening(""), appendLine, "", "", false, false},
	params.Spreadsheet: {[]byte("text/csv; charset=utf-8; header=present"), appendColumns, appendRow, "", "", false, true},
}

// opening returns a function that appends a constant.
func opening(text string) func(dst []byte, h hit) []byte {
	return func(dst []byte, _ hit) []byte { return append(dst, text...) }
}

// appendHits appends the pubs of a result in the requested format, each with the requested members.
func (v *view) appendHits(dst []byte, p *params.Params, r *result, w *workspace) []byte {
	f := &formats[p.Format]
	h := hit{view: v, members: p.Members, whole: p.Whole, escapes: p.Format == params.Spreadsheet, weights: &p.Query.Weights, result: &r.found, workspace: w}
	dst = f.open(dst, h)
	switch {
	case !p.Plain:
		dst = h.appendChosen(dst, p)
	case p.Query.Circle == nil:
		dst = v.appendPubs(dst, r.found.Pubs)
	default:
		dst = v.appendNear(dst, r.found.Pubs, r.found.Distances)
	}
	return append(dst, f.after...)
}

// appendChosen appends pubs member by member.
func (h hit) appendChosen(dst []byte, p *params.Params) []byte {
	f, v, w := &formats[p.Format], h.view, h.workspace
	for i, ordinal := range h.result.Pubs {
		if i > 0 {
			dst = append(dst, f.between...)
		}
		h.ordinal = ordinal
		if len(h.result.Distances) > 0 {
			h.distance = h.result.Distances[i]
		}
		if f.valued || !h.whole {
			w.open = v.appendOpen(w.open[:0], ordinal)
			w.values.read(w.open)
		}
		if p.Detailed {
			w.details = appendDetails(w.details[:0], v.snapshot.Details(ordinal), extraDetails+len(v.extra))
		}
		dst = f.append(dst, h)
	}
	return dst
}

// appendHit appends a pub as a JSON object.
func appendHit(dst []byte, h hit) []byte {
	chosen := h.members
	first := len(dst)
	if h.whole { // all members of the snapshot, as prepared
		dst = h.view.appendOpen(dst, h.ordinal)
		chosen = chosen[params.MemberDistance:]
	}
	for _, member := range chosen {
		dst = append(dst, ',', '"')
		dst = append(append(dst, member.String()...), '"', ':')
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
	dst = append(append(dst, `{"type":"Feature","id":`...), h.workspace.values[index.ColumnUID]...)
	if lat, lng := h.workspace.values[index.ColumnLatitude], h.workspace.values[index.ColumnLongitude]; string(lat) != "null" {
		dst = append(append(dst, `,"geometry":{"type":"Point","coordinates":[`...), lng...)
		dst = append(append(append(dst, ','), lat...), `]}`...)
	} else {
		dst = append(dst, `,"geometry":null`...)
	}
	return append(appendHit(append(dst, `,"properties":`...), h), '}')
}

// appendLine appends a pub as a line of JSON.
func appendLine(dst []byte, h hit) []byte { return append(appendHit(dst, h), '\n') }

// byteOrderMark makes spreadsheet programs read CSV as UTF-8.
const byteOrderMark = "\ufeff"

// appendColumns appends the header line of CSV (RFC 4180). Each extra column has one.
func appendColumns(dst []byte, h hit) []byte {
	if h.escapes {
		dst = append(dst, byteOrderMark...)
	}
	line := len(dst)
	next := func(name string) {
		if len(dst) > line {
			dst = append(dst, ',')
		}
		start := len(dst)
		dst = append(dst, name...)
		if h.escapes {
			dst = escapeFormulas(dst, start)
		}
		dst = quoteCell(dst, start)
	}
	for _, member := range h.members {
		if member != params.MemberExtra {
			next(member.String())
			continue
		}
		for _, name := range h.view.extra {
			next(string(name))
		}
	}
	return append(dst, "\r\n"...)
}

// appendRow appends a pub as a line of CSV. A JSON object becomes one cell, except that each extra column has its own.
// A line is never empty, because readers skip empty lines: a single cell without a value is quoted.
func appendRow(dst []byte, h hit) []byte {
	line := len(dst)
	for _, member := range h.members {
		if member != params.MemberExtra {
			start := len(dst)
			dst = endCell(h.appendMember(dst, member), start, h.escapes)
			continue
		}
		for _, value := range h.workspace.details[extraDetails:] {
			start := len(dst)
			dst = endCell(append(dst, value...), start, h.escapes)
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
	for ; quotes > 0; quotes-- {
		at := start + bytes.LastIndexByte(row[start:from], '"')
		to -= from - at
		copy(row[to:], row[at:from])
		to--
		row[to] = '"'
		from = at
	}
	copy(row[start+1:], row[start:from])
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
