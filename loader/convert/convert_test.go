package convert

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
	"pubd/index"
	"pubd/loader"
)

// A list with the snapshot and the complaints that result from it.
type listCase struct {
	form, text string
	columns    map[string]string
	extra      []string
	snapshot   string // its rows, without the header
	complaints []string
}

func (c listCase) check(t *testing.T) {
	t.Helper()
	result, err := Convert("in", []byte(c.text), Options{From: c.form, Columns: c.columns, Extra: c.extra})
	if err != nil {
		if c.snapshot != "" || len(c.complaints) != 1 || err.Error() != c.complaints[0] {
			t.Errorf("%s %q: got the error %v, want %q, %q", c.form, c.text, err, c.snapshot, c.complaints)
		}
		return
	}
	_, rows, _ := strings.Cut(withoutUnused(t, result.Snapshot), "\n")
	var complaints []string
	for _, complaint := range result.Complaints {
		complaints = append(complaints, complaint.Error())
	}
	if rows != c.snapshot || fmt.Sprintf("%q", complaints) != fmt.Sprintf("%q", c.complaints) {
		t.Errorf("%s %q:\ngot  %q, %q\nwant %q, %q", c.form, c.text, rows, complaints, c.snapshot, c.complaints)
	}
	checkResult(t, result, c.extra...)
}

// withoutUnused returns a snapshot without the columns on request behind alt_names that no row has, which are as many
// as there are. Tests have none of their own.
func withoutUnused(t *testing.T, snapshot []byte) string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(snapshot)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	text := string(snapshot)
	for _, column := range index.Columns[index.ColumnAltNames+1:] {
		if len(rows) == 0 || !slices.Contains(rows[0], column.Name) {
			continue
		}
		at := slices.Index(rows[0], column.Name)
		if slices.ContainsFunc(rows[1:], func(row []string) bool { return row[at] != "" }) {
			continue
		}
		for i := range rows {
			rows[i] = slices.Delete(rows[i], at, at+1)
		}
		var out strings.Builder
		if err := csv.NewWriter(&out).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		text = out.String()
	}
	return text
}

// checkResult checks a result against its documentation.
func checkResult(t *testing.T, result *Result, extra ...string) {
	t.Helper()
	if result.Rows != result.Taken+len(result.Complaints) || (result.Taken == 0) != (result.Snapshot == nil) {
		t.Errorf("%d rows, %d taken, %d complaints, a snapshot of %d bytes", result.Rows, result.Taken, len(result.Complaints), len(result.Snapshot))
	}
	if result.Taken == 0 {
		return
	}
	loaded, err := loader.Load("out.csv", result.Snapshot, loader.Options{Extra: extra})
	if err != nil || len(loaded.Directory.Pubs) != result.Taken || len(loaded.Ignored) > 0 {
		t.Errorf("the snapshot %q: %v, want %d pubs", result.Snapshot, err, result.Taken)
	}
	for _, complaint := range result.Complaints {
		if complaint.File != "in" || complaint.Line < 1 || complaint.Rule == "" || strings.Contains(complaint.Error(), "\n") {
			t.Errorf("the complaint %q", complaint)
		}
	}
}

func TestOpenPubs(t *testing.T) {
	const unclear = ": must have the 9 fields fsa_id, name, address, postcode, easting, northing, latitude, longitude, local_authority, has %d, and it is unclear which is which"
	refused := func(line string, fields int) []string {
		return []string{fmt.Sprintf("in:1: %q"+unclear, loader.Shorten(line), fields)}
	}
	for _, c := range []listCase{
		{text: `7,Bell,"1 Row, Diss",IP1,1,2,51.5,-0.1,Diss`, snapshot: "7,Bell,Diss,\"1 Row, Diss\",IP1,Diss,51.5,-0.1\n"},
		{text: `fas_id,name,address,postcode,easting,northing,latitude,longitude,local_authority` + "\r\n" + `7,Bell,x,y,1,2,51,0,Diss` + "\r\n\r\n", snapshot: "7,Bell,Diss,x,y,Diss,51,0\n"},
		{text: `fsa_id,name` + "\n" + `7,Bell,x,y,1,2,51,0,Diss`, snapshot: "7,Bell,Diss,x,y,Diss,51,0\n"},
		{text: `7,Bell,x,y,1,2,\N,\N,\N`, snapshot: "7,Bell,,x,y,,,\n"},
		{text: `7,Rose \\& Crown,x,y,1,2,51,0,Diss`, snapshot: "7,Rose & Crown,Diss,x,y,Diss,51,0\n"},
		{text: `7,O\'Neill \ Son \\o,x,y,1,2,51,0,Diss`, snapshot: "7,O'Neill \\ Son \\\\o,Diss,x,y,Diss,51,0\n"},
		{text: "7,\u00a0The \t Bell\x01 Inn ,x,y,1,2,51,0,St\u00a0 Ives", snapshot: "7,The Bell Inn,St Ives,x,y,St Ives,51,0\n"},
		// A quote contains the comma after the name: as published, and as it was before another program changed it.
		{text: `7,"J D \""The Star\"",""105 High Street, Diss",EN11 8TN,1,2,51,0,Diss,`, snapshot: "7,\"J D \"\"The Star\"\"\",Diss,\"105 High Street, Diss\",EN11 8TN,Diss,51,0\n"},
		{text: `7,"J D \"The Star\"","105 High Street, Diss",EN11 8TN,1,2,51,0,Diss`, snapshot: "7,\"J D \"\"The Star\"\"\",Diss,\"105 High Street, Diss\",EN11 8TN,Diss,51,0\n"},
		// Commas without quotes.
		{text: `7,Bell,1 Row, Diss, Norfolk,IP1,1,2,51,0,Diss`, snapshot: "7,Bell,Diss,\"1 Row, Diss, Norfolk\",IP1,Diss,51,0\n"},
		{text: `7,Bell, The,"1 Row, Diss",IP1,1,2,51,0,Diss`, snapshot: "7,\"Bell, The\",Diss,\"1 Row, Diss\",IP1,Diss,51,0\n"},
		{text: `7,Bell,x,IP1,1,2,51,0,Bristol, City of`, snapshot: "7,Bell,\"Bristol, City of\",x,IP1,\"Bristol, City of\",51,0\n"},
		{text: `7,Bell,1 Row,Diss,IP1,1,2,51,0,Diss`, complaints: refused(`7,Bell,1 Row,Diss,IP1,1,2,51,0,Diss`, 10)},
		{text: `7,Bell,IP1,1,2,51,0,Diss`, complaints: refused(`7,Bell,IP1,1,2,51,0,Diss`, 8)},
		{text: `7,Bell,x,1,2,3,4,5,6,7,8,9`, complaints: refused(`7,Bell,x,1,2,3,4,5,6,7,8,9`, 12)},
		{text: `7,Bell`, complaints: refused(`7,Bell`, 2)},
		{text: `"7,Bell,x,y,1,2,51,0,Diss`, complaints: refused(`"7,Bell,x,y,1,2,51,0,Diss`, 1)},
		{text: "\"7,\n8,Bear,x,y,1,2,51,0,Diss", snapshot: "8,Bear,Diss,x,y,Diss,51,0\n", complaints: refused(`"7,`, 1)},
		{text: `7,Bell,x,y,1,2,91,0,Diss`, complaints: []string{`in:1: latitude "91": must be from -90 to 90 (UID "7")`}},
		{text: `7,Bell,x,y,1,2,51,west,Diss`, complaints: []string{`in:1: longitude "west": must be a decimal number from -180 to 180 (UID "7")`}},
		{text: `7,Bell,x,y,1,2,51,\N,Diss`, complaints: []string{`in:1: longitude: must be given where latitude is, or both left out (UID "7")`}},
		{text: `7,,x,y,1,2,51,0,Diss`, complaints: []string{`in:1: name: must not be empty (UID "7")`}},
		{text: `\N,Bell,x,y,1,2,51,0,Diss`, complaints: []string{`in:1: UID: must not be empty`}},
		{text: "7,é\xff,x,y,1,2,51,0,Diss", complaints: []string{`in:1: name "é\xff": must be valid UTF-8, without U+FFFD that stands for what was not: export it as UTF-8`}},
		{text: "\n7,Bell,x,y,1,2,51,0,Diss\n7,Twin,x,y,1,2,51,0,Diss\n", snapshot: "7,Bell,Diss,x,y,Diss,51,0\n", complaints: []string{`in:3: UID "7": must be unique, first used on line 2`}},
		{text: ""},
	} {
		c.form = "openpubs"
		c.check(t)
	}
}

func TestOverpass(t *testing.T) {
	element := func(text string) string { return `{"version":0.6,"elements":[` + text + `]}` }
	for _, c := range []listCase{
		{text: element(`{"type":"node","id":1,"lat":51.5,"lon":-0.10,"tags":{"amenity":"pub","name":"Bell","addr:city":"Diss"}}`), snapshot: "node/1,Bell,Diss,,,,51.5,-0.10,\n"},
		{text: element(`{"type":"way","id":2,"center":{"lat":1,"lon":2},"tags":{"amenity":"bar","name":"B","addr:town":"T","addr:village":"V"}}`), snapshot: "way/2,B,T,,,,1,2,\n"},
		{text: element(`{"type":"relation","id":3,"center":{"lat":1,"lon":2},"tags":{"amenity":"pub","name":"B","addr:city":" ","addr:village":"V"}}`), snapshot: "relation/3,B,V,,,,1,2,\n"},
		{text: element(`{"type":"node","id":4,"lat":1,"lon":2,"tags":{"amenity":"pub","name":"B","addr:housenumber":"7","addr:street":"High St","addr:housename":"The Hall","addr:postcode":"IP22",
			"addr:county":"Norfolk","addr:country":"GB","contact:beds":"441","beds":" ","website":"http://b"}}`), extra: []string{"beds", "website", "opening_hours"},
			snapshot: "node/4,B,,\"The Hall, 7 High St\",IP22,Norfolk,1,2,,441,http://b,\n"},
		{text: element(`{"type":"node","id":4,"lat":1,"lon":2,"tags":{"amenity":"pub","name":"B","addr:place":"Green","addr:country":"IE"}}`), snapshot: "node/4,B,,Green,,IE,1,2,\n"},
		{text: element(`{"type":"node","id":4,"lat":1,"lon":2,"tags":{"amenity":"pub","name":"B","alt_name":"C;D","old_name":"E","name:en":" ","official_name":"F","short_name":"G"}}`),
			snapshot: "node/4,B,,,,,1,2,C;D; E; F; G\n"},
		{text: element(`{"type":"node","id":4,"lat":1,"lon":2}`)},
		{text: element(`{"type":"way","id":5,"tags":{"amenity":"pub","name":"B"}}`), complaints: []string{"in:1: UID \"way/5\": must have lat and lon, a center, bounds, geometry or nodes: end the query with `out center`"}},
		{text: element(`{"type":"node","id":5,"lat":null,"lon":2,"tags":{"amenity":"pub","name":"B"}}`), complaints: []string{"in:1: UID \"node/5\": must have lat and lon, a center, bounds, geometry or nodes: end the query with `out center`"}},
		{text: element(`{"type":"node","id":6,"lat":1,"lon":2,"tags":{"amenity":"cafe"}}`), complaints: []string{`in:1: amenity "cafe": must be pub or bar (UID "node/6")`}},
		{text: element("\n" + `{"type":"node","id":7,"lat":1,"lon":2,"tags":{"amenity":"pub"}}`), complaints: []string{`in:2: name: must not be empty (UID "node/7")`}},
		{text: element(`{"type":"node","id":8,"lat":1,"lon":2,"tags":{"amenity":"pub","name":["B"]}}`), complaints: []string{`in:1: name "[\"B\"]": must be text or a number`}},
		{text: element(`{"type":"area","id":9,"tags":{"amenity":"pub"}}`), complaints: []string{`in:1: UID "area/9": must be node, way or relation, and a number`}},
		{text: element(`7`), complaints: []string{`in:1: "7": must be a node, way or relation of OpenStreetMap: json: cannot unmarshal number into Go value of type convert.element`}},
		{text: element(`{"type":"node","id":1,"lat":1,"lon":2,"tags":{"amenity":"pub","name":"\ud800"}}`), complaints: []string{"in:1: name \"\ufffd\": must be valid UTF-8, without U+FFFD that stands for what was not: export it as UTF-8"}},
		{text: `{"elements":[],"remark":"runtime error: Query timed out"}`, complaints: []string{`in: remark "runtime error: Query timed out": must not report an error, as the list is incomplete: query Overpass again`}},
		{text: "{\"elements\":[],\n\"elements\":[]}", complaints: []string{"in:2: elements: must be there once: leave out one of them"}},
		{text: `{"elements":{}}`, complaints: []string{"in:1: elements: must be a list"}},
		{text: `{}`, complaints: []string{"in:1: must be an object whose member elements is a list"}},
		{text: `[]`, complaints: []string{"in:1: must be an object whose member elements is a list"}},
		{text: "{\n<html>", complaints: []string{"in:2: must be valid JSON: was it copied completely? invalid character '<' looking for beginning of object key string"}},
		{text: "", complaints: []string{"in:1: must be valid JSON: was it copied completely? unexpected end of JSON input"}},
	} {
		c.form = "osm"
		c.check(t)
	}
}

func TestGeoJSON(t *testing.T) {
	feature := func(id, geometry, properties string) string {
		return fmt.Sprintf(`{"type":"FeatureCollection","features":[{"type":"Feature","id":%s,"geometry":%s,"properties":{%s}}]}`, id, geometry, properties)
	}
	const at = `{"type":"Point","coordinates":[-0.10,51.5,7]}`
	const wrong = "must be null, a Point, or a line or polygon within one degree"
	for _, c := range []listCase{
		{text: feature(`"node/1"`, at, `"name":"Bell","amenity":"pub","addr:city":"Diss"`), snapshot: "node/1,Bell,Diss,,,,51.5,-0.10,\n"},
		{text: feature(`null`, at, `"name":"Bell","@id":"way/1"`), snapshot: "way/1,Bell,,,,,51.5,-0.10,\n"},
		{text: feature(`"n5"`, at, `"name":"Bell","@id":5,"@type":"node"`), snapshot: "node/5,Bell,,,,,51.5,-0.10,\n"},
		{text: feature(`5`, at, `"name":"Bell"`), snapshot: "5,Bell,,,,,51.5,-0.10,\n"},
		{text: feature(`"a"`, `null`, `"name":"Bell"`), snapshot: "a,Bell,,,,,,,\n"},
		{text: feature(`"a"`, `{"type":"Polygon","coordinates":[[[1,2],[1.5,2],[1.5,2.25],[1,2]]]}`, `"name":"Bell"`), snapshot: "a,Bell,,,,,2.125,1.25,\n"},
		{text: feature(`"a"`, `{"type":"MultiPolygon","coordinates":[[[[1,2],[1.1,2]]],[[[1.3,2.1]]]]}`, `"name":"Bell"`), snapshot: "a,Bell,,,,,2.05,1.15,\n"},
		{text: feature(`"a"`, at, `"name":"Bell","city":"Diss","address":"1 Mill Row","postcode":"IP22","category":"Brewpub","color":7`), snapshot: "a,Bell,Diss,1 Mill Row,IP22,,51.5,-0.10,,Brewpub\n"},
		{text: feature(`"a"`, at, `"UID":"b","Name":"Bell","town":"Diss","addr:city":"Ely","beer":7.5,"review_count":4`), snapshot: "a,Bell,Ely,,,,51.5,-0.10,,7.5,4\n"},
		{text: feature(`null`, at, `"UID":"b","title":"Bell"`), snapshot: "b,Bell,,,,,51.5,-0.10,\n"},
		{text: feature(`"a"`, `{"type":"Polygon","coordinates":[[[179.9,2],[-179.9,2]]]}`, `"name":"Bell"`), complaints: []string{`in:1: geometry "Polygon": ` + wrong}},
		{text: feature(`"a"`, `{"type":"Polygon","coordinates":[]}`, `"name":"Bell"`), complaints: []string{`in:1: geometry "Polygon": ` + wrong}},
		{text: feature(`"a"`, `{"type":"Point","coordinates":[1]}`, `"name":"Bell"`), complaints: []string{`in:1: geometry "Point": ` + wrong}},
		{text: feature(`"a"`, `{"type":"GeometryCollection","geometries":[]}`, `"name":"Bell"`), complaints: []string{`in:1: geometry "GeometryCollection": ` + wrong}},
		{text: feature(`"a"`, at, `"name":"Bell","amenity":"cafe"`), complaints: []string{`in:1: amenity "cafe": must be pub or bar`}},
		{text: feature(`null`, at, `"name":"Bell"`), complaints: []string{`in:1: UID: must not be empty`}},
		{text: `{"type":"Feature"}`, complaints: []string{"in:1: must be an object whose member features is a list"}},
	} {
		c.form = "geojson"
		c.check(t)
	}
}

func TestBreweries(t *testing.T) {
	for _, c := range []listCase{
		{text: `[{"id":"a","name":"Bell","city":"Diss","latitude":"51.5","longitude":-0.1,"brewery_type":"micro"}]`, snapshot: "a,Bell,Diss,,,,51.5,-0.1,micro\n"},
		{text: ` [{"id":"a","name":"Bell","city":null,"latitude":null}]`, snapshot: "a,Bell,,,,,,,\n"},
		{text: `[null,[],{"id":true}]`, complaints: []string{`in:1: "null": must be an object, a brewery`, `in:1: "[]": must be an object, a brewery`, `in:1: UID "true": must be text or a number`}},
		{text: "id,name,city,brewery_type,beds,longitude,latitude\na,Bell,Diss,micro,7,-0.1,51.5\n", snapshot: "a,Bell,Diss,,,,51.5,-0.1,micro\n"},
		{text: "id,name\na,Bell\n", snapshot: "a,Bell,,,,,,,\n"},
		{text: "id,city\na,Diss\n", complaints: []string{`in:1: column "name": must be in the first line, which has "id", "city"`}},
		{text: "id,name,street,address_1,city,state,postal_code,country,longitude,latitude,beds,website_url\na,Bell,1 Row,2 Row,Diss,Norfolk,IP22 4AA,England,0,51,7,http://b\n",
			extra: []string{"Beds", "website"}, snapshot: "a,Bell,Diss,1 Row,IP22 4AA,\"Norfolk, England\",51,0,,7,http://b\n"},
		{text: `[{"id":"a","name":"Bell","street":null,"address_1":"1 Row","state_province":"Norfolk","country":null,"postal_code":22,"beds":441}]`,
			extra: []string{"beds"}, snapshot: "a,Bell,,1 Row,22,Norfolk,,,,441\n"},
		{text: `[{"id":"a","name":"Bell","state":["Norfolk"],"country":"England"}]`, complaints: []string{`in:1: area "[\"Norfolk\"]": must be text or a number`}},
	} {
		c.form = "breweries"
		c.check(t)
	}
}

func TestTable(t *testing.T) {
	title := map[string]string{"Title": "name"}
	for _, c := range []listCase{
		{text: "uid,NAME\n7,Bell\n", snapshot: "7,Bell\n"},
		{text: "\xef\xbb\xbfid,name,lat,lng\n7,Bell,51,0\n", snapshot: "7,Bell,51,0\n"},
		{text: "id,title,name\n7,Bell,Bear\n", columns: title, snapshot: "7,Bell\n"},
		{text: "beer,title,id,review_count\n7,Bell,1,2\n,Bear,2,\n", columns: title, snapshot: "1,Bell,7,2\n2,Bear,,\n"},
		{text: "id,name,beer\n1,Bell,eleven\n2,Bear,7\n", snapshot: "2,Bear,7\n", complaints: []string{`in:2: beer "eleven": must be a decimal number from 0 to 10 (UID "1")`}},
		{text: "id,name,beer,review_count\n1,Bell,7,0\n", complaints: []string{`in:2: beer "7": must be empty or 0 where review_count is 0 or missing (UID "1")`}},
		{text: "id,name\n1,Bell,\n\"2\",\"Be\nar\"\n3,Li\"on\n4,Swan\n", snapshot: "2,Be ar\n4,Swan\n", complaints: []string{
			`in:2: has 3 fields, the header has 2: put a field with commas in quotes`,
			`in:5: a quote on line 5, byte 5 is out of place: put the field in quotes and double each quote within`}},
		{text: "UID,name\n7,Bell\nUID,name\n", snapshot: "7,Bell\n", complaints: []string{`in:3: must be a pub, but repeats the header: remove it (UID "UID")`}},
		{text: "UID,name\n\"a\nb\",Bell\n8,\n", complaints: []string{`in:2: UID "a\nb": must not hold a control character, has U+000A`, `in:4: name: must not be empty (UID "8")`}},
		{text: "UID,name\nnull,Bell\n7," + strings.Repeat("x", 1001) + "\n", complaints: []string{`in:2: UID "null": must be given: this stands for a missing value`,
			`in:3: name "` + strings.Repeat("x", 60) + `…": must be at most 1,000 bytes long, is 1001`}},
		{text: "id,uid,name\n", complaints: []string{`in:1: UID: must be one column, the first line has "id", "uid": map one of them`}},
		{text: "id,name\n", columns: title, complaints: []string{`in:1: column "Title": must be in the first line, which has "id", "name"`}},
		{text: "id,a,b\n", columns: map[string]string{"a": "name", "b": "name"}, complaints: []string{`in:1: name "b": must be named once, as one column`}},
		{text: "a;b\n", complaints: []string{`in:1: UID: must be a column: map one of "a", "b" to it, or make UIDs from names and places with --uid auto`}},
		// As spreadsheet programs write it.
		{text: "sep=;\r\nUID;name;lat;lng;beer;review_count\r\n7;\"Bell; The\";51,5;-0,1;7,;4,0\r\n8;Bear;;;;1\r\n", snapshot: "8,Bear,,,,1\n",
			complaints: []string{`in:3: review_count "4,0": must be a whole number, 0 or more (UID "7")`}},
		{text: "UID;name;lat;lng;beer\n7;\"Bell; The\";51,5;-0,1;7,\n", snapshot: "7,Bell; The,51.5,-0.1,7.\n"},
		{text: "UID\tname\tlocation\tbeer\n7\tBell\t\t7\n", snapshot: "7,Bell,,7\n"},
		{text: "UID, name, location\n7, \"Bell, The\", Diss \n", snapshot: "7,\"Bell, The\",Diss\n"},
		{text: "UID,name\n7,Caf\xe9 \x80\n8,King\x92s\n", snapshot: "7,Café €\n8,King’s\n"},
		{text: "UID,name\n7,Caf\xe9\n8,Café\n", snapshot: "8,Café\n", complaints: []string{`in:2: name "Caf\xe9": must be valid UTF-8, without U+FFFD that stands for what was not: export it as UTF-8`}},
		{text: "UID,name,Beds,address,postcode,area\n7,Bell,441,1 Row,IP1,Norfolk\n", extra: []string{"beds", "web"}, snapshot: "7,Bell,1 Row,IP1,Norfolk,441\n"},
		{text: "id,\"name\n", complaints: []string{"in:1: must name the columns: parse error on line 1, column 10: extraneous or missing \" in quoted-field"}},
		{text: "", complaints: []string{"in: is empty: its first line must name the columns"}},
	} {
		c.form = "csv"
		c.check(t)
	}
}

func TestPacking(t *testing.T) {
	folder := t.TempDir()
	text := []byte(strings.Repeat("7,Bell\n", 1000))
	for _, name := range []string{"a.csv", "b.csv.gz", "c.CSV.ZST"} {
		path := filepath.Join(folder, name)
		if err := Write(t.Context(), path, text); err != nil {
			t.Fatal(err)
		}
		content, err := loader.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := expand(content); err != nil || !bytes.Equal(got, text) || (len(content) < len(text)) != (name != "a.csv") {
			t.Errorf("%s: %d bytes, expanded %d, %v, want %d", name, len(content), len(got), err, len(text))
		}
		if name == "a.csv" {
			continue
		}
		for _, cut := range []int{5, len(content) / 2, len(content) - 1} {
			if _, err := Convert("in", content[:cut], Options{From: "csv"}); err == nil || !strings.HasPrefix(err.Error(), "in: ") {
				t.Errorf("%s cut to %d bytes: got %v, want an error", name, cut, err)
			}
		}
	}
}

// A JSON snapshot loads like the same one in CSV, and numbers are numbers.
func TestWriteJSON(t *testing.T) {
	folder := t.TempDir()
	snapshot := "UID,name,address,latitude,longitude,beer,review_count,beds\n007,\"B \"\"7\"\" \\ Ü\",\"1 Row, Diss\",51.50,.5,7.,4.0,0441\n8,Null,,,,,,\n"
	options := loader.Options{Extra: []string{"beds"}}
	want, err := loader.Load("out.csv", []byte(snapshot), options)
	if err != nil {
		t.Fatal(err)
	}
	for name, begins := range map[string]string{
		"a.json":       "[\n" + `{"UID": "007", "name": "B \"7\" \\ Ü", "address": "1 Row, Diss", "latitude": 51.50, "longitude": 0.5, "beer": 7, "review_count": 4.0, "beds": "0441"},` + "\n",
		"b.ndjson":     `{"UID": "007", "name": "B \"7\" \\ Ü", "address": "1 Row, Diss", "latitude": 51.50, "longitude": 0.5, "beer": 7, "review_count": 4.0, "beds": "0441"}` + "\n" + `{"UID": "8", "name": "Null", "address": null`,
		"c.jsonl.gz":   "\x1f\x8b",
		"d.json.zst":   "\x28\xb5\x2f\xfd",
		"e.NDJSON.ZST": "\x28\xb5\x2f\xfd",
	} {
		path := filepath.Join(folder, name)
		if err := Write(t.Context(), path, []byte(snapshot)); err != nil {
			t.Fatal(err)
		}
		content, err := loader.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(content), begins) {
			t.Errorf("%s: %v, got %.300q, want %s", name, err, content, begins)
		}
		got, err := loader.LoadFile(path, options)
		if err != nil || fmt.Sprintf("%+v", got.Directory) != fmt.Sprintf("%+v", want.Directory) {
			t.Errorf("%s: %v, got %+v, want %+v", name, err, got, want)
		}
	}
}

// Only files of a killed writer are removed by the next one. A cancelled writer leaves nothing.
func TestWriteLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "[out].csv.gz")
	put := func(name string) *os.File {
		file, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	names := func() (names []string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	put(".[out].csv.gz.1234")
	put(".[out].csv.gz.mine")
	put(".o.csv.gz.1")
	busy := put(".[out].csv.gz.99")
	if err := syscall.Flock(int(busy.Fd()), syscall.LOCK_EX); err != nil {
		t.Skipf("no locks here: %v", err)
	}
	if err := Write(t.Context(), path, []byte("UID,name\n")); err != nil {
		t.Fatal(err)
	}
	want := []string{".[out].csv.gz.99", ".[out].csv.gz.mine", ".o.csv.gz.1", "[out].csv.gz"}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("after a write: got %q, want %q", got, want)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := Write(ended, path, []byte("UID,name\n7,Bell\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: got %v", err)
	}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("called off: got %q, want %q", got, want)
	}
}

func TestTooManyErrors(t *testing.T) {
	lane.Long(t, "reads a million rows")
	text := "UID,name\n" + strings.Repeat("7\n", maxComplaints+7)
	want := "in: reading stopped after 1000000 rejected rows: is it really csv?"
	if _, err := Convert("in", []byte(text), Options{From: "csv"}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestProgress(t *testing.T) {
	for form, text := range map[string]string{
		"csv":      "UID,name\n" + strings.Repeat("7,Bell\n", 1<<18),
		"openpubs": strings.Repeat("7,Bell,x,y,1,2,51,0,Diss\n", 1<<17),
	} {
		last, calls := int64(0), 0
		report := func(read, total int64) {
			if read <= last || read > total || total != int64(len(text)) {
				t.Errorf("%s: told of %d of %d after %d", form, read, total, last)
			}
			last = read
			calls++
		}
		if _, err := Convert("in", []byte(text), Options{From: form, Progress: report}); err != nil || last != int64(len(text)) || calls < 2 {
			t.Errorf("%s: %v, told of %d of %d in %d calls", form, err, last, len(text), calls)
		}
	}
}

// A line with very many fields is rejected, or read in linear time.
func TestManyFields(t *testing.T) {
	const patience = 30 * time.Second
	commas := strings.Repeat(",", 2*loader.MaxCommas)
	for _, c := range []struct{ form, text, want string }{
		{"csv", "UID,name\na,A\n" + commas, "in:3: a row has more than a million commas: is a quote left open? Otherwise remove what is not a column"},
		{"csv", "UID,name" + commas, "in:1: must name the columns: a row has more than a million commas: is a quote left open? Otherwise remove what is not a column"},
		{"openpubs", "7" + commas, "in:1: \"7" + strings.Repeat(",", maxShown-1) + "…\": must have 9 fields, has 2097152 commas"},
		{"openpubs", "7" + strings.Repeat(", x", 400_000) + ",1,2,3,4,Diss", "has 400006, and it is unclear which is which"},
		{"openpubs", `7,"` + strings.Repeat(`," x`, 400_000) + ",1,2,3,4,Diss", "it is unclear which is which"},
	} {
		begun := time.Now()
		result, err := Convert("in", []byte(c.text), Options{From: c.form})
		if err == nil {
			err = result.Complaints[0]
		}
		if took := time.Since(begun); !strings.HasSuffix(err.Error(), c.want) || took > patience {
			t.Errorf("%s %.20q…: got %.300v in %v, want %s", c.form, c.text, err, took, c.want)
		}
	}
}

// A replaced snapshot keeps its mode and owner, and a link to it stays a link.
func TestWriteKeepsLinkModeAndOwner(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "1.csv"), filepath.Join(folder, "pubs.csv")
	owner := os.Geteuid()
	if owner == 0 {
		owner = 65532
	}
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o640), os.Chown(file, owner, -1), os.Chmod(file, 0o640), os.Symlink("1.csv", link)); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	content, _ := os.ReadFile(file)
	info, err := os.Stat(file)
	target, _ := os.Readlink(link)
	if err != nil || string(content) != "new" || info.Mode() != 0o640 || int(info.Sys().(*syscall.Stat_t).Uid) != owner || target != "1.csv" {
		t.Errorf("got %q of mode %v and owner %d, by the link to %q, want new, 0640 and %d, by that to 1.csv",
			content, info.Mode(), info.Sys().(*syscall.Stat_t).Uid, target, owner)
	}
}
