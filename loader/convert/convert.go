// Package convert converts published lists of pubs to snapshots that package loader accepts without errors. [Convert]
// takes the bytes of a list in one of five forms, and returns a snapshot as CSV and why rows were rejected; [Write]
// replaces a file with it.
//
//	expand, decode  gzip or zstd by the first bytes; UTF-16, UTF-32 and those of spreadsheets become UTF-8
//	a reader        openpubs, osm, geojson, breweries or csv: the cells of each row
//	draft           cleans texts, makes missing UIDs if asked to, and writes rows
//	finish          leaves out the rows that the loader rejects
//
// The loader has the last word, as it reads the draft: what is written can always be loaded. A rejected row is no
// error; a list that cannot be read to its end is one. The result says what was repaired. List and snapshot are held
// in memory; a compressed list may have 2 GiB when expanded. Calls share nothing and may run concurrently. Lists are
// parsed with encoding/csv and encoding/json, except Open Pubs, line by line: a stray quote must cost one row, not the
// rest of the file.
package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pubd/index"
	"pubd/loader"
)

// Options say how to read a list.
type Options struct {
	// From is the format of the list: "openpubs", "osm", "geojson", "breweries" or "csv".
	From string
	// Columns maps the columns of a "csv" list to the columns of a snapshot, as [loader.ColumnName] names them, such
	// as "title" to "name". Columns with the same name need no entry.
	Columns map[string]string
	// Extra names the extra columns to keep, which have passed [loader.CheckExtra]: columns of a table, members of
	// breweries, tags of OpenStreetMap.
	Extra []string
	// AutoUID gives a row without UID one that is made from its name and place.
	AutoUID bool
	// Progress is called about once per MiB with the bytes of expanded text read so far and in total; it may be nil.
	Progress func(read, total int64)
}

// A Result is a converted list.
type Result struct {
	// Snapshot is CSV with a header line and the accepted rows, in the order of the list; nil if there are none.
	Snapshot []byte
	// Rows counts the rows of the list, Taken the accepted ones.
	Rows, Taken int
	// Complaints say why each other row was rejected, in the order of the list.
	Complaints []loader.Complaint
	// Ignored names the unknown columns, if the list names its columns.
	Ignored []string
	// Repaired has the line numbers of shifted rows that were repaired.
	Repaired []int
	// Converted says how the list differed from a snapshot, such as "semicolons between columns".
	Converted []string
	// Untagged counts the elements without tags, such as the corners of a way, which do not count as rows.
	Untagged int
}

// Convert reads a list from memory, plain or compressed with gzip or zstd. The name begins every complaint. An error
// means that the list cannot be read to its end; rejected rows are no error. The result shares no memory with content.
func Convert(name string, content []byte, options Options) (*Result, error) {
	text, err := expand(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	text, encoding := decode(text)
	d := newDraft(name, len(text), options)
	if encoding != "" {
		d.result.Converted = append(d.result.Converted, encoding+" text")
	}
	var reason *loader.Complaint
	switch options.From {
	case "openpubs":
		d.beginWithExtra(placeColumns)
		d.readOpenPubs(text)
	case "osm":
		d.beginWithExtra(tagColumns)
		reason = d.readOverpass(text)
	case "geojson":
		reason = d.readGeoJSON(text)
	case "breweries":
		reason = d.readBreweries(text)
	case "csv":
		reason = d.readTable(text, options.Columns)
	default:
		return nil, fmt.Errorf("form %q: must be openpubs, osm, geojson, breweries or csv", options.From)
	}
	if reason == nil && d.tooManyErrors() {
		reason = &loader.Complaint{Rule: fmt.Sprintf("reading stopped after %d rejected rows: is it really %s?",
			len(d.complaints), options.From)}
	}
	if reason != nil {
		reason.File = name
		return nil, reason
	}
	return d.finish()
}

// placeColumns are the columns that lists of places fill.
var placeColumns = []string{"UID", "name", "location", "address", "postcode", "area", "latitude", "longitude"}

// tagColumns are the columns that tags of OpenStreetMap fill.
var tagColumns = withOthers(append(slices.Clone(placeColumns), "alt_names"))

// withOthers appends the columns on request that are missing. They have a tag or a member of the same name, like extra
// columns.
func withOthers(columns []string) []string {
	for _, c := range index.Columns {
		if c.OnRequest && !slices.Contains(columns, c.Name) {
			columns = append(columns, c.Name)
		}
	}
	return columns
}

// valid checks that a text is one JSON value.
func valid(text []byte) *loader.Complaint {
	err := json.Unmarshal(text, new(anything))
	if err == nil {
		return nil
	}
	complaint := &loader.Complaint{Rule: "must be valid JSON: was it copied completely? " + err.Error()}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		complaint.Line = 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
	}
	return complaint
}

// anything accepts any JSON value and keeps none of it.
type anything struct{}

func (*anything) UnmarshalJSON([]byte) error { return nil }

// elements calls take with each value of a list in valid JSON: the list is a member of the object, or the whole text
// if member is empty. It returns the other members of the object.
func (d *draft) elements(text []byte, member string, take func(line int, value json.RawMessage)) (map[string]json.RawMessage, *loader.Complaint) {
	lines := lineCounter{text: text, line: 1}
	decoder := json.NewDecoder(bytes.NewReader(text))
	// The text is valid: no token is an error.
	begin, _ := decoder.Token()
	if member == "" {
		if begin != json.Delim('[') {
			return nil, &loader.Complaint{Line: 1, Rule: "must be a list"}
		}
		d.list(decoder, &lines, take)
		return nil, nil
	}
	others, found := map[string]json.RawMessage{}, false
	for begin == json.Delim('{') && decoder.More() {
		key, _ := decoder.Token()
		var value json.RawMessage
		switch {
		case key != member:
			decoder.Decode(&value)
			others[key.(string)] = value
		case found:
			return nil, &loader.Complaint{Line: lines.lineAt(decoder.InputOffset()), Column: member, Rule: "must be there once: leave out one of them"}
		default:
			found = true
			if bracket, _ := decoder.Token(); bracket != json.Delim('[') {
				return nil, &loader.Complaint{Line: lines.lineAt(decoder.InputOffset()), Column: member, Rule: "must be a list"}
			}
			d.list(decoder, &lines, take)
			if d.tooManyErrors() {
				return others, nil
			}
			decoder.Token()
		}
	}
	if !found {
		return nil, &loader.Complaint{Line: 1, Rule: fmt.Sprintf("must be an object whose member %s is a list", member)}
	}
	return others, nil
}

func (d *draft) list(decoder *json.Decoder, lines *lineCounter, take func(line int, value json.RawMessage)) {
	for decoder.More() && !d.tooManyErrors() {
		var value json.RawMessage
		decoder.Decode(&value)
		end := decoder.InputOffset()
		take(lines.lineAt(end-int64(len(value))), value)
		d.progress(end)
	}
}

// lineCounter converts offsets in a text to line numbers.
type lineCounter struct {
	text []byte
	at   int64 // the last offset passed to of
	line int   // its line
}

// lineAt returns the line of an offset, which must not be less than in the previous call.
func (l *lineCounter) lineAt(offset int64) int {
	l.line += bytes.Count(l.text[l.at:offset], []byte("\n"))
	l.at = offset
	return l.line
}

// plain returns the content of a JSON string, a number as it is written, or empty for null and for no value. ok is
// false for any other value.
func plain(value json.RawMessage) (text string, ok bool) {
	switch {
	case isAbsent(value):
		return "", true
	case value[0] == '"':
		err := json.Unmarshal(value, &text)
		return text, err == nil
	}
	return string(value), !strings.ContainsRune("{[tf", rune(value[0]))
}
