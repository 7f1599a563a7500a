package list

import (
	"fmt"
	"strings"

	"pubd/data/coordinate"
	"pubd/loader"
)

// addFeature adds a feature of GeoJSON: its properties, the UID that Overpass turbo or osmium assign, such as node/123,
// otherwise the one of the feature, and the geometry.
func (o *object) addFeature(v value, reference string) {
	uid := v.member("id").text
	properties := v.member("properties")
	for i, property := range properties.values {
		if name := properties.names[i]; name != "@id" && name != "@type" {
			o.add(name, property)
		}
	}
	if own := properties.member("@id").text; own != "" {
		uid = strings.TrimPrefix(properties.member("@type").text+"/"+own, "/")
	}
	if uid != "" {
		o.set("UID", uid)
	}
	if geometry := v.member("geometry"); geometry.isObject() {
		o.set("geometry", reference+geometry.raw)
	}
}

// referenceOf returns what a geometry begins with in a coordinate reference system, as GeoJSON of 2008 may name it:
// empty if its coordinates are degrees.
func referenceOf(crs value) (string, error) {
	name := crs.member("properties").member("name").text
	if name == "" {
		return "", nil
	}
	switch kind, title := coordinate.CRS(name); kind {
	case coordinate.Degrees, coordinate.LatitudeFirst:
		return "", nil
	case coordinate.BritishGrid:
		return "SRID=27700;", nil
	default:
		return "", fmt.Errorf("its coordinates are %s: export it in degrees, WGS 84 (EPSG:4326)", loader.Visible(title))
	}
}
