package convert

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"pubd/loader"
)

// members are the columns that a snapshot may have.
var members = []string{"UID", "name", "location", "trading", "latitude", "longitude", "common_category",
	"beer", "atmos", "fengshui", "service", "toilets", "total", "review_count"}

var aliases = map[string]string{"id": "UID", "pubid": "UID", "lat": "latitude", "lng": "longitude", "lon": "longitude"}

// Member finds a member of a pub by its name or alias in any case; empty when there is none.
func Member(name string) string {
	if member, ok := aliases[strings.ToLower(name)]; ok {
		return member
	}
	at := slices.IndexFunc(members, func(member string) bool { return strings.EqualFold(member, name) })
	if at < 0 {
		return ""
	}
	return members[at]
}

// A rowLimit reads until there are too many commas since it was last renewed, once a row.
type rowLimit struct {
	reader io.Reader
	left   int
}

func (l *rowLimit) Read(p []byte) (int, error) {
	n, err := l.reader.Read(p)
	if l.left -= bytes.Count(p[:n], []byte(",")); l.left < 0 {
		return 0, loader.ErrWideRow
	}
	return n, err
}

// renew allows for what is read ahead.
func (l *rowLimit) renew() { l.left = loader.MaxCommas + 4096 }

// readTable reads CSV with a header line. The columns say which member some of its columns are.
func (d *draft) readTable(text []byte, columns map[string]string) *loader.Complaint {
	limit := &rowLimit{reader: bytes.NewReader(text)}
	limit.renew()
	reader := csv.NewReader(limit)
	reader.ReuseRecord = true
	reader.FieldsPerRecord = -1
	record, err := reader.Read()
	if err == io.EOF {
		return &loader.Complaint{Rule: "is empty: its first line must name the columns"}
	}
	if err != nil {
		return &loader.Complaint{Line: 1, Rule: "must name the columns: " + err.Error()}
	}
	header := slices.Clone(record)
	places, reason := d.readHeader(header, columns)
	if reason != nil {
		reason.Line, _ = reader.FieldPos(0)
		return reason
	}
	cells := make([]string, len(places))
	line, _ := reader.FieldPos(0)
	for !d.hopeless() {
		limit.renew()
		record, err := reader.Read()
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, loader.ErrWideRow):
			return &loader.Complaint{Line: line + 1, Rule: err.Error()}
		}
		d.progress(reader.InputOffset())
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			d.complain(parse.StartLine, "", "", fmt.Sprintf("a quote on line %d, byte %d is out of place: put the field in quotes and double each quote within",
				parse.Line, parse.Column))
			continue
		}
		line, _ = reader.FieldPos(0)
		if len(record) != len(header) {
			d.complain(line, "", "", fmt.Sprintf("has %d fields, the header has %d: put a field with commas in quotes", len(record), len(header)))
			continue
		}
		for i, place := range places {
			cells[i] = record[place]
		}
		d.add(line, cells...)
	}
	return nil
}

// readHeader begins the snapshot. It tells which field of a row each of its columns is.
func (d *draft) readHeader(header []string, columns map[string]string) (places []int, reason *loader.Complaint) {
	named := make([]string, len(header)) // member of each field
	for _, theirs := range slices.Sorted(maps.Keys(columns)) {
		at := slices.IndexFunc(header, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), theirs) })
		if at < 0 {
			return nil, &loader.Complaint{Column: "column", Value: shorten(theirs), Rule: "must be in the first line, which has " + list(header)}
		}
		if slices.Contains(named, columns[theirs]) || named[at] != "" {
			return nil, &loader.Complaint{Column: columns[theirs], Value: shorten(theirs), Rule: "must be named once, as one column"}
		}
		named[at] = columns[theirs]
	}
	for i, name := range header {
		member := Member(strings.TrimSpace(name))
		switch {
		case named[i] != "":
		case member != "" && !slices.Contains(slices.Collect(maps.Values(columns)), member):
			if first := slices.Index(named, member); first >= 0 {
				return nil, &loader.Complaint{Column: member, Rule: "must be one column, the first line has " + list([]string{header[first], name}) + ": map one of them"}
			}
			named[i] = member
		default:
			d.result.Ignored = append(d.result.Ignored, strings.Trim(list([]string{name}), `"`))
		}
	}
	var found []string
	for _, member := range members {
		if place := slices.Index(named, member); place >= 0 {
			found, places = append(found, member), append(places, place)
		}
	}
	for _, needed := range []string{"UID", "name"} {
		if !slices.Contains(found, needed) {
			return nil, &loader.Complaint{Column: needed, Rule: "must be a column: map one of " + list(header) + " to it"}
		}
	}
	d.begin(found...)
	return places, nil
}

// list is names for a complaint, the first 30 of them.
func list(names []string) string {
	var quoted []string
	for _, name := range names[:min(len(names), 30)] {
		quoted = append(quoted, fmt.Sprintf("%q", shorten(name)))
	}
	if more := len(names) - len(quoted); more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	return strings.Join(quoted, ", ")
}

// readBreweries reads Open Brewery DB, as its API gives it or as its CSV file.
func (d *draft) readBreweries(text []byte) *loader.Complaint {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		return d.readTable(text, map[string]string{"city": "location", "brewery_type": "common_category"})
	}
	if reason := valid(text); reason != nil {
		return reason
	}
	d.begin("UID", "name", "location", "latitude", "longitude", "common_category")
	_, reason := d.elements(text, "", func(line int, value json.RawMessage) {
		var brewery map[string]json.RawMessage
		if err := json.Unmarshal(value, &brewery); err != nil || brewery == nil {
			d.complain(line, "", string(value[:min(len(value), 4*maxShown)]), "must be an object, a brewery")
			return
		}
		d.addValues(line, brewery["id"], brewery["name"], brewery["city"], brewery["latitude"], brewery["longitude"], brewery["brewery_type"])
	})
	return reason
}
