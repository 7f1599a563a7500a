package coordinate

import (
	"strings"
	"testing"
)

func TestCRS(t *testing.T) {
	const crs84 = "WGS 84 (CRS84)"
	for _, c := range []struct {
		name  string
		kind  CRSKind
		title string
	}{
		{"", Degrees, crs84},
		{"0", Degrees, crs84},
		{"urn:ogc:def:crs:OGC:1.3:CRS84", Degrees, crs84},
		{"urn:ogc:def:crs:OGC::CRS84", Degrees, crs84},
		{"http://www.opengis.net/def/crs/OGC/1.3/CRS84", Degrees, crs84},
		{"OGC:CRS84", Degrees, crs84},
		{"CRS84", Degrees, crs84},
		{"WGS 84", Degrees, crs84},
		{"wgs84", Degrees, crs84},
		{"EPSG:4326", Degrees, "WGS 84 (EPSG:4326)"},
		{" epsg:4326 ", Degrees, "WGS 84 (EPSG:4326)"},
		{"4326", Degrees, "WGS 84 (EPSG:4326)"},
		{"SRID=4326", Degrees, "WGS 84 (EPSG:4326)"},
		{"http://www.opengis.net/gml/srs/epsg.xml#4326", Degrees, "WGS 84 (EPSG:4326)"},
		{"urn:ogc:def:crs:EPSG::4326", LatitudeFirst, "WGS 84 (EPSG:4326)"},
		{"urn:ogc:def:crs:EPSG:6.9:4258", LatitudeFirst, "ETRS89 (EPSG:4258)"},
		{"http://www.opengis.net/def/crs/EPSG/0/4326", LatitudeFirst, "WGS 84 (EPSG:4326)"},
		{"urn:ogc:def:crs:EPSG::27700", BritishGrid, "British National Grid (EPSG:27700)"},
		{"EPSG:27700", BritishGrid, "British National Grid (EPSG:27700)"},
		{"27700", BritishGrid, "British National Grid (EPSG:27700)"},
		{"EPSG:3857", OtherCRS, "Web Mercator (EPSG:3857)"},
		{"ESRI:102100", OtherCRS, "Web Mercator (EPSG:3857)"},
		{"EPSG:2157", OtherCRS, "Irish Transverse Mercator (EPSG:2157)"},
		{"EPSG:4277", OtherCRS, "degrees of OSGB36 (EPSG:4277)"},
		{"EPSG:32630", OtherCRS, "UTM zone 30N (EPSG:32630)"},
		{"EPSG:32760", OtherCRS, "UTM zone 60S (EPSG:32760)"},
		{"EPSG:25832", OtherCRS, "UTM zone 32N (EPSG:25832)"},
		{"EPSG:32661", OtherCRS, "EPSG:32661"},
		{"EPSG:2193", OtherCRS, "EPSG:2193"},
		{"EPSG:1234567", OtherCRS, `"EPSG:1234567"`},
		{"the Moon\n", OtherCRS, `"the Moon"`},
		{strings.Repeat("é", 200), OtherCRS, `"` + strings.Repeat("é", 40) + `…"`},
	} {
		if kind, title := CRS(c.name); kind != c.kind || title != c.title {
			t.Errorf("%q: got %v, %s, want %v, %s", c.name, kind, title, c.kind, c.title)
		}
	}
}

// Each point is in a town of the country.
func TestProjection(t *testing.T) {
	for _, c := range []struct {
		place string
		x, y  float64
		want  string
	}{
		{"London", 530034, 180381, "British National Grid (EPSG:27700)"},
		{"Lerwick", 447100, 1141500, "British National Grid (EPSG:27700)"},
		{"Dublin", 715830, 734697, "Irish Transverse Mercator (EPSG:2157)"},
		{"Cork", 567000, 571000, "Irish Transverse Mercator (EPSG:2157)"},
		{"Donegal", 192800, 378600, "Irish Grid (EPSG:29903) or RD New of the Netherlands (EPSG:28992)"},
		{"Amsterdam", 121000, 487000, "RD New of the Netherlands (EPSG:28992)"},
		{"Paris", 652000, 6862000, "Lambert-93 of France (EPSG:2154) or UTM"},
		{"Marseille", 893000, 6247000, "Lambert-93 of France (EPSG:2154) or Web Mercator (EPSG:3857)"},
		{"Cologne", 2567000, 5645000, "Gauss-Krüger zone 2 (EPSG:31466) or Web Mercator (EPSG:3857)"},
		{"Frankfurt", 3477000, 5552000, "Gauss-Krüger zone 3 (EPSG:31467) or Web Mercator (EPSG:3857)"},
		{"Munich", 4468000, 5333000, "Gauss-Krüger zone 4 (EPSG:31468) or Web Mercator (EPSG:3857)"},
		{"Dresden", 5411000, 5657000, "Gauss-Krüger zone 5 (EPSG:31469) or Web Mercator (EPSG:3857)"},
		{"Prague", -743000, -1043000, "S-JTSK Krovak (EPSG:5514)"},
		{"Prague", 1043000, 743000, "S-JTSK Krovak (EPSG:2065)"},
		{"Zürich", 2683000, 1247000, "Swiss LV95 (EPSG:2056)"},
		{"Geneva", 500000, 118000, "British National Grid (EPSG:27700)"},
		{"Chur", 759000, 190000, "Swiss LV03 (EPSG:21781)"},
		{"Stockholm", 674000, 6580000, "Lambert-93 of France (EPSG:2154) or UTM"},
		{"London", 699319, 5710158, "UTM or Web Mercator (EPSG:3857)"},
		{"London", -13358, 6711542, "Web Mercator (EPSG:3857)"},
		{"Sydney", 16831000, -4011000, "Web Mercator (EPSG:3857)"},
		{"nowhere", 30_000_000, 6711542, ""},
		{"degrees", 51.5, -0.12, ""},
		{"neither", 190, 9999, ""},
	} {
		if got := Projection(c.x, c.y); got != c.want {
			t.Errorf("%s at %v, %v: got %s, want %s", c.place, c.x, c.y, got, c.want)
		}
	}
}
