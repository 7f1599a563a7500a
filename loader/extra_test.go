package loader

import (
	"fmt"
	"strings"
	"testing"
)

// The columns address, postcode and area are always read. Others are kept on request, under the same rules.
func TestFurtherColumns(t *testing.T) {
	extra := []string{"phone", "Open Hours"}
	for _, c := range []struct{ name, content, want string }{
		{"p.csv", "UID,name,Address,postcode,AREA\na,A,1 High St,AB1 2CD,Kent\n", `1 High St|AB1 2CD|Kent|[]`},
		{"p.csv", "UID,name,Address,postcode,AREA\na,A,,\\N,null\n", `|||[]`},
		{"p.csv", "UID,name,PHONE,open hours\na,A,+44 1,Mo-Su\n", `|||["+44 1" "Mo-Su"]`},
		{"p.csv", "UID,name,phone\na,A,5\n", `|||["5" ""]`},
		{"p.csv", "UID,name,phone\na,A,\n", `|||[]`},
		{"p.ndjson", `{"UID":1,"name":"A","phone":0441,"x":1}`, `p.ndjson:1: must be one JSON object on one line: invalid character '4' after object value (expecting ',' or '}')`},
		{"p.ndjson", `{"UID":1,"name":"A","phone":441,"Open hours":true,"area":"Kent"}`, `||Kent|["441" "true"]`},
		{"p.ndjson", `{"UID":1,"name":"A","phone":null}`, `|||[]`},
		{"p.ndjson", `{"UID":1,"name":"A","phone":["1"]}`, `p.ndjson:1: phone "[\"1\"]": must be text, a number, true or false`},
		{"p.ndjson", `{"UID":1,"name":"A","phone":"1","PHONE":"2"}`, `p.ndjson:1: phone: must be there once, under one name`},
		{"p.ndjson", `{"UID":1,"name":"A","postcode":1}`, `p.ndjson:1: postcode "1": must be text in quotes`},
		{"p.csv", "UID,name,phone,Phone\na,A,1,2\n", `p.csv:1: phone: must be there once, but the header has "phone", "Phone": leave out or rename one of them`},
		{"p.csv", "UID,name,address\na,A,x\x07y\n", `p.csv:2: address "x\ay": must not hold a control character, has U+0007`},
		{"p.csv", "UID,name,area\na,A," + strings.Repeat("x", 1001) + "\n",
			`p.csv:2: area "` + strings.Repeat("x", 60) + `…": must be at most 1,000 bytes long, is 1001`},
		{"p.csv", "UID,name,open hours\na,A,x\xff\n", `p.csv:2: Open Hours "x\xff": must be valid UTF-8`},
	} {
		result, err := Load(c.name, []byte(c.content), Options{Extra: extra})
		got := ""
		if err != nil {
			got = complaintsOf(err)
		} else {
			pub := result.Directory.Pubs[0]
			got = fmt.Sprintf("%s|%s|%s|%q", pub.Address, pub.Postcode, pub.Area, pub.Extra)
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.content, got, c.want)
		}
	}
}

func TestCheckExtra(t *testing.T) {
	many := make([]string, MaxExtra+1)
	for i := range many {
		many[i] = fmt.Sprint("c", i)
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"phone", "opening_hours", "addr:city", "Größe"}, ""},
		{many[1:], ""},
		{many, "has 33 columns: must have at most 32"},
		{[]string{"phone", "Phone"}, `column "Phone": must be named once`},
		{[]string{"LON"}, `column "LON": is a member of a pub, or shown by include=address: leave it out`},
		{[]string{"area"}, `column "area": is a member of a pub, or shown by include=address: leave it out`},
		{[]string{""}, `column "": its name must have 1 to 64 bytes`},
		{[]string{strings.Repeat("x", 65)}, `column "` + strings.Repeat("x", 65) + `": its name must have 1 to 64 bytes`},
		{[]string{"a\nb"}, `column "a\nb": its name must be valid UTF-8 without control characters`},
	} {
		got := ""
		if err := CheckExtra(c.names); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.names, got, c.want)
		}
	}
}
