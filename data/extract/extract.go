// Package extract reads the pubs of an OpenStreetMap extract, PBF or XML, in bounded memory. [Read] is the only entry
// point: a file and a function that says which elements to keep go in, and the kept elements come out, each with a
// position.
//
//	pass 1  all elements with tags: which to keep
//	pass 2  the ways that are members of kept relations: their nodes
//	pass 3  the nodes of kept elements: their positions
//
// A pass that would find nothing is left out. Memory grows with the kept elements and their nodes, and not with the
// file, apart from one block of at most 32 MiB.
//
// The file is hostile: every index, length and depth is checked, a block is never expanded beyond the limit of the
// format, and what is held has a limit. All work is done by the goroutine that calls, so that nothing is left running
// after an error. PBF is decoded here, as https://wiki.openstreetmap.org/wiki/PBF_Format has it, with protowire only:
// paulmach/osm v0.8.0 decodes in goroutines of its own, where a bad index panics and ends the process, and expands a
// block of 4 MB to 4 GB before it compares the size.
package extract

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"pubd/loader"
	"pubd/loader/sniff"
)

// An Element is a node, way or relation that was kept.
type Element struct {
	// Type is "node", "way" or "relation".
	Type string
	// ID is unique among the elements of the type.
	ID int64
	// Latitude and Longitude are in degrees with seven decimals; both are NaN if the file has no position. A way is at
	// the middle of the box around its nodes, a relation at that of its member nodes and ways. Relations within
	// relations do not count.
	Latitude, Longitude float64
	// Tags are the keys and values, at least one.
	Tags map[string]string
}

// Limits of what a file may make Read do. No real file comes near them.
const (
	maxTags = 10_000  // of an element
	maxRefs = 1 << 20 // nodes of a way or members of a relation; the API of OpenStreetMap allows 2,000 and 32,000
	// maxHeld bounds an estimate of the memory for kept elements. All pubs and bars of the planet take a quarter.
	maxHeld = 2 << 30
)

// Read calls take with each element whose tags keep accepts, in the order of the file, after reading it up to three
// times. The format is sniff.PBF or sniff.OSMXML, neither compressed as a whole. Elements without tags do not count, nor
// do deleted ones, which PBF has only in a history. The map passed to keep is valid during the call only. The file must
// not change.
//
// progress is called after each block with the bytes read of a total that stands for all passes and never changes; it
// may be nil. Both keep and progress are called by the goroutine that calls Read.
//
// An error of take, of the file and of the context is returned as it is. Of a damaged file the error says at which
// byte; it does not name the file. A PBF file that was cut between two blocks looks complete, which only a checksum can
// tell. A whole pass takes about a second per 40 MB of PBF or 30 MB of XML.
func Read(ctx context.Context, file io.ReadSeeker, format sniff.Kind, keep func(tags map[string]string) bool,
	take func(Element) error, progress func(read, total int64)) error {
	elements, err := read(ctx, file, format, keep, progress, maxHeld)
	if err != nil {
		return err
	}
	for i := range elements.kept {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := take(elements.place(&elements.kept[i])); err != nil {
			return err
		}
	}
	return nil
}

// read makes the passes. limit is in bytes.
func read(ctx context.Context, file io.ReadSeeker, format sniff.Kind, keep func(tags map[string]string) bool,
	progress func(read, total int64), limit int64) (*held, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	pass := 0
	each := func(take func(e *raw) error) error {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		report := func(at int64) {
			if progress != nil {
				progress(int64(pass)*size+at, 3*size)
			}
		}
		read := eachInPBF
		if format == sniff.OSMXML {
			read = eachInXML
		}
		err := read(ctx, file, size, take, report)
		pass++
		return err
	}
	h := &held{limit: limit, ways: map[int64]shape{}, nodes: map[int64]Box{}}
	err = each(func(e *raw) error {
		if len(e.tags) == 0 || !keep(e.tags) {
			return nil
		}
		return h.add(e)
	})
	if err == nil && len(h.ways) > 0 {
		err = each(func(e *raw) error {
			if _, isMember := h.ways[e.id]; e.kind != way || !isMember {
				return nil
			}
			if !e.around.IsEmpty() {
				h.ways[e.id] = shape{around: e.around}
				return nil
			}
			h.ways[e.id] = shape{NoBox, slices.Clone(e.nodes)}
			return h.seek(e.nodes)
		})
	}
	if err == nil && len(h.nodes) > 0 {
		err = each(func(e *raw) error {
			if _, isSought := h.nodes[e.id]; e.kind == node && isSought {
				h.nodes[e.id] = e.around
			}
			return nil
		})
	}
	if err == nil && progress != nil {
		progress(3*size, 3*size)
	}
	return h, err
}

// A kind of element.
type kind int

const (
	node kind = iota
	way
	relation
)

var kindNames = [...]string{"node", "way", "relation"}

// raw is an element as a file has it. It is valid until the next one is read.
type raw struct {
	kind kind
	id   int64
	// around is the position of a node, in units, or around those that the file has in a way or relation.
	around Box
	tags   map[string]string
	nodes  []int64 // of a way, or members of a relation
	ways   []int64 // members of a relation
}

// begin begins another element, and uses the memory of the last one again.
func (e *raw) begin(k kind, id int64) {
	if e.tags == nil {
		e.tags = map[string]string{}
	}
	clear(e.tags)
	*e = raw{kind: k, id: id, around: NoBox, tags: e.tags, nodes: e.nodes[:0], ways: e.ways[:0]}
}

// addRefs adds nodes or members.
func (e *raw) addRefs(kind kind, id int64) error {
	switch kind {
	case node:
		e.nodes = append(e.nodes, id)
	case way:
		e.ways = append(e.ways, id)
	}
	if len(e.nodes)+len(e.ways) > maxRefs {
		return damaged("%s %d: more than %d nodes or members", kindNames[e.kind], e.id, maxRefs)
	}
	return nil
}

// held are the kept elements, and what their positions are made from.
type held struct {
	kept  []kept
	ways  map[int64]shape // by ID; of one that is not found yet, the zero value
	nodes map[int64]Box   // by ID; NoBox for one that is not found yet
	bytes int64           // estimated
	limit int64
}

type kept struct {
	Element
	around      Box
	nodes, ways []int64
}

// shape is what positions a way: the box or the nodes.
type shape struct {
	around Box
	nodes  []int64
}

// hold notes some bytes.
func (h *held) hold(bytes int) error {
	if h.bytes += int64(bytes); h.bytes > h.limit {
		return fmt.Errorf("has more to keep than fits into %d MiB: keep fewer elements", h.limit>>20)
	}
	return nil
}

// Bytes that are held, roughly: of an element, of a tag besides its text, and of a reference.
const (
	elementBytes = 256
	tagBytes     = 64
	refBytes     = 96
)

// seek notes the nodes to be found.
func (h *held) seek(nodes []int64) error {
	for _, id := range nodes {
		h.nodes[id] = NoBox
	}
	return h.hold(len(nodes) * refBytes)
}

func (h *held) add(e *raw) error {
	bytes := elementBytes + len(e.tags)*tagBytes + len(e.ways)*refBytes
	for key, value := range e.tags {
		bytes += len(key) + len(value)
	}
	if err := h.hold(bytes); err != nil {
		return err
	}
	k := kept{Element: Element{Type: kindNames[e.kind], ID: e.id, Tags: make(map[string]string, len(e.tags))}, around: e.around}
	for key, value := range e.tags {
		// The texts are parts of a block, which would be held as well.
		k.Tags[strings.Clone(key)] = strings.Clone(value)
	}
	if k.around.IsEmpty() {
		k.nodes, k.ways = slices.Clone(e.nodes), slices.Clone(e.ways)
		for _, id := range k.ways {
			h.ways[id] = shape{around: NoBox}
		}
		if err := h.seek(k.nodes); err != nil {
			return err
		}
	}
	h.kept = append(h.kept, k)
	return nil
}

// place returns an element with its position.
func (h *held) place(k *kept) Element {
	around := k.around
	addNodes := func(ids []int64) {
		for _, id := range ids {
			around = around.union(h.nodes[id])
		}
	}
	addNodes(k.nodes)
	for _, id := range k.ways {
		around = around.union(h.ways[id].around)
		addNodes(h.ways[id].nodes)
	}
	e := k.Element
	e.Latitude, e.Longitude = around.middle()
	return e
}

// damage is why a file cannot be read to its end.
type damage struct {
	at     int64 // the byte, or -1 if unknown
	reason string
}

func (d *damage) Error() string {
	if d.at < 0 {
		return "is damaged: " + d.reason + ": download it again"
	}
	return fmt.Sprintf("is damaged: byte %d: %s: download it again", d.at, d.reason)
}

// damaged returns damage at an unknown byte. The reason may quote the file: it is cut, and safe for a terminal.
func damaged(format string, values ...any) error {
	return &damage{-1, fmt.Sprintf("%.200s", loader.Visible(fmt.Sprintf(format, values...)))}
}

// damagedAt adds the position to damage; it leaves other errors alone.
func damagedAt(at int64, err error) error {
	if d, ok := err.(*damage); ok && d.at < 0 {
		return &damage{at, d.reason}
	}
	return err
}
