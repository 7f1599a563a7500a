package list

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pubd/cmd/pubd/lists/coordinate"
	"pubd/cmd/pubd/lists/extract"
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
		at := position(geometry, reference)
		if o.set("geometry", at); at == "" {
			o.fault = &loader.Complaint{Line: o.line, Column: "geometry", Value: loader.Shorten(geometry.raw), Rule: ruleGeometry}
		}
	}
}

// referenceOf returns what a text of coordinates begins with in a coordinate reference system, as GeoJSON of 2008 may
// name it: empty if they are degrees.
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

// position returns the position of a GeoJSON geometry: its point or the middle of its box. It is empty if the value is
// no geometry, has no position, or is larger than a pub.
func position(geometry value, reference string) string {
	kind, coordinates := geometry.member("type").text, geometry.member("coordinates")
	switch {
	case kind == "" || !coordinates.isList():
		return ""
	case kind == "Point" && len(coordinates.values) < 2:
		return ""
	case kind == "Point":
		return fmt.Sprintf("%sPOINT(%s %s)", reference, coordinates.values[0].text, coordinates.values[1].text)
	}
	most := 1.0 // degree
	if reference != "" {
		most = 100_000 // metres
	}
	around := coordinates.around(extract.NoBox)
	if !isSmall(around, most) {
		return ""
	}
	return reference + pointOf(around)
}

// ruleGeometry is the rule for geometries.
const ruleGeometry = "must be null, a point, or a line or polygon within one degree"

// around extends a box by a position, or by nested lists of positions.
func (v value) around(box extract.Box) extract.Box {
	if len(v.values) >= 2 && v.values[0].isNumber() && v.values[1].isNumber() {
		return withText(box, v.values[1].text, v.values[0].text)
	}
	for _, inner := range v.values {
		box = inner.around(box)
	}
	return box
}

// withText extends a box by a position, if both texts are numbers.
func withText(box extract.Box, latitude, longitude string) extract.Box {
	lat, errLat := strconv.ParseFloat(latitude, 64)
	lng, errLng := strconv.ParseFloat(longitude, 64)
	if errLat != nil || errLng != nil {
		return box
	}
	return box.With(lat, lng)
}

// isSmall reports whether a box may be around a pub: anything larger, such as a box that crosses 180°, is not.
func isSmall(box extract.Box, most float64) bool {
	return !box.IsEmpty() && box.North-box.South <= most && box.East-box.West <= most
}

// pointOf returns the middle of a box as text with both coordinates.
func pointOf(box extract.Box) string {
	return fmt.Sprintf("POINT(%s %s)", middle(box.West, box.East), middle(box.South, box.North))
}

// middle returns the midpoint of two coordinates, with the seven decimals of OpenStreetMap.
func middle(a, b float64) string {
	return strconv.FormatFloat(math.Round((a+b)/2*1e7)/1e7, 'f', -1, 64)
}
