package response

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/httpapi/params"
	"pubd/index/schema"
)

// byteOrderMark makes spreadsheet programs read CSV as UTF-8.
const byteOrderMark = "\ufeff"

// appendColumns appends the header line of CSV (RFC 4180). Each extra column has one.
func appendColumns(dst []byte, h *hit) []byte {
	if h.escapes {
		dst = append(dst, byteOrderMark...)
	}
	line := len(dst)
	for _, member := range h.members {
		if member != params.MemberExtra {
			dst = endCell(schema.AppendString(dst, member.String()), len(dst), h.escapes)
			continue
		}
		for _, name := range h.view.Extra {
			dst = endCell(schema.AppendString(dst, name), len(dst), h.escapes)
		}
	}
	dst = dst[:max(line, len(dst)-1)] // the last comma
	return append(dst, "\r\n"...)
}

// appendRow appends a pub as a line of CSV. A JSON object becomes one cell, except that each extra column has its own.
// A line is never empty, because readers skip empty lines: a single cell without a value is quoted.
func appendRow(dst []byte, h *hit) []byte {
	line := len(dst)
	for _, member := range h.members {
		switch member {
		case params.MemberFeatures: // as a snapshot file has them
			dst = endCell(append(dst, h.workspace.details[member-params.MemberRequested]...), len(dst), h.escapes)
		case params.MemberExtra:
			for _, value := range h.workspace.details[extraDetails:] {
				dst = endCell(append(dst, value...), len(dst), h.escapes)
			}
		default:
			dst = endCell(h.appendMember(dst, member), len(dst), h.escapes)
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
	if first == '"' || first == '{' || first == '[' { // no number needs quotes
		row = quoteCell(row, start)
	}
	return append(row, ',')
}

// formulaStarts are the characters that begin a formula in a spreadsheet program, for some languages in full width,
// too (OWASP, CSV Injection).
const formulaStarts = "=+-@\t\r＝＋－＠"

// blanks are the characters that spreadsheet programs may drop at the beginning of a cell: white space, and what shows
// nothing, such as a byte order mark or a soft hyphen.
var blanks = []*unicode.RangeTable{unicode.White_Space, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector}

// escapeFormulas puts an apostrophe before each formula in the text at row[start:]. A formula may also begin after
// blanks, after a semicolon, which separates cells where the comma is the decimal mark, and after quotes, which merge
// with those of the cell.
func escapeFormulas(row []byte, start int) []byte {
	if start < len(row) && beginsText(row[start]) && bytes.IndexByte(row[start:], ';') < 0 && bytes.IndexByte(row[start:], '\t') < 0 { // as most
		return row
	}
	end, first := len(row), true // the result is built after the text, and takes its place
	for i := start; i < end; {
		r, size := utf8.DecodeRune(row[i:end])
		if first && strings.ContainsRune(formulaStarts, r) {
			row = append(row, '\'')
		}
		row = append(row, row[i:i+size]...)
		first = r == ';' || r == '\t' || first && (r == '"' || unicode.In(r, blanks...))
		i += size
	}
	return append(row[:start], row[end:]...)
}

// beginsText reports whether a byte is no mark, blank or part of another character: a letter or digit of ASCII.
func beginsText(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// quoteCell quotes row[start:] if necessary.
func quoteCell(row []byte, start int) []byte {
	if bytes.IndexByte(row[start:], '"') < 0 && bytes.IndexByte(row[start:], ',') < 0 {
		return row
	}
	end := len(row) // the result is built after the text, and takes its place
	row = append(row, '"')
	for _, c := range row[start:end] {
		if row = append(row, c); c == '"' {
			row = append(row, '"')
		}
	}
	return append(append(row[:start], row[end:]...), '"')
}

// asCell converts a JSON value to text, in place, and returns its length.
func asCell(value []byte) (length int) {
	switch {
	case string(value) == "null":
		return 0
	case value[0] != '"':
		return len(value)
	}
	return len(schema.AppendUnescaped(value[:0], value[1:len(value)-1]))
}
