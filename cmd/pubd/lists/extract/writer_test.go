package extract

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// item is an element that tests write.
type item struct {
	kind     kind
	id       int64
	lat, lon int32 // of a node, in units
	tags     map[string]string
	nodes    []int64 // of a way
	members  []member
	deleted  bool
}

type member struct {
	kind kind
	id   int64
}

// model returns what Read must give for some items, in the plainest way.
func model(items []item, keep func(map[string]string) bool) (elements []Element) {
	all := map[member]item{}
	for _, it := range items {
		if !it.deleted {
			all[member{it.kind, it.id}] = it
		}
	}
	for _, it := range items {
		if it.deleted || len(it.tags) == 0 || !keep(it.tags) {
			continue
		}
		var lats, lons []float64
		var add func(m member)
		add = func(m member) {
			found, known := all[m]
			switch {
			case !known:
			case m.kind == node:
				lats, lons = append(lats, float64(found.lat)), append(lons, float64(found.lon))
			case m.kind == way:
				for _, id := range found.nodes {
					add(member{node, id})
				}
			}
		}
		add(member{it.kind, it.id})
		for _, m := range it.members {
			add(m)
		}
		e := Element{Type: kindNames[it.kind], ID: it.id, Latitude: math.NaN(), Longitude: math.NaN(), Tags: it.tags}
		if len(lats) > 0 {
			e.Latitude = math.Round((slices.Min(lats)+slices.Max(lats))/2) / 1e7
			e.Longitude = math.Round((slices.Min(lons)+slices.Max(lons))/2) / 1e7
		}
		elements = append(elements, e)
	}
	return elements
}

// pbfWriter writes PBF. The zero value writes plain nodes, uncompressed, in one block.
type pbfWriter struct {
	dense, deflate bool
	perBlock       int // elements; 0 means all
	granularity    int64
	offset         int64
	required       []string
	// spoil changes a block before it is compressed.
	spoil func(block []byte) []byte
}

func (w pbfWriter) write(items []item) []byte {
	var header []byte
	for _, feature := range append([]string{"OsmSchema-V0.6", "DenseNodes"}, w.required...) {
		header = appendBytes(header, 4, []byte(feature))
	}
	file := w.appendBlob(nil, "OSMHeader", header)
	for len(items) > 0 {
		n := 1
		for n < len(items) && n != w.perBlock {
			n++
		}
		file, items = w.appendBlob(file, "OSMData", w.block(items[:n])), items[n:]
	}
	return file
}

func (w pbfWriter) appendBlob(file []byte, title string, content []byte) []byte {
	blob := appendBytes(nil, 1, content)
	if w.deflate {
		blob = appendDeflated(content, len(content))
	}
	return appendFrame(file, title, blob)
}

// appendDeflated returns a blob that says it has a size when expanded.
func appendDeflated(content []byte, size int) []byte {
	var deflated bytes.Buffer
	z := zlib.NewWriter(&deflated)
	z.Write(content)
	z.Close()
	return appendBytes(appendVarint(nil, 2, uint64(size)), 3, deflated.Bytes())
}

func appendFrame(file []byte, title string, blob []byte) []byte {
	header := appendVarint(appendBytes(nil, 1, []byte(title)), 3, uint64(len(blob)))
	file = binary.BigEndian.AppendUint32(file, uint32(len(header)))
	return append(append(file, header...), blob...)
}

func appendBytes(m []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), content)
}

func appendVarint(m []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), value)
}

func appendSint(m []byte, field protowire.Number, value int64) []byte {
	return appendVarint(m, field, protowire.EncodeZigZag(value))
}

func appendPacked(m []byte, field protowire.Number, values []uint64) []byte {
	var content []byte
	for _, v := range values {
		content = protowire.AppendVarint(content, v)
	}
	return appendBytes(m, field, content)
}

// differences returns values as differences, as sint64 is written.
func differences(values []int64) (all []uint64) {
	last := int64(0)
	for _, v := range values {
		all = append(all, protowire.EncodeZigZag(v-last))
		last = v
	}
	return all
}

// block returns a PrimitiveBlock, with a group for each run of a kind.
func (w pbfWriter) block(items []item) []byte {
	if w.granularity == 0 {
		w.granularity = 100
	}
	granules := func(units int32) int64 { return (int64(units)*100 - w.offset) / w.granularity }
	texts, numbers := [][]byte{{}}, map[string]uint64{}
	number := func(text string) uint64 {
		if _, known := numbers[text]; !known {
			numbers[text] = uint64(len(texts))
			texts = append(texts, []byte(text))
		}
		return numbers[text]
	}
	numbered := func(it item) (keys, values []uint64) {
		for _, key := range slices.Sorted(maps.Keys(it.tags)) {
			keys, values = append(keys, number(key)), append(values, number(it.tags[key]))
		}
		return keys, values
	}
	items = slices.DeleteFunc(slices.Clone(items), func(it item) bool { return it.deleted })
	var groups []byte
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].kind == items[0].kind {
			n++
		}
		run := items[:n]
		items = items[n:]
		var group []byte
		if w.dense && run[0].kind == node {
			var ids, lats, lons []int64
			var tags []uint64
			hasTags := false
			for _, it := range run {
				ids, lats, lons = append(ids, it.id), append(lats, granules(it.lat)), append(lons, granules(it.lon))
				keys, values := numbered(it)
				for i := range keys {
					tags = append(tags, keys[i], values[i])
					hasTags = true
				}
				tags = append(tags, 0)
			}
			dense := appendPacked(nil, 1, differences(ids))
			dense = appendPacked(appendPacked(dense, 8, differences(lats)), 9, differences(lons))
			if hasTags {
				dense = appendPacked(dense, 10, tags)
			}
			groups = appendBytes(groups, 2, appendBytes(nil, 2, dense))
			continue
		}
		for _, it := range run {
			var m []byte
			keys, values := numbered(it)
			if m = appendVarint(m, 1, uint64(it.id)); it.kind == node {
				m = appendSint(nil, 1, it.id)
			}
			m = appendPacked(appendPacked(m, 2, keys), 3, values)
			switch it.kind {
			case node:
				m = appendSint(appendSint(m, 8, granules(it.lat)), 9, granules(it.lon))
			case way:
				m = appendPacked(m, 8, differences(it.nodes))
			case relation:
				var roles, types []uint64
				var ids []int64
				for _, member := range it.members {
					roles, types, ids = append(roles, 0), append(types, uint64(member.kind)), append(ids, member.id)
				}
				m = appendPacked(appendPacked(appendPacked(m, 8, roles), 9, differences(ids)), 10, types)
			}
			group = appendBytes(group, protowire.Number([]int{node: 1, way: 3, relation: 4}[it.kind]), m)
		}
		groups = appendBytes(groups, 2, group)
	}
	var table []byte
	for _, text := range texts {
		table = appendBytes(table, 1, text)
	}
	block := append(appendBytes(nil, 1, table), groups...)
	block = appendVarint(appendVarint(block, 17, uint64(w.granularity)), 19, uint64(w.offset))
	block = appendVarint(block, 20, uint64(w.offset))
	if w.spoil != nil {
		block = w.spoil(block)
	}
	return block
}

// writeXML writes XML as planet.osm has it.
func writeXML(items []item) []byte {
	var file bytes.Buffer
	quote := func(text string) string {
		var quoted bytes.Buffer
		xml.EscapeText(&quoted, []byte(text))
		return quoted.String()
	}
	file.WriteString("<?xml version='1.0' encoding='UTF-8'?>\n<osm version=\"0.6\">\n<bounds minlat=\"1\" minlon=\"1\" maxlat=\"2\" maxlon=\"2\"/>\n")
	for _, it := range items {
		fmt.Fprintf(&file, `<%s id="%d"`, kindNames[it.kind], it.id)
		if it.kind == node {
			fmt.Fprintf(&file, ` lat="%s" lon="%s"`, decimal(it.lat), decimal(it.lon))
		}
		if it.deleted {
			file.WriteString(` visible="false"`)
		}
		file.WriteString(">")
		for _, id := range it.nodes {
			fmt.Fprintf(&file, `<nd ref="%d"/>`, id)
		}
		for _, m := range it.members {
			fmt.Fprintf(&file, `<member type="%s" ref="%d" role=""/>`, kindNames[m.kind], m.id)
		}
		for _, key := range slices.Sorted(maps.Keys(it.tags)) {
			fmt.Fprintf(&file, `<tag k="%s" v="%s"/>`, quote(key), quote(it.tags[key]))
		}
		fmt.Fprintf(&file, "</%s>\n", kindNames[it.kind])
	}
	file.WriteString("</osm>\n")
	return file.Bytes()
}

// decimal returns a coordinate as text with seven decimals.
func decimal(units int32) string { return strconv.FormatFloat(float64(units)/1e7, 'f', 7, 64) }
