// Package coordinate reads coordinates as people and programs write them. [Pair] takes a text that holds both, and
// [Latitude] and [Longitude] take one; they return decimal degrees of WGS 84. [British] converts the British National
// Grid, and [CRS] names what a caller must convert itself.
//
//	notations   the readers of Pair, most specific first; each says whether the text is in its notation
//	plain       two angles, each with a point or comma, signs, hemispheres, degrees, minutes and seconds
//	resolve     what the two numbers are: degrees, metres of the British grid, or another projection
//
// Nothing is guessed that has two sensible readings: such a text is refused, with a rule that tells how to write it.
// Two numbers without a label are latitude and longitude, unless only the exchange is possible; two numbers of metres
// are British where the British grid has land there, although an Irish or Swiss pair may have the same numbers.
//
// Texts are hostile: they have at most 10,000 bytes, two angles at most 200, and reading takes a bounded time. A usual
// pair takes about 3 µs. The functions share nothing and may run concurrently.
package coordinate

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const (
	// maxText is the longest text that is read, in bytes: a polygon may have hundreds of corners.
	maxText = 10_000
	// maxPlain is the longest text of two angles. The longest sensible one has about 100 bytes.
	maxPlain = 200
	// maxValue is the greatest number that is returned. What is no degree is left to the caller's rule about ranges.
	maxValue = 1e7
)

// MinMetres is below the easting and northing of any land in the British National Grid, and above any degrees.
const MinMetres = 1000

// The rules that are not made for one notation.
const (
	example    = "51.5, -0.12"
	unreadable = "must be coordinates, such as " + example + " or Point(-0.12 51.5)"
)

// result is a result of Pair.
type result struct{ lat, lng, rule string }

func refused(format string, values ...any) result {
	return result{rule: fmt.Sprintf(format, values...)}
}

// number is a decimal text with a point, without an exponent, a plus or leading zeros, and its value.
type number struct {
	text  string
	value float64
}

// notations read a text without spaces at its ends. Each returns false if the text is not in its notation; what is in
// it and wrong is refused by it.
var notations = []func(text string) (result, bool){
	fromJSON, fromWKT, fromWKB, fromLink, plain, fromGridReference, fromAddress,
}

// Pair reads a text that holds both coordinates, in one of these notations and their variants:
//
//	51.5, -0.12                           also with ; / | or a space between them, in brackets, or labelled lat and lng
//	51,5 -0,12                            also with ; or a comma between them
//	51.5° N 0.12° W                       also with the letters first, or words
//	51°30'26"N 0°7'39"W                   also with d, m and s, with colons or spaces, without seconds, or with signs
//	Point(-0.12 51.5)                     well-known text, with "SRID=27700;" or a reference system in <> before it
//	{"type":"Point","coordinates":[…]}    GeoJSON, or an object such as {"lat":51.5,"lng":-0.12}
//	https://maps.google.com/?q=51.5,-0.12 a link to a map, also of OpenStreetMap and the like
//	TQ 299 804                            a grid reference of Ordnance Survey with at least 6 figures
//	530034, 180381                        easting and northing of the British National Grid
//	1 Main St⏎21202⏎(39.29, -76.61)       an address in lines, of which the last one may be both, as Socrata has them
//
// Of a shape at most one degree wide and high, and of the square of a grid reference, the middle is taken.
//
// It returns decimal texts with a point: those of the text if they are decimal ("51.50" stays so), otherwise rounded
// to six decimals. They may be out of range, but are within ±1e7. An empty text and an empty geometry give empty
// coordinates. The rule is empty unless the text cannot be read; otherwise it says what is wrong with it and how to
// mend it, in the form of "must be …", "is …" or "has …".
func Pair(text string) (lat, lng, rule string) {
	if len(text) > maxText {
		return "", "", fmt.Sprintf("must be at most 10,000 bytes long, is %d", len(text))
	}
	text = strings.TrimFunc(text, isInvisible)
	if text == "" {
		return "", "", ""
	}
	if strings.HasPrefix(text, "[[") && strings.HasSuffix(text, "]]") { // a list with one pair
		text = text[1 : len(text)-1]
	}
	for _, read := range notations {
		if r, ok := read(text); ok {
			return r.lat, r.lng, r.rule
		}
	}
	return "", "", unreadable
}

// isInvisible reports whether a rune is a space or a mark such as a byte order or direction mark, which browsers copy.
func isInvisible(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

// Latitude reads one latitude, such as "51,5", "51.5° N" or `51°30'26"N`, and returns a decimal text as [Pair] does.
// It is false for any other text, such as a longitude with its letter. An empty text is an empty latitude.
func Latitude(text string) (decimal string, ok bool) { return single(text, latitude) }

// Longitude reads one longitude, such as "-0,12", "0.12° W" or `0°7'39"W`, in the same way as [Latitude]. The letter
// O is refused, as it is east in German and west in French, but not the words.
func Longitude(text string) (decimal string, ok bool) { return single(text, longitude) }

func single(text string, want axis) (decimal string, ok bool) {
	if len(text) > maxPlain {
		return "", false
	}
	text = tidy(text)
	if text == "" {
		return "", true
	}
	a, ok := readAngle(text)
	if !ok || a.axis != either && a.axis != want || math.Abs(a.value) > maxValue {
		return "", false
	}
	return a.text, true
}

// resolve returns the coordinates that two numbers of a reference system mean, x eastwards.
func resolve(x, y number, kind CRSKind, title string) result {
	switch kind {
	case OtherCRS:
		return refused("must be in degrees (EPSG:4326), is in %s: convert it, such as with ST_Transform(geom, 4326)", title)
	case BritishGrid:
		return fromBritish(x.value, y.value)
	case LatitudeFirst:
		x, y = y, x
	}
	if isBeyond(x) && isBeyond(y) {
		return fromMetres(x.value, y.value)
	}
	return degrees(y, x)
}

// isBeyond reports whether a number can be neither a latitude nor a longitude.
func isBeyond(n number) bool { return math.Abs(n.value) > 180 }

func degrees(lat, lng number) result {
	if math.Abs(lat.value) > maxValue || math.Abs(lng.value) > maxValue {
		return refused(unreadable)
	}
	return result{lat: lat.text, lng: lng.text}
}

// fromMetres returns the coordinates of a pair of unknown projection that cannot be degrees.
func fromMetres(x, y float64) result {
	if isBritish(x, y) {
		return fromBritish(x, y)
	}
	return refused("must be in degrees, latitude first, such as %s: convert metres of a projection to EPSG:4326", example)
}

// fromBritish refuses what is beyond the grid and, where the grid has only sea, what may be degrees.
func fromBritish(easting, northing float64) result {
	lat, lng, ok := British(easting, northing)
	if !ok || easting < MinMetres || northing < MinMetres {
		return refused("must be metres of the British National Grid: an easting from 1000 to 700000, a northing from 1000 to 1300000")
	}
	return result{lat: rounded(lat), lng: rounded(lng)}
}

// rounded returns a value with at most six decimals, about 0.1 m.
func rounded(value float64) string {
	value = math.Round(value*1e6) / 1e6
	if value == 0 {
		return "0" // not -0
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// decimalForm matches a number as programs write it: sign, digits, fraction, exponent.
var decimalForm = regexp.MustCompile(`^[-+]?0*([0-9]*)(?:\.([0-9]*))?([eE][-+]?(?:[01]?[0-9]|20))?$`)

// decimal reads a number as programs write it: "-0.12", "+51.5", "-1.2e-05". It is below 1e9.
func decimal(text string) (number, bool) {
	m := decimalForm.FindStringSubmatch(text)
	value, err := strconv.ParseFloat(text, 64)
	if m == nil || err != nil || math.Abs(value) >= 1e9 || len(text) > 45 {
		return number{}, false
	}
	n := number{cmp.Or(m[1], "0"), value}
	switch {
	case m[3] != "":
		n.text = strconv.FormatFloat(math.Abs(value), 'f', -1, 64)
	case m[2] != "":
		n.text += "." + m[2]
	}
	if value < 0 {
		n.text = "-" + n.text
	}
	return n, true
}
