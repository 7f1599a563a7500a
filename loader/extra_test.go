package loader

import (
	"fmt"
	"strings"
	"testing"
)

// The columns address, postcode and area are always read. Others are kept on request, under the same rules.
func TestFurtherColumns(t *testing.T) {
	for _, c := range cases(t, "further.txt") {
		result, err := Load(c.name, c.content, Options{Extra: []string{"phone", "Open Hours"}})
		got := complaintsOf(err)
		if err == nil {
			pub := result.Directory.Pubs[0]
			got = fmt.Sprintf("%s|%s|%s|%q", pub.Address, pub.Postcode, pub.Area, pub.Extra)
		}
		equal(t, string(c.content), got, c.want)
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
		failIf(t, got != c.want, "%q\n got %s\nwant %s", c.names, got, c.want)
	}
}
