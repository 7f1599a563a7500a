package coordinate

import (
	"fmt"
	"math"
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

const (
	britishTitle  = "British National Grid (EPSG:27700)"
	mercatorTitle = "Web Mercator (EPSG:3857)"
)

// A system is a reference system that is to be converted to degrees, with the extent of its country in metres, rounded
// outwards.
type system struct {
	code                     int // of EPSG
	title                    string
	west, east, south, north float64
}

// systems are in the order in which they are likely. Where they overlap, the numbers alone cannot tell. UTM stands for
// all of its zones; Web Mercator has the north beyond 34°.
var systems = []system{
	{29903, "Irish Grid (EPSG:29903)", 10_000, 370_000, 10_000, 480_000},
	{2157, "Irish Transverse Mercator (EPSG:2157)", 410_000, 770_000, 510_000, 970_000},
	{28992, "RD New of the Netherlands (EPSG:28992)", 10_000, 290_000, 300_000, 620_000},
	{21781, "Swiss LV03 (EPSG:21781)", 480_000, 840_000, 70_000, 300_000},
	{2056, "Swiss LV95 (EPSG:2056)", 2_480_000, 2_840_000, 1_070_000, 1_300_000},
	{5514, "S-JTSK Krovak (EPSG:5514)", -910_000, -160_000, -1_340_000, -930_000},
	{2065, "S-JTSK Krovak (EPSG:2065)", 930_000, 1_340_000, 160_000, 910_000},
	{31466, "Gauss-Krüger zone 2 (EPSG:31466)", 2_490_000, 2_630_000, 5_230_000, 6_100_000},
	{31467, "Gauss-Krüger zone 3 (EPSG:31467)", 3_260_000, 3_740_000, 5_230_000, 6_110_000},
	{31468, "Gauss-Krüger zone 4 (EPSG:31468)", 4_330_000, 4_670_000, 5_230_000, 6_110_000},
	{31469, "Gauss-Krüger zone 5 (EPSG:31469)", 5_320_000, 5_630_000, 5_230_000, 6_110_000},
	{2154, "Lambert-93 of France (EPSG:2154)", 90_000, 1_250_000, 6_040_000, 7_120_000},
	{0, "UTM", 160_000, 840_000, 1_110_000, 9_330_000},
	{3857, mercatorTitle, -world, world, 4_000_000, world},
}

// degreeCodes are the EPSG codes of systems in degrees, in WGS 84 or within a metre or two of it.
var degreeCodes = []int{0, 4326, 4979, 4258, 4937, 4269}

var (
	lonLatForm = regexp.MustCompile(`(?i)^(?:.*[:/])?CRS8[34]h?$|^WGS[ _]?(?:19)?84$`)
	codeForm   = regexp.MustCompile(`(?i)^(?:(EPSG:|ESRI:|SRID=)|(urn:(?:ogc|x-ogc):def:crs:(?:EPSG|ESRI):[^:]*:|https?://www\.opengis\.net/def/crs/EPSG/[^/]*/)|` +
		`https?://www\.opengis\.net/gml/srs/epsg\.xml#)?([0-9]{1,6})$`)
)

// CRS returns the kind of a coordinate reference system and, of one that is to be converted, its title for people. The
// name is that of GeoJSON's crs member ("urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::27700"), an EPSG code
// ("EPSG:3857") or an SRID ("27700"). An empty name and SRID 0 are Degrees; a name that is not known is OtherCRS and
// its own title, shortened.
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
	code, _ := strconv.Atoi(m[3]) // at most six digits
	isDegrees := slices.Contains(degreeCodes, code)
	known := slices.IndexFunc(systems, func(s system) bool { return s.code == code })
	switch {
	case isDegrees && m[2] != "":
		return LatitudeFirst, ""
	case isDegrees:
		return Degrees, ""
	case code == 27700:
		return BritishGrid, ""
	case known >= 0:
		return OtherCRS, systems[known].title
	case 32601 <= code && code <= 32660:
		return OtherCRS, fmt.Sprintf("UTM zone %dN (EPSG:%d)", code%100, code)
	}
	return OtherCRS, fmt.Sprintf("EPSG:%d", code)
}

// world is half the width and height of Web Mercator's square, in metres: π times the radius of the Earth.
const world = 20_037_509

// Projection returns the titles, separated by " or ", of the projections that a pair of metres is probably in; empty
// if it is in none. It is the British National Grid alone where that has land, and at most two others.
func Projection(x, y float64) string {
	if isBritish(x, y) {
		return britishTitle
	}
	if max(math.Abs(x), math.Abs(y)) < 10_000 {
		return ""
	}
	var titles []string
	for _, s := range systems {
		if s.west <= x && x <= s.east && s.south <= y && y <= s.north && len(titles) < 2 {
			titles = append(titles, s.title)
		}
	}
	if titles == nil && max(math.Abs(x), math.Abs(y)) <= world {
		return mercatorTitle
	}
	return strings.Join(titles, " or ")
}
