package convert

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzAny checks the conversion of any text against its documentation.
func FuzzAny(f *testing.F) {
	for _, text := range []string{
		`{"elements":[{"type":"node","id":1,"lat":51.5,"lon":-0.1,"tags":{"amenity":"pub","name":"Bell"}},{"type":"way","id":"2","center":{"lat":1,"lon":"2"},"tags":{"amenity":"bar","name":"B\u0007","addr:city":"D"}}],"remark":"x"}`,
		`{"elements":[7,{"tags":{"amenity":"pub"}},{"tags":null,"lat":{}}]}`, `[]`, `1e999`,
		`{"features":[{"id":"a","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"name":"Bell","@id":"n/1"}},{"id":7,"geometry":{"type":"Polygon","coordinates":[[[1,2],[1.5,2]]]},"properties":{"name":"B"}}]}`,
		`{"features":[{"geometry":null},{"geometry":{"type":"X","coordinates":[[],[[1]]]}},null]}`,
		"UID,name,beer,review_count\n7,Bell,7,0\n8,Bear,7,2\n7,\"a\nb\",,\n", "id,name,x\n\"a\r\nb\",c,d\ne,f\ng\"h\n\"", "\xef\xbb\xbfname,uid,lat,lon\n\\N,null,1,\nB,7,91,0\nname,uid,lat,lon\n",
		"\x1e{\"type\":\"Feature\",\"properties\":{\"name\":\"Bell\",\"id\":1}}\n\x1e{}", `{"a":{"b":[{"name":"Bell","at":{"lat":1,"lng":2}}]}}`,
		"<kml><Placemark><name>Bell</name><Point><coordinates>1,2,3</coordinates></Point></Placemark></kml>", "<gpx><wpt lat=\"1\" lon=\"2\"><name>Bell</name></wpt></gpx>",
		"Pubs;;\n\nname;town;coordinates\nBell;Diss;51,5 0,1\n", "name,easting,northing,address\nBell,530034,180381,\"1 Row, Diss\"\n", "PK\x03\x04", "\xff\xfen\x00a\x00m\x00e\x00\n\x00B\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		result, err := Convert("in", content, Options{})
		if err != nil {
			if text := err.Error(); result != nil || !strings.HasPrefix(text, "in:") || strings.Contains(text, "\n") {
				t.Errorf("%q with %v", text, result)
			}
			return
		}
		checkResult(t, result)
		for _, complaint := range result.Complaints {
			if text := complaint.Error(); !utf8.ValidString(text) || len(text) > 3000 ||
				strings.IndexFunc(text, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }) >= 0 {
				t.Errorf("a complaint that a terminal would obey: %q", text)
			}
		}
	})
}
