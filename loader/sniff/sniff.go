// Package sniff tells what a file is by its first bytes, whatever its name says. [Of] is the only entry point: package
// loader asks it to say why a file is no snapshot, and package list asks it how to read one.
//
//	kinds   the signatures of files that begin with fixed bytes
//	root    the first element of XML, which says which XML it is
//
// What is neither is text: only a reader of the whole file can say whether it is a table, and how that is written. A
// kind that pubd import reads is Readable. For the others, Advice says what to do instead: people take a web page for
// the file behind it, and a format of a map program for a list.
package sniff

import (
	"bytes"
	"regexp"
)

// Enough is how many of a file's first bytes Of looks at.
const Enough = 4096

// A Kind is what a file is.
type Kind uint8

// The kinds. Text is a table, or anything else without a signature.
const (
	Text Kind = iota
	UTF16
	UTF32
	JSON
	KML
	GPX
	OSMXML
	PBF
	Gzip
	Zstd
	Zip
	otherXML
	html
	foreign // and all after it, by their place in signatures
)

// signatures have the bytes that files begin with, with those of UTF-32 before those of UTF-16, of which one is a part
// of it.
var signatures = []struct {
	at            int
	begins        string
	kind          Kind
	title, advice string
}{
	{0, "\xff\xfe\x00\x00", UTF32, "UTF-32 text", ""},
	{0, "\x00\x00\xfe\xff", UTF32, "UTF-32 text", ""},
	{0, "\xff\xfe", UTF16, "UTF-16 text", ""},
	{0, "\xfe\xff", UTF16, "UTF-16 text", ""},
	{0, "\x1f\x8b", Gzip, "gzip data", ""},
	{0, "\x28\xb5\x2f\xfd", Zstd, "zstd data", ""},
	{0, "PK\x03\x04", Zip, "a spreadsheet (.xlsx) or a zip archive", ""},
	{4, "\x0a\x09OSMHeader", PBF, "an OpenStreetMap extract (PBF)", ""},
	{0, "\xd0\xcf\x11\xe0", foreign, "an old Excel file", "save it as .xlsx or CSV"},
	{0, "%PDF", foreign, "a PDF", "find the table that it was made from"},
	{0, "SQLite format 3\x00", foreign, "an SQLite database, such as a GeoPackage", "export the table as CSV or GeoJSON"},
	{0, "PAR1", foreign, "a Parquet file", "export it as CSV"},
	{0, "\x00\x00\x27\x0a", foreign, "a shapefile", "convert it with ogr2ogr -f GeoJSON"},
	{0, "fgb\x03", foreign, "a FlatGeobuf file", "convert it with ogr2ogr -f GeoJSON"},
	{0, "BZh", foreign, "bzip2 data", "expand it with bunzip2"},
	{0, "\xfd7zXZ", foreign, "xz data", "expand it with unxz"},
	{0, "7z\xbc\xaf", foreign, "a 7z archive", "unpack it"},
	{0, "Rar!", foreign, "a RAR archive", "unpack it"},
	{0, "\x89PNG", foreign, "a picture", "find the table that it shows"},
	{0, "\xff\xd8\xff", foreign, "a picture", "find the table that it shows"},
}

// others are the kinds without a signature.
var others = map[Kind]struct{ title, advice string }{
	Text:     {"text", ""},
	JSON:     {"JSON", ""},
	KML:      {"KML", ""},
	GPX:      {"GPX", ""},
	OSMXML:   {"OpenStreetMap XML", ""},
	otherXML: {"XML that is neither KML, GPX nor OpenStreetMap", "export it as CSV, JSON or GeoJSON"},
	html:     {"a web page", "save the file that it links to, or the table on it as CSV"},
}

// Of tells what the file that begins with head is. It looks at the first [Enough] bytes.
func Of(head []byte) Kind {
	head = head[:min(len(head), Enough)]
	for i, s := range signatures {
		if len(head) >= s.at && bytes.HasPrefix(head[s.at:], []byte(s.begins)) {
			if s.kind == foreign {
				return foreign + Kind(i)
			}
			return s.kind
		}
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n\x1e")
	switch {
	case len(text) == 0:
		return Text
	case text[0] == '{' || text[0] == '[':
		return JSON
	case text[0] == '<':
		return root(text)
	}
	return Text
}

// element matches the name of the first element, behind declarations and comments, and without a prefix.
var element = regexp.MustCompile(`(?i)^(?:\s|<\?[^>]*>|<!--(?s:.*?)-->|<!DOCTYPE[^>]*>)*<(?:[a-z0-9]+:)?([a-z]+)[\s>/]`)

func root(text []byte) Kind {
	found := element.FindSubmatch(text)
	if found == nil {
		return otherXML
	}
	switch name := string(bytes.ToLower(found[1])); name {
	case "kml":
		return KML
	case "gpx":
		return GPX
	case "osm":
		return OSMXML
	case "html", "head", "body", "table", "script", "div":
		return html
	}
	return otherXML
}

// String returns what a kind is, for a sentence: "a PDF".
func (k Kind) String() string {
	if k >= foreign {
		return signatures[k-foreign].title
	}
	if o, ok := others[k]; ok {
		return o.title
	}
	for _, s := range signatures {
		if s.kind == k {
			return s.title
		}
	}
	return ""
}

// Advice returns what to do with a file that pubd import does not read; empty for one that it reads.
func (k Kind) Advice() string {
	if k >= foreign {
		return signatures[k-foreign].advice
	}
	return others[k].advice
}

// Readable reports whether pubd import reads files of a kind.
func (k Kind) Readable() bool { return k.Advice() == "" }
