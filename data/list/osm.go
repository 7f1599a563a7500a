package list

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"pubd/data/extract"
	"pubd/loader"
	"pubd/loader/sniff"
)

// point is a position as Overpass writes it.
type point struct{ Lat, Lon json.RawMessage }

func (p point) isAbsent() bool { return plain(p.Lat) == "" || plain(p.Lon) == "" }

// element is a node, way or relation as Overpass writes it.
type element struct {
	Type string
	ID   json.RawMessage
	point
	Center   point
	Bounds   struct{ MinLat, MinLon, MaxLat, MaxLon *float64 }
	Geometry []struct{ Lat, Lon float64 }
	Nodes    []json.RawMessage
	Tags     json.RawMessage
}

// place returns the position of an element: its own, its center, or the middle of its bounds, of its geometry or of
// its nodes.
func (e *element) place(nodes map[string][2]float64) (lat, lng string) {
	around := newBox()
	b := e.Bounds
	switch {
	case e.Type == "node":
		return plain(e.Lat), plain(e.Lon)
	case !e.Center.isAbsent():
		return plain(e.Center.Lat), plain(e.Center.Lon)
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
	if around.isEmpty() {
		return "", ""
	}
	return middle(around.south, around.north), middle(around.west, around.east)
}

// openOverpass makes a table of elements of OpenStreetMap with tags: their UID, such as node/123, position and tags.
func (l *List) openOverpass(doc document, each func(take func(line int, value json.RawMessage) bool) error, options Options) error {
	l.Form = OSM
	if remark := plain(doc.head["remark"]); strings.Contains(remark, "error") {
		return &fault{loader.Complaint{Column: "remark", Value: loader.Shorten(remark), Rule: "must not report an error, as the list is incomplete: query Overpass again"}}
	}
	nodes := map[string][2]float64{} // of ways, by ID
	untagged := 0
	if err := each(func(_ int, value json.RawMessage) bool {
		var e element
		if json.Unmarshal(value, &e) != nil {
			return true
		}
		if len(e.Tags) <= len("{}") {
			untagged++
		}
		var at [2]float64
		if e.Type == "node" && json.Unmarshal(e.Lat, &at[0]) == nil && json.Unmarshal(e.Lon, &at[1]) == nil {
			nodes[string(e.ID)] = at
		}
		return true
	}); err != nil {
		return err
	}
	if untagged > 0 {
		l.Found = append(l.Found, "elements without tags, such as the corners of ways: "+strconv.Itoa(untagged))
	}
	var o object
	return l.setObjects(options, func(take func(*object) bool) error {
		return each(func(line int, value json.RawMessage) bool {
			o = object{line: line, names: o.names[:0], values: o.values[:0]}
			var e element
			err := json.Unmarshal(value, &e)
			uid := e.Type + "/" + plain(e.ID)
			lat, lng := e.place(nodes)
			switch {
			case err != nil:
				o.fault = &loader.Complaint{Line: line, Value: loader.Shorten(string(value[:min(len(value), 300)])), Rule: "must be a node, way or relation of OpenStreetMap: " + err.Error()}
				return take(&o)
			case len(e.Tags) <= len("{}"):
				return true
			case e.Type != "node" && e.Type != "way" && e.Type != "relation" || plain(e.ID) == "":
				o.fault = &loader.Complaint{Line: line, Column: "UID", Value: loader.Shorten(uid), Rule: "must be node, way or relation, and a number"}
				return take(&o)
			}
			o.set("UID", uid)
			o.set("latitude", lat)
			o.set("longitude", lng)
			if lat == "" || lng == "" {
				o.fault = &loader.Complaint{Line: line, Column: "UID", Value: loader.Shorten(uid),
					Rule: "must have lat and lon, a center, bounds, geometry or nodes: end the query with `out center`"}
			}
			if begins(e.Tags, '{') {
				o.flatten("", e.Tags, 0)
			}
			return take(&o)
		})
	})
}

// openExtract makes a table of the elements of an OpenStreetMap extract that options keep. They are held in memory,
// the others are not.
func (l *List) openExtract(ctx context.Context, file io.ReadSeeker, kind sniff.Kind, options Options) error {
	l.Form = OSM
	format := extract.PBF
	if kind == sniff.OSMXML {
		format = extract.XML
	}
	keep := func(tags map[string]string) bool {
		return options.Keep == nil || options.Keep(OSM, func(name string) string { return tags[name] }) == ""
	}
	var objects []object
	err := extract.Read(ctx, file, format, keep, func(e extract.Element) error {
		o := object{line: len(objects) + 1}
		o.set("UID", e.Type+"/"+strconv.FormatInt(e.ID, 10))
		if math.IsNaN(e.Latitude) {
			o.fault = &loader.Complaint{Line: o.line, Column: "UID", Value: o.values[0], Rule: "must have its nodes in the extract: it is cut there"}
		} else {
			o.set("latitude", strconv.FormatFloat(e.Latitude, 'f', -1, 64))
			o.set("longitude", strconv.FormatFloat(e.Longitude, 'f', -1, 64))
		}
		for _, name := range slices.Sorted(maps.Keys(e.Tags)) {
			o.set(name, e.Tags[name])
		}
		objects = append(objects, o)
		return nil
	}, options.Progress)
	if err != nil {
		return err
	}
	options.Keep = nil // of what was not kept, nothing is left
	return l.setObjects(options, func(take func(*object) bool) error {
		for i := range objects {
			if !take(&objects[i]) {
				return nil
			}
		}
		return nil
	})
}
