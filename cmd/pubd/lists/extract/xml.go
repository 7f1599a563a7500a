package extract

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"math"
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

// eachInXML calls take with the elements of an XML file.
func eachInXML(file io.Reader, _ int64, take func(*raw) error) error {
	in := &tokenReader{Reader: bufio.NewReaderSize(file, 1<<16)}
	decoder := xml.NewDecoder(in)
	var f xmlReader
	depth, hasRoot := 0, false
	for {
		at := decoder.InputOffset()
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
	return f.addPositions(token)
}

// add adds what lies within a node, way or relation, at any depth: Overpass has nodes within members.
func (f *xmlReader) add(token xml.StartElement) error {
	e := &f.element
	if token.Name.Local == "tag" {
		return e.addTag(attribute(token, "k"), attribute(token, "v"))
	}
	if err := f.addPositions(token); err != nil {
		return err
	}
	text := attribute(token, "ref")
	if text == "" || e.kind == node {
		return nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return damaged("%s %d: ref %.40q: must be an integer", e.kind, e.id, text)
	}
	member := node
	if e.kind == relation {
		member = kind(slices.Index(kindNames[:], attribute(token, "type")))
	}
	return e.addRef(ref{member, id})
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

// addPositions adds the positions in attributes: that of a node or a center, or the corners of bounds.
func (f *xmlReader) addPositions(token xml.StartElement) error {
	for _, names := range [...][2]string{{"lat", "lon"}, {"minlat", "minlon"}, {"maxlat", "maxlon"}} {
		var position [2]float64
		for i, name := range names {
			position[i] = math.NaN()
			if text := attribute(token, name); text != "" {
				var err error
				if position[i], err = strconv.ParseFloat(text, 64); err != nil {
					return damaged("%s: %s %.40q: must be a number", token.Name.Local, name, text)
				}
			}
		}
		f.element.around = f.element.around.union(boxAt(position[0]*degree, position[1]*degree))
	}
	return nil
}
