// Package extract reads the pubs of an OpenStreetMap extract, PBF or XML, in bounded memory. [Read] is the only entry
// point: a file and a function that says which elements to keep go in, and the kept elements come out, each with a
// position.
//
//	pass 1  all elements with tags: which to keep
//	pass 2  the ways that are members of kept relations: their nodes
//	pass 3  the nodes of kept elements: their positions
//
// A pass that would find nothing is left out, and passes 2 and 3 read only the part of the file that has ways or nodes.
// Memory grows with the kept elements and their nodes, and not with the file, apart from one block of at most 32 MiB.
//
// The file is hostile: every index, length and depth is checked, a block is never expanded beyond the limit of the
// format, and what is held has a limit. All work is done by the goroutine that calls, so that nothing is left running
// after an error. PBF is decoded here, as https://wiki.openstreetmap.org/wiki/PBF_Format has it, with protowire only:
// paulmach/osm v0.8.0 decodes in goroutines of its own, where a bad index panics and ends the process, and expands a
// block of 4 MB to 4 GB before it compares the size.
package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
)

// A Format is that of an extract.
type Format int

// The formats. Neither is compressed as a whole: expand .osm.bz2 and .osm.gz first.
const (
	PBF Format = iota
	XML
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
// times from its first byte. Deleted elements and those without tags do not count. The map passed to keep is valid
// during the call only. The file must not change.
//
// progress is called after each block with the bytes read of a total that stands for all passes and never changes; it
// may be nil. Both keep and progress are called by the goroutine that calls Read.
//
// An error of take, of the file and of the context is returned as it is. Of a damaged file the error says at which
// byte; it does not name the file. A PBF file that was cut between two blocks looks complete, which only a checksum can
// tell. A whole pass takes about a second per 40 MB of PBF or 30 MB of XML.
func Read(ctx context.Context, file io.ReadSeeker, format Format, keep func(tags map[string]string) bool,
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
func read(ctx context.Context, file io.ReadSeeker, format Format, keep func(tags map[string]string) bool,
	progress func(read, total int64), limit int64) (*held, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	var from source
	switch format {
	case PBF:
		from = &pbfFile{file: file, size: size}
	case XML:
		from = &xmlFile{file: file, size: size}
	default:
		return nil, fmt.Errorf("format %d: must be PBF or XML", format)
	}
	m := meter{progress: progress, size: size}
	m.begin(span{0, size}, size)
	h := &held{limit: limit}
	spans, err := from.pass(ctx, span{0, size}, pass{
		kinds: kinds{true, true, true},
		tags:  true,
		wants: func(e *raw) bool { return len(e.tags) > 0 && keep(e.tags) },
		take:  h.add,
		read:  m.report,
	})
	if err != nil {
		return nil, err
	}
	if err := h.resolve(ctx, from, spans, &m); err != nil {
		return nil, err
	}
	m.end()
	return h, nil
}

// A kind of element.
type kind int

const (
	node kind = iota
	way
	relation
)

var kindNames = [...]string{"node", "way", "relation"}

// kinds has whether each kind is meant.
type kinds [3]bool

// raw is an element as a file has it. It is valid until the next one is read.
type raw struct {
	kind   kind
	id     int64
	at     position          // of a node
	around box               // of a way or relation, if the file has positions there
	tags   map[string]string // if the pass reads tags
	nodes  []int64           // of a way, or members of a relation
	ways   []int64           // members of a relation
}

// span is a range of bytes; from is inclusive.
type span struct{ from, to int64 }

func (s span) add(from, to int64) span {
	if s.to == 0 {
		s.from = from
	}
	s.to = to
	return s
}

// A pass says what to read of a file.
type pass struct {
	kinds kinds
	tags  bool                 // whether wants looks at them
	wants func(e *raw) bool    // looks at kind, ID and tags only: nodes and ways may not be there yet
	take  func(e *raw) error   // receives what is wanted
	read  func(position int64) // receives the position in the file from time to time
}

// A source is a file of one format. pass reads a part of it that an earlier pass returned, or all, and returns the
// parts that have elements of each kind.
type source interface {
	pass(ctx context.Context, part span, p pass) ([3]span, error)
}

// errEnough is returned by a pass's take to end the pass.
var errEnough = errors.New("found everything")

// held are the kept elements, and what is still to be found for their positions.
type held struct {
	kept  []kept
	nodes *sought[position]
	ways  *sought[shape]
	bytes int64 // estimated
	limit int64
}

type kept struct {
	Element
	around      box
	nodes, ways []int64
}

// shape is what positions a way: the box or the nodes.
type shape struct {
	around box
	nodes  []int64
}

// hold notes some bytes.
func (h *held) hold(bytes int) error {
	if h.bytes += int64(bytes); h.bytes > h.limit {
		return fmt.Errorf("has more to keep than fits into %d MiB: keep fewer elements", h.limit>>20)
	}
	return nil
}

// Bytes that are held, roughly: of an element, of a tag besides its text, and of a reference while it is being sought.
const (
	elementBytes = 256
	tagBytes     = 64
	refBytes     = 48
)

func (h *held) add(e *raw) error {
	bytes := elementBytes + len(e.tags)*tagBytes
	for key, value := range e.tags {
		bytes += len(key) + len(value)
	}
	k := kept{Element: Element{Type: kindNames[e.kind], ID: e.id}, around: e.around}
	if e.kind == node {
		k.around = k.around.with(e.at)
	} else if k.around.isEmpty() {
		bytes += (len(e.nodes) + len(e.ways)) * refBytes
		k.nodes, k.ways = append(k.nodes, e.nodes...), append(k.ways, e.ways...)
	}
	if err := h.hold(bytes); err != nil {
		return err
	}
	k.Tags = make(map[string]string, len(e.tags))
	for key, value := range e.tags {
		// The texts are parts of a block, which would be held as well.
		k.Tags[strings.Clone(key)] = strings.Clone(value)
	}
	h.kept = append(h.kept, k)
	return nil
}

// resolve finds the ways and the nodes that are still missing.
func (h *held) resolve(ctx context.Context, from source, spans [3]span, m *meter) error {
	var ids []int64
	for _, k := range h.kept {
		ids = append(ids, k.ways...)
	}
	h.ways = seek[shape](ids)
	ids = nil
	for _, k := range h.kept {
		ids = append(ids, k.nodes...)
	}
	work := spans[node].to - spans[node].from
	if h.ways.missing > 0 {
		work += spans[way].to - spans[way].from
		m.begin(spans[way], work)
		err := h.ways.find(ctx, from, spans[way], way, m, func(e *raw) (shape, error) {
			if !e.around.isEmpty() {
				return shape{around: e.around}, nil
			}
			ids = append(ids, e.nodes...)
			return shape{around: noBox, nodes: append([]int64(nil), e.nodes...)}, h.hold(len(e.nodes) * refBytes)
		})
		if err != nil {
			return err
		}
	}
	h.nodes = seek[position](ids)
	if h.nodes.missing == 0 {
		return nil
	}
	m.begin(spans[node], work)
	return h.nodes.find(ctx, from, spans[node], node, m, func(e *raw) (position, error) { return e.at, nil })
}

// place returns an element with its position.
func (h *held) place(k *kept) Element {
	around := k.around
	addNodes := func(ids []int64) {
		for _, id := range ids {
			if at, known := h.nodes.get(id); known {
				around = around.with(at)
			}
		}
	}
	addNodes(k.nodes)
	for _, id := range k.ways {
		if s, known := h.ways.get(id); known {
			around = around.union(s.around)
			addNodes(s.nodes)
		}
	}
	e := k.Element
	e.Latitude, e.Longitude = around.middle()
	return e
}

// A meter converts the positions of passes to the bytes of Read's progress. The first pass is the first half of the
// total, and the others share the second half: in a sorted file, they read no byte twice.
type meter struct {
	progress func(read, total int64)
	size     int64
	// before is what earlier passes did. The pass reads part, each byte of which counts weight.
	before, last int64
	part         span
	weight       float64
}

// begin begins a pass over a part. work is what the passes of this half read.
func (m *meter) begin(part span, work int64) {
	m.before, m.part, m.weight = m.last, part, float64(m.size)/math.Max(1, float64(work))
}

func (m *meter) report(at int64) {
	m.last = m.before + int64(float64(at-m.part.from)*m.weight)
	if m.progress != nil {
		m.progress(m.last, 2*m.size)
	}
}

func (m *meter) end() {
	if m.progress != nil {
		m.progress(2*m.size, 2*m.size)
	}
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
	printable := func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}
	return &damage{-1, fmt.Sprintf("%.200s", strings.Map(printable, fmt.Sprintf(format, values...)))}
}

// damagedAt adds the position to damage; it leaves other errors alone.
func damagedAt(at int64, err error) error {
	if d, ok := err.(*damage); ok && d.at < 0 {
		return &damage{at, d.reason}
	}
	return err
}
