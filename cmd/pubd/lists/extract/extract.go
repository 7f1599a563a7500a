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
// paulmach/osm v0.8.0 decodes in goroutines of its own, where a bad index, or a node that is not among DenseNodes, panics
// and ends the process, and expands a block of 4 MB to 4 GB before it compares the size.
package extract

import (
	"fmt"
	"io"
	"maps"
	"slices"

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
	// maxHeld bounds an estimate of the memory for kept elements. All pubs and bars of the planet take a third.
	maxHeld = 2 << 30
)

// Read calls take with each element whose tags keep accepts, in the order of the file, after reading it up to three
// times. The format is sniff.PBF or sniff.OSMXML, neither compressed as a whole. Elements without tags do not count, nor
// do deleted ones, which PBF has only in a history. The map passed to keep is valid during the call only. The file must
// not change.
//
// An error of take and of the file is returned as it is. Of a damaged file the error says at which
// byte; it does not name the file. A PBF file that was cut between two blocks looks complete, which only a checksum can
// tell. A whole pass takes about a second per 40 MB of PBF or 30 MB of XML.
func Read(file io.ReadSeeker, format sniff.Kind, keep func(tags map[string]string) bool,
	take func(Element) error) error {
	elements, err := read(file, format, keep, maxHeld)
	if err != nil {
		return err
	}
	for i := range elements.kept {
		k := &elements.kept[i]
		k.Latitude, k.Longitude = elements.box(k.shape).middle()
		if err := take(k.Element); err != nil {
			return err
		}
	}
	return nil
}

// read makes the passes. limit is in bytes.
func read(file io.ReadSeeker, format sniff.Kind, keep func(tags map[string]string) bool, limit int64) (*held, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	each := func(take func(e *raw) error) error {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		read := eachInPBF
		if format == sniff.OSMXML {
			read = eachInXML
		}
		return read(file, size, take)
	}
	h := &held{limit: limit, sought: [...]map[int64]shape{node: {}, way: {}}}
	err = each(func(e *raw) error {
		if len(e.tags) == 0 || !keep(e.tags) {
			return nil
		}
		return h.add(e)
	})
	for _, k := range []kind{way, node} {
		if err != nil || len(h.sought[k]) == 0 {
			continue
		}
		err = each(func(e *raw) (err error) {
			if _, isSought := h.sought[k][e.id]; e.kind == k && isSought {
				h.sought[k][e.id], err = h.shapeOf(e)
			}
			return err
		})
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

func (k kind) String() string { return kindNames[k] }

// ref refers to an element.
type ref struct {
	kind kind
	id   int64
}

// raw is an element as a file has it. It is valid until the next one is read.
type raw struct {
	ref
	// around is the position of a node, in units, or around those that the file has in a way or relation.
	around Box
	tags   map[string]string
	tagged int   // the tags, those of the same key too
	refs   []ref // nodes of a way, or nodes and ways in a relation
}

// begin begins another element, and uses the memory of the last one again.
func (e *raw) begin(r ref) {
	if e.tags == nil {
		e.tags = map[string]string{}
	}
	clear(e.tags)
	*e = raw{ref: r, around: NoBox, tags: e.tags, refs: e.refs[:0]}
}

func (e *raw) addTag(key, value string) error {
	if e.tagged++; e.tagged > maxTags {
		return damaged("%s %d: more than %d tags", e.kind, e.id, maxTags)
	}
	e.tags[key] = value
	return nil
}

// addRef adds a node or member, unless it is a relation.
func (e *raw) addRef(r ref) error {
	if r.kind == node || r.kind == way {
		e.refs = append(e.refs, r)
	}
	if len(e.refs) > maxRefs {
		return damaged("%s %d: more than %d nodes or members", e.kind, e.id, maxRefs)
	}
	return nil
}

// held are the kept elements, and what their positions are made from.
type held struct {
	kept   []kept
	sought [2]map[int64]shape // nodes and ways by ID
	bytes  int64              // estimated
	limit  int64
}

type kept struct {
	Element
	shape shape
}

// shape positions an element: a box or, if that is empty, the elements that it refers to.
type shape struct {
	around Box
	refs   []ref
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
	refBytes     = 160
)

func (h *held) add(e *raw) error {
	bytes := elementBytes + len(e.tags)*tagBytes
	for key, value := range e.tags {
		bytes += len(key) + len(value)
	}
	if err := h.hold(bytes); err != nil {
		return err
	}
	shape, err := h.shapeOf(e)
	h.kept = append(h.kept, kept{Element{Type: e.kind.String(), ID: e.id, Tags: maps.Clone(e.tags)}, shape})
	return err
}

// shapeOf returns the shape of an element, and seeks what that refers to.
func (h *held) shapeOf(e *raw) (shape, error) {
	if !e.around.IsEmpty() {
		return shape{around: e.around}, nil
	}
	for _, r := range e.refs {
		h.sought[r.kind][r.id] = shape{around: NoBox}
	}
	return shape{NoBox, slices.Clone(e.refs)}, h.hold(len(e.refs) * refBytes)
}

// box returns the box around a shape. Ways refer to nodes only, and nodes to nothing.
func (h *held) box(s shape) Box {
	around := s.around
	for _, r := range s.refs {
		around = around.union(h.box(h.sought[r.kind][r.id]))
	}
	return around
}

// damage is why a file cannot be read to its end.
type damage string

func (d damage) Error() string { return string(d) }

// damaged returns a damage. The reason may quote the file: it is cut, and safe for a terminal.
func damaged(format string, values ...any) error {
	return damage(fmt.Sprintf("%.200s", loader.Visible(fmt.Sprintf(format, values...))))
}

// damagedAt adds the position and the advice to damage; it leaves other errors alone.
func damagedAt(at int64, err error) error {
	if d, ok := err.(damage); ok {
		return fmt.Errorf("is damaged: byte %d: %s: download it again", at, d)
	}
	return err
}
