package list

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"pubd/data/extract"
	"pubd/loader"
	"pubd/loader/sniff"
)

// maxCell is the maximum length of the text of an XML element that is kept, and of a line of names, in bytes.
const maxCell = 1 << 20

// maxOpen is how many elements of XML may be open.
const maxOpen = 1000

// openXML makes a table of the placemarks of KML or the waypoints of GPX. The elements within one are its cells, by
// their names: those of KML's ExtendedData by the names that they give, and its point, or the middle of the box around
// all of its lines and polygons, as a text with both coordinates.
func (l *List) openXML(text []byte, kind sniff.Kind) error {
	r := xmlReader{row: "Placemark"}
	if l.Form = KML; kind == sniff.GPX {
		l.Form, r.row = GPX, "wpt"
	}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	// The text was decoded, whatever encoding its declaration names.
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	decoder.Strict = false
	for begins := int64(0); ; { // the offset of the row
		token, err := decoder.Token()
		line, _ := decoder.InputPos()
		if r.object == nil {
			begins = decoder.InputOffset()
		} else {
			line = r.object.line
		}
		if err == nil && decoder.InputOffset()-begins > maxRow {
			err = errors.New("an element is longer than 16 MiB")
		}
		switch {
		case err == io.EOF && r.isLink && len(l.Columns) == 0:
			return errors.New("is only a link to another file: open it in a browser, and save the file that it loads")
		case err == io.EOF:
			return nil
		case err != nil:
			return faultf(line, "must be valid %s: was it copied completely? %v", strings.ToUpper(string(l.Form)), err)
		}
		l.at(decoder.InputOffset())
		switch t := token.(type) {
		case xml.StartElement:
			if r.start(t, line); len(r.open) > maxOpen {
				return faultf(line, "elements are nested too deep")
			}
		case xml.CharData:
			if r.content.Len()+len(t) <= maxCell {
				r.content.Write(t)
			}
		case xml.EndElement:
			if o := r.end(t.Name.Local); o != nil {
				if err := l.addObject(o); err != nil {
					return err
				}
			}
		}
	}
}

// An xmlReader makes objects of elements.
type xmlReader struct {
	row     string          // the name of the elements that are rows
	open    []string        // the names of the open elements
	content strings.Builder // of the innermost one
	folders []string        // the names of the open folders of KML; empty for one without a name
	isLink  bool            // there is a link to another file
	object  *object         // the open row; nil outside of rows
	outside int             // how many elements are open around the row
	data    string          // the name of the last Data in the row
	around  extract.Box     // around the lines and polygons of the row
}

// start begins an element.
func (r *xmlReader) start(t xml.StartElement, line int) {
	name := t.Name.Local
	switch {
	case r.object == nil && name == r.row:
		r.object, r.outside, r.data, r.around = &object{line: line}, len(r.open), "", extract.NoBox
		r.object.setAttributes(t, r.folders)
	case r.object == nil && name == "Folder":
		r.folders = append(r.folders, "")
	case name == "NetworkLink":
		r.isLink = true
	}
	for _, a := range t.Attr {
		if (name == "Data" || name == "SimpleData") && a.Name.Local == "name" {
			r.data = a.Value
		}
		if r.object != nil && name == "link" && a.Name.Local == "href" {
			r.object.set("link", a.Value)
		}
	}
	r.open = append(r.open, name)
	r.content.Reset()
}

// end ends the innermost element. It returns the row that ends, if one does.
func (r *xmlReader) end(name string) *object {
	value := strings.TrimSpace(r.content.String())
	r.content.Reset()
	r.open = r.open[:len(r.open)-1]
	o := r.object
	switch {
	case o != nil && len(r.open) == r.outside:
		r.object = nil
		if !r.around.IsEmpty() {
			if o.set("geometry", pointOf(r.around)); !isSmall(r.around, 1) {
				o.fault = &loader.Complaint{Line: o.line, Column: "geometry", Rule: ruleGeometry}
			}
		}
		return o
	case o != nil && name == "coordinates":
		r.readPositions(strings.Fields(value))
	case o != nil && r.data != "" && (name == "value" || name == "SimpleData"):
		o.set(r.data, value)
	case o != nil && value != "" && name != "displayName":
		o.set(name, value)
	case o == nil && name == "Folder":
		r.folders = r.folders[:len(r.folders)-1]
	case o == nil && name == "name" && len(r.folders) > 0 && r.folders[len(r.folders)-1] == "":
		r.folders[len(r.folders)-1] = value // the folder's, or that of the document in it
	}
	return nil
}

// readPositions reads positions of KML, each a longitude, a latitude and perhaps a height: one is the point of the row,
// several extend the box.
func (r *xmlReader) readPositions(positions []string) {
	for _, position := range positions {
		parts := strings.Split(position, ",")
		switch {
		case len(positions) == 1 && len(parts) > 1:
			r.object.set("geometry", "POINT("+parts[0]+" "+parts[1]+")")
		case len(positions) == 1:
			r.object.set("geometry", position)
		case len(parts) > 1:
			r.around = withText(r.around, parts[1], parts[0])
		}
	}
}

// setAttributes sets the folder and the attributes of a placemark or waypoint.
func (o *object) setAttributes(start xml.StartElement, folders []string) {
	if last := len(folders) - 1; last >= 0 && folders[last] != "" {
		o.set("folder", folders[last])
	}
	for _, a := range start.Attr {
		if name := map[string]string{"lat": "latitude", "lon": "longitude", "id": "id"}[a.Name.Local]; name != "" {
			o.set(name, a.Value)
		}
	}
}
