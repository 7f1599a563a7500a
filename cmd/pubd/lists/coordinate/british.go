package coordinate

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The extent of the British National Grid in metres.
const maxEasting, maxNorthing = 700_000, 1_300_000

// ellipsoid is the shape of the Earth, in metres.
type ellipsoid struct{ a, b float64 }

func (e ellipsoid) eccentricitySquared() float64 { return 1 - e.b*e.b/(e.a*e.a) }

// The formulas and constants of this file are from Ordnance Survey, "A guide to coordinate systems in Great Britain":
// the annexes on ellipsoids and projections, on conversions, and the section on Helmert datum transformations.
var (
	airy1830 = ellipsoid{6377563.396, 6356256.909}
	wgs84    = ellipsoid{6378137.000, 6356752.3141}
)

// British converts an easting and a northing of the British National Grid (EPSG:27700), in metres, to degrees of
// WGS 84. It is false outside of the grid: eastings are from 0 to 700,000, northings from 0 to 1,300,000. The shift
// from the older datum is one transformation for the whole of Great Britain, without the table of local corrections
// (OSTN15): results are within about 5 m of the true position.
func British(easting, northing float64) (lat, lng float64, ok bool) {
	if !(0 <= easting && easting <= maxEasting && 0 <= northing && northing <= maxNorthing) {
		return 0, 0, false
	}
	lat, lng = unproject(easting, northing)
	lat, lng = shift(lat, lng)
	return lat * 180 / math.Pi, lng * 180 / math.Pi, true
}

// unproject inverts the transverse Mercator projection of the grid. It returns radians of OSGB36.
func unproject(easting, northing float64) (lat, lng float64) {
	const (
		scale         = 0.9996012717
		trueLat       = 49 * math.Pi / 180
		trueLng       = -2 * math.Pi / 180
		falseEasting  = 400_000
		falseNorthing = -100_000
	)
	a, b, e2 := airy1830.a, airy1830.b, airy1830.eccentricitySquared()
	n := (a - b) / (a + b)
	// arc is the length of the meridian from the true origin.
	arc := func(lat float64) float64 {
		d, s := lat-trueLat, lat+trueLat
		return b * scale * ((1+n+5./4*n*n+5./4*n*n*n)*d -
			(3*n+3*n*n+21./8*n*n*n)*math.Sin(d)*math.Cos(s) +
			(15./8*n*n+15./8*n*n*n)*math.Sin(2*d)*math.Cos(2*s) -
			35./24*n*n*n*math.Sin(3*d)*math.Cos(3*s))
	}
	lat = trueLat
	// Each round leaves less than a hundredth of the rest, which is below 1,400 km.
	for range 10 {
		lat += (northing - falseNorthing - arc(lat)) / (a * scale)
	}
	sin, tan, sec := math.Sin(lat), math.Tan(lat), 1/math.Cos(lat)
	nu := a * scale / math.Sqrt(1-e2*sin*sin)
	rho := nu * (1 - e2) / (1 - e2*sin*sin)
	eta2 := nu/rho - 1
	t2 := tan * tan
	t4, t6 := t2*t2, t2*t2*t2
	d := (easting - falseEasting) / nu
	d2 := d * d
	lat -= tan * nu / rho * d2 * (1./2 - d2*((5+3*t2+eta2-9*t2*eta2)/24-d2*(61+90*t2+45*t4)/720))
	lng = trueLng + sec*d*(1-d2*((nu/rho+2*t2)/6-d2*((5+28*t2+24*t4)/120-d2*(61+662*t2+1320*t4+720*t6)/5040)))
	return lat, lng
}

// shift converts radians of OSGB36, at sea level, to radians of WGS 84 by the Helmert transformation, whose
// parameters are those from WGS 84 with their signs inverted.
func shift(lat, lng float64) (float64, float64) {
	const (
		second     = math.Pi / 180 / 3600
		tx, ty, tz = 446.448, -125.157, 542.060
		rx, ry, rz = 0.1502 * second, 0.2470 * second, 0.8421 * second
		scale      = 1 - 20.4894e-6
	)
	e2 := airy1830.eccentricitySquared()
	nu := airy1830.a / math.Sqrt(1-e2*math.Sin(lat)*math.Sin(lat))
	x := nu * math.Cos(lat) * math.Cos(lng)
	y := nu * math.Cos(lat) * math.Sin(lng)
	z := nu * (1 - e2) * math.Sin(lat)
	x, y, z = tx+scale*x-rz*y+ry*z, ty+rz*x+scale*y-rx*z, tz-ry*x+rx*y+scale*z

	e2 = wgs84.eccentricitySquared()
	p := math.Hypot(x, y)
	lat = math.Atan2(z, p*(1-e2))
	// Each round leaves less than a hundredth of the rest, which is below 1e-4 rad.
	for range 5 {
		nu = wgs84.a / math.Sqrt(1-e2*math.Sin(lat)*math.Sin(lat))
		lat = math.Atan2(z+e2*nu*math.Sin(lat), p)
	}
	return lat, math.Atan2(y, x)
}

// squares are those of 100 km with land, by the letters of grid references, from north to south. OV is missing: it has
// a cliff of Yorkshire, and Cork would be there.
const squares = " HP HT HU HW HX HY HZ NA NB NC ND NF NG NH NJ NK NL NM NN NO NR NS NT NU NW NX NY NZ SC SD SE TA" +
	" SH SJ SK TF TG SM SN SO SP TL TM SR SS ST SU TQ TR SV SW SX SY SZ TV "

func isSquare(letters string) bool { return strings.Contains(squares, " "+letters+" ") }

// gridLetters are those of five by five squares, from the north-west, of 500 km or 100 km.
const gridLetters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

// squareOf returns the letters of the square with a position within the grid. The grid's origin is in SV, two squares
// of 500 km east and one north of the south-west corner of the letters.
func squareOf(easting, northing float64) string {
	east, north := int(easting/100_000)+10, int(northing/100_000)+5
	return string([]byte{gridLetters[(4-north/5)*5+east/5], gridLetters[(4-north%5)*5+east%5]})
}

// isBritish reports whether a position of the grid is in a square with land.
func isBritish(easting, northing float64) bool {
	return MinMetres <= easting && easting < maxEasting && MinMetres <= northing && northing < maxNorthing && isSquare(squareOf(easting, northing))
}

var referenceForm = regexp.MustCompile(`^(?i)([A-HJ-Z]{2}) ?([0-9]+)(?: ([0-9]+))?$`)

// fromGridReference reads a grid reference of Ordnance Survey such as "TQ 299 804": the letters of a square and the
// digits of the easting and the northing within it. It stands for a square, whose middle is taken.
func fromGridReference(text string) (result, bool) {
	if len(text) > maxPlain {
		return result{}, false
	}
	m := referenceForm.FindStringSubmatch(tidy(text))
	if m == nil {
		return result{}, false
	}
	letters := strings.ToUpper(m[1])
	digits := m[2] + m[3]
	if !isSquare(letters) {
		return result{}, false
	}
	half := len(digits) / 2
	if len(digits)%2 != 0 || m[3] != "" && len(m[3]) != half || half < 3 || half > 5 {
		return refused("must have 6, 8 or 10 figures, half of them eastwards: a grid reference such as TQ 299 804"), true
	}
	large, small := strings.IndexByte(gridLetters, letters[0]), strings.IndexByte(gridLetters, letters[1])
	east, north := large%5*5+small%5-10, (4-large/5)*5+4-small/5-5
	within := func(figures string) float64 {
		corner, _ := strconv.Atoi(figures) // at most five digits
		return (float64(corner) + 0.5) * math.Pow10(5-half)
	}
	return fromBritish(float64(east)*100_000+within(digits[:half]), float64(north)*100_000+within(digits[half:])), true
}
