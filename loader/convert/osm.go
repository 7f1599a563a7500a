package convert

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"pubd/loader"
)

type tags map[string]json.RawMessage

// first returns the value of the first tag in names that is set, or nil.
func (t tags) first(names ...string) json.RawMessage {
	for _, name := range names {
		if text, _ := plain(t[name]); strings.TrimSpace(text) != "" {
			return t[name]
		}
	}
	return nil
}

// address returns house number and street, as far as known.
func (t tags) address() json.RawMessage {
	street := joined(" ", t["addr:housenumber"], t.first("addr:street", "addr:place"))
	return joined(", ", t["addr:housename"], street)
}

// values returns the values of tagColumns.
func (t tags) values(uid json.RawMessage, at point) []json.RawMessage {
	values := []json.RawMessage{uid, t["name"], t.first("addr:city", "addr:town", "addr:village"), t.address(), t["addr:postcode"],
		t.first("addr:county", "addr:district", "addr:province", "addr:state", "addr:country"), at.Lat, at.Lon, joined("; ", t.all(otherNames)...)}
	return append(values, t.extra(tagColumns[len(values):])...)
}

// otherNames are the tags of alternative names.
var otherNames = []string{"alt_name", "old_name", "official_name", "short_name", "name:en"}

// all returns the values of tags.
func (t tags) all(names []string) (values []json.RawMessage) {
	for _, name := range names {
		values = append(values, t[name])
	}
	return values
}

// extra returns the values of extra columns: the tag of the same name, or the one with the prefix contact.
func (t tags) extra(columns []string) (values []json.RawMessage) {
	for _, name := range columns {
		values = append(values, t.first(name, "contact:"+name))
	}
	return values
}

// isPub reports whether the amenity is one of a pub, and returns it.
func (t tags) isPub() (ok bool, amenity string) {
	amenity, _ = plain(t["amenity"])
	return amenity == "pub" || amenity == "bar", amenity
}

const amenityRule = "must be pub or bar"

// point is a position as Overpass writes it.
type point struct{ Lat, Lon json.RawMessage }

// element is a node, way or relation as Overpass writes it.
type element struct {
	Type string
	ID   json.RawMessage
	point
	Center   point
	Bounds   struct{ MinLat, MinLon, MaxLat, MaxLon *float64 }
	Geometry []struct{ Lat, Lon float64 }
	Nodes    []json.RawMessage
	Tags     tags
}

// place returns the position of an element: its own, its center, or the middle of its bounds, of its geometry or of
// its nodes.
func (e *element) place(nodes map[string][2]float64) point {
	around := box{south: math.Inf(1), west: math.Inf(1), north: math.Inf(-1), east: math.Inf(-1)}
	b := e.Bounds
	switch {
	case e.Type == "node":
		return e.point
	case !isAbsent(e.Center.Lat) && !isAbsent(e.Center.Lon):
		return e.Center
	case b.MinLat != nil && b.MinLon != nil && b.MaxLat != nil && b.MaxLon != nil:
		around = box{*b.MinLat, *b.MinLon, *b.MaxLat, *b.MaxLon}
	default:
		for _, at := range e.Geometry {
			around.extend(at.Lat, at.Lon)
		}
		for _, id := range e.Nodes {
			if at, known := nodes[string(id)]; known {
				around.extend(at[0], at[1])
			}
		}
	}
	if around.south > around.north {
		return point{}
	}
	return point{Lat: middle(around.south, around.north), Lon: middle(around.west, around.east)}
}

// readOverpass reads Overpass JSON.
func (d *draft) readOverpass(text []byte) *loader.Complaint {
	if reason := valid(text); reason != nil {
		return reason
	}
	nodes := map[string][2]float64{} // of ways, by ID
	type way struct {
		element
		line int
	}
	var pending []way // whose nodes may follow
	add := func(line int, e *element) {
		id, _ := plain(e.ID)
		uid := e.Type + "/" + id
		isPub, amenity := e.Tags.isPub()
		place := e.place(nodes)
		switch {
		case e.Type != "node" && e.Type != "way" && e.Type != "relation" || id == "":
			d.complain(line, "UID", uid, "must be node, way or relation, and a number")
		case !isPub:
			d.complain(line, "amenity", amenity, amenityRule+` (UID "`+loader.Shorten(uid)+`")`)
		case isAbsent(place.Lat) || isAbsent(place.Lon):
			d.complain(line, "UID", uid, "must have lat and lon, a center, bounds, geometry or nodes: end the query with `out center`")
		default:
			d.addValues(line, append(e.Tags.values(quoted(uid), place), e.Tags.extra(d.extra)...)...)
		}
	}
	others, reason := d.elements(text, "elements", func(line int, value json.RawMessage) {
		var e element
		if err := json.Unmarshal(value, &e); err != nil {
			d.complain(line, "", string(value[:min(len(value), 4*maxShown)]), "must be a node, way or relation of OpenStreetMap: "+err.Error())
			return
		}
		if e.Type == "node" {
			var at [2]float64
			if json.Unmarshal(e.Lat, &at[0]) == nil && json.Unmarshal(e.Lon, &at[1]) == nil {
				nodes[string(e.ID)] = at
			}
		}
		switch {
		case len(e.Tags) == 0:
			d.result.Untagged++
		case len(e.Nodes) > 0 && isAbsent(e.place(nil).Lat):
			pending = append(pending, way{e, line})
		default:
			add(line, &e)
		}
	})
	for _, w := range pending {
		add(w.line, &w.element)
	}
	if reason != nil {
		return reason
	}
	if remark, _ := plain(others["remark"]); strings.Contains(remark, "error") {
		return &loader.Complaint{Column: "remark", Value: loader.Shorten(remark), Rule: "must not report an error, as the list is incomplete: query Overpass again"}
	}
	return nil
}

// feature is a GeoJSON feature.
type feature struct {
	ID         json.RawMessage
	Properties tags
	Geometry   struct {
		Type        string
		Coordinates json.RawMessage
	}
}

// uid returns the identifier that Overpass turbo or osmium assigns, such as node/123.
func (f *feature) uid() json.RawMessage {
	id, _ := plain(f.Properties["@id"])
	kind, _ := plain(f.Properties["@type"])
	switch {
	case id != "" && kind != "":
		return quoted(kind + "/" + id)
	case id != "":
		return f.Properties["@id"]
	}
	return f.ID
}

// readGeoJSON reads a FeatureCollection of pubs. A feature without an amenity counts as a pub. A property that is
// named like a column of a snapshot, or as lists usually name it, fills the column unless a tag of OpenStreetMap does;
// the others are ignored.
func (d *draft) readGeoJSON(text []byte) *loader.Complaint {
	if reason := valid(text); reason != nil {
		return reason
	}
	names := map[string]bool{} // of properties
	_, _ = d.elements(text, "features", func(_ int, value json.RawMessage) {
		var f feature
		_ = json.Unmarshal(value, &f)
		for name := range f.Properties {
			names[name] = true
		}
	})
	plainly := d.plainProperties(slices.Sorted(maps.Keys(names)))
	columns := slices.Clone(tagColumns)
	for _, column := range loader.Columns() {
		if plainly[column] != "" && !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	d.beginWithExtra(columns)
	_, reason := d.elements(text, "features", func(line int, value json.RawMessage) {
		var f feature
		if err := json.Unmarshal(value, &f); err != nil {
			d.complain(line, "", string(value[:min(len(value), 4*maxShown)]), "must be a feature of GeoJSON: "+err.Error())
			return
		}
		if isPub, amenity := f.Properties.isPub(); !isPub && f.Properties["amenity"] != nil {
			d.complain(line, "amenity", amenity, amenityRule)
			return
		}
		place, ok := f.place()
		if !ok {
			d.complain(line, "geometry", f.Geometry.Type, "must be null, a Point, or a line or polygon within one degree")
			return
		}
		values := f.Properties.values(f.uid(), place)
		for i, column := range columns {
			value := f.Properties[plainly[column]]
			switch {
			case i >= len(values):
				values = append(values, value)
			case isAbsent(values[i]) || string(values[i]) == `""`:
				values[i] = value
			}
		}
		d.addValues(line, append(values, f.Properties.extra(d.extra)...)...)
	})
	return reason
}

// plainProperties returns, by column of a snapshot, the property that stands for it, of some in ascending order; and
// notes those that nothing reads.
func (d *draft) plainProperties(names []string) map[string]string {
	plainly := map[string]string{}
	for _, columnOf := range []func(name string) string{loader.ColumnName, loader.UsualColumn} {
		for _, name := range names {
			if column := columnOf(name); column != "" && plainly[column] == "" {
				plainly[column] = name
			}
		}
	}
	read := slices.Concat(otherNames, d.extra, slices.Collect(maps.Values(plainly)), []string{"amenity"})
	for _, name := range names {
		if isTag := strings.Contains(name, ":") || strings.HasPrefix(name, "@"); !isTag && !slices.Contains(read, name) {
			d.result.Ignored = append(d.result.Ignored, loader.Shorten(name))
		}
	}
	return plainly
}

// place returns a feature's point or, as in Overpass, the centre of its bounding box.
func (f *feature) place() (p point, ok bool) {
	if f.Geometry.Type == "" && isAbsent(f.Geometry.Coordinates) {
		return point{}, true
	}
	if f.Geometry.Type == "Point" {
		var position []json.RawMessage
		if json.Unmarshal(f.Geometry.Coordinates, &position) != nil || len(position) < 2 {
			return point{}, false
		}
		return point{Lat: position[1], Lon: position[0]}, true
	}
	var positions any
	if json.Unmarshal(f.Geometry.Coordinates, &positions) != nil {
		return point{}, false
	}
	around := box{south: math.Inf(1), west: math.Inf(1), north: math.Inf(-1), east: math.Inf(-1)}
	around.add(positions)
	// Anything larger, such as a box that crosses 180°, is not a pub. The height is -Inf if there are no positions.
	height, width := around.north-around.south, around.east-around.west
	if height < 0 || height > 1 || width > 1 {
		return point{}, false
	}
	return point{Lat: middle(around.south, around.north), Lon: middle(around.west, around.east)}, true
}

type box struct{ south, west, north, east float64 }

// add extends the box to a position, or to a nested list of positions.
func (b *box) add(value any) {
	list, _ := value.([]any)
	if len(list) >= 2 {
		lng, isPosition := list[0].(float64)
		if lat, ok := list[1].(float64); ok && isPosition {
			b.extend(lat, lng)
			return
		}
	}
	for _, inner := range list {
		b.add(inner)
	}
}

func (b *box) extend(lat, lng float64) {
	b.south, b.north = min(b.south, lat), max(b.north, lat)
	b.west, b.east = min(b.west, lng), max(b.east, lng)
}

// middle returns the midpoint of two coordinates, with the seven decimals of OpenStreetMap.
func middle(a, b float64) json.RawMessage {
	return strconv.AppendFloat(nil, math.Round((a+b)/2*1e7)/1e7, 'f', -1, 64)
}

func isAbsent(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

func quoted(text string) json.RawMessage {
	value, _ := json.Marshal(text)
	return value
}
