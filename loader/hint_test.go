package loader

import (
	"strings"
	"testing"
)

// Hints about likely causes come before complaints, and also with accepted files.
func TestHints(t *testing.T) {
	const converts = "; pubd import --from csv converts it"
	for _, c := range []struct {
		name, content string
		want          string // the hints
		ok            bool   // the file is accepted
	}{
		{"p.csv", "UID,name,lattitude,longitude\n1,A,51,0\n", `p.csv:1: column "lattitude": is not a known column and is ignored: is it latitude?`, false},
		{"p.csv", "\nUID,nmae\n1,A\n", `p.csv:2: column "nmae": is not a known column and is ignored: is it name?`, false},
		{"p.csv", "UID,name,Review Count\n1,A,3\n", `p.csv:1: column "Review Count": is not a known column and is ignored: is it review_count?`, true},
		{"p.csv", "UID,name,revew_count,post-code,beer,bear\n1,A,,,,\n", `p.csv:1: column "revew_count": is not a known column and is ignored: is it review_count?
p.csv:1: column "post-code": is not a known column and is ignored: is it postcode?`, true},
		{"p.csv", "UID,name, latitude, longitude\n1,A, 51, 0\n", `p.csv:1: column " latitude": is ignored because of the spaces around its name: write latitude without them` + converts + `
p.csv:1: column " longitude": is ignored because of the spaces around its name: write longitude without them` + converts, true},
		{"p.csv", "UID,name,notes,year,date,city,town,type,url,email,website\n1,A,,,,,,,,,\n", "", true},
		{"p.ndjson", `{"UID":1,"name":"A","lattitude":1,"lng":1}`, `p.ndjson: column "lattitude": is not a known column and is ignored: is it latitude?`, false},
		{"p.csv", "UID,name,lat,long\n1,A,51.5,-0.1\n", `p.csv:1: column "long": is not a known column and is ignored: is it longitude?`, false},
		{"p.csv", "UID,name,latitude,geo_lat\n1,A,,\n", "", true},
		{"p.csv", "UID,name\n1,Caf\xe9\n", `p.csv:2: name "Caf\xe9": is Latin-1 text, as "Café": write the file as UTF-8, such as with iconv -f WINDOWS-1252 -t UTF-8` + converts, false},
		{"p.csv", "UID,name\n1,King\x92s \x80\n", `p.csv:2: name "King\x92s \x80": is Windows-1252 text, as "King’s €": write the file as UTF-8, such as with iconv -f WINDOWS-1252 -t UTF-8` + converts, false},
		{"p.csv", "UID,name\n1,Café \xe9\n", "", false}, // two encodings
		{"p.csv", "UID,name\n1,\x81\x8d \n", "", false}, // none
		{"p.ndjson", "{\"UID\":1,\"name\":\"Caf\xe9\"}", `p.ndjson:1: name "Caf\xe9": is Latin-1 text, as "Café": write the file as UTF-8, such as with iconv -f WINDOWS-1252 -t UTF-8`, false},
		{"p.csv", "UID,name,beer\n1,A,\"7,5\"\n2,B,\"8,5\"\n", `p.csv:2: beer "7,5": numbers must have a decimal point, not a comma` + converts, false},
		{"p.csv", "UID,name,beer\n1,A,\"seven,5\"\n", "", false},
		{"p.csv", "UID,name\n1,\"A\n2,B\n3,\"\n4,D\n", `p.csv:2: name "A\n2,B\n3,": spans several lines: is a quote left open?`, false},
	} {
		result, err := Load(c.name, []byte(c.content), Options{})
		var hints []Complaint
		if refused, ok := err.(*RejectedError); ok {
			hints = refused.Hints
			if len(hints) > 0 && !strings.HasPrefix(err.Error(), hints[0].Error()+"\n") {
				t.Errorf("%q: %v does not begin with %v", c.content, err, hints[0])
			}
		} else if err == nil {
			hints = result.Hints
		}
		var lines []string
		for _, hint := range hints {
			lines = append(lines, hint.Error())
		}
		if got := strings.Join(lines, "\n"); got != c.want || (err == nil) != c.ok {
			t.Errorf("%q: %v\n got %s\nwant %s", c.content, err, got, c.want)
		}
	}
}

// An error about the whole file is the only message about it.
func TestDialects(t *testing.T) {
	const converts = "; pubd import --from csv converts it"
	for _, c := range []struct{ content, want string }{
		{"UID;name;beer\n1;A;7,5\n", "p.csv:1: columns are separated by semicolons, must be by commas" + converts},
		{"\"id\";\"name\"\r\n1;A\r\n", "p.csv:1: columns are separated by semicolons, must be by commas" + converts},
		{"UID\tname\n1\tA\n", "p.csv:1: columns are separated by tabs, must be by commas" + converts},
		{"UID|name\n1|A\n", "p.csv:1: columns are separated by vertical bars, must be by commas" + converts},
		{"sep=;\r\nUID;name\r\n1;A\r\n", `p.csv:1: "sep=;": is for spreadsheet programs: delete this line, and separate columns by commas` + converts},
		{"SEP=,\nUID,name\n1,A\n", `p.csv:1: "SEP=,": is for spreadsheet programs: delete this line, and separate columns by commas` + converts},
		{"UID,name,x\n1,\"A\n2,\"B\",\n", "p.csv:2: name: the quote that opens here is not closed before line 3, byte 3: close it, or double each quote within"},
		{"UID,name,x\n\"1\n\",\"A\n2,B\n", "p.csv:3: name: the quote that opens here is not closed before line 4, byte 5: close it, or double each quote within"},
		{"UID,name,beer\n1,A,7,5\n", "p.csv:2: has 4 fields, the header has 3: put a field with commas in quotes, and write decimals with a point"},
		{"UID,name,beer\n1,\"A\n2,B\n\"\n", "p.csv:2: has 2 fields, the header has 3, and ends on line 4: is a quote left open?"},
		{"UID,name,a;b\n1,A,\n", ""},
	} {
		got := ""
		if _, err := Load("p.csv", []byte(c.content), Options{}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.content, got, c.want)
		}
	}
}
