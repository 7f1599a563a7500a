package coordinate

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// shape is the bounding box of a geometry's positions, x eastwards.
type shape struct {
	x, y                     number // of the first position
	count                    int
	west, south, east, north float64
}

func (s *shape) add(x, y number) {
	if s.count == 0 {
		s.x, s.y = x, y
		s.west, s.south, s.east, s.north = x.value, y.value, x.value, y.value
	}
	s.count++
	s.west, s.east = min(s.west, x.value), max(s.east, x.value)
	s.south, s.north = min(s.south, y.value), max(s.north, y.value)
}

// resolve returns the position, or the middle of the box if it is at most one degree, or 100 km, wide and high.
func (s *shape) resolve(kind CRSKind, title string) result {
	width, height, limit := s.east-s.west, s.north-s.south, 1.0
	if max(-s.west, s.east) > 180 && max(-s.south, s.north) > 180 {
		limit = 100_000
	}
	switch {
	case s.count == 0:
		return result{}
	case width > limit || height > limit:
		return refused("must be a point, or a shape at most one degree wide and high, whose middle is taken")
	case width == 0 && height == 0:
		return resolve(s.x, s.y, kind, title)
	}
	middle := func(low, high float64) number {
		value := (low + high) / 2
		return number{roundedTo(1e7, value), value} // OpenStreetMap has seven decimals
	}
	return resolve(middle(s.west, s.east), middle(s.south, s.north), kind, title)
}

const geometries = "POINT|LINESTRING|POLYGON|TRIANGLE|MULTIPOINT|MULTILINESTRING|MULTIPOLYGON|GEOMETRYCOLLECTION|" +
	"CIRCULARSTRING|COMPOUNDCURVE|CURVEPOLYGON|MULTICURVE|MULTISURFACE|POLYHEDRALSURFACE|TIN"

var (
	sridForm = regexp.MustCompile(`(?i)^SRID\s*=\s*([0-9]+)\s*;\s*`)
	wktForm  = regexp.MustCompile(`(?is)^(?:<([^<>]*)>\s*)?(` + geometries + `)\s*(?:ZM|Z|M)?\s*(\(.*\)|EMPTY)$`)
	wktWord  = regexp.MustCompile(`(?i)\b(?:` + geometries + `|ZM|Z|M|EMPTY)\b`)
)

// cutSRID cuts what PostGIS writes before a geometry, such as "SRID=27700;".
func cutSRID(text string) (srid, rest string) {
	if m := sridForm.FindStringSubmatch(text); m != nil {
		return m[1], text[len(m[0]):]
	}
	return "", text
}

// fromWKT reads well-known text, with an SRID or the reference system that GeoSPARQL writes.
func fromWKT(text string) (result, bool) {
	srid, text := cutSRID(text)
	m := wktForm.FindStringSubmatch(text)
	if m == nil {
		return result{}, false
	}
	kind, title := CRS(srid + m[1])
	var s shape
	if ok := s.readWKT(m[3]); !ok || strings.EqualFold(m[2], "POINT") && s.count > 1 {
		return refused(unreadable), true
	}
	return s.resolve(kind, title), true
}

// readWKT reads the positions of a geometry in brackets, each with two to four numbers.
func (s *shape) readWKT(text string) bool {
	isBetween := func(r rune) bool { return r == '(' || r == ')' || r == ',' }
	for position := range strings.FieldsFuncSeq(wktWord.ReplaceAllString(text, " "), isBetween) {
		numbers := strings.Fields(position)
		if len(numbers) == 0 {
			continue
		}
		if len(numbers) < 2 || len(numbers) > 4 {
			return false
		}
		x, okX := decimal(numbers[0])
		y, okY := decimal(numbers[1])
		if !okX || !okY {
			return false
		}
		s.add(x, y)
	}
	isEmpty := strings.Contains(strings.ToUpper(text), "EMPTY")
	return strings.Count(text, "(") == strings.Count(text, ")") && (s.count > 0 || isEmpty)
}

var hexForm = regexp.MustCompile(`^(?:\\x|0x)?(0[01](?:[0-9A-Fa-f]{2}){20,})$`)

// fromWKB reads the hexadecimal digits of a point as PostGIS prints columns of a geometry: well-known binary, with the
// flags of PostGIS or the types of ISO for more dimensions, and an SRID.
func fromWKB(text string) (result, bool) {
	const hasZ, hasM, hasSRID = 1 << 31, 1 << 30, 1 << 29
	m := hexForm.FindStringSubmatch(text)
	if m == nil {
		return result{}, false
	}
	content, _ := hex.DecodeString(m[1]) // whole bytes
	var order binary.ByteOrder = binary.BigEndian
	if content[0] == 1 {
		order = binary.LittleEndian
	}
	form, content := order.Uint32(content[1:]), content[5:]
	srid := ""
	if form&hasSRID != 0 {
		srid, content = strconv.FormatUint(uint64(order.Uint32(content)), 10), content[4:]
	}
	kind, title := CRS(srid)
	dimensions, isPoint := map[uint32]int{1: 2, 1001: 3, 2001: 3, 3001: 4}[form&^(hasZ|hasM|hasSRID)]
	if form&hasZ != 0 {
		dimensions++
	}
	if form&hasM != 0 {
		dimensions++
	}
	if !isPoint || len(content) != 8*dimensions {
		return refused("must be a point as PostGIS prints it, or coordinates such as %s: select ST_AsText(ST_PointOnSurface(geom))", example), true
	}
	x, y := math.Float64frombits(order.Uint64(content)), math.Float64frombits(order.Uint64(content[8:]))
	if math.IsNaN(x) && math.IsNaN(y) {
		return result{}, true // POINT EMPTY
	}
	lng, okX := decimal(strconv.FormatFloat(x, 'g', -1, 64))
	lat, okY := decimal(strconv.FormatFloat(y, 'g', -1, 64))
	if !okX || !okY {
		return refused(unreadable), true
	}
	return resolve(lng, lat, kind, title), true
}

// fromGeoJSON reads a geometry of GeoJSON, which may have an SRID before it. Its positions have the longitude first,
// whatever its reference system says: RFC 7946 and the reference systems of the specification of 2008 agree in that.
func fromGeoJSON(text string) (result, bool) {
	srid, text := cutSRID(text)
	if !strings.HasPrefix(text, "{") {
		return result{}, false
	}
	var geometry struct {
		CRS         struct{ Properties struct{ Name string } }
		Coordinates any
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&geometry) != nil {
		return result{}, false
	}
	if _, err := decoder.Token(); err != io.EOF {
		return result{}, false
	}
	kind, title := CRS(srid + geometry.CRS.Properties.Name)
	if kind == LatitudeFirst {
		kind = Degrees
	}
	var s shape
	if list, ok := geometry.Coordinates.([]any); !ok || len(list) == 0 || !s.readGeoJSON(list, 0) {
		return refused("must be a geometry of GeoJSON, such as %s", `{"type":"Point","coordinates":[-0.12,51.5]}`), true
	}
	return s.resolve(kind, title), true
}

// readGeoJSON reads a position, or lists of positions up to those of a multipolygon.
func (s *shape) readGeoJSON(list []any, depth int) bool {
	if depth > 3 {
		return false
	}
	if len(list) >= 2 {
		x, okX := decimal(fmt.Sprint(list[0]))
		y, okY := decimal(fmt.Sprint(list[1]))
		if okX && okY {
			s.add(x, y)
			return true
		}
	}
	for _, item := range list {
		if inner, ok := item.([]any); !ok || !s.readGeoJSON(inner, depth+1) {
			return false
		}
	}
	return true
}
