package coordinate

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
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
	if ok := s.readWKT(m[4]); !ok || strings.EqualFold(m[3], "POINT") && s.count > 1 {
		return refused(unreadable), true
	}
	return s.resolve(kind, title), true
}

// readWKT reads the positions of a geometry in brackets, each with two to four numbers.
func (s *shape) readWKT(text string) bool {
	isEmpty := strings.Contains(strings.ToUpper(text), "EMPTY")
	text = wktWord.ReplaceAllString(text, "")
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth <= 0 && i < len(text)-1 {
			return false
		}
	}
	for position := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("(),", r) }) {
		var numbers []number
		for field := range strings.FieldsSeq(position) {
			n, ok := decimal(field)
			if !ok || len(numbers) == 4 {
				return false
			}
			numbers = append(numbers, n)
		}
		switch len(numbers) {
		case 0: // between two brackets
		case 1:
			return false
		default:
			s.add(numbers[0], numbers[1])
		}
	}
	return depth == 0 && (s.count > 0 || isEmpty)
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
	// ISO adds 1000 for a height, 2000 for a measure.
	if form&^(hasZ|hasM|hasSRID)%1000 != 1 || !slices.Contains([]int{16, 24, 32}, len(content)) {
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

// fromJSON reads a geometry or feature of GeoJSON, or an object with a latitude and a longitude.
func fromJSON(text string) (result, bool) {
	if text[0] != '{' {
		return result{}, false
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if decoder.Decode(&object) != nil {
		return result{}, false
	}
	if _, err := decoder.Token(); err != io.EOF {
		return result{}, false
	}
	if geometry, ok := object["geometry"]; ok {
		if geometry == nil {
			return result{}, true
		}
		object, _ = geometry.(map[string]any)
	}
	if coordinates, ok := object["coordinates"]; ok {
		return fromGeoJSON(object, coordinates), true
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
func angleOf(value any) (angle, bool) {
	switch value := value.(type) {
	case json.Number:
		n, ok := decimal(value.String())
		return angle{number: n}, ok
	case string:
		if len(value) > maxPlain {
			return angle{}, false
		}
		return readAngle(tidy(value))
	}
	return angle{}, false
}

// fromGeoJSON reads a geometry. Its positions have the longitude first, whatever its reference system says: RFC 7946
// and the reference systems of the specification of 2008 agree in that.
func fromGeoJSON(geometry map[string]any, coordinates any) result {
	crs, _ := geometry["crs"].(map[string]any)
	properties, _ := crs["properties"].(map[string]any)
	name, _ := properties["name"].(string)
	kind, title := CRS(name)
	if kind == LatitudeFirst {
		kind = Degrees
	}
	var s shape
	if list, ok := coordinates.([]any); !ok || !s.readGeoJSON(list, 0) {
		return refused("must be a geometry of GeoJSON, such as %s", `{"type":"Point","coordinates":[-0.12,51.5]}`)
	}
	return s.resolve(kind, title)
}

// readGeoJSON reads a position, or lists of positions up to those of a multipolygon.
func (s *shape) readGeoJSON(list []any, depth int) bool {
	if depth > 3 {
		return false
	}
	if len(list) >= 2 {
		x, okX := angleOf(list[0])
		y, okY := angleOf(list[1])
		if okX && okY {
			s.add(x.number, y.number)
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
