package convert

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"pgregory.net/rapid"
)

// rows returns the rows of a snapshot, by UID, with only some columns.
func rows(t interface{ Fatal(...any) }, snapshot []byte, columns ...string) map[string]string {
	records, err := csv.NewReader(strings.NewReader(string(snapshot))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, record := range records[min(1, len(records)):] {
		var cells []string
		for _, column := range columns {
			if at := slices.Index(records[0], column); at >= 0 {
				cells = append(cells, record[at])
			}
		}
		all[record[slices.Index(records[0], "UID")]] = strings.Join(cells, "|")
	}
	return all
}

// A list in any encoding of spreadsheet programs, with or without a byte order mark, is the same list.
func TestEncodings(t *testing.T) {
	const text = "UID\tname\tlocation\r\n1\tCafé Zlín\tPrag\r\n"
	for _, c := range []struct {
		name     string
		encoding encoding.Encoding
		want     string
	}{
		{"UTF-16LE with a mark", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "UTF-16 text"},
		{"UTF-16BE with a mark", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "UTF-16 text"},
		{"UTF-16LE", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "UTF-16 text"},
		{"UTF-16BE", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "UTF-16 text"},
		{"UTF-32LE with a mark", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), "UTF-32 text"},
		{"UTF-32BE with a mark", utf32.UTF32(utf32.BigEndian, utf32.UseBOM), "UTF-32 text"},
		{"UTF-32LE", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), "UTF-32 text"},
		{"UTF-32BE", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "UTF-32 text"},
		{"UTF-8", encoding.Nop, ""},
		{"UTF-8 with a mark", unicode.UTF8BOM, ""},
		{"Windows-1252", charmap.Windows1252, "Latin-1 text"},
	} {
		for _, ends := range []string{"\r\n", "\n", "\r"} {
			encoded, err := c.encoding.NewEncoder().Bytes([]byte(strings.ReplaceAll(text, "\r\n", ends)))
			if err != nil {
				t.Fatal(err)
			}
			result, err := Convert("in", encoded, Options{From: "csv"})
			if err != nil {
				t.Errorf("%s, lines end in %q: %v", c.name, ends, err)
				continue
			}
			want := strings.TrimPrefix(c.want+", tabs between columns", ", ")
			if got := rows(t, result.Snapshot, "name", "location"); got["1"] != "Café Zlín|Prag" || strings.Join(result.Converted, ", ") != want {
				t.Errorf("%s, lines end in %q: got %q, %q, want %q", c.name, ends, got, result.Converted, want)
			}
		}
	}
}

// A broken quote costs the row that it is in, and no other.
func TestBrokenQuotes(t *testing.T) {
	for _, c := range []struct{ text, taken, rejected string }{
		{"1,A\n2,\"B\n3,C\n4,D\n", "1 3 4", "3"},
		{"1,A\n2,B\n3,\"C\n", "1 2", "4"},
		{"1,\"A\n2,B\n3,C\n", "2 3", "2"},
		{"1,\"A\n2,\"B\n3,\"C\n4,D\n", "4", "2 3 4"},
		{"1,\"A\n2,\"B\"\n3,C\n", "2 3", "2"},
		{"1,\"A\n\n\n2,\"B\n3,C\n", "3", "2 5"},
		{"1,A \"x\" y\n2,B\n", "2", "2"},
		{"1,\"A\"x\n2,B\n", "2", "2"},
		{"1,\"A\"\"\n2,B\n3,C\n", "2 3", "2"},
		{"1,\"A\r\n2,B\r\n3,C\r\n", "2 3", "2"},
		{"1,\"A\nstreet\"\n2,\"B\n3,C\n", "1 3", "4"},
	} {
		result, err := Convert("in", []byte("UID,name\n"+c.text), Options{From: "csv"})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var lines []string
		for _, complaint := range result.Complaints {
			lines = append(lines, fmt.Sprint(complaint.Line))
		}
		taken := strings.Join(slices.Sorted(maps.Keys(rows(t, result.Snapshot))), " ")
		if taken != c.taken || strings.Join(lines, " ") != c.rejected {
			t.Errorf("%q: took %s, rejected lines %s, want %s and %s", c.text, taken, lines, c.taken, c.rejected)
		}
		checkResult(t, result)
	}
}

// Reading again after broken quotes takes time in proportion to the list.
func TestManyBrokenQuotes(t *testing.T) {
	text := "UID,name\n" + strings.Repeat("1,\"\"\"\n", 200_000) + strings.Repeat("2,\"x\n", 200_000) + "3,C\n"
	result, err := Convert("in", []byte(text), Options{From: "csv"})
	if err != nil || result.Rows < 200_000 {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestCombinedCoordinates(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"coordinates", "51.5, -0.12", "51.5|-0.12"},
		{"latlng", "51.5,-0.12", "51.5|-0.12"},
		{"Lat/Lng", "(51.5 -0.12)", "51.5|-0.12"},
		{"coords", "51.5;-0.12", "51.5|-0.12"},
		{"position", "[51.5, -.12]", "rejected"},
		{"coord", "Point(-0.12 51.5)", "51.5|-0.12"},
		{"wkt", "POINT (-0.12 51.5)", "51.5|-0.12"},
		{"the_geom", "SRID=4326;POINT(-0.12 51.5)", "51.5|-0.12"},
		{"geom", "POINT Z (-0.12 51.5 7)", "51.5|-0.12"},
		{"point", "", "|"},
		{"geometry", "POLYGON((0 1, 2 3))", "rejected"},
		{"coordinates", "x, y", "rejected"},
		{"coordinates", "91, 0", "rejected"},
		{"notes", "51.5, -0.12", ""},
	} {
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.WriteAll([][]string{{"id", "name", c.name}, {"1", "Bell", c.value}})
		result, err := Convert("in", []byte(text.String()), Options{From: "csv"})
		if err != nil {
			t.Errorf("%s %q: %v", c.name, c.value, err)
			continue
		}
		got := rows(t, result.Snapshot, "latitude", "longitude")["1"]
		if result.Taken == 0 {
			got = "rejected"
		}
		if got != c.want {
			t.Errorf("%s %q: got %q, %v, want %q", c.name, c.value, got, result.Complaints, c.want)
		}
	}
}

// An element of Overpass is where it says, or in the middle of what it consists of.
func TestOverpassPlaces(t *testing.T) {
	const nodes = `,{"type":"node","id":1,"lat":51,"lon":1},{"type":"node","id":2,"lat":51,"lon":1.002},{"type":"node","id":3,"lat":51.002,"lon":1}`
	for _, c := range []struct{ members, others, want string }{
		{`"center":{"lat":51.5,"lon":1.5}`, "", "51.5|1.5"},
		{`"bounds":{"minlat":51,"minlon":1,"maxlat":51.002,"maxlon":1.002}`, "", "51.001|1.001"},
		{`"geometry":[{"lat":51,"lon":1},{"lat":51,"lon":1.002},{"lat":51.002,"lon":1}]`, "", "51.001|1.001"},
		{`"nodes":[1,2,3,1]`, nodes, "51.001|1.001"},
		{`"nodes":[1,2,9]`, nodes, "51|1.001"},
		{`"nodes":[8,9]`, nodes, ""},
		{`"center":{"lat":51.5,"lon":1.5},"nodes":[1,2,3]`, nodes, "51.5|1.5"},
		{`"bounds":{"minlat":51,"minlon":1}`, "", ""},
		{`"geometry":[]`, "", ""},
		{`"lat":51.5,"lon":1.5`, "", ""}, // of a node only
	} {
		text := `{"elements":[{"type":"way","id":10,` + c.members + `,"tags":{"amenity":"pub","name":"Bell"}}` + c.others + `]}`
		result, err := Convert("in", []byte(text), Options{From: "osm"})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := rows(t, result.Snapshot, "latitude", "longitude")["way/10"]; got != c.want {
			t.Errorf("%s: got %q, %v, want %q", text, got, result.Complaints, c.want)
		}
	}
}

func TestNeededSeparator(t *testing.T) {
	listCase{form: "csv", text: "UID;name\n1;Bell; x\n2;Bear\n", snapshot: "2,Bear\n",
		complaints: []string{"in:2: has 3 fields, the header has 2: put a field with semicolons in quotes"}}.check(t)
}

// UIDs that are made are the same whatever the order of rows and columns, and whatever else a list says.
func TestAutoUID(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		type pub struct{ name, lat, lng, town string }
		var pubs []pub
		for range rapid.IntRange(1, 12).Draw(r, "pubs") {
			pubs = append(pubs, pub{rapid.SampledFrom([]string{"The Bell", "Bear", "Café Zlín", "O'Neill's", "O’Neill's"}).Draw(r, "name"),
				rapid.SampledFrom([]string{"51.5", "51.5004", "-3"}).Draw(r, "lat"), "0", rapid.SampledFrom([]string{"Diss", "Eye"}).Draw(r, "town")})
		}
		located := rapid.Bool().Draw(r, "located")
		list := func(pubs []pub, columns []string, rating string) map[string]string {
			var text strings.Builder
			w := csv.NewWriter(&text)
			w.Write(columns)
			for _, p := range pubs {
				values := map[string]string{"name": p.name, "latitude": p.lat, "longitude": p.lng, "location": p.town, "beer": rating, "notes": rating}
				var row []string
				for _, column := range columns {
					row = append(row, values[column])
				}
				w.Write(row)
			}
			w.Flush()
			result, err := Convert("in", []byte(text.String()), Options{From: "csv", AutoUID: true})
			if err != nil || result.Taken != len(pubs) {
				r.Fatalf("%s: %v, %+v", &text, err, result)
			}
			return rows(r, result.Snapshot, "name", "latitude")
		}
		columns := []string{"name", "location"}
		if located {
			columns = append(columns, "latitude", "longitude")
		}
		want := list(pubs, columns, "")
		got := list(rapid.Permutation(pubs).Draw(r, "shuffled"), rapid.Permutation(append(slices.Clone(columns), "beer", "notes")).Draw(r, "columns"), "7")
		if len(want) != len(pubs) || !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
			r.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestAutoUIDOfLists(t *testing.T) {
	for _, c := range []struct{ form, text, want string }{
		{"csv", "name,osm_id\nBell,5\n", "5"},
		{"csv", "name,full_id\nBell,n5\nBear,\n", "auto-2c4f1ad9d6a5f1e0 n5"},
		{"csv", "name,id\nBell,7\nBear,\n", "7 auto-"},
		{"csv", "name\nBell\nBELL\n", "auto- auto-…-2"},
		{"geojson", `{"features":[{"geometry":{"type":"Point","coordinates":[-6.45,53.34]},"properties":{"name":"The Bell"}}]}`, "auto-"},
		{"geojson", `{"features":[{"id":"a","geometry":{"type":"Point","coordinates":[-6.45,53.34]},"properties":{"name":"The Bell"}}]}`, "a"},
		{"csv", "name\n!!!\n", ""},
	} {
		result, err := Convert("in", []byte(c.text), Options{From: c.form, AutoUID: true})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var got []string
		for _, uid := range slices.Sorted(maps.Keys(rows(t, result.Snapshot))) {
			if digits, made := strings.CutPrefix(uid, "auto-"); made {
				uid = "auto-" + strings.Replace(digits[min(16, len(digits)):], "-", "…-", 1)
			}
			got = append(got, uid)
		}
		want := strings.Replace(c.want, "auto-2c4f1ad9d6a5f1e0", "auto-", 1)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q (%v)", c.text, got, want, result.Complaints)
		}
	}
}

// The lists of ../shared/cases convert as they should.
func TestSharedCases(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "shared", "cases")
	if _, err := os.Stat(folder); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		file, form  string
		columns     map[string]string
		rows, taken int
	}{
		{"01-import-quote-swallows/in.csv", "csv", nil, 11, 10},
		{"02-import-utf16/in.csv", "csv", nil, 1, 1},
		{"03-import-no-id/in.csv", "csv", nil, 2, 2},
		{"03-import-no-id/in.geojson", "geojson", nil, 1, 1},
		{"09-overpass-geom/geom.json", "osm", nil, 1, 1},
		{"09-overpass-geom/skel.json", "osm", nil, 1, 1},
		{"12-combined-coordinates/latlng.csv", "csv", nil, 1, 1},
		{"12-combined-coordinates/wikidata.csv", "csv", map[string]string{"item": "UID", "itemLabel": "name"}, 1, 1},
		{"13-semicolon-wording/in.csv", "csv", nil, 2, 1},
	} {
		content, err := os.ReadFile(filepath.Join(folder, c.file))
		if err != nil {
			t.Fatal(err)
		}
		result, err := Convert(c.file, content, Options{From: c.form, Columns: c.columns, AutoUID: strings.HasPrefix(c.file, "03")})
		if err != nil || result.Rows != c.rows || result.Taken != c.taken {
			t.Errorf("%s: got %+v, %v, want %d of %d rows", c.file, result, err, c.taken, c.rows)
		}
	}
}

// Names that lists of places usually give to columns are recognised, unless a column has its own name or is mapped;
// what is read, and what is not, is told.
func TestUsualNames(t *testing.T) {
	for _, c := range []struct {
		header, row string
		columns     map[string]string
		want        string // UID, name, location, postcode, latitude, longitude
		converted   string
		ignored     string
	}{
		{"id,name,lat,long", "1,Bell,51.5,-0.1", nil, "1|Bell|51.5|-0.1", "longitude from long", ""},
		{"id,title,city,zip", "1,Bell,Diss,IP22", nil, "1|Bell|Diss|IP22", "name from title; location from city; postcode from zip", ""},
		{"ID,Pub Name,Town,Postal Code", "1,Bell,Diss,IP22", nil, "1|Bell|Diss|IP22", "name from Pub Name; location from Town; postcode from Postal Code", ""},
		{"id,business_name,LOCALITY,PLZ", "1,Bell,Diss,IP22", nil, "1|Bell|Diss|IP22", "name from business_name; location from LOCALITY; postcode from PLZ", ""},
		{"id,name,location,city", "1,Bell,Diss,Ely", nil, "1|Bell|Diss", "", "city"},
		{"id,name,city,town", "1,Bell,Diss,Ely", nil, "1|Bell|Diss", "location from city", "town"},
		{"id,name,city,title", "1,Bell,Diss,Ely", map[string]string{"title": "location"}, "1|Bell|Ely", "", "city"},
		{"id,name,addr:city,addr:postcode", "1,Bell,Diss,IP22", nil, "1|Bell|Diss|IP22", "location from addr:city; postcode from addr:postcode", ""},
		{"id,name,geo_lat,geo_long", "1,Bell,51.5,-0.1", nil, "1|Bell|51.5|-0.1", "latitude from geo_lat; longitude from geo_long", ""},
	} {
		result, err := Convert("in.csv", []byte(c.header+"\n"+c.row+"\n"), Options{From: "csv", Columns: c.columns})
		if err != nil {
			t.Errorf("%s: %v", c.header, err)
			continue
		}
		got := rows(t, result.Snapshot, "UID", "name", "location", "postcode", "latitude", "longitude")["1"]
		if got != c.want || strings.Join(result.Converted, "; ") != c.converted || strings.Join(result.Ignored, "; ") != c.ignored {
			t.Errorf("%s: got %s, converted %q, ignored %q", c.header, got, result.Converted, result.Ignored)
		}
	}
}

// Properties of GeoJSON that nothing reads are named, tags of OpenStreetMap are not.
func TestIgnoredProperties(t *testing.T) {
	const text = `{"type":"FeatureCollection","features":[{"type":"Feature","id":"a","geometry":null,
		"properties":{"name":"Bell","amenity":"pub","@id":"node/1","contact:fax":"1","alt_name":"Ring","color":"red","beds":"2","height":3}}]}`
	result, err := Convert("in.geojson", []byte(text), Options{From: "geojson", Extra: []string{"beds"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(result.Ignored, " "); got != "color height" {
		t.Errorf("ignored %s, want color height", got)
	}
}

// A small file that expands to far more than lists do is rejected before it takes its memory.
func TestBombs(t *testing.T) {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	block := bytes.Repeat([]byte(","), 1<<20)
	for range 400 {
		if _, err := writer.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Convert("in.csv.gz", packed.Bytes(), Options{From: "csv"}); err == nil || !strings.Contains(err.Error(), "or to 50 times its size") {
		t.Errorf("400 MiB in %d bytes: got %v", packed.Len(), err)
	}
}
