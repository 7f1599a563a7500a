package list

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"pubd/cmd/pubd/lists/extract"
	"pubd/loader"
	"pubd/loader/sniff"
)

// A point is a position as it is written.
type point struct{ lat, lon string }

func pointIn(v value) point { return point{v.member("lat").text, v.member("lon").text} }

func (p point) isWhole() bool { return p.lat != "" && p.lon != "" }

// pointOfElement returns the position of an element of OpenStreetMap: its own, its center, or the middle of its bounds,
// of its geometry or of its nodes.
func pointOfElement(v value, nodes map[string]point) point {
	if own := pointIn(v); v.member("type").text == "node" {
		return own
	}
	if center := pointIn(v.member("center")); center.isWhole() {
		return center
	}
	bounds := v.member("bounds")
	around := withText(extract.NoBox, bounds.member("minlat").text, bounds.member("minlon").text)
	if high := withText(extract.NoBox, bounds.member("maxlat").text, bounds.member("maxlon").text); !around.IsEmpty() && !high.IsEmpty() {
		around = around.With(high.North, high.East)
	} else {
		around = extract.NoBox
		for _, at := range v.member("geometry").values {
			around = withText(around, at.member("lat").text, at.member("lon").text)
		}
		for _, id := range v.member("nodes").values {
			around = withText(around, nodes[id.text].lat, nodes[id.text].lon)
		}
	}
	if around.IsEmpty() {
		return point{}
	}
	return point{middle(around.South, around.North), middle(around.West, around.East)}
}

// readNodes returns the positions of the nodes in a result of Overpass, by ID, and notes how many elements have no
// tags.
func (l *List) readNodes(doc document, each func(take) error) (map[string]point, error) {
	if remark := doc.head["remark"].text; strings.Contains(remark, "error") {
		return nil, &loader.Complaint{Column: "remark", Value: loader.Shorten(remark),
			Rule: "must not report an error, as the list is incomplete: query Overpass again"}
	}
	nodes := map[string]point{}
	untagged := 0
	err := each(func(_ int, text []byte) error {
		v, err := parse(text[:min(len(text), maxRow)])
		if err == nil && v.isObject() && v.member("tags").values == nil {
			untagged++
		}
		if v.member("type").text == "node" {
			nodes[v.member("id").text] = pointIn(v)
		}
		return nil
	})
	if untagged > 0 {
		l.Found = append(l.Found, fmt.Sprint("elements without tags, such as the corners of ways: ", untagged))
	}
	return nodes, err
}

// addElement adds an element of OpenStreetMap as Overpass writes it: its UID, such as node/123, position and tags. It
// adds nothing of one without tags.
func (o *object) addElement(v value, nodes map[string]point) {
	kind, id, tags := v.member("type").text, v.member("id").text, v.member("tags")
	uid := kind + "/" + id
	at := pointOfElement(v, nodes)
	switch {
	case tags.values == nil:
		return
	case kind != "node" && kind != "way" && kind != "relation" || id == "":
		o.fault = &loader.Complaint{Line: o.line, Column: "UID", Value: loader.Shorten(uid), Rule: "must be node, way or relation, and a number"}
		return
	case !at.isWhole():
		o.fault = &loader.Complaint{Line: o.line, Column: "UID", Value: loader.Shorten(uid),
			Rule: "must have lat and lon, a center, bounds, geometry or nodes: end the query with `out center`"}
	}
	o.set("UID", uid)
	o.set("latitude", at.lat)
	o.set("longitude", at.lon)
	o.addMembers(tags)
}

// openExtract makes a table of the elements of an OpenStreetMap extract that options keep. They are held in memory,
// the others are not.
func (l *List) openExtract(file io.ReadSeeker, kind sniff.Kind) error {
	l.Form = OSM
	isKept := l.options.Keep
	l.options.Keep = nil // of what was not kept, nothing is left
	keep := func(tags map[string]string) bool {
		return isKept == nil || isKept(OSM, func(name string) string { return tags[name] }) == ""
	}
	return extract.Read(file, kind, keep, func(e extract.Element) error {
		o := object{line: len(l.rows) + 1}
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
		return l.addObject(&o)
	})
}
