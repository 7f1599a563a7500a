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

// An xmlReader reads the elements of an XML file as OpenStreetMap, Overpass and JOSM write it.
type xmlReader struct {
	element raw
	// isOpen is set within an element of OpenStreetMap, isDeleted if it must not count.
	isOpen, isDeleted bool
}

// eachInXML calls take with the elements of an XML file. It reports the byte from time to time.
func eachInXML(ctx context.Context, file io.Reader, _ int64, take func(*raw) error, report func(at int64)) error {
	in := &tokenReader{Reader: bufio.NewReaderSize(file, 1<<16)}
	decoder := xml.NewDecoder(in)
	var f xmlReader
	depth, hasRoot, reported := 0, false, int64(0)
	for ctx.Err() == nil {
		at := decoder.InputOffset()
		if at-reported >= 1<<16 {
			reported = at
			report(at)
		}
		in.left = maxToken
		token, err := decoder.Token()
		var syntax *xml.SyntaxError
		switch {
		case err == io.EOF && hasRoot:
			return nil
		case err == io.EOF:
			err = damaged("has no <osm>")
		case errors.As(err, &syntax) || err == errLongToken:
			err = damaged("%v", err)
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
				err = f.begin(token)
			case f.isOpen:
				err = f.add(token)
			}
		case xml.EndElement:
			if depth--; depth == 1 && f.isOpen {
				f.isOpen = false
				if !f.isDeleted {
					err = take(&f.element)
				}
			}
		}
		if err != nil {
			return damagedAt(at, err)
		}
	}
	return ctx.Err()
}

// begin begins a node, way or relation.
func (f *xmlReader) begin(token xml.StartElement) (err error) {
	k := kind(slices.Index(kindNames[:], token.Name.Local))
	if f.isOpen = k >= 0; !f.isOpen {
		return nil
	}
	f.element.begin(ref{kind: k})
	f.isDeleted = attribute(token, "visible") == "false" || attribute(token, "action") == "delete"
	if f.element.id, err = strconv.ParseInt(attribute(token, "id"), 10, 64); err != nil {
		return damaged("%s: id %.40q: must be an integer", token.Name.Local, attribute(token, "id"))
	}
	return f.addPosition(token, "lat", "lon")
}

// add adds what lies within a node, way or relation, at any depth: Overpass has nodes within members.
func (f *xmlReader) add(token xml.StartElement) error {
	e := &f.element
	switch name := token.Name.Local; name {
	case "tag":
		return e.addTag(attribute(token, "k"), attribute(token, "v"))
	case "bounds":
		if err := f.addPosition(token, "minlat", "minlon"); err != nil {
			return err
		}
		return f.addPosition(token, "maxlat", "maxlon")
	case "nd", "member", "center":
		if err := f.addPosition(token, "lat", "lon"); err != nil {
			return err
		}
		text := attribute(token, "ref")
		if text == "" {
			return nil
		}
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return damaged("%s %d: ref %.40q: must be an integer", e.kind, e.id, text)
		}
		switch member := attribute(token, "type"); {
		case e.kind == way && name == "nd", e.kind == relation && member == "node":
			return e.addRef(ref{node, id})
		case e.kind == relation && member == "way":
			return e.addRef(ref{way, id})
		}
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

// addPosition adds the position in two attributes, if they are there.
func (f *xmlReader) addPosition(token xml.StartElement, latName, lonName string) error {
	var coordinates [2]float64
	for i, name := range []string{latName, lonName} {
		text := attribute(token, name)
		if text == "" {
			return nil
		}
		var err error
		if coordinates[i], err = strconv.ParseFloat(text, 64); err != nil {
			return damaged("%s: %s %.40q: must be a number", token.Name.Local, name, text)
		}
	}
	f.element.around = f.element.around.union(boxAt(coordinates[0]*degree, coordinates[1]*degree))
	return nil
}
