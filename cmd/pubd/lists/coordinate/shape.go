package coordinate

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
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
		return number{rounded(value), value}
	}
	return resolve(middle(s.west, s.east), middle(s.south, s.north), kind, title)
}

const geometries = "POINT|LINESTRING|POLYGON|TRIANGLE|MULTIPOINT|MULTILINESTRING|MULTIPOLYGON|GEOMETRYCOLLECTION|" +
	"CIRCULARSTRING|COMPOUNDCURVE|CURVEPOLYGON|MULTICURVE|MULTISURFACE|POLYHEDRALSURFACE|TIN"

var (
	wktForm = regexp.MustCompile(`(?is)^(?:SRID\s*=\s*([0-9]+)\s*;\s*)?(?:<([^<>]*)>\s*)?(` + geometries + `)\s*(?:ZM|Z|M)?\s*(\(.*\)|EMPTY)$`)
	wktWord = regexp.MustCompile(`(?i)\b(?:` + geometries + `|ZM|Z|M|EMPTY)\b`)
)

// fromWKT reads well-known text, with the SRID that PostGIS writes or the reference system that GeoSPARQL does.
func fromWKT(text string) (result, bool) {
	m := wktForm.FindStringSubmatch(text)
	if m == nil {
		return result{}, false
	}
	kind, title := CRS(m[1] + m[2])
	var s shape
	isRead := strings.EqualFold(m[4], "EMPTY") || s.read(wktWord.ReplaceAllString(m[4], ""), "(),", " \t\r\n")
	if !isRead || strings.EqualFold(m[3], "POINT") && s.count > 1 {
		return refused(unreadable), true
	}
	return s.resolve(kind, title), true
}

// read reads positions, each with two to four numbers: what stands between them, and between their numbers. It is false if
// there is none.
func (s *shape) read(text, betweenPositions, betweenNumbers string) bool {
	isIn := func(set string) func(r rune) bool { return func(r rune) bool { return strings.ContainsRune(set, r) } }
	for position := range strings.FieldsFuncSeq(text, isIn(betweenPositions)) {
		numbers := strings.FieldsFunc(position, isIn(betweenNumbers))
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
	return s.count > 0
}

// wkbForm matches the hexadecimal digits of a geometry, as PostGIS prints a column of them.
var wkbForm = regexp.MustCompile(`^(?:\\x|0x)?0[01](?:[0-9A-Fa-f]{2}){20,}$`)

func fromWKB(text string) (result, bool) {
	return refused("is a geometry of PostGIS in hexadecimal digits: select ST_AsText(ST_PointOnSurface(geom))"), wkbForm.MatchString(text)
}

// fromJSON reads a geometry or feature of GeoJSON, or an object with a latitude and a longitude. Positions have the
// longitude first, whatever their reference system says: RFC 7946 and the specification of 2008 agree in that.
func fromJSON(text string) (result, bool) {
	var object map[string]json.RawMessage
	if text[0] != '{' || json.Unmarshal([]byte(text), &object) != nil {
		return result{}, false
	}
	if geometry, ok := object["geometry"]; ok {
		object = nil
		if _ = json.Unmarshal(geometry, &object); object == nil {
			return result{}, true
		}
	}
	if coordinates, ok := object["coordinates"]; ok {
		var crs struct{ Properties struct{ Name string } }
		_ = json.Unmarshal(object["crs"], &crs)
		kind, title := CRS(crs.Properties.Name)
		if kind == LatitudeFirst {
			kind = Degrees
		}
		var s shape
		if !s.read(string(coordinates), "[]", ", \t\r\n") {
			return refused("must be a geometry of GeoJSON, such as %s", `{"type":"Point","coordinates":[-0.12,51.5]}`), true
		}
		return s.resolve(kind, title), true
	}
	var found [3]*number // by axis
	for _, name := range slices.Sorted(maps.Keys(object)) {
		label := strings.ToLower(strings.Trim(name, "_ "))
		of, known := words[cmp.Or(map[string]string{"x": "lng", "y": "lat"}[label], label)]
		if a, ok := angleOf(object[name]); known && of.hemisphere == 0 && ok && (a.axis == either || a.axis == of.axis) {
			found[of.axis] = &a.number
		}
	}
	if found[latitude] == nil || found[longitude] == nil {
		return refused("must be GeoJSON, or an object with lat and lng"), true
	}
	return resolve(*found[longitude], *found[latitude], Degrees, ""), true
}

// angleOf reads a member of a JSON object.
func angleOf(value json.RawMessage) (angle, bool) {
	if n, ok := decimal(string(value)); ok {
		return angle{number: n}, true
	}
	var text string
	if json.Unmarshal(value, &text) != nil || len(text) > maxPlain {
		return angle{}, false
	}
	return readAngle(tidy(text))
}
