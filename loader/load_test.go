package loader

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"pubd/index"
)

const header = "UID,name,location,trading,latitude,longitude,common_category,beer,atmos,fengshui,service,toilets,total,review_count\n"

// goodRow is a row with every column. It stays valid with any other UID.
const goodRow = "a,Good,Here,Open,51.5,-0.1,Beer,7,6.5,5,4,3,5.1,4\n"

func TestComplaints(t *testing.T) {
	// %s is the rest of a row with UID b and name Other.
	rest := ",Here,Open,51.5,-0.1,Beer,7,6.5,5,4,3,5.1,4\n"
	for _, c := range []struct{ row, want string }{
		{",Other" + rest, `UID: must not be empty`},
		{`\N,Other` + rest, `UID "\\N": must be given: this stands for a missing value`},
		{"null,Other" + rest, `UID "null": must be given: this stands for a missing value`},
		{"b," + rest, `name: must not be empty`},
		{"a,Other" + rest, `UID "a": must be unique, first used on line 2`},
		{"b,Other,H,O,51.5,-0.1,B,11,6,5,4,3,5,4\n", `beer "11": must be from 0 to 10`},
		{"b,Other,H,O,51.5,-0.1,B,7,6,5,4,3,-0.1,4\n", `total "-0.1": must be from 0 to 10`},
		{"b,Other,H,O,51.5,-0.1,B,NaN,6,5,4,3,5,4\n", `beer "NaN": must be a decimal number from 0 to 10`},
		{"b,Other,H,O,51.5,-0.1,B,\"5,5\",6,5,4,3,5,4\n", `beer "5,5": must be a decimal number from 0 to 10, with a point: 5.5`},
		{"b,Other,H,O,51.5,-0.1,B,1e999,6,5,4,3,5,4\n", `beer "1e999": must be a decimal number from 0 to 10`},
		{"b,Other,H,O,91.3,-0.1,B,7,6,5,4,3,5,4\n", `latitude "91.3": must be from -90 to 90`},
		{"b,Other,H,O,51.5,-181,B,7,6,5,4,3,5,4\n", `longitude "-181": must be from -180 to 180`},
		{"b,Other,H,O,51.5,,B,7,6,5,4,3,5,4\n", `longitude: must be given where latitude is, or both left out`},
		{"b,Other,H,O,\\N,1,B,7,6,5,4,3,5,4\n", `latitude: must be given where longitude is, or both left out`},
		{"b,Other,H,O,51.5,-0.1,B,7,6,5,4,3,5,-1\n", `review_count "-1": must be a whole number, 0 or more`},
		{"b,Other,H,O,51.5,-0.1,B,7,6,5,4,3,5,1.5\n", `review_count "1.5": must be a whole number, 0 or more`},
		{"b,Other,H,O,51.5,-0.1,B,7,6,5,4,3,5,0\n", `beer "7": must be empty or 0 where review_count is 0 or missing`},
		{"b,Other,H,O,51.5,-0.1,B,,,,,,0.1,\n", `total "0.1": must be empty or 0 where review_count is 0 or missing`},
		{"b,caf\xff" + rest, `name "caf\xff": must be valid UTF-8`},
		{"b,a\x1b[2Jb" + rest, `name "a\x1b[2Jb": must not hold a control character, has U+001B`},
		{"b,a\u0085b" + rest, `name "a\u0085b": must not hold a control character, has U+0085`},
		{"b,a\x7fb" + rest, `name "a\x7fb": must not hold a control character, has U+007F`},
		{"b,\"two\nlines\"" + rest, `name "two\nlines": must not hold a control character, has U+000A`},
		{"b," + strings.Repeat("é", 500) + "x" + rest, `name "` + strings.Repeat("é", 60) + `…": must be at most 1,000 bytes long, is 1001`},
		{"b,Other\n", `has 2 fields, the header has 14`},
		{header, `must be a pub, but repeats the header: remove it`},
	} {
		_, err := Load("dir/pubs.csv", []byte(header+goodRow+c.row), Options{})
		if want := "dir/pubs.csv:3: " + c.want; complaintsOf(err) != want {
			t.Errorf("%q\n got %v\nwant %s", c.row, err, want)
		}
	}
}

func TestJSONComplaints(t *testing.T) {
	good := `{"UID": "a", "name": "Good", "beer": 7, "review_count": 4}`
	for _, c := range []struct{ row, want string }{
		{`{"UID": "b", "name": "B", "name": "B"}`, `name: must be there once, under one name`},
		{`{"UID": "b", "id": "b", "name": "B"}`, `UID: must be there once, under one name`},
		{`{"UID": "b", "name": "B", "n\u0061me": "B"}`, `name: must be there once, under one name`},
		{`{"UID": "b", "name": "B", "NAME": null}`, `name: must be there once, under one name`},
		{`{"UID": "b", "name": "B", "x": 1, "y": 2, "x": 1}`, `must have the member "x" once`},
		{`{"name": "B"}`, `UID: must not be empty`},
		{`{"UID": "b", "name": null}`, `name: must not be empty`},
		{`{"UID": "b", "name": "\\N"}`, `name "\\N": must be given: this stands for a missing value`},
		{`{"UID": "a", "name": "B"}`, `UID "a": must be unique, first used on line 1`},
		{`{"UID": true, "name": "B"}`, `UID "true": must be text in quotes`},
		{`{"UID": "b", "name": 5}`, `name "5": must be text in quotes`},
		{`{"UID": "b", "name": {}}`, `name "{}": must be text in quotes`},
		{`{"UID": "b", "name": "B", "beer": true}`, `beer "true": must be a decimal number from 0 to 10`},
		{`{"UID": "b", "name": "B", "beer": [7]}`, `beer "[7]": must be a decimal number from 0 to 10`},
		{`{"UID": "b", "name": "B", "beer": 11}`, `beer "11": must be from 0 to 10`},
		{`{"UID": "b", "name": "B", "beer": 1e400}`, `beer "1e400": must be a decimal number from 0 to 10`},
		{`{"UID": "b", "name": "B", "lat": 9}`, `longitude: must be given where latitude is, or both left out`},
		{`{"UID": "b", "name": "B", "review_count": 92233720368547758080}`, `review_count "92233720368547758080": must be a whole number, 0 or more`},
		{`{"UID": "b", "name": "B", "review_count": [4]}`, `review_count "[4]": must be a whole number, 0 or more`},
		{`{"UID": "b", "name": "B", "beer": 5}`, `beer "5": must be empty or 0 where review_count is 0 or missing`},
		{`{"UID": "b", "name": "B\u0007"}`, `name "B\a": must not hold a control character, has U+0007`},
		{`{"UID": "b", "name": "B\ud800"}`, `name "\"B\\ud800\"": must be valid UTF-8: a \u escape names half a character`},
		{`{"UID": "b", "name": "\udc00\ud800"}`, `name "\"\\udc00\\ud800\"": must be valid UTF-8: a \u escape names half a character`},
		{"{\"UID\": \"b\", \"name\": \"caf\xff\"}", `name "caf\xff": must be valid UTF-8`},
		{`"b"`, `"\"b\"": must be an object, a pub as {"UID": "7", "name": "Bell"}`},
		{`null`, `"null": must be an object, a pub as {"UID": "7", "name": "Bell"}`},
	} {
		for name, content := range map[string]string{
			"pubs.ndjson": good + "\n" + c.row + "\n" + strings.Replace(good, `"a"`, `"c"`, 1),
			"pubs.json":   "[" + "\n" + good + ",\n  " + c.row + "\n]",
		} {
			want := c.want
			line := 2
			if name == "pubs.json" {
				line = 3
			}
			if name == "pubs.json" {
				want = strings.Replace(want, "line 1", "line 2", 1)
			}
			want = fmt.Sprintf("%s:%d: %s", name, line, want)
			if _, err := Load(name, []byte(content), Options{}); complaintsOf(err) != want {
				t.Errorf("%s\n got %v\nwant %s", content, err, want)
			}
		}
	}
}

// Complaints about JSON without line breaks name UIDs, as every row is on line 1.
func TestJSONOnOneLine(t *testing.T) {
	const begin = `[{"UID":"a","name":"A"},{"UID":"b","name":"B"},`
	for _, c := range []struct{ begin, rest, want string }{
		{`[`, `{"UID":"c","name":"C","beer":"x"},{"UID":"a","name":"A"}]`, `p.json:1: beer "x": must be a decimal number from 0 to 10 (UID "c")`},
		{`[`, `{"UID":"c","name":"C","beer":"x"}]`, `p.json:1: beer "x": must be a decimal number from 0 to 10`},
		{`[`, `{"UID":"a","name":"A"},{"UID":"c","name":C}]`,
			`p.json:1: must be valid JSON: invalid character 'C' at start of value (after the pub of UID "a")`},
		{begin, `{"UID":"c","name":"C","beer":"x"}]`, `p.json:1: beer "x": must be a decimal number from 0 to 10 (UID "c")`},
		{begin, `{"UID":"c","name":"C","name":"D"}]`, `p.json:1: name: must be there once, under one name (UID "c")`},
		{begin, `{"UID":"a","name":"C"}]`, `p.json:1: UID "a": must be unique, first used on line 1`},
		{begin, `{"UID":"c","name":"C","beer":5,"review_count":0}]`, `p.json:1: beer "5": must be empty or 0 where review_count is 0 or missing (UID "c")`},
		{begin, `{"UID":"c","name":C}]`, `p.json:1: must be valid JSON: invalid character 'C' at start of value (after the pub of UID "b")`},
	} {
		if _, err := Load("p.json", []byte(c.begin+c.rest), Options{}); complaintsOf(err) != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.begin+c.rest, err, c.want)
		}
	}
}

// complaintsOf returns the complaints about a file, without the hints.
func complaintsOf(err error) string {
	refused, ok := err.(*RejectedError)
	if !ok {
		return fmt.Sprint(err)
	}
	without := *refused
	without.Hints = nil
	return without.Error()
}

func TestRefusedFiles(t *testing.T) {
	pub := `{"UID":"a","name":"A"}`
	for _, c := range []struct{ name, content, want string }{
		{"p.csv", "", "p.csv: is empty: its first line must name the columns"},
		{"p.csv", "\xef\xbb\xbf", "p.csv: is empty: its first line must name the columns"},
		{"p.csv", "UID,name\n", "p.csv: has no pub: a snapshot must have at least one"},
		{"p.csv", "\n\nname,beer\na,1\n", `p.csv:3: the first line must name a column UID (or id, pubid), separated by commas from the others; it has "name", "beer"`},
		{"p.csv", "UID;name\na;b\n", `p.csv:1: columns are separated by semicolons, must be by commas; pubd import --from csv converts it`},
		{"p.csv", "UID,name,Id\na,b,c\n", `p.csv:1: UID: must be there once, but the header has "UID", "Id": leave out or rename one of them`},
		{"p.csv", "UID,name\na,b\nc,\"open\nquote\n", "p.csv:3: name: the quote that opens here is not closed before line 4, byte 7: close it, or double each quote within"},
		{"p.csv", "UID,name\na,b\nc,a \"quote\"\n", "p.csv:3: byte 5: a quote in a field without quotes around it: put the field in quotes and double each quote within"},
		{"p.csv", "\xff\xfeU\x00I\x00", "p.csv: is UTF-16 or UTF-32 text: write it as UTF-8"},
		{"p.csv", "\xfe\xff\x00U\x00I", "p.csv: is UTF-16 text: write it as UTF-8"},
		{"p.csv", "PK\x03\x04...", "p.csv: is a zip archive or a spreadsheet: save it as CSV in UTF-8"},
		{"p.csv", string(pack(t, "gzip", "UID,name\na,b\n")), "p.csv: is gzip data: its name must end in .gz, once for each time it is compressed, at most one"},
		{"p.json", "", "p.json: is empty: it must be a list of pubs, or an object whose member pubs or results is one"},
		{"p.json", "[]", "p.json: has no pub: a snapshot must have at least one"},
		{"p.json", `{"results": []}`, "p.json: has no pub: a snapshot must have at least one"},
		{"p.json", "\n5", "p.json:2: must be a list of pubs, or an object whose member pubs or results is one"},
		{"p.json", `{"pubs": 1}`, "p.json:1: the member pubs must be a list of pubs"},
		{"p.json", `{"bars": []}`, "p.json: has no member pubs or results: one must be the list of pubs; for a pub on each line name the file .ndjson"},
		{"p.json", `{"pubs": [` + pub + `],` + "\n" + `"results": []}`, "p.json:2: has a member results after the member pubs: leave out one of them"},
		{"p.json", `{"pubs": [` + pub + `], "pubs": []}`, "p.json:1: has a member pubs after the member pubs: leave out one of them"},
		{"p.json", "[" + pub + "]\n[]", "p.json:2: must end after the list of pubs: for a pub on each line name the file .ndjson"},
		{"p.json", "[" + pub + "]\n}", "p.json:2: must end after the list of pubs: for a pub on each line name the file .ndjson"},
		{"p.json", "[\n" + pub + ",\n\n{\"UID\":\n\n nope}]", "p.json:6: must be valid JSON: invalid character 'o' in literal null (expecting 'u')"},
		{"p.json", "[\n" + pub + ",\n]", "p.json:2: must be valid JSON: invalid character ',' at start of value (after the pub of UID \"a\")"},
		{"p.json", "[\n" + pub + "\n" + pub + "]", "p.json:3: must be valid JSON: invalid character '{' after array element (expecting ',' or ']')"},
		{"p.json", "{\"pubs\":[\n" + pub + "]\n \"x\":1}", "p.json:3: must be valid JSON: invalid character '\"' after object value (expecting ',' or '}')"},
		{"p.json", "[\n" + pub + "\n", "p.json:3: ends too early, within the list of pubs: copy the whole file again"},
		{"p.json", "[\n" + `{"UID":"b","name":NaN}]`, "p.json:2: must be valid JSON: invalid character 'N' at start of value"},
		{"p.json", "[" + strings.Repeat("[", 10001), "p.json:1: must be valid JSON: exceeded max depth"},
		{"p.ndjson", " \n\n", "p.ndjson: has no pub: a snapshot must have at least one"},
		{"p.ndjson", pub + "\n{\"UID\":", "p.ndjson:2: must be one JSON object on one line: unexpected EOF"},
		{"p.ndjson", pub + pub, "p.ndjson:1: must be one JSON object on one line, and has more after it"},
		{"p.csv", "UID,name\ra,b\r", "p.csv: " + oldLines},
		{"p.ndjson", "{}\r{}\r", "p.ndjson: " + oldLines},
		{"p.json", "{\"x\":\"" + strings.Repeat("y", 10<<20) + "\"" + strings.Repeat(",\"x\":\""+strings.Repeat("y", 10<<20)+"\"", 6) + ",\"pubs\":[]}", "p.json:1: has more than 64 MiB in members beside the list of pubs: leave them out"},
		{"p.csv.gz", string(pack(t, "gzip", "UID,name\na,b\n")) + "other data", "p.csv.gz: gzip: has other data after its end: compress the file again"},
		{"p.csv.zst", string(pack(t, "zstd", "UID,name\na,b\n")) + "other data", "p.csv.zst: zstd: has other data after its end: compress the file again"},
		{"p.csv.gz", "UID,name\na,b\n", "p.csv.gz: gzip: is not gzip data: compress the file, or remove the ending from its name"},
		{"p.csv.gz", "", "p.csv.gz: gzip: ends too early: copy the whole file again"},
		{"p.csv.zst", "UID,name\na,b\n", "p.csv.zst: zstd: is not zstd data: compress the file, or remove the ending from its name"},
		{"p.txt", "", "p.txt: the name must end in .csv, .json, .ndjson or .jsonl, each also with .gz or .zst"},
		{"p", "", "p: the name must end in .csv, .json, .ndjson or .jsonl, each also with .gz or .zst"},
		{"p.gz", "", "p.gz: the name must end in .csv, .json, .ndjson or .jsonl, each also with .gz or .zst"},
	} {
		if _, err := Load(c.name, []byte(c.content), Options{}); err == nil || err.Error() != c.want {
			t.Errorf("%s %.80q\n got %v\nwant %s", c.name, c.content, err, c.want)
		}
	}
}

func TestAccepted(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"1,000 bytes", strings.Repeat("é", 500), strings.Repeat("é", 500)},
		{"spaces stay", " x ", " x "},
		{"quotes", `"a ""b"", c"`, `a "b", c`},
		{"no break space", "a\u00a0b", "a\u00a0b"},
		{"replacement character", "a\ufffdb", "a\ufffdb"},
		{"NULL", "NULL", "NULL"},
	} {
		result, err := Load("p.csv", []byte("id,NAME,notes\r\na,"+c.content+",\"x\ny\x01\xff\"\r\n"), Options{})
		if err != nil || result.Directory.Pubs[0].Name != c.want {
			t.Errorf("%s: %v, %+v", c.name, err, result)
		}
	}
	result, err := Load("p.JSON", []byte(`{"next": [{"pubs": 1}], "results": [
		{"uid": 12.50, "Name": "\u0042\ud83c\udf7a\/\"", "beer": "7.5", "lat": "1", "lon": 2, "location": "null", "x": [{"]": "}"}]},
		{"PUBID": "12.5", "name": "null and void", "trading": null, "beer": "", "y": "\ud800", "x": 1}], "count": 2}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	want := index.Directory{Pubs: []index.Pub{
		{UID: "12.50", Name: "B🍺/\"", Latitude: 1, Longitude: 2, Ratings: index.Ratings{7.5, nan, nan, nan, nan, 7.5}},
		{UID: "12.5", Name: "null and void", Latitude: nan, Longitude: nan, Ratings: index.Ratings{nan, nan, nan, nan, nan, nan}},
	}}
	if fmt.Sprint(result.Directory) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", result.Directory, want)
	}
	if got := strings.Join(result.Ignored, " "); got != "x y" {
		t.Errorf("ignored %q, want x y", got)
	}
}

func TestIgnored(t *testing.T) {
	columns := "UID,name,Notes,notes,,esc\x1b[2J,,Notes"
	result, err := Load("p.csv", []byte(columns+"\na,A,,,,,,\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(result.Ignored, "|"), `Notes|notes|""|esc\x1b[2J`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `{"UID":%d,"name":"A","x%d":1}`+"\n", i, i)
	}
	result, err = Load("p.ndjson", []byte(many.String()), Options{})
	if err != nil || len(result.Ignored) != maxIgnored || len(result.Directory.Pubs) != 5000 {
		t.Errorf("%v, %d ignored", err, len(result.Ignored))
	}
}

// TestWholeFileRules covers rules that depend on the columns of the file.
func TestWholeFileRules(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name, content string
		counts        bool
		beer, total   float64
		reviews       int64
	}{
		{"p.csv", "UID,name,beer\na,A,0\n", false, 0, 0, 0},
		{"p.csv", "UID,name,beer,review_count\na,A,0,0\n", true, nan, nan, 0},
		{"p.csv", "UID,name,beer,review_count\na,A,0,2\n", true, 0, 0, 2},
		{"p.csv", "UID,name,beer,atmos,total\na,A,7,8,\n", false, 7, nan, 0},
		{"p.csv", "UID,name,beer,atmos,total\na,A,7,8,1\n", false, 7, 1, 0},
		{"p.csv", "UID,name,beer,atmos\na,A,7,\n", false, 7, 7, 0},
		{"p.ndjson", `{"id":1,"name":"A","beer":0}` + "\n" + `{"id":2,"name":"B","review_count":null}`, true, nan, nan, 0},
		{"p.ndjson", `{"id":1,"name":"A","beer":7}` + "\n" + `{"id":2,"name":"B","TOTAL":null}`, false, 7, nan, 0},
		{"p.json", `[{"id":1,"name":"A","beer":8.01,"atmos":8}]`, false, 8.01, 8.01, 0},
		{"p.json", `[{"id":1,"name":"A","beer":8.03,"atmos":8}]`, false, 8.03, 8.02, 0},
		{"p.json", `[{"id":1,"name":"A","beer":7,"atmos":7.25}]`, false, 7, 7.13, 0},
	} {
		result, err := Load(c.name, []byte(c.content), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.content, err)
			continue
		}
		pub := result.Directory.Pubs[0]
		got := fmt.Sprint(result.Directory.CountsReviews, pub.Ratings[index.Beer], pub.Ratings[index.Total], pub.ReviewCount)
		if want := fmt.Sprint(c.counts, c.beer, c.total, c.reviews); got != want {
			t.Errorf("%s: counts, beer, total, reviews are %s, want %s", c.content, got, want)
		}
	}
}

func TestManyWrongRows(t *testing.T) {
	content := header
	for i := range 66 {
		beer := 7 + i%2*4
		content += fmt.Sprintf("u%d,Good,,,,,,%d,,,,,,4\n", i, beer)
	}
	_, err := Load("many.csv", []byte(content), Options{})
	var refused *RejectedError
	if !errors.As(err, &refused) || refused.WrongRows != 33 || len(refused.Complaints) != 20 || refused.Reason != nil {
		t.Fatalf("got %+v", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[20] != "… and 13 more wrong rows (33 in all)" || lines[19] != `many.csv:41: beer "11": must be from 0 to 10` {
		t.Errorf("got %q", lines)
	}
	result, err := Load("many.csv", []byte(content), Options{MaxBadRows: 33})
	if err != nil || len(result.Skipped) != 33 || len(result.Directory.Pubs) != 33 {
		t.Errorf("33 allowed: %v, %+v", err, result)
	}
	if _, err = Load("many.csv", []byte(content), Options{MaxBadRows: 32}); !errors.As(err, &refused) || len(refused.Complaints) != 20 {
		t.Errorf("32 allowed: %v", err)
	}

	// Complaints that are known only at the end of the file are in line order, too.
	content = `{"id":"a","name":"Good"}
{"id":"b","name":"B","beer":1}
{"id":"c","name":"C","beer":11}
{"id":"a","name":"Again"}
{"id":"d","name":"D","beer":2}
oops
{"id":"e","name":"E","review_count":0}`
	result, err = Load("p.ndjson", []byte(content), Options{MaxBadRows: 5})
	if err != nil {
		t.Fatal(err)
	}
	got := []int{}
	for _, complaint := range result.Skipped {
		got = append(got, complaint.Line)
	}
	names := result.Directory.Pubs[0].Name + result.Directory.Pubs[1].Name
	if fmt.Sprint(got) != "[2 3 4 5 6]" || names != "GoodE" {
		t.Errorf("skipped lines %v, left %s", got, names)
	}
	_, err = Load("p.csv", []byte("UID,name\na,\n"), Options{MaxBadRows: 5})
	if want := "p.csv:2: name: must not be empty\np.csv: has no pub left: a snapshot must have at least one row that is not wrong"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	_, err = Load("p.csv", []byte("UID,name\na,\nb,B\nc,\"x\"y\n"), Options{MaxBadRows: 5})
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "p.csv:4:") {
		t.Errorf("got %v", err)
	}
}

func TestLoadFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("pubs.csv", header+goodRow)
	var calls [][2]int64
	result, err := LoadFile(path, Options{Progress: func(read, total int64) { calls = append(calls, [2]int64{read, total}) }})
	size := int64(len(header + goodRow))
	if err != nil || len(result.Directory.Pubs) != 1 || fmt.Sprint(calls) != fmt.Sprint([][2]int64{{size, size}}) {
		t.Errorf("%v %+v, progress %v", err, result, calls)
	}
	absent := filepath.Join(dir, "absent.csv")
	if _, err := LoadFile(absent, Options{}); !errors.Is(err, fs.ErrNotExist) || err.Error() != absent+": file does not exist" {
		t.Errorf("absent: %v", err)
	}
	folder := filepath.Join(dir, "folder.csv")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	device := filepath.Join(dir, "zero.csv")
	if err := os.Symlink("/dev/zero", device); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{folder: "is a directory", device: "is a device"} {
		if _, err := LoadFile(path, Options{}); err == nil || err.Error() != path+": "+want+": a snapshot must be a regular file" {
			t.Errorf("%s: %v", path, err)
		}
	}
	huge := write("huge.csv", "")
	if err := os.Truncate(huge, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFile(huge, Options{}); err == nil || !strings.Contains(err.Error(), "larger than 2 GiB") {
		t.Errorf("huge: %v", err)
	}
}

// TestFileChangedWhileRead swaps, overwrites and truncates a file of one repeated letter during reads, which must never see two letters.
func TestFileChangedWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letters.csv")
	states := [2][]byte{bytes.Repeat([]byte("a"), 8<<20), bytes.Repeat([]byte("b"), 8<<20)}
	if err := os.WriteFile(path, states[1], 0o600); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	var slowest time.Duration
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(i*13%40) * time.Millisecond):
			}
			switch i % 4 {
			case 0:
				os.WriteFile(path+".new", states[0], 0o600)
				os.Rename(path+".new", path)
			case 1, 2:
				if file, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
					begun := time.Now()
					file.Write(states[i%2])
					slowest = max(slowest, time.Since(begun))
					file.Close()
				}
			case 3:
				os.Truncate(path, 4<<20)
			}
		}
	}()
	whole, mixed, refused := 0, 0, 0
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		content, err := ReadFile(path)
		switch {
		case err == nil && bytes.Count(content, content[:1]) == len(content):
			whole++
		case err == nil:
			mixed++
		case strings.HasPrefix(err.Error(), path+": changed while it was read"):
			refused++
		default:
			t.Error(err)
		}
	}
	close(stop)
	<-done
	if whole == 0 {
		t.Errorf("no whole state was read, %d refused", refused)
	}
	if mixed > 0 && slowest >= clockGrain {
		t.Skipf("a write of this test was held up for %v, and what is on disk for so long cannot be told from a whole file", slowest)
	}
	if mixed > 0 {
		t.Errorf("%d mixtures are accepted, %d whole states, %d refused", mixed, whole, refused)
	}
}

// TestNoAliasing overwrites the content after the load.
func TestNoAliasing(t *testing.T) {
	for name, content := range map[string]string{
		"p.csv":    header + goodRow,
		"p.ndjson": `{"UID":"a","name":"Good","location":"Here","trading":"Open","common_category":"Beer"}`,
	} {
		bytes := []byte(content)
		result, err := Load(name, bytes, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range bytes {
			bytes[i] = '#'
		}
		pub := result.Directory.Pubs[0]
		if got := pub.UID + pub.Name + pub.Location + pub.Trading + pub.Category; got != "aGoodHereOpenBeer" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestRealFiles(t *testing.T) {
	for name, want := range map[string]int{"uk-pubs.csv": 51566, "ie-pubs.json": 4124, "breweries.csv": 11822} {
		path := filepath.Join("../../shared/data", name)
		result, err := LoadFile(path, Options{})
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("the data files are not in %s", filepath.Dir(path))
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := len(result.Directory.Pubs); got != want {
			t.Errorf("%s: %d pubs, want %d", name, got, want)
		}
		for _, pub := range result.Directory.Pubs {
			checkPub(t, pub)
		}
	}
	path := "../../shared/data/open_pubs.raw.csv.gz"
	_, err := LoadFile(path, Options{})
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no %s", path)
	}
	want := path + `:1: the first line must name a column UID (or id, pubid), separated by commas from the others; ` +
		`it has "fas_id", "name", "address", "postcode", "easting", "northing", "latitude", "longitude", "local_authority"`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// checkPub checks a loaded pub against its type's documentation.
func checkPub(t interface {
	Errorf(string, ...any)
	Helper()
}, pub index.Pub) {
	t.Helper()
	if pub.UID == "" || pub.Name == "" {
		t.Errorf("a pub without UID or name: %+v", pub)
	}
	for _, text := range []string{pub.UID, pub.Name, pub.Location, pub.Trading, pub.Category} {
		if len(text) > 1000 || !utf8.ValidString(text) || strings.IndexFunc(text, unicode.IsControl) >= 0 || text == `\N` || text == "null" {
			t.Errorf("text %q", text)
		}
	}
	if math.IsNaN(pub.Latitude) != math.IsNaN(pub.Longitude) || math.Abs(pub.Latitude) > 90 || math.Abs(pub.Longitude) > 180 {
		t.Errorf("at %v, %v", pub.Latitude, pub.Longitude)
	}
	for metric, rating := range pub.Ratings {
		if rating < 0 || rating > 10 || rating == 0 && math.Signbit(rating) {
			t.Errorf("%v is %v", index.Metric(metric), rating)
		}
	}
	if pub.ReviewCount < 0 {
		t.Errorf("%d reviews", pub.ReviewCount)
	}
}

// checkDirectory checks a loaded directory against its type's documentation.
func checkDirectory(t interface {
	Errorf(string, ...any)
	Helper()
}, directory index.Directory) {
	t.Helper()
	uids := map[string]bool{}
	for _, pub := range directory.Pubs {
		checkPub(t, pub)
		if uids[pub.UID] {
			t.Errorf("UID %q repeats", pub.UID)
		}
		uids[pub.UID] = true
		for metric, rating := range pub.Ratings {
			if directory.CountsReviews && pub.ReviewCount == 0 && !math.IsNaN(rating) {
				t.Errorf("%q has %v %v and no reviews", pub.UID, index.Metric(metric), rating)
			}
		}
	}
	if len(directory.Pubs) == 0 {
		t.Errorf("no pub")
	}
}

// pack compresses text.
func pack(t testing.TB, packing, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	switch packing {
	case "gzip":
		w := gzip.NewWriter(&packed)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	case "zstd":
		w, err := zstd.NewWriter(&packed, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	default:
		return []byte(text)
	}
	return packed.Bytes()
}

// marshal returns a value as JSON.
func marshal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
