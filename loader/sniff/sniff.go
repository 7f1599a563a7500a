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
	XML        // other than KML, GPX and that of OpenStreetMap
	JavaScript // that assigns a list or an object, or calls a function with one
	OtherJavaScript
	topoJSON
	sql
	spreadsheet
	sparql
	html
	yaml
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
	{0, "\xd0\xcf\x11\xe0", foreign, "an old Excel file", "convert it with soffice --headless --convert-to xlsx FILE"},
	{0, "%PDF", foreign, "a PDF", "find the table that it was made from"},
	{0, "SQLite format 3\x00", foreign, "an SQLite database, such as a GeoPackage",
		"export its table with sqlite3 -header -csv FILE 'SELECT * FROM TABLE', or convert a GeoPackage with ogr2ogr -f GeoJSON pubs.geojson FILE"},
	{0, "PAR1", foreign, "a Parquet file", "convert it with ogr2ogr -f GeoJSON pubs.geojson FILE, or to CSV"},
	{0, "\x00\x00\x27\x0a", foreign, "a shapefile", "convert it with ogr2ogr -f GeoJSON pubs.geojson FILE"},
	{0, "fgb\x03", foreign, "a FlatGeobuf file", "convert it with ogr2ogr -f GeoJSON pubs.geojson FILE"},
	{0, "BZh", foreign, "bzip2 data", "expand it with bunzip2"},
	{0, "\xfd7zXZ", foreign, "xz data", "expand it with unxz"},
	{257, "ustar", foreign, "a tar archive", "unpack it with tar xf FILE, and import the list that is in it"},
	{0, "7z\xbc\xaf", foreign, "a 7z archive", "unpack it"},
	{0, "Rar!", foreign, "a RAR archive", "unpack it"},
	{0, "\x89PNG", foreign, "a picture", "find the table that it shows"},
	{0, "\xff\xd8\xff", foreign, "a picture", "find the table that it shows"},
}

// others are the kinds without a signature.
var others = map[Kind]struct{ title, advice string }{
	Text:   {"text", ""},
	JSON:   {"JSON", ""},
	KML:    {"KML", ""},
	GPX:    {"GPX", ""},
	OSMXML: {"OpenStreetMap XML", ""},
	XML:    {"XML", ""},

	JavaScript:      {"JavaScript", ""},
	OtherJavaScript: {"JavaScript, not JSON", "keep what is from [ to ], or write it with JSON.stringify"},
	topoJSON:        {"TopoJSON", "convert it to GeoJSON with mapshaper FILE -o format=geojson pubs.geojson"},
	sql: {"an SQL dump", "load it into PostgreSQL and use --from postgres, or export the table as CSV; one of SQLite as well: " +
		"sqlite3 pubs.db < FILE, and sqlite3 -header -csv pubs.db 'SELECT * FROM TABLE'"},
	spreadsheet: {"a spreadsheet in XML of Excel 2003", "convert it with soffice --headless --convert-to xlsx FILE"},
	sparql:      {"the XML of a SPARQL query", "download its results as CSV or JSON"},
	yaml:        {"YAML", "convert it with yq -o json FILE > pubs.json"},
	html:        {"a web page", "save the file that it links to, or the table on it as CSV, such as with LibreOffice Calc"},
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
	case topology.Match(text):
		return topoJSON
	case text[0] == '{' || text[0] == '[' || text[0] == '/' && commented.Match(text):
		return JSON
	case text[0] == '<':
		return root(text)
	case Literal(text) > 0:
		return JavaScript
	case program.Match(text):
		return OtherJavaScript
	case statement.Match(text):
		return sql
	case mapping.Match(text):
		return yaml
	}
	return Text
}

const comments = `^(?:\s|//.*|/\*(?s:.*?)\*/;?|--.*|["']use strict["'];?)*`

var (
	topology   = regexp.MustCompile(`^\{\s*"type"\s*:\s*"Topology"`)
	commented  = regexp.MustCompile(comments + `[\[{]`)
	mapping    = regexp.MustCompile(`^(?:\s|#.*\n|%YAML.*\n|---.*\n)*(?:- +[^\n:,;|\t]+:[ \n]|[\w-]+:[ \t]*\n+[ \t]*(?:- +)?[^\n:,;|\t]+:[ \n])`)
	statement  = regexp.MustCompile(comments + `(?i:CREATE (?:TABLE|DATABASE|SCHEMA)|INSERT INTO|DROP TABLE|PRAGMA \w+|BEGIN(?: TRANSACTION)?;|SET @?\w+ ?=|USE \W?\w+\W?;)`)
	program    = regexp.MustCompile(comments + `(?:(?:var|let|const|import|export)\s+[^,;|\t]*(?:=|from|\{)|function\s*\w*\(|\(function|\(\(\) =>)`)
	assignment = regexp.MustCompile(comments + `(?:(?:export\s+)?(?:var|let|const)\s+\w+\s*=|export\s+default|[\w$]+(?:\.\w+|\["?\w*"?\])*\s*[=(])\s*[\[{]`)
)

// Literal returns where in JavaScript the list or object begins that it assigns to a name, or calls a function with; 0 if
// it does not.
func Literal(text []byte) int {
	return max(0, len(assignment.Find(text))-1)
}

// element matches the name of the first element, behind declarations and comments, and without a prefix.
var element = regexp.MustCompile(`(?i)^(?:\s|<\?[^>]*>|<!--(?s:.*?)-->|<!DOCTYPE[^>]*>)*<(?:[a-z0-9]+:)?([a-z]+)[\s>/]`)

func root(text []byte) Kind {
	found := element.FindSubmatch(text)
	if found == nil {
		return XML
	}
	switch name := string(bytes.ToLower(found[1])); name {
	case "kml":
		return KML
	case "gpx":
		return GPX
	case "osm":
		return OSMXML
	case "workbook":
		return spreadsheet
	case "sparql":
		return sparql
	case "html", "head", "body", "table", "script", "div":
		return html
	}
	return XML
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
