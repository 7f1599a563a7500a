package convert

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"pubd/index"
	"pubd/loader"
)

// A rowLimit is a reader that fails on a row with too many separators. Call renew for each row.
type rowLimit struct {
	reader    io.Reader
	separator []byte
	left      int
}

func (l *rowLimit) Read(p []byte) (int, error) {
	n, err := l.reader.Read(p)
	if l.left -= bytes.Count(p[:n], l.separator); l.left < 0 {
		return 0, loader.ErrWideRow
	}
	return n, err
}

// renew resets the limit. It allows for data read ahead.
func (l *rowLimit) renew() { l.left = loader.MaxCommas + 4096 }

// A dialect describes how a CSV text is written.
type dialect struct {
	text      []byte // without a line sep=
	separator rune
}

var separatorNames = map[rune]string{';': "semicolons", '\t': "tabs", '|': "vertical bars"}

// dialectOf detects how a text is written.
func dialectOf(text []byte) dialect {
	d := dialect{text: text, separator: ','}
	header, rest, _ := bytes.Cut(bytes.TrimLeft(d.text, "\r\n"), []byte("\n"))
	header = bytes.TrimSuffix(header, []byte("\r"))
	if len(header) == len("sep=,") && strings.EqualFold(string(header[:4]), "sep=") {
		d.separator = rune(header[4])
		skipped := len(d.text) - len(rest)
		d.text = slices.Concat(bytes.Repeat([]byte("\n"), bytes.Count(d.text[:skipped], []byte("\n"))), rest)
		if strings.ContainsRune("\"\r\n", d.separator) || d.separator >= utf8.RuneSelf {
			d.separator = ','
		}
		return d
	}
	most := bytes.Count(header, []byte(","))
	for _, separator := range ";\t|" {
		if count := bytes.Count(header, []byte(string(separator))); count > most {
			d.separator, most = separator, count
		}
	}
	return d
}

// note adds to a result how the text differed from a snapshot.
func (d *dialect) note(result *Result) {
	if name := separatorNames[d.separator]; name != "" {
		result.Converted = append(result.Converted, name+" between columns")
	}
}

// readRows calls begin with the header line of a CSV text, and take with each row.
func (d *draft) readRows(text []byte, begin func(header []string) *loader.Complaint, take func(line int, record []string)) *loader.Complaint {
	written := dialectOf(text)
	written.note(&d.result)
	var limit *rowLimit
	open := func(text []byte) *csv.Reader {
		limit = &rowLimit{reader: bytes.NewReader(text), separator: []byte(string(written.separator))}
		limit.renew()
		reader := csv.NewReader(limit)
		reader.Comma = written.separator
		reader.TrimLeadingSpace = written.separator != '\t'
		reader.ReuseRecord = true
		reader.FieldsPerRecord = -1
		return reader
	}
	reader := open(written.text)
	separators := cmp.Or(separatorNames[written.separator], "commas")
	record, err := reader.Read()
	if err == io.EOF {
		return &loader.Complaint{Rule: "is empty: its first line must name the columns"}
	}
	if err != nil {
		return &loader.Complaint{Line: 1, Rule: "must name the columns: " + err.Error()}
	}
	line, _ := reader.FieldPos(0)
	header := slices.Clone(record)
	if reason := begin(header); reason != nil {
		reason.Line = line
		return reason
	}
	// Where the reader began, and the end of the last row, in bytes and lines of the text.
	begun, beginning, skipped, again := int64(0), 0, reader.InputOffset(), int64(0)
	for !d.tooManyErrors() {
		limit.renew()
		record, err := reader.Read()
		switch {
		case err == io.EOF:
			d.progress(d.total)
			return nil
		case errors.Is(err, loader.ErrWideRow):
			return &loader.Complaint{Line: line + 1, Rule: err.Error()}
		}
		end := begun + reader.InputOffset()
		d.progress(min(end, d.total))
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			d.complain(beginning+parse.StartLine, "", "", fmt.Sprintf("a quote on line %d, byte %d is out of place: put the field in quotes and double each quote within",
				beginning+parse.Line, parse.Column))
			if parse.Line > parse.StartLine && again < maxAgain {
				// The rows after the line that opens the quote are read again, on their own.
				again += end - skipped
				from := lineEnd(written.text, skipped, parse.StartLine-1-bytes.Count(written.text[begun:skipped], []byte("\n")))
				beginning += bytes.Count(written.text[begun:from], []byte("\n"))
				begun, skipped = from, from
				reader = open(written.text[from:])
				continue
			}
			skipped = end
			continue
		}
		skipped = end
		line, _ = reader.FieldPos(0)
		line += beginning
		if len(record) != len(header) {
			d.complain(line, "", "", fmt.Sprintf("has %d fields, the header has %d: put a field with %s in quotes", len(record), len(header), separators))
			continue
		}
		take(line, record)
	}
	return nil
}

// maxAgain is how many bytes of a list are read again after broken quotes.
const maxAgain = 64 << 20

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

// readTable reads CSV with a header line. columns maps some of its columns to members of a pub.
func (d *draft) readTable(text []byte, columns map[string]string) *loader.Complaint {
	var places []int
	var cells []string
	begin := func(header []string) (reason *loader.Complaint) {
		places, reason = d.readHeader(header, columns)
		cells = make([]string, len(places))
		return reason
	}
	return d.readRows(text, begin, func(line int, record []string) {
		for i, place := range places {
			switch place {
			case madeUID:
				cells[i] = ""
				continue
			case fromPair:
				cells[i] = coordinates(record[d.pair], d.members[i])
				continue
			}
			cells[i] = record[place]
			if loader.KindOf(d.members[i]) == index.Decimal {
				if number := loader.WithPoint(strings.TrimSpace(cells[i])); number != "" {
					cells[i] = number
					d.decimals++
				}
			}
		}
		d.add(line, cells...)
	})
}

// readHeader writes the header of the snapshot. It returns, for each of its columns, the index of the field in a row.
func (d *draft) readHeader(header []string, columns map[string]string) (places []int, reason *loader.Complaint) {
	named := make([]string, len(header)) // the member of each field
	for _, theirs := range slices.Sorted(maps.Keys(columns)) {
		at := slices.IndexFunc(header, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), theirs) })
		if at < 0 {
			return nil, &loader.Complaint{Column: "column", Value: loader.Shorten(theirs), Rule: "must be in the first line, which has " + list(header)}
		}
		if slices.Contains(named, columns[theirs]) || named[at] != "" {
			return nil, &loader.Complaint{Column: columns[theirs], Value: loader.Shorten(theirs), Rule: "must be named once, as one column"}
		}
		named[at] = columns[theirs]
	}
	mapped := slices.Collect(maps.Values(columns))
	for i, name := range header {
		member := d.member(strings.TrimSpace(name))
		switch {
		case named[i] != "":
		case member != "" && !slices.Contains(mapped, member):
			if first := slices.Index(named, member); first >= 0 {
				return nil, &loader.Complaint{Column: member, Rule: "must be one column, the first line has " + list([]string{header[first], name}) + ": map one of them"}
			}
			named[i] = member
		case d.autoUID && isIdentifier(name) && !slices.Contains(named, "UID"):
			named[i] = "UID"
		case isPair(name) && d.pair < 0:
			d.pair = i
		}
	}
	for i, name := range header {
		usual, shown := loader.UsualColumn(strings.TrimSpace(name)), strings.Trim(list([]string{name}), `"`)
		switch {
		case named[i] != "" || i == d.pair:
		case usual != "" && !slices.Contains(named, usual) && !slices.Contains(mapped, usual):
			named[i] = usual
			d.result.Converted = append(d.result.Converted, usual+" from "+shown)
		default:
			d.result.Ignored = append(d.result.Ignored, shown)
		}
	}
	if d.pair >= 0 && (slices.Contains(named, "latitude") || slices.Contains(named, "longitude")) {
		d.result.Ignored = append(d.result.Ignored, strings.Trim(list([]string{header[d.pair]}), `"`))
		d.pair = -1
	}
	var found []string
	if d.autoUID && !slices.Contains(named, "UID") {
		found, places = append(found, "UID"), append(places, madeUID)
	}
	if d.pair >= 0 {
		found, places = append(found, "latitude", "longitude"), append(places, fromPair, fromPair)
		d.result.Converted = append(d.result.Converted, "coordinates from "+strings.Trim(list([]string{header[d.pair]}), `"`))
	}
	for _, member := range append(loader.Columns(), d.extra...) {
		if place := slices.Index(named, member); place >= 0 {
			found, places = append(found, member), append(places, place)
		}
	}
	for _, needed := range []string{"UID", "name"} {
		if !slices.Contains(found, needed) {
			return nil, &loader.Complaint{Column: needed, Rule: neededRule(needed, list(header))}
		}
	}
	d.begin(found...)
	return places, nil
}

// The places of cells that are not a field of the row: a UID that is made, and a coordinate from a field with both.
const (
	madeUID  = -1
	fromPair = -2
)

func neededRule(member, header string) string {
	rule := "must be a column: map one of " + header + " to it"
	if member == "UID" {
		rule += ", or make UIDs from names and places with --uid auto"
	}
	return rule
}

// member returns the column of the snapshot that a name stands for; empty if there is none.
func (d *draft) member(name string) string {
	if member := loader.ColumnName(name); member != "" {
		return member
	}
	if at := slices.IndexFunc(d.extra, func(extra string) bool { return strings.EqualFold(extra, name) }); at >= 0 {
		return d.extra[at]
	}
	return ""
}

// list returns the first 30 names, for a complaint.
func list(names []string) string {
	var quoted []string
	for _, name := range names[:min(len(names), 30)] {
		quoted = append(quoted, fmt.Sprintf("%q", loader.Shorten(name)))
	}
	if more := len(names) - len(quoted); more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	return strings.Join(quoted, ", ")
}
