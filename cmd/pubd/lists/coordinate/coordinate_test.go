package coordinate

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pubd/bench/testkit"
)

// Rules of several rows.
const (
	noDegrees   = "must be in degrees, latitude first, such as 51.5, -0.12: convert metres of a projection to EPSG:4326"
	noReference = "must have 6, 8 or 10 figures, half of them eastwards: a grid reference such as TQ 299 804"
	noGrid      = "must be metres of the British National Grid: an easting from 1000 to 700000, a northing from 1000 to 1300000"
	noGeoJSON   = `must be a geometry of GeoJSON, such as {"type":"Point","coordinates":[-0.12,51.5]}`
	noLink      = "is a link without coordinates: open it, and copy those of the place, such as 51.5, -0.12"
	noShape     = "must be a point, or a shape at most one degree wide and high, whose middle is taken"
	noWKB       = "is a geometry of PostGIS in hexadecimal digits: select ST_AsText(ST_PointOnSurface(geom))"
)

func otherCRS(title string) string {
	return "must be in degrees (EPSG:4326), is in " + title + ": convert it, such as with ST_Transform(geom, 4326)"
}

func TestPair(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", " "},
		{" \u200e\ufeff", " "},

		// Two numbers.
		{"51.5, -0.12", "51.5 -0.12"},
		{"51.5 -0.12", "51.5 -0.12"},
		{"51.5,-0.12", "51.5 -0.12"},
		{"51.5;-0.12", "51.5 -0.12"},
		{"51.5/-0.12", "51.5 -0.12"},
		{"51.5 | -0.12", "51.5 -0.12"},
		{"51.5,\u200e -0.12", "51.5 -0.12"},
		{"(51.5,-0.12)", "51.5 -0.12"},
		{"{51.5,-0.12}", "51.5 -0.12"},
		{"51.50, -0.120", "51.50 -0.120"},
		{"+51.5, +0.12", "51.5 0.12"},
		{"051.5, -000.12", "51.5 -0.12"},
		{".5, -.12", "0.5 -0.12"},
		{"51., -0", "51 0"},
		{"51.5, -6.1e-05", "51.5 -0.000061"},
		{"51.5, −0.12", "51.5 -0.12"},
		{"51.5,–0.12", "51.5 -0.12"},
		{"51,5; -0,12", "51.5 -0.12"},
		{"51,5 -0,12", "51.5 -0.12"},
		{"51,5,-0,12", "51.5 -0.12"},
		{"51,5", "51 5"},
		{"-120.5, 35.2", "35.2 -120.5"},
		{"-120.5, 95", "-120.5 95"},
		{"200, 50", "200 50"},
		{"51.5", unreadable},
		{"51,5,0", unreadable},
		{"51.5, -0.12, 35", unreadable},
		{"1,234.5, 6", unreadable},
		{"51.5, -0.12)", unreadable},
		{"51.5, 20000000", unreadable},
		{"51.5, 1e400", unreadable},
		{"NaN, NaN", unreadable},

		// Addresses in lines.
		{"615 FALLSWAY\n21202\n(39.29723, -76.61024)", "39.29723 -76.61024"},
		{"615 FALLSWAY\n21202", " "},
		{"615 FALLSWAY, 21202 (39.29723, -76.61024)", unreadable},

		// Letters and labels.
		{"51.5N 0.12W", "51.5 -0.12"},
		{"51.5N0.12W", "51.5 -0.12"},
		{"N51.5W0.12", "51.5 -0.12"},
		{"51.5° N, 0.12° W", "51.5 -0.12"},
		{"0.12 W 51.5 N", "51.5 -0.12"},
		{"51.5 north, 0.12 west", "51.5 -0.12"},
		{"51,5 Nord 0,12 Ouest", "51.5 -0.12"},
		{"Lat: 51.5, Lng: -0.12", "51.5 -0.12"},
		{"longitude -0.12 latitude 51.5", "51.5 -0.12"},
		{"51.5&deg;N 0.12Â°W", "51.5 -0.12"},
		{"51,5 N 0,12 O", unreadable},
		{"51.5N 0.12N", unreadable},
		{"26'N 7'W", unreadable},
		{"51.5 N latitude 0.12 W longitude", unreadable},
		{"6.1e-05 N 51.5 W", unreadable},
		{"51.5N, -0.12", unreadable},
		{"-51.5 N, 0.12 W", unreadable},

		// Degrees, minutes and seconds.
		{`51°30'26"N 0°7'39"W`, "51.507222 -0.1275"},
		{"51°30′26″N, 0°7′39″W", "51.507222 -0.1275"},
		{"51˚30'26''N 0˚7'39''W", "51.507222 -0.1275"},
		{"51° 30' 26,5\" N 0° 7' 39\" W", "51.507361 -0.1275"},
		{`51° 30' 26" -0° 7' 39"`, "51.507222 -0.1275"},
		{`51°30'26"N 0.1275°W`, "51.507222 -0.1275"},
		{"51d30m26sN 0d7m39sW", "51.507222 -0.1275"},
		{"51d30m26s 0d7m39s", "51.507222 0.1275"},
		{"51d30m26S 0d7m39W", "-51.507222 -0.1275"},
		{`51 deg 30' 26.00" N, 0 deg 7' 39.00" W`, "51.507222 -0.1275"},
		{"51:30:26N 0:07:39W", "51.507222 -0.1275"},
		{"51 30 26 N 000 07 39 W", "51.507222 -0.1275"},
		{"51_30_26_N_0_7_39_W", "51.507222 -0.1275"},
		{"N 51° 30.439 W 000° 07.659", "51.507317 -0.12765"},
		{"51° 30.439 -0° 07.659", "51.507317 -0.12765"},
		{"51 30 26 -0 7 39", "51.507222 -0.1275"},
		{"51 30 0", unreadable},
		{"51 30 26 0 7", unreadable},
		{"51°60'0\"N 0°7'0\"W", unreadable},
		{"51.5°30'N 0°7'W", unreadable},

		// Well-known text.
		{"Point(-0.12 51.5)", "51.5 -0.12"},
		{"POINT Z(-0.12 51.5 30)", "51.5 -0.12"},
		{"POINTZM(-1.2e-01 51.5 30 1)", "51.5 -0.12"},
		{"SRID=4326;POINT(-0.12 51.5)", "51.5 -0.12"},
		{"SRID=27700;POINT(530000 180000)", "51.503991 -0.128354"},
		{"SRID=27700;POINT(1.3 52.6)", noGrid},
		{"SRID=27700;POINT(530000 52.6)", noGrid},
		{"SRID=27700;POINT(-13358 6711542)", noGrid},
		{"SRID=3857;POINT(-13358 6711542)", otherCRS("EPSG:3857")},
		{"SRID=32630;POINT(699319 5710158)", otherCRS("EPSG:32630")},
		{"POINT(530000 180000)", "51.503991 -0.128354"},
		{"POINT EMPTY", " "},
		{"POINT(51.5,-0.12)", "must be coordinates, such as 51.5, -0.12 or Point(-0.12 51.5)"},
		{"POINT([51.5,-0.12])", "must be coordinates, such as 51.5, -0.12 or Point(-0.12 51.5)"},
		{"<http://www.opengis.net/def/crs/EPSG/0/4326> POINT(51.5 -0.12)", "51.5 -0.12"},
		{"<http://www.wikidata.org/entity/Q405> Point(-0.12 51.5)", otherCRS(`"http://www.wikidata.org/entity/Q405"`)},
		{"LINESTRING(-0.12 51.5, -0.14 51.6)", "51.55 -0.13"},
		{"POLYGON((-0.12 51.5,-0.14 51.5,-0.14 51.6,-0.12 51.5))", "51.55 -0.13"},
		{"MULTIPOLYGON Z(((0 51 1,0.2 51 1,0 51.2 1,0 51 1)),((0.3 51 1,0.4 51 1,0.4 51.4 1,0.3 51 1)))", "51.2 0.2"},
		{"GEOMETRYCOLLECTION(POINT(-0.12 51.5),LINESTRING(-0.12 51.5,-0.14 51.6))", "51.55 -0.13"},
		{"SRID=27700;LINESTRING(529990 179990,530010 180010)", "51.503991 -0.128354"},
		{"POLYGON((-0.12 51.5,-4.14 51.5,-0.14 51.6,-0.12 51.5))", noShape},
		{"POINT(-0.12)", unreadable},
		{"POINT()", unreadable},
		{"POINT(-0.12 51.5", unreadable},
		{"POINT(1 2, 3 4)", unreadable},
		{"POINT(1 2 3 4 5)", unreadable},
		{"POINT(x 2)", unreadable},

		// Well-known binary.
		{"0101000020E6100000B81E85EB51B8BEBF0000000000C04940", noWKB},

		// GeoJSON and other objects.
		{`{"type":"Point","coordinates":[-0.12,51.50]}`, "51.50 -0.12"},
		{`{"type":"Point","coordinates":[-0.12,51.5,30]}`, "51.5 -0.12"},
		{`{"type":"Polygon","coordinates":[[[-0.12,51.5],[-0.14,51.5],[-0.14,51.6],[-0.12,51.5]]]}`, "51.55 -0.13"},
		{`{"type":"Feature","geometry":{"type":"Point","coordinates":[-0.12,51.5]},"properties":{}}`, "51.5 -0.12"},
		{`{"type":"Feature","geometry":null}`, " "},
		{`{"type":"Point","crs":{"type":"name","properties":{"name":"EPSG:27700"}},"coordinates":[530000,180000]}`, "51.503991 -0.128354"},
		{`{"type":"Point","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}},"coordinates":[-0.12,51.5]}`, "51.5 -0.12"},
		{`{"lat":51.50,"lng":-0.12}`, "51.50 -0.12"},
		{`{"Latitude":"51,5","Longitude":"0,12° W","altitude":3}`, "51.5 -0.12"},
		{`{"_lat":51.5,"_long":-0.12}`, "51.5 -0.12"},
		{`{"x":530034,"y":180381}`, "51.507407 -0.127724"},
		{`{"type":"Point","coordinates":[-0.12]}`, noGeoJSON},
		{`{"lat":51.5}`, "must be GeoJSON, or an object with lat and lng"},
		{`{"lat":51.5,"lng":{}}`, "must be GeoJSON, or an object with lat and lng"},
		{`{"lat":51.5`, unreadable},
		{`{"lat":51.5,"lng":"` + strings.Repeat(" ", 200) + `1"}`, "must be GeoJSON, or an object with lat and lng"},
		{`{"lat":51.5,"lng":-0.12}{}`, unreadable},

		// Links.
		{"https://www.google.com/maps/@51.5,-0.12,17z", "51.5 -0.12"},
		{"https://www.google.com/maps/place/The+Bell/@51.4,-0.11,17z/data=!3m1!8m2!3d51.5!4d-0.12!16s", "51.5 -0.12"},
		{"https://maps.google.com/?q=loc:51.5,-0.12", "51.5 -0.12"},
		{"https://www.openstreetmap.org/#map=17/51.5/-0.12", "51.5 -0.12"},
		{"https://www.openstreetmap.org/?mlat=51.5&mlon=-0.12#map=17/51.4/-0.1", "51.5 -0.12"},
		{"https://maps.apple.com/?ll=51.5,-0.12&q=The+Bell", "51.5 -0.12"},
		{"https://google.com/maps?ll=1,2&q=51.5,-0.12", "51.5 -0.12"},
		{"https://google.com/maps?query=51.5+-0.12", "51.5 -0.12"},
		{"https://google.com/maps?q=51°30'N+0°7'W", "51.5 -0.116667"},
		{"https://www.openstreetmap.org/?mlon=-0.12&mlat=51.5#map=17/1/2", "51.5 -0.12"},
		{"https://www.openstreetmap.org/#zoom=3&map=17/51.5/-0.12", "51.5 -0.12"},
		{"https://www.bing.com/maps?cp=51.5~-0.12&lvl=17", "51.5 -0.12"},
		{"https://goo.gl/maps/abc", noLink},
		{"https://www.openstreetmap.org/node/123", noLink},
		{"https://example.org/%zz", noLink},

		// Grid references; the easting and northing of the middle of their squares.
		{"TQ 299 804", "51.508046 -0.128908"},
		{"529950, 180450", "51.508046 -0.128908"},
		{"TQ 2990 8045", "51.508102 -0.129555"},
		{"SU12", noReference},
		{"SU 123 45", noReference},
		{"SU 123456 123456", noReference},
		{"AB 123 456", unreadable},

		// Metres.
		{"530034, 180381", "51.507407 -0.127724"},
		{"E530034 N180381", "51.507407 -0.127724"},
		{"northing 180381, easting 530034", "51.507407 -0.127724"},
		{"181, 200", noDegrees},
		{"2000, 190", noDegrees},
		{"-13358, 6711542", noDegrees},
		{"121000, 487000", noDegrees},

		// What is not read.
		{"9C3XGV4C+XX", unreadable},
		{"filled.count.soap", unreadable},
		{"30U 699319 5710158", unreadable},
	} {
		lat, lng, rule := Pair(c.text)
		got := lat + " " + lng
		if rule != "" {
			got = rule
			testkit.FailIf(t, lat != "" || lng != "", "%q: %q, %q with the rule %q", c.text, lat, lng, rule)
		}
		testkit.FailIf(t, got != c.want, "%q: got %s, want %s", c.text, got, c.want)
	}
}

func TestLatitudeAndLongitude(t *testing.T) {
	const none = "none"
	for _, c := range []struct{ text, lat, lng string }{
		{"", "", ""},
		{"51.50", "51.50", "51.50"},
		{" 51 ", "51", "51"},
		{"-0", "0", "0"},
		{"51,5", "51.5", "51.5"},
		{"51.5°", "51.5", "51.5"},
		{"51.5 N", "51.5", none},
		{"S51.5", "-51.5", none},
		{"0.12W", none, "-0.12"},
		{"E 0.12", none, "0.12"},
		{"0,12 Oeste", none, "-0.12"},
		{"0,12 O", none, none},
		{"lat 51.5", "51.5", none},
		{"lon: -0.12", none, "-0.12"},
		{`51°30'26"`, "51.507222", "51.507222"},
		{`51°30'26"N`, "51.507222", none},
		{`W 0° 7' 39"`, none, "-0.1275"},
		{"-0°7.65'", "-0.1275", "-0.1275"},
		{"200", "200", "200"},
		{"10000000", "10000000", "10000000"},
		{"10000001", none, none},
		{"51 5074", none, none},
		{"51.5 m", none, none},
		{"51.5, -0.12", none, none},
		{"north", none, none},
		{"0x33", none, none},
		{strings.Repeat("1", 50), none, none},
	} {
		for _, side := range []struct {
			name string
			read func(string) (string, bool)
			want string
		}{{"Latitude", Latitude, c.lat}, {"Longitude", Longitude, c.lng}} {
			got, ok := side.read(c.text)
			if !ok {
				got = none + got
			}
			testkit.FailIf(t, got != side.want, "%s(%q): got %s, want %s", side.name, c.text, got, side.want)
		}
	}
}

// checkPair checks a result against the documentation.
func checkPair(t *testing.T, text string) {
	t.Helper()
	lat, lng, rule := Pair(text)
	for _, coordinate := range []string{lat, lng} {
		value, err := strconv.ParseFloat(coordinate, 64)
		if coordinate != "" && (err != nil || math.Abs(value) > 1e7 || strings.ContainsAny(coordinate, "+eE") || len(coordinate) > 60) {
			t.Errorf("%q: got %q (%v)", text, coordinate, err)
		}
	}
	testkit.FailIf(t, (lat == "") != (lng == "") || rule != "" && lat != "",
		"%q: got %q, %q with the rule %q", text, lat, lng, rule)
	if len(rule) > 400 || !utf8.ValidString(rule) || strings.IndexFunc(rule, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }) >= 0 {
		t.Errorf("%q: a rule that a terminal would obey: %q", text, rule)
	}
}

func FuzzPair(f *testing.F) {
	for _, text := range []string{
		"51.5, -0.12", "51,5 -0,12", `51°30'26"N 0°7'39"W`, "51d30m26s 0d7m39s", "Lat: 51.5 N Long 0.12 W", "SRID=27700;POINT Z(530000 180000 1)",
		"POLYGON((0 51,0 52,1 52,0 51),EMPTY)", "<EPSG:4326> POINT(1 2)", "0101000020E6100000B81E85EB51B8BEBF0000000000C04940",
		`{"type":"Feature","geometry":{"type":"Point","crs":{"properties":{"name":"EPSG:27700"}},"coordinates":[530000,180000]}}`,
		`{"lat":51.5,"lng":"0.12W"}`, "https://maps.google.com/@1,2,3z/data=!3d51.5!4d-0.12?q=1,2#map=1/2/3",
		"TQ 299 804", "530034, 180381", "9C3XGV4C+XX", "///filled.count.soap", "30U 699319 5710158", "51 O 1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkPair(t, text)
		for _, read := range []func(string) (string, bool){Latitude, Longitude} {
			if got, ok := read(text); !ok && got != "" || ok && got != "" && strings.Trim(got, "-.0123456789") != "" {
				t.Errorf("%q: got %q, %v", text, got, ok)
			}
		}
	})
}

// Texts of the longest length give a result, and longer ones are refused unread.
func TestLongTexts(t *testing.T) {
	for _, part := range []string{"1", "1 ", "1,", "(", "[", "°", "N1", "-", "1°", `{"a":`, "POINT(", "0101", "a.", "2222+", "&q=1", "!3d1"} {
		for _, prefix := range []string{"", "POLYGON((1 2,", "{\"coordinates\":", "https://x/?", "+51", "0101"} {
			for _, size := range []int{maxPlain, maxText} {
				checkPair(t, prefix+strings.Repeat(part, (size-len(prefix))/len(part)))
			}
		}
	}
	if _, _, rule := Pair(strings.Repeat("1", maxText+1)); rule != "must be at most 10,000 bytes long, is 10001" {
		t.Error(rule)
	}
}
