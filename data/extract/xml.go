package extract

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
)

// Limits of what the XML decoder holds at once.
const (
	maxToken = 1 << 20 // bytes of a tag, a text or a comment
	maxDepth = 16      // elements within each other; OpenStreetMap has 4
)

// xmlFile is an XML file as OpenStreetMap, Overpass and JOSM write it.
type xmlFile struct {
	file    io.ReadSeeker
	size    int64
	element raw
	// isOpen is set within an element of OpenStreetMap, isDeleted if it must not count.
	isOpen, isDeleted bool
	tagged            int // its tags, of the same key too
}

// tokenReader reads the bytes of tokens. It ends when one is too long.
type tokenReader struct {
	*bufio.Reader
	left int
}

var errLongToken = errors.New("a tag, text or comment of more than 1 MiB")

func (r *tokenReader) ReadByte() (byte, error) {
	if r.left--; r.left < 0 {
		return 0, errLongToken
	}
	return r.Reader.ReadByte()
}

// fileReader keeps the error of a file apart from those of its content, and looks whether the context has ended.
type fileReader struct {
	ctx  context.Context
	file io.Reader
	err  error
}

func (r *fileReader) Read(buffer []byte) (n int, err error) {
	if err = r.ctx.Err(); err == nil {
		n, err = r.file.Read(buffer)
	}
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// pass begins with the first byte, as the rest would be no XML.
func (f *xmlFile) pass(ctx context.Context, part span, p pass) (spans [3]span, err error) {
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return spans, err
	}
	file := &fileReader{ctx: ctx, file: f.file}
	in := &tokenReader{Reader: bufio.NewReaderSize(file, 1<<16)}
	decoder := xml.NewDecoder(in)
	depth, hasRoot, reported := 0, false, int64(0)
	for f.isOpen = false; ; {
		at := decoder.InputOffset()
		if depth <= 1 && at >= part.to && part.to < f.size {
			return spans, nil
		}
		if at-reported >= 1<<16 {
			reported = at
			p.read(at)
		}
		in.left = maxToken
		token, err := decoder.Token()
		switch {
		case file.err != nil:
			return spans, file.err
		case err == io.EOF && !hasRoot:
			return spans, damagedAt(at, damaged("has no <osm>"))
		case err == io.EOF:
			return spans, nil
		case err != nil:
			return spans, damagedAt(at, damaged("%v", err))
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch depth++; {
			case depth > maxDepth:
				err = damaged("more than %d elements within each other", maxDepth)
			case depth == 1 && token.Name.Local != "osm":
				err = damaged("must begin with <osm> instead of <%.40s>: is it an extract?", token.Name.Local)
			case depth == 1:
				hasRoot = true
			case depth == 2:
				err = f.begin(token, p.kinds)
			case f.isOpen:
				err = f.add(token)
			}
		case xml.EndElement:
			if depth--; depth == 1 && f.isOpen {
				f.isOpen = false
				spans[f.element.kind] = spans[f.element.kind].add(0, decoder.InputOffset())
				if !f.isDeleted && p.wants(&f.element) {
					err = p.take(&f.element)
				}
			}
		}
		if err != nil {
			return spans, damagedAt(at, err)
		}
	}
}

// begin begins a node, way or relation, if the pass needs the kind.
func (f *xmlFile) begin(token xml.StartElement, needed kinds) error {
	k := kind(slices.Index(kindNames[:], token.Name.Local))
	if f.isOpen = k >= 0 && needed[k]; !f.isOpen {
		return nil
	}
	e := &f.element
	clear(e.tags)
	*e = raw{kind: k, around: noBox, tags: e.tags, nodes: e.nodes[:0], ways: e.ways[:0]}
	if e.tags == nil {
		e.tags = map[string]string{}
	}
	f.tagged = 0
	f.isDeleted = attribute(token, "visible") == "false" || attribute(token, "action") == "delete"
	var err error
	if e.id, err = strconv.ParseInt(attribute(token, "id"), 10, 64); err != nil {
		return damaged("%s: id %.40q: must be an integer", token.Name.Local, attribute(token, "id"))
	}
	e.at, err = place(token, "lat", "lon")
	return err
}

// add adds what lies within a node, way or relation, at any depth: Overpass has nodes within members.
func (f *xmlFile) add(token xml.StartElement) error {
	e := &f.element
	switch name := token.Name.Local; name {
	case "tag":
		if f.tagged++; f.tagged > maxTags {
			return damaged("%s %d: more than %d tags", kindNames[e.kind], e.id, maxTags)
		}
		e.tags[attribute(token, "k")] = attribute(token, "v")
	case "bounds":
		low, err := place(token, "minlat", "minlon")
		if err != nil {
			return err
		}
		high, err := place(token, "maxlat", "maxlon")
		if err != nil {
			return err
		}
		e.around = e.around.with(low).with(high)
	case "nd", "member", "center":
		at, err := place(token, "lat", "lon")
		if err != nil {
			return err
		}
		e.around = e.around.with(at)
		return f.addRef(token)
	}
	return nil
}

// addRef adds the node of a way or the member of a relation, if it has a number.
func (f *xmlFile) addRef(token xml.StartElement) error {
	e, ref := &f.element, attribute(token, "ref")
	if ref == "" {
		return nil
	}
	id, err := strconv.ParseInt(ref, 10, 64)
	if err != nil {
		return damaged("%s %d: ref %.40q: must be an integer", kindNames[e.kind], e.id, ref)
	}
	switch member := attribute(token, "type"); {
	case e.kind == way && token.Name.Local == "nd", e.kind == relation && member == "node":
		e.nodes = append(e.nodes, id)
	case e.kind == relation && member == "way":
		e.ways = append(e.ways, id)
	}
	if len(e.nodes)+len(e.ways) > maxRefs {
		return damaged("%s %d: more than %d nodes or members", kindNames[e.kind], e.id, maxRefs)
	}
	return nil
}

// attribute returns the value of an attribute, or nothing.
func attribute(token xml.StartElement, name string) string {
	for _, a := range token.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// place returns the position in two attributes, or nowhere if they are missing.
func place(token xml.StartElement, latName, lonName string) (position, error) {
	var coordinates [2]float64
	for i, name := range []string{latName, lonName} {
		text := attribute(token, name)
		if text == "" {
			return nowhere, nil
		}
		var err error
		if coordinates[i], err = strconv.ParseFloat(text, 64); err != nil {
			return nowhere, damaged("%s: %s %.40q: must be a number", token.Name.Local, name, text)
		}
	}
	return fromUnits(coordinates[0]*degree, coordinates[1]*degree), nil
}
