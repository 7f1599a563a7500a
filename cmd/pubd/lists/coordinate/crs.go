package coordinate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A CRSKind says how to read the two numbers of a coordinate reference system.
type CRSKind int

// The kinds.
const (
	// Degrees has longitude and latitude, in WGS 84 or within a metre or two of it.
	Degrees CRSKind = iota
	// LatitudeFirst has latitude and longitude; in GeoJSON, the longitude is first all the same.
	LatitudeFirst
	// BritishGrid has easting and northing for [British].
	BritishGrid
	// OtherCRS is any other system.
	OtherCRS
)

// inDegrees are the EPSG codes of systems of degrees.
var inDegrees = []int{4326, 4979, 4258, 4937, 4269}

var (
	lonLatForm = regexp.MustCompile(`(?i)^(?:.*[:/])?CRS8[34]h?$|^WGS[ _]?(?:19)?84$`)
	codeForm   = regexp.MustCompile(`(?i)^(?:(EPSG:|ESRI:|SRID=)|(urn:(?:ogc|x-ogc):def:crs:(?:EPSG|ESRI):[^:]*:|https?://www\.opengis\.net/def/crs/EPSG/[^/]*/)|` +
		`https?://www\.opengis\.net/gml/srs/epsg\.xml#)?([0-9]{1,6})$`)
)

// CRS returns the kind of a coordinate reference system and, if that is OtherCRS, its title for people. The name is that
// of GeoJSON's crs member ("urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::27700"), an EPSG code ("EPSG:3857")
// or an SRID ("27700"). An empty name and SRID 0 are Degrees; a name that is not known is its own title, shortened.
func CRS(name string) (kind CRSKind, title string) {
	name = strings.TrimSpace(name)
	if name == "" || lonLatForm.MatchString(name) {
		return Degrees, ""
	}
	m := codeForm.FindStringSubmatch(name)
	if m == nil {
		if runes := []rune(name[:min(len(name), 200)]); len(runes) > 40 {
			name = string(runes[:40]) + "…"
		}
		return OtherCRS, strconv.QuoteToGraphic(name)
	}
	switch code, _ := strconv.Atoi(m[3]); { // at most six digits
	case slices.Contains(inDegrees, code) && m[2] != "":
		return LatitudeFirst, ""
	case code == 0 || slices.Contains(inDegrees, code):
		return Degrees, ""
	case code == 27700:
		return BritishGrid, ""
	default:
		return OtherCRS, fmt.Sprintf("EPSG:%d", code)
	}
}
