package coordinate

import (
	"fmt"
	"math"
	"regexp"
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

// systems are reference systems by their EPSG code, except zones of UTM. That of ESRI for Web Mercator is 102100.
var systems = map[int]struct {
	kind  CRSKind
	title string
}{
	4326: {Degrees, "WGS 84 (EPSG:4326)"}, 4979: {Degrees, "WGS 84 (EPSG:4979)"},
	4258: {Degrees, "ETRS89 (EPSG:4258)"}, 4937: {Degrees, "ETRS89 (EPSG:4937)"},
	4269:  {Degrees, "NAD83 (EPSG:4269)"},
	27700: {BritishGrid, britishTitle},
	4277:  {OtherCRS, "degrees of OSGB36 (EPSG:4277)"},
	3857:  {OtherCRS, mercatorTitle}, 900913: {OtherCRS, mercatorTitle}, 102100: {OtherCRS, mercatorTitle},
	29902: {OtherCRS, "Irish Grid (EPSG:29902)"}, 29903: {OtherCRS, "Irish Grid (EPSG:29903)"}, 2157: {OtherCRS, "Irish Transverse Mercator (EPSG:2157)"},
	2154:  {OtherCRS, "Lambert-93 (EPSG:2154)"},
	28992: {OtherCRS, "RD New (EPSG:28992)"},
	31466: {OtherCRS, "Gauss-Krüger (EPSG:31466)"}, 31467: {OtherCRS, "Gauss-Krüger (EPSG:31467)"},
	31468: {OtherCRS, "Gauss-Krüger (EPSG:31468)"}, 31469: {OtherCRS, "Gauss-Krüger (EPSG:31469)"},
	5514: {OtherCRS, "S-JTSK Krovak (EPSG:5514)"}, 2065: {OtherCRS, "S-JTSK Krovak (EPSG:2065)"},
	2056: {OtherCRS, "Swiss LV95 (EPSG:2056)"}, 21781: {OtherCRS, "Swiss LV03 (EPSG:21781)"},
	3035: {OtherCRS, "ETRS89 LAEA Europe (EPSG:3035)"},
}

var (
	lonLatForm = regexp.MustCompile(`(?i)^(?:.*[:/])?CRS8[34]h?$|^WGS[ _]?(?:19)?84$`)
	codeForm   = regexp.MustCompile(`(?i)^(?:(EPSG:|ESRI:|SRID=)|(urn:(?:ogc|x-ogc):def:crs:(?:EPSG|ESRI):[^:]*:|https?://www\.opengis\.net/def/crs/EPSG/[^/]*/)|` +
		`https?://www\.opengis\.net/gml/srs/epsg\.xml#)?([0-9]{1,6})$`)
)

// CRS returns the kind of a coordinate reference system and its title for people. The name is that of GeoJSON's crs
// member ("urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::27700"), an EPSG code ("EPSG:3857") or an SRID
// ("27700"). An empty name and SRID 0 are Degrees; a name that is not known is OtherCRS and its own title, shortened.
func CRS(name string) (kind CRSKind, title string) {
	name = strings.TrimSpace(name)
	if name == "" || lonLatForm.MatchString(name) {
		return Degrees, "WGS 84 (CRS84)"
	}
	m := codeForm.FindStringSubmatch(name)
	if m == nil {
		if runes := []rune(name[:min(len(name), 200)]); len(runes) > 40 {
			name = string(runes[:40]) + "…"
		}
		return OtherCRS, strconv.QuoteToGraphic(name)
	}
	code, _ := strconv.Atoi(m[3]) // at most six digits
	if code == 0 {
		return Degrees, "WGS 84 (CRS84)"
	}
	system, known := systems[code]
	zone := code % 100
	switch {
	case known && system.kind == Degrees && m[2] != "":
		return LatitudeFirst, system.title
	case known:
		return system.kind, system.title
	case code/100 == 326 && 1 <= zone && zone <= 60, code/100 == 258 && 28 <= zone && zone <= 38:
		return OtherCRS, fmt.Sprintf("UTM zone %dN (EPSG:%d)", zone, code)
	case code/100 == 327 && 1 <= zone && zone <= 60:
		return OtherCRS, fmt.Sprintf("UTM zone %dS (EPSG:%d)", zone, code)
	}
	return OtherCRS, fmt.Sprintf("EPSG:%d", code)
}

// projections have the extents of the countries in metres, rounded outwards; Web Mercator that of the north beyond
// 34°. Where they overlap, the numbers alone cannot tell.
var projections = []struct {
	title                    string
	west, east, south, north float64
}{
	{"Irish Grid (EPSG:29903)", 10_000, 370_000, 10_000, 480_000},
	{"Irish Transverse Mercator (EPSG:2157)", 410_000, 770_000, 510_000, 970_000},
	{"RD New of the Netherlands (EPSG:28992)", 10_000, 290_000, 300_000, 620_000},
	{"Swiss LV03 (EPSG:21781)", 480_000, 840_000, 70_000, 300_000},
	{"Swiss LV95 (EPSG:2056)", 2_480_000, 2_840_000, 1_070_000, 1_300_000},
	{"S-JTSK Krovak (EPSG:5514)", -910_000, -160_000, -1_340_000, -930_000},
	{"S-JTSK Krovak (EPSG:2065)", 930_000, 1_340_000, 160_000, 910_000},
	{"Gauss-Krüger zone 2 (EPSG:31466)", 2_490_000, 2_630_000, 5_230_000, 6_100_000},
	{"Gauss-Krüger zone 3 (EPSG:31467)", 3_260_000, 3_740_000, 5_230_000, 6_110_000},
	{"Gauss-Krüger zone 4 (EPSG:31468)", 4_330_000, 4_670_000, 5_230_000, 6_110_000},
	{"Gauss-Krüger zone 5 (EPSG:31469)", 5_320_000, 5_630_000, 5_230_000, 6_110_000},
	{"Lambert-93 of France (EPSG:2154)", 90_000, 1_250_000, 6_040_000, 7_120_000},
	{"UTM", 160_000, 840_000, 1_110_000, 9_330_000},
	{mercatorTitle, -world, world, 4_000_000, world},
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
	for _, p := range projections {
		if p.west <= x && x <= p.east && p.south <= y && y <= p.north && len(titles) < 2 {
			titles = append(titles, p.title)
		}
	}
	if titles == nil && max(math.Abs(x), math.Abs(y)) <= world {
		return mercatorTitle
	}
	return strings.Join(titles, " or ")
}
