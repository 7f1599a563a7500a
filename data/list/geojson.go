package list

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pubd/data/coordinate"
	"pubd/loader"
)

// openFeatures makes a table of GeoJSON features: their properties, the UID that Overpass turbo or osmium give, and the
// geometry.
func (l *List) openFeatures(doc document, each func(take func(line int, value json.RawMessage) bool) error, options Options) error {
	l.Form = GeoJSON
	reference, err := referenceOf(doc.head["crs"])
	if err != nil {
		return err
	}
	if reference != "" {
		l.Found = append(l.Found, "metres of the British National Grid")
	}
	var o object
	return l.setObjects(options, func(take func(*object) bool) error {
		return each(func(line int, value json.RawMessage) bool {
			o = object{line: line, names: o.names[:0], values: o.values[:0]}
			var f struct {
				ID         json.RawMessage
				Properties json.RawMessage
				Geometry   json.RawMessage
			}
			if err := json.Unmarshal(value, &f); err != nil {
				o.fault = &loader.Complaint{Line: line, Value: loader.Shorten(string(value[:min(len(value), 300)])), Rule: "must be a feature of GeoJSON: " + err.Error()}
				return take(&o)
			}
			if begins(f.Properties, '{') {
				o.flatten("", f.Properties, 0)
			}
			uid := o.featureUID(plain(f.ID))
			o.drop("@id", "@type")
			if uid != "" {
				o.set("UID", uid)
			}
			if begins(f.Geometry, '{') {
				at, _ := geometry(f.Geometry, reference)
				if o.set("geometry", at); at == "" {
					o.fault = &loader.Complaint{Line: line, Column: "geometry", Value: loader.Shorten(string(f.Geometry)), Rule: ruleGeometry}
				}
			}
			return take(&o)
		})
	})
}

// featureUID returns the identifier that Overpass turbo or osmium assigns, such as node/123; otherwise the one of the
// feature.
func (o *object) featureUID(id string) string {
	own, kind := o.value("@id"), o.value("@type")
	switch {
	case own != "" && kind != "":
		return kind + "/" + own
	case own != "":
		return own
	}
	return id
}

// referenceOf returns what a text of coordinates begins with in a coordinate reference system, as GeoJSON of 2008 may
// name it: empty if they are degrees.
func referenceOf(crs json.RawMessage) (string, error) {
	var system struct{ Properties struct{ Name string } }
	if len(crs) == 0 || json.Unmarshal(crs, &system) != nil || system.Properties.Name == "" {
		return "", nil
	}
	kind, title := coordinate.CRS(system.Properties.Name)
	switch kind {
	case coordinate.Degrees, coordinate.LatitudeFirst:
		return "", nil
	case coordinate.BritishGrid:
		return "SRID=27700;", nil
	}
	return "", fmt.Errorf("its coordinates are %s: export it in degrees, WGS 84 (EPSG:4326)", loader.Visible(title))
}

// geometry returns the position of a GeoJSON geometry: its point or the middle of its box. ok is false if the value is
// no geometry. The position is empty if it has none, or is larger than a pub.
func geometry(value json.RawMessage, reference string) (position string, ok bool) {
	var g struct {
		Type        string
		Coordinates json.RawMessage
		Geometries  []json.RawMessage
	}
	if json.Unmarshal(value, &g) != nil || g.Type == "" || !begins(g.Coordinates, '[') {
		return "", false
	}
	if g.Type == "Point" {
		var numbers []json.RawMessage
		if json.Unmarshal(g.Coordinates, &numbers) != nil || len(numbers) < 2 {
			return "", true
		}
		return fmt.Sprintf("%sPOINT(%s %s)", reference, plain(numbers[0]), plain(numbers[1])), true
	}
	var positions any
	around := newBox()
	if json.Unmarshal(g.Coordinates, &positions) == nil {
		around.add(positions, 0)
	}
	if around.isEmpty() || !around.isSmall(reference) {
		return "", true
	}
	return around.middle(reference), true
}

// ruleGeometry is what a geometry must be.
const ruleGeometry = "must be null, a point, or a line or polygon within one degree"

type box struct{ south, west, north, east float64 }

func newBox() box {
	return box{south: math.Inf(1), west: math.Inf(1), north: math.Inf(-1), east: math.Inf(-1)}
}

func (b *box) isEmpty() bool { return b.south > b.north }

// isSmall reports whether a box may be around a pub: anything larger, such as a box that crosses 180°, is none.
func (b *box) isSmall(reference string) bool {
	most := 1.0 // degree
	if reference != "" {
		most = 100_000 // metres
	}
	return b.north-b.south <= most && b.east-b.west <= most
}

// middle returns the middle of a box as text with both coordinates.
func (b *box) middle(reference string) string {
	return fmt.Sprintf("%sPOINT(%s %s)", reference, middle(b.west, b.east), middle(b.south, b.north))
}

// add extends the box to a position, or to a nested list of positions.
func (b *box) add(value any, depth int) {
	list, _ := value.([]any)
	if len(list) >= 2 {
		lng, isPosition := list[0].(float64)
		if lat, ok := list[1].(float64); ok && isPosition {
			b.extend(lat, lng)
			return
		}
	}
	for _, inner := range list {
		if depth < maxDepth {
			b.add(inner, depth+1)
		}
	}
}

func (b *box) extend(lat, lng float64) {
	b.south, b.north = min(b.south, lat), max(b.north, lat)
	b.west, b.east = min(b.west, lng), max(b.east, lng)
}

// middle returns the midpoint of two coordinates, with the seven decimals of OpenStreetMap.
func middle(a, b float64) string {
	return strings.TrimPrefix(strconv.FormatFloat(math.Round((a+b)/2*1e7)/1e7, 'f', -1, 64), "+")
}

// addText extends the box to a position as KML writes it.
func (b *box) addText(position string) {
	parts := strings.Split(position, ",")
	if len(parts) < 2 {
		return
	}
	lng, errLng := strconv.ParseFloat(parts[0], 64)
	lat, errLat := strconv.ParseFloat(parts[1], 64)
	if errLng == nil && errLat == nil {
		b.extend(lat, lng)
	}
}
