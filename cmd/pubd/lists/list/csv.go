package list

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"pubd/loader"
	"pubd/loader/sniff"
)

// A rowLimit is a reader that fails on a row that is too long or has too many separators. Call renew for each row.
type rowLimit struct {
	reader    io.Reader
	separator []byte
	left      int // separators
	bytes     int
}

func (l *rowLimit) Read(p []byte) (int, error) {
	n, err := l.reader.Read(p)
	if l.left -= bytes.Count(p[:n], l.separator); l.left < 0 {
		return 0, loader.ErrWideRow
	}
	if l.bytes -= n; l.bytes < 0 {
		return 0, errLongRow
	}
	return n, err
}

// renew resets the limit. It allows for data read ahead.
func (l *rowLimit) renew() { l.left, l.bytes = loader.MaxCommas+readAhead, maxRow+readAhead }

var errLongRow = errors.New("a row is longer than 16 MiB: is a quote left open?")

// A separator stands between columns.
type separator struct {
	by   rune
	name string
}

// separators are the usual ones, the most likely first.
var separators = []separator{{',', "commas"}, {';', "semicolons"}, {'\t', "tabs"}, {'|', "vertical bars"}}

// nameOf returns the name of a separator.
func nameOf(separator rune) string {
	for _, s := range separators {
		if s.by == separator {
			return s.name
		}
	}
	return fmt.Sprintf("%q between columns", separator)
}

// separatorLine matches a first line that names the separator, for spreadsheet programs.
var separatorLine = regexp.MustCompile(`(?i)^[\r\n]*"?sep=(.)"?[,;\t ]*\r?\n`)

// firstRows returns the rows on the first lines of a text, each with the offset where it begins. A field in quotes may
// have some line breaks.
func firstRows(text []byte, separator rune) (rows []record, offsets []int64) {
	const mostLines = 8 // of a row
	at, line := int64(0), 1
	for len(rows) < headerRows && at < min(maxCell, int64(len(text))) {
		end, lines := lineEnd(text, at, 0), 1
		for lines < mostLines && end < int64(len(text)) && bytes.Count(text[at:end], []byte(`"`))%2 == 1 {
			end, lines = lineEnd(text, end, 0), lines+1
		}
		if bytes.Count(text[at:end], []byte(`"`))%2 == 1 {
			end, lines = lineEnd(text, at, 0), 1
		}
		if end-at > maxCell {
			return rows, offsets
		}
		if len(bytes.Trim(text[at:end], " \t\r\n,;|\"")) > 0 { // a reader for each of a million blank lines would take seconds
			reader := csv.NewReader(bytes.NewReader(text[at:end]))
			reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord, reader.TrimLeadingSpace = separator, true, -1, separator != '\t'
			if cells, err := reader.Read(); err == nil && filled(cells) > 0 {
				rows, offsets = append(rows, record{line: line, cells: cells}), append(offsets, at)
			}
		}
		at, line = end, line+lines
	}
	return rows, offsets
}

// openCSV finds the separator and the header of a table.
func (l *List) openCSV(text []byte) error {
	if l.options.Header != nil {
		text = unescape(text)
	}
	l.Form = CSV
	candidates := separators
	if named := separatorLine.FindSubmatch(text[:min(len(text), sniff.Enough)]); named != nil {
		// Its line stays, so that the others keep their numbers.
		text = append(bytes.Repeat([]byte("\n"), bytes.Count(named[0], []byte("\n"))), text[len(named[0]):]...)
		if by, _ := utf8.DecodeRune(named[1]); by != '"' && by < utf8.RuneSelf {
			candidates = []separator{{by: by}}
			l.Found = append(l.Found, "a line sep=")
		}
	}
	var by rune
	var rows []record
	var offsets []int64
	header, most := 0, -1
	for _, s := range candidates {
		some, at := firstRows(text, s.by)
		best, names := headerOf(some, l.options.Known)
		if len(some) == 0 {
			continue
		}
		// Names that are known say most; without any, the separator of which the header has most.
		if score := names*1000 + min(len(some[best].cells), 999); score > most {
			most, by, rows, offsets, header = score, s.by, some, at, best
		}
	}
	if len(rows) == 0 && len(bytes.TrimSpace(text)) > maxCell {
		return faultf(1, "is longer than 1 MiB, which no line of names is: is a quote left open?")
	}
	if len(rows) == 0 {
		return errors.New("is empty: its first line must name the columns")
	}
	if l.Separator = string(by); by != ',' {
		l.Found = append(l.Found, nameOf(by))
	}
	isName := func(cell string) bool { return slices.Contains(l.options.Header, cell) }
	if l.options.Header != nil && !slices.ContainsFunc(rows[header].cells, isName) {
		l.Columns = l.options.Header
		return l.readCSV(text, by, 0, false)
	}
	l.setHeader(rows[header])
	if header > 0 {
		l.Found = append(l.Found, fmt.Sprintf("header in line %d", l.Header))
	}
	return l.readCSV(text, by, offsets[header], true)
}

// readCSV reads the rows from an offset on, where the header begins if there is one.
func (l *List) readCSV(text []byte, separator rune, from int64, isHeader bool) error {
	var limit *rowLimit
	open := func(text []byte) *csv.Reader {
		limit = &rowLimit{reader: bytes.NewReader(text), separator: []byte(string(separator))}
		limit.renew()
		reader := csv.NewReader(limit)
		reader.Comma = separator
		reader.TrimLeadingSpace = separator != '\t'
		reader.ReuseRecord = true
		reader.FieldsPerRecord = -1
		return reader
	}
	reader := open(text[from:])
	before := bytes.Count(text[:from], []byte("\n")) // lines
	again, line := int64(0), before
	for ; ; isHeader = false {
		limit.renew()
		cells, err := reader.Read()
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, loader.ErrWideRow), errors.Is(err, errLongRow):
			return faultf(line+1, "%v", err)
		}
		end := from + reader.InputOffset()
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			if isHeader && parse.StartLine == parse.Line {
				continue // it was read leniently
			}
			fault := &loader.Complaint{Line: before + parse.StartLine, Rule: fmt.Sprintf(
				"a quote on line %d, byte %d is out of place: put the field in quotes and double each quote within", before+parse.Line, parse.Column)}
			if parse.Line > parse.StartLine {
				fault.Rule = fmt.Sprintf("a quote that opens here is not closed before line %d, byte %d: close it, or double each quote within",
					before+parse.Line, parse.Column)
			}
			l.addFault(fault)
			if parse.Line > parse.StartLine && again < maxAgain {
				// The rows after the line that opens the quote are read again, on their own.
				from = lineEnd(text, from, parse.StartLine-1)
				before += parse.StartLine
				again += end - from + readAhead
				reader = open(text[from:])
			}
			continue
		}
		line, _ = reader.FieldPos(0)
		line += before
		if isHeader || filled(cells) == 0 || l.isRepeated(cells) {
			continue
		}
		switch extra := len(cells) - len(l.Columns); {
		case extra >= 0 && filled(cells[len(l.Columns):]) == 0:
			l.addCells(line, cells[:len(l.Columns)])
		case extra > 0:
			l.addFault(&loader.Complaint{Line: line, Rule: fmt.Sprintf("has %d fields, the header has %d: put a field with %s in quotes",
				len(cells), len(l.Columns), nameOf(separator))})
		default:
			l.addFault(&loader.Complaint{Line: line, Rule: fmt.Sprintf(
				"has %d of the %d fields of the header: put a field with a line break in quotes, or add the %s that are missing",
				len(cells), len(l.Columns), nameOf(separator))})
		}
	}
}

const (
	// maxAgain is how many bytes of a list are read again after broken quotes.
	maxAgain = 256 << 20
	// readAhead is how many bytes each reading takes at least, the size of a buffer.
	readAhead = 4096
)

// lineEnd returns the offset after a line of a text: the first one from an offset on, after a number of others.
func lineEnd(text []byte, from int64, others int) int64 {
	for range others + 1 {
		at := bytes.IndexByte(text[from:], '\n')
		if at < 0 {
			return int64(len(text))
		}
		from += int64(at) + 1
	}
	return from
}

// escaped matches a punctuation mark after backslashes, of which there may be several.
var escaped = regexp.MustCompile("\\\\+([!-/:-@\\[\\]^-`{-~])")

// unescape removes the backslashes from a table as MySQL writes it. A program that doubled the quotes behind them again
// took the end of a text for a part of it.
func unescape(text []byte) []byte {
	quotes := strings.NewReplacer(`\"",""`, `""","`, `\""`, `""`)
	return escaped.ReplaceAll([]byte(quotes.Replace(string(text))), []byte("$1"))
}
