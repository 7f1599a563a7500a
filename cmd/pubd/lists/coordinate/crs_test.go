package coordinate

import (
	"strings"
	"testing"
)

func TestCRS(t *testing.T) {
	for _, c := range []struct {
		name  string
		kind  CRSKind
		title string
	}{
		{"", Degrees, ""},
		{"0", Degrees, ""},
		{"urn:ogc:def:crs:OGC:1.3:CRS84", Degrees, ""},
		{"urn:ogc:def:crs:OGC::CRS84", Degrees, ""},
		{"http://www.opengis.net/def/crs/OGC/1.3/CRS84", Degrees, ""},
		{"OGC:CRS84", Degrees, ""},
		{"CRS84", Degrees, ""},
		{"WGS 84", Degrees, ""},
		{"wgs84", Degrees, ""},
		{"EPSG:4326", Degrees, ""},
		{" epsg:4326 ", Degrees, ""},
		{"4326", Degrees, ""},
		{"SRID=4326", Degrees, ""},
		{"http://www.opengis.net/gml/srs/epsg.xml#4326", Degrees, ""},
		{"urn:ogc:def:crs:EPSG::4326", LatitudeFirst, ""},
		{"urn:ogc:def:crs:EPSG:6.9:4258", LatitudeFirst, ""},
		{"http://www.opengis.net/def/crs/EPSG/0/4326", LatitudeFirst, ""},
		{"urn:ogc:def:crs:EPSG::27700", BritishGrid, ""},
		{"EPSG:27700", BritishGrid, ""},
		{"27700", BritishGrid, ""},
		{"EPSG:3857", OtherCRS, "EPSG:3857"},
		{"ESRI:102100", OtherCRS, "EPSG:102100"},
		{"EPSG:32630", OtherCRS, "EPSG:32630"},
		{"EPSG:1234567", OtherCRS, `"EPSG:1234567"`},
		{"the Moon\n", OtherCRS, `"the Moon"`},
		{strings.Repeat("é", 200), OtherCRS, `"` + strings.Repeat("é", 40) + `…"`},
	} {
		if kind, title := CRS(c.name); kind != c.kind || title != c.title {
			t.Errorf("%q: got %v, %s, want %v, %s", c.name, kind, title, c.kind, c.title)
		}
	}
}
