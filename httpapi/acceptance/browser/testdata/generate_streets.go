//go:build ignore

// Generate_streets writes map tiles and a list of pubs for tests from an extract of OpenStreetMap, of which it keeps
// the box around Vaduz:
//
//	cp ../../go.mod streets.mod
//	go get -modfile=streets.mod github.com/paulmach/osm/osmpbf@v0.8.0 github.com/paulmach/orb/encoding/mvt@v0.14.0
//	go run -modfile=streets.mod generate_streets.go liechtenstein.osm.pbf
//
// It writes streets.pmtiles in the schema of OpenMapTiles, streets-protomaps.pmtiles in that of Protomaps, and
// streets.csv. The tiles have what a style of each schema draws first: streets and their names, water, woods and
// fields, buildings, borders and places.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"
	"github.com/paulmach/orb/encoding/mvt"
	"github.com/paulmach/orb/geojson"
	"github.com/paulmach/orb/maptile"
	"github.com/paulmach/orb/planar"
	"github.com/paulmach/orb/simplify"
	"github.com/paulmach/osm"
	"github.com/paulmach/osm/osmpbf"
)

const (
	maxZoom = 14
	// buffer is what a tile repeats of its neighbours, in units of which it has mvt.DefaultExtent.
	buffer      = 64
	attribution = `<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap contributors</a>`
)

// box is the part of the extract to keep.
var box = orb.Bound{Min: orb.Point{9.475, 47.1}, Max: orb.Point{9.57, 47.19}}

// An extract is what a file has: nodes by ID, the others in order.
type extract struct {
	nodes     map[osm.NodeID]*osm.Node
	ways      map[osm.WayID]*osm.Way
	relations []*osm.Relation
}

// An object has the tags and the geometry of a thing on the map: a point, a line or a polygon.
type object struct {
	tags osm.Tags
	orb.Geometry
}

// A feature is an object in a layer, from a zoom on.
type feature struct {
	layer      string
	zoom       int
	properties geojson.Properties
	orb.Geometry
}

// A schema says how an object is represented: once, several times or never.
type schema func(object) []feature

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run generate_streets.go extract.osm.pbf")
	}
	x, err := read(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	objects := x.objects()
	for name, s := range map[string]schema{"streets.pmtiles": openMapTiles, "streets-protomaps.pmtiles": protomaps} {
		var features []feature
		for _, o := range objects {
			features = append(features, s(o)...)
		}
		if err := write(name, features); err != nil {
			log.Fatal(err)
		}
	}
	if err := writePubs("streets.csv", objects); err != nil {
		log.Fatal(err)
	}
}

func read(name string) (*extract, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x := &extract{nodes: map[osm.NodeID]*osm.Node{}, ways: map[osm.WayID]*osm.Way{}}
	scanner := osmpbf.New(context.Background(), f, 1)
	defer scanner.Close()
	for scanner.Scan() {
		switch o := scanner.Object().(type) {
		case *osm.Node:
			x.nodes[o.ID] = o
		case *osm.Way:
			x.ways[o.ID] = o
		case *osm.Relation:
			x.relations = append(x.relations, o)
		}
	}
	return x, scanner.Err()
}

// line returns the points of a way that are in the extract.
func (x *extract) line(w *osm.Way) (line orb.LineString) {
	for _, n := range w.Nodes {
		if node := x.nodes[n.ID]; node != nil {
			line = append(line, orb.Point{node.Lon, node.Lat})
		}
	}
	return line
}

// objects returns all that has tags: relations, ways and nodes.
func (x *extract) objects() (objects []object) {
	levels := map[osm.WayID]string{} // of borders
	for _, r := range x.relations {
		switch r.Tags.Find("type") {
		case "multipolygon":
			if area := x.area(r); len(area) > 0 {
				objects = append(objects, object{r.Tags, area})
			}
		case "boundary":
			level := r.Tags.Find("admin_level")
			if r.Tags.Find("boundary") != "administrative" || level == "" {
				break
			}
			for _, m := range r.Members {
				way := x.ways[osm.WayID(m.Ref)]
				if m.Type != osm.TypeWay || way == nil {
					continue
				}
				if old := levels[way.ID]; old == "" || len(level) < len(old) || len(level) == len(old) && level < old {
					levels[way.ID] = level
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(x.ways)) {
		w := x.ways[id]
		line := x.line(w)
		if level := levels[id]; level != "" && len(line) > 1 {
			objects = append(objects, object{osm.Tags{{Key: "boundary", Value: "administrative"}, {Key: "admin_level", Value: level}}, line})
		}
		switch {
		case len(w.Tags) == 0 || len(line) < 2:
		case len(line) > 3 && line[0] == line[len(line)-1] && isArea(w.Tags):
			objects = append(objects, object{w.Tags, orb.Polygon{wound(orb.Ring(line), outer)}})
		default:
			objects = append(objects, object{w.Tags, line})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(x.nodes)) {
		if n := x.nodes[id]; len(n.Tags) > 0 {
			objects = append(objects, object{n.Tags, orb.Point{n.Lon, n.Lat}})
		}
	}
	return objects
}

// isArea reports whether a closed way is an area, not a roundabout or a border.
func isArea(t osm.Tags) bool {
	return t.Find("area") == "yes" || t.Find("highway") == "" && t.Find("barrier") == "" && t.Find("waterway") != "stream"
}

// The orientations of rings: on a tile, whose rows go down, those around areas go clockwise, and around holes the other
// way.
const (
	outer = orb.CW
	inner = orb.CCW
)

// wound returns a ring with an orientation.
func wound(r orb.Ring, o orb.Orientation) orb.Ring {
	if r.Orientation() != o {
		r = r.Clone()
		r.Reverse()
	}
	return r
}

// area returns the area of a multipolygon relation, without rings that are not whole.
func (x *extract) area(r *osm.Relation) (area orb.MultiPolygon) {
	for _, ring := range x.rings(r, "outer") {
		area = append(area, orb.Polygon{wound(ring, outer)})
	}
	for _, ring := range x.rings(r, "inner") {
		for i := range area {
			if planar.RingContains(area[i][0], ring[0]) {
				area[i] = append(area[i], wound(ring, inner))
				break
			}
		}
	}
	return area
}

// rings joins the members of a role end to end.
func (x *extract) rings(r *osm.Relation, role string) (rings []orb.Ring) {
	var open []orb.LineString
	for _, m := range r.Members {
		way := x.ways[osm.WayID(m.Ref)]
		if m.Type != osm.TypeWay || m.Role != role || way == nil {
			continue
		}
		if line := x.line(way); len(line) > 1 {
			open = append(open, line)
		}
	}
	for len(open) > 0 {
		line := open[0].Clone()
		open = open[1:]
		for line[0] != line[len(line)-1] {
			end := line[len(line)-1]
			next := slices.IndexFunc(open, func(l orb.LineString) bool { return l[0] == end || l[len(l)-1] == end })
			if next < 0 {
				break
			}
			piece := open[next].Clone()
			open = slices.Delete(open, next, next+1)
			if piece[0] != end {
				piece.Reverse()
			}
			line = append(line, piece[1:]...)
		}
		if len(line) > 3 && line[0] == line[len(line)-1] {
			rings = append(rings, orb.Ring(line))
		}
	}
	return rings
}

// A street is what both schemas say of a kind of street.
type street struct {
	class      string // of OpenMapTiles
	kind       string // of Protomaps
	zoom, name int    // from which on it and its name are shown
}

var streets = map[string]street{
	"motorway":      {"motorway", "highway", 5, 10},
	"trunk":         {"trunk", "highway", 6, 10},
	"primary":       {"primary", "major_road", 7, 11},
	"secondary":     {"secondary", "major_road", 9, 12},
	"tertiary":      {"tertiary", "major_road", 11, 13},
	"unclassified":  {"minor", "minor_road", 12, 13},
	"residential":   {"minor", "minor_road", 12, 13},
	"living_street": {"minor", "minor_road", 12, 13},
	"pedestrian":    {"path", "path", 13, 14},
	"service":       {"service", "minor_road", 13, 14},
	"track":         {"track", "path", 14, 14},
	"path":          {"path", "path", 14, 14},
	"footway":       {"path", "path", 14, 14},
	"cycleway":      {"path", "path", 14, 14},
	"steps":         {"path", "path", 14, 14},
}

// streetOf returns the street, its name in OpenStreetMap, and whether it is a slip road.
func streetOf(o object) (s street, kind string, isLink, ok bool) {
	if _, isLine := o.Geometry.(orb.LineString); !isLine {
		return street{}, "", false, false
	}
	kind = o.tags.Find("highway")
	if n := len(kind) - len("_link"); n > 0 && kind[n:] == "_link" {
		kind, isLink = kind[:n], true
	}
	s, ok = streets[kind]
	return s, kind, isLink, ok
}

func isPolygon(g orb.Geometry) bool { return g.Dimensions() == 2 }

// placeZooms are the zooms from which on places are shown.
var placeZooms = map[string]int{"country": 3, "city": 5, "town": 7, "village": 10, "suburb": 12, "hamlet": 13, "neighbourhood": 14, "locality": 14}

func population(t osm.Tags) int {
	n, _ := strconv.Atoi(t.Find("population"))
	return n
}

// openMapTiles is the schema of https://openmaptiles.org/schema/.
func openMapTiles(o object) (fs []feature) {
	t := o.tags
	add := func(layer string, zoom int, properties geojson.Properties) {
		fs = append(fs, feature{layer, zoom, properties, o.Geometry})
	}
	name := func(p geojson.Properties) geojson.Properties {
		if name := t.Find("name"); name != "" {
			p["name"], p["name:latin"] = name, name
		}
		return p
	}
	if s, kind, isLink, ok := streetOf(o); ok {
		p := geojson.Properties{"class": s.class}
		if s.class == "path" {
			p["subclass"] = kind
		}
		for key, value := range map[string]string{"tunnel": "tunnel", "bridge": "bridge"} {
			if v := t.Find(key); v != "" && v != "no" {
				p["brunnel"] = value
			}
		}
		if isLink {
			p["ramp"] = 1
		}
		if t.Find("oneway") == "yes" {
			p["oneway"] = 1
		}
		add("transportation", s.zoom, p)
		if ref := t.Find("ref"); t.Find("name") != "" || ref != "" {
			p := name(geojson.Properties{"class": s.class})
			if ref != "" {
				p["ref"], p["ref_length"], p["network"] = ref, len(ref), "road"
			}
			add("transportation_name", s.name, p)
		}
		return fs
	}
	switch level, _ := strconv.Atoi(t.Find("admin_level")); {
	case t.Find("boundary") == "administrative" && !isPolygon(o.Geometry) && level > 0 && o.Dimensions() == 1:
		add("boundary", borderZoom(level), geojson.Properties{"admin_level": level, "maritime": 0, "disputed": 0})
	case t.Find("railway") == "rail" && o.Dimensions() == 1:
		add("transportation", 9, geojson.Properties{"class": "rail", "subclass": "rail"})
	case isWater(t) && isPolygon(o.Geometry):
		class := "lake"
		if t.Find("waterway") == "riverbank" || t.Find("water") == "river" {
			class = "river"
		}
		add("water", 6, geojson.Properties{"class": class})
	case waterwayZooms[t.Find("waterway")] > 0 && o.Dimensions() == 1:
		add("waterway", waterwayZooms[t.Find("waterway")], name(geojson.Properties{"class": t.Find("waterway")}))
	case t.Find("building") != "" && t.Find("building") != "no" && isPolygon(o.Geometry):
		add("building", 13, geojson.Properties{"render_height": 5, "render_min_height": 0})
	case isPolygon(o.Geometry) && (t.Find("leisure") == "park" || t.Find("leisure") == "nature_reserve"):
		class := t.Find("leisure")
		add("park", 10, name(geojson.Properties{"class": class}))
		if class == "park" {
			add("landcover", 10, geojson.Properties{"class": "grass", "subclass": "park"})
		}
	case isPolygon(o.Geometry):
		for _, key := range []string{"natural", "landuse", "leisure", "amenity"} {
			value := t.Find(key)
			if class := landcovers[value]; class != "" {
				add("landcover", 8, geojson.Properties{"class": class, "subclass": value})
				return fs
			}
			if class := landuses[value]; class != "" {
				add("landuse", 9, geojson.Properties{"class": class})
				return fs
			}
		}
	case placeZooms[t.Find("place")] > 0 && o.Dimensions() == 0 && t.Find("name") != "":
		place := t.Find("place")
		p := name(geojson.Properties{"class": place, "rank": placeZooms[place]})
		if place == "country" {
			p["rank"] = 6
		}
		if t.Find("capital") == "yes" {
			p["capital"] = 2
		}
		add("place", placeZooms[place], p)
	}
	return fs
}

// borderZoom returns the zoom from which on a border is shown.
func borderZoom(level int) int {
	if level <= 2 {
		return 0
	}
	return 4 + level/2*2
}

func isWater(t osm.Tags) bool {
	return t.Find("natural") == "water" || t.Find("waterway") == "riverbank" || t.Find("landuse") == "reservoir" || t.Find("landuse") == "basin"
}

var (
	waterwayZooms = map[string]int{"river": 8, "canal": 11, "stream": 13, "ditch": 14, "drain": 14}
	landcovers    = map[string]string{"wood": "wood", "forest": "wood", "farmland": "farmland", "farm": "farmland", "orchard": "farmland", "vineyard": "farmland",
		"grass": "grass", "meadow": "grass", "grassland": "grass", "scrub": "grass", "heath": "grass", "fell": "grass", "village_green": "grass",
		"bare_rock": "rock", "scree": "rock", "glacier": "ice", "wetland": "wetland"}
	landuses = map[string]string{"residential": "residential", "commercial": "commercial", "retail": "retail", "industrial": "industrial", "cemetery": "cemetery",
		"railway": "railway", "quarry": "quarry", "school": "school", "hospital": "hospital", "pitch": "pitch", "playground": "playground"}
)

// protomaps is the schema of https://docs.protomaps.com/basemaps/layers, version 4.
func protomaps(o object) (fs []feature) {
	t := o.tags
	add := func(layer string, zoom int, properties geojson.Properties) {
		properties["min_zoom"] = zoom
		fs = append(fs, feature{layer, zoom, properties, o.Geometry})
	}
	name := func(p geojson.Properties) geojson.Properties {
		if name := t.Find("name"); name != "" {
			p["name"] = name
		}
		return p
	}
	if s, kind, isLink, ok := streetOf(o); ok {
		p := name(geojson.Properties{"kind": s.kind, "kind_detail": kind})
		for _, key := range []string{"tunnel", "bridge"} {
			if v := t.Find(key); v != "" && v != "no" {
				p["is_"+key] = true
			}
		}
		if isLink {
			p["is_link"] = true
		}
		if ref := t.Find("ref"); ref != "" {
			p["ref"], p["shield_text_length"] = ref, len(ref)
		}
		if t.Find("oneway") == "yes" {
			p["oneway"] = "yes"
		}
		add("roads", s.zoom, p)
		return fs
	}
	switch level, _ := strconv.Atoi(t.Find("admin_level")); {
	case t.Find("boundary") == "administrative" && o.Dimensions() == 1 && level > 0:
		kinds := map[int]string{2: "country", 4: "region", 6: "county"}
		add("boundaries", borderZoom(level), geojson.Properties{"kind": cmp.Or(kinds[level], "locality"), "kind_detail": level})
	case t.Find("railway") == "rail" && o.Dimensions() == 1:
		add("roads", 9, geojson.Properties{"kind": "rail", "kind_detail": "rail"})
	case isWater(t) && isPolygon(o.Geometry):
		kind := "water"
		if t.Find("waterway") == "riverbank" || t.Find("water") == "river" {
			kind = "river"
		}
		add("water", 6, name(geojson.Properties{"kind": kind}))
	case waterwayZooms[t.Find("waterway")] > 0 && o.Dimensions() == 1:
		add("water", waterwayZooms[t.Find("waterway")], name(geojson.Properties{"kind": t.Find("waterway")}))
	case t.Find("building") != "" && t.Find("building") != "no" && isPolygon(o.Geometry):
		add("buildings", 14, geojson.Properties{"kind": "building"})
	case isPolygon(o.Geometry):
		for _, key := range []string{"natural", "landuse", "leisure", "amenity"} {
			value := t.Find(key)
			if value != "" && (landcovers[value] != "" || landuses[value] != "" || value == "park" || value == "nature_reserve") {
				add("landuse", 9, geojson.Properties{"kind": value})
				return fs
			}
		}
	case placeZooms[t.Find("place")] > 0 && o.Dimensions() == 0 && t.Find("name") != "":
		place := t.Find("place")
		p := name(geojson.Properties{"kind": "locality", "kind_detail": place, "population": population(t), "population_rank": rank(population(t))})
		switch place {
		case "country":
			p["kind"] = "country"
		case "suburb", "neighbourhood":
			p["kind"] = "neighbourhood"
		}
		if t.Find("capital") == "yes" {
			p["capital"] = "yes"
		}
		add("places", placeZooms[place], p)
	}
	return fs
}

// rank returns the population rank of Protomaps: higher for more people.
func rank(population int) int {
	for i, limit := range []int{200, 1000, 2000, 5000, 10000, 20000, 50000, 100000} {
		if population < limit {
			return i + 1
		}
	}
	return 9
}

// write writes the tiles that the box touches.
func write(name string, features []feature) error {
	if name == "streets-protomaps.pmtiles" {
		features = append(features, feature{"earth", 0, geojson.Properties{"kind": "earth", "min_zoom": 0}, orb.Polygon{wound(box.Pad(1).ToRing(), outer)}})
	}
	tiles := map[uint64][]byte{}
	zooms := map[string]int{} // from which on layers have features
	for zoom := range maptile.Zoom(maxZoom + 1) {
		low, high := maptile.At(orb.Point{box.Min[0], box.Max[1]}, zoom), maptile.At(orb.Point{box.Max[0], box.Min[1]}, zoom)
		for column := low.X; column <= high.X; column++ {
			for row := low.Y; row <= high.Y; row++ {
				tile := maptile.New(column, row, zoom)
				layers := layersOf(tile, features)
				if len(layers) == 0 {
					continue
				}
				for _, layer := range layers {
					if _, ok := zooms[layer.Name]; !ok {
						zooms[layer.Name] = int(zoom)
					}
				}
				body, err := mvt.Marshal(layers)
				if err != nil {
					return fmt.Errorf("%s: tile %v: %w", name, tile, err)
				}
				tiles[tileID(tile)] = compress(body)
			}
		}
	}
	archive, err := archive(tiles, zooms, features)
	if err != nil {
		return err
	}
	log.Printf("%s: %d tiles, %d bytes", name, len(tiles), len(archive))
	return os.WriteFile(name, archive, 0o666)
}

// layersOf returns what a tile shows, in its own coordinates.
func layersOf(tile maptile.Tile, features []feature) (layers mvt.Layers) {
	byName := map[string]*mvt.Layer{}
	padded := tile.Bound(float64(buffer) / mvt.DefaultExtent)
	for _, f := range features {
		if f.zoom > int(tile.Z) || !f.Bound().Intersects(padded) {
			continue
		}
		g := clip.Geometry(padded, orb.Clone(f.Geometry))
		if g == nil {
			continue
		}
		layer := byName[f.layer]
		if layer == nil {
			layer = &mvt.Layer{Name: f.layer, Version: 2, Extent: mvt.DefaultExtent}
			byName[f.layer] = layer
		}
		layer.Features = append(layer.Features, &geojson.Feature{Type: "Feature", Geometry: g, Properties: f.properties})
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		layer := byName[name]
		layer.ProjectToTile(tile)
		tolerance, smallest := 8.0, 16.0*16 // half a pixel, one pixel
		if tile.Z == maxZoom {
			tolerance, smallest = 4, 8*8
		}
		if name == "landcover" || name == "landuse" {
			tolerance, smallest = 2*tolerance, 16*smallest
		}
		layer.Simplify(simplify.DouglasPeucker(tolerance))
		layer.RemoveEmpty(tolerance, smallest)
		if len(layer.Features) > 0 {
			layers = append(layers, layer)
		}
	}
	return layers
}

// tileID returns the place of a tile on the Hilbert curves of all zooms.
func tileID(t maptile.Tile) (id uint64) {
	for z := range t.Z {
		id += 1 << (2 * z)
	}
	x, y := t.X, t.Y
	for side := uint32(1) << t.Z >> 1; side > 0; side >>= 1 {
		var right, lower uint32
		if x&side != 0 {
			right = 1
		}
		if y&side != 0 {
			lower = 1
		}
		id += uint64(side) * uint64(side) * uint64(3*right^lower)
		if lower == 0 {
			if right == 1 {
				x, y = side-1-x&(side-1), side-1-y&(side-1)
			}
			x, y = y, x
		}
	}
	return id
}

// archive returns a PMTiles file, version 3, whose root directory has all tiles.
func archive(tiles map[uint64][]byte, zooms map[string]int, features []feature) ([]byte, error) {
	type layer struct {
		ID      string            `json:"id"`
		Fields  map[string]string `json:"fields"`
		MinZoom int               `json:"minzoom"`
		MaxZoom int               `json:"maxzoom"`
	}
	var layers []layer
	for _, name := range slices.Sorted(maps.Keys(zooms)) {
		fields := map[string]string{}
		for _, f := range features {
			for key, value := range f.properties {
				if f.layer == name {
					fields[key] = map[bool]string{true: "String", false: "Number"}[fmt.Sprintf("%T", value) == "string"]
				}
			}
		}
		layers = append(layers, layer{name, fields, zooms[name], maxZoom})
	}
	metadata, err := json.Marshal(map[string]any{"name": "Streets for tests", "attribution": attribution, "type": "baselayer", "vector_layers": layers})
	if err != nil {
		return nil, err
	}
	metadata = compress(metadata)

	ids := slices.Sorted(maps.Keys(tiles))
	directory := binary.AppendUvarint(nil, uint64(len(ids)))
	before := uint64(0)
	for _, id := range ids {
		directory = binary.AppendUvarint(directory, id-before)
		before = id
	}
	for range ids {
		directory = binary.AppendUvarint(directory, 1)
	}
	for _, id := range ids {
		directory = binary.AppendUvarint(directory, uint64(len(tiles[id])))
	}
	var data []byte
	for i, id := range ids {
		directory = append(directory, map[bool]byte{true: 1}[i == 0]) // the first at 0, the others next to each other
		data = append(data, tiles[id]...)
	}
	directory = compress(directory)

	header := append([]byte("PMTiles"), 3)
	add := func(values ...int) {
		for _, v := range values {
			header = binary.LittleEndian.AppendUint64(header, uint64(v))
		}
	}
	root := 127 + len(directory)
	start := root + len(metadata)
	add(127, len(directory), root, len(metadata), start, 0, start, len(data), len(ids), len(ids), len(ids))
	minZoom := slices.Min(slices.Collect(maps.Values(zooms)))
	const isClustered, isGzip, isMVT = 1, 2, 1
	header = append(header, isClustered, isGzip, isGzip, isMVT, byte(minZoom), maxZoom)
	position := func(p orb.Point) {
		for _, v := range p {
			header = binary.LittleEndian.AppendUint32(header, uint32(int32(math.Round(v*1e7))))
		}
	}
	position(box.Min)
	position(box.Max)
	header = append(header, 12)
	position(box.Center())
	return slices.Concat(header, directory, metadata, data), nil
}

func compress(body []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // never: memory takes everything
	}
	return out.Bytes()
}

// writePubs writes where people drink.
func writePubs(name string, objects []object) error {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write([]string{"UID", "name", "latitude", "longitude", "common_category"}) // a buffer takes everything
	categories := map[string]string{"pub": "Pub", "bar": "Bar", "biergarten": "Beer garden", "cafe": "Cafe", "restaurant": "Restaurant"}
	n := 0
	for _, o := range objects {
		category := categories[o.tags.Find("amenity")]
		if category == "" || !box.Contains(o.Bound().Center()) || o.tags.Find("name") == "" {
			continue
		}
		n++
		at := o.Bound().Center()
		_ = w.Write([]string{fmt.Sprintf("li%d", n), o.tags.Find("name"), fmt.Sprintf("%.6f", at.Lat()), fmt.Sprintf("%.6f", at.Lon()), category})
	}
	w.Flush()
	log.Printf("%s: %d pubs", name, n)
	return os.WriteFile(name, out.Bytes(), 0o666)
}
