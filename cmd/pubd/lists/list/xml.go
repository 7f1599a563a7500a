package list

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"pubd/cmd/pubd/lists/extract"
	"pubd/loader"
	"pubd/loader/sniff"
)

// maxCell is the maximum length of the text of an XML element that is kept, and of a line of names, in bytes.
const maxCell = 1 << 20

// maxOpen is how many elements of XML may be open.
const maxOpen = 1000

// openXML makes a table of the placemarks of KML, the waypoints of GPX, or the elements of other XML that repeat most. The
// elements within one are its cells, by their names: those of KML's ExtendedData by the names that they give, and its
// point, or the middle of the box around all of its lines and polygons, as a text with both coordinates. In other XML,
// the names of all elements and attributes that lead to a text are joined by points.
func (l *List) openXML(text []byte, kind sniff.Kind) error {
	r := xmlReader{row: "Placemark"}
	switch l.Form = KML; kind {
	case sniff.GPX:
		l.Form, r.row = GPX, "wpt"
	case sniff.XML:
		l.Form, r.isTable = XML, true
		if r.row = l.options.Path; r.row == "" {
			r.row = l.rowsOf(text)
		}
		l.Found = append(l.Found, "the elements "+loader.Visible(loader.Shorten(r.row)))
	}
	decoder := newXMLDecoder(text)
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

func newXMLDecoder(text []byte) *xml.Decoder {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	// The text was decoded, whatever encoding its declaration names.
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	decoder.Strict = false
	return decoder
}

// rowsOf returns the path of the elements that are most numerous, without the outermost element: of those with a column
// that is known as a name of an element within or of an attribute, or if there are none, of all that have any. Of equally
// many, it is the outer one.
func (l *List) rowsOf(text []byte) string {
	type count struct{ known, all int }
	counts := map[string]count{}
	var open []string
	var last []count // of each open element, how many names within are known, and how many there are
	name := func(name string) {
		if n := len(last) - 1; n >= 0 {
			last[n].all++
			if l.options.Known != nil && l.options.Known(name) {
				last[n].known++
			}
		}
	}
	best := ""
	for decoder := newXMLDecoder(text); len(counts) < maxLists && len(open) < maxOpen; {
		token, err := decoder.RawToken()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			name(t.Name.Local)
			open, last = append(open, t.Name.Local), append(last, count{})
			for _, a := range t.Attr {
				name(a.Name.Local)
			}
		case xml.EndElement:
			n := len(open) - 1
			if path := pathOf(open, 1); path != "" && last[n].all > 0 {
				c := counts[path]
				counts[path] = count{c.known + min(last[n].known, 1), c.all + 1}
			}
			open, last = open[:max(n, 0)], last[:max(n, 0)]
		}
	}
	for path, c := range counts {
		b := counts[best]
		order := cmp.Or(c.known-b.known, c.all-b.all, strings.Count(best, ".")-strings.Count(path, "."), strings.Compare(best, path))
		if best == "" || order > 0 {
			best = path
		}
	}
	return best
}

// pathOf returns the names of open elements from one on, joined by points; empty if they are too deep or long.
func pathOf(open []string, from int) string {
	if len(open) <= from || len(open) > from+maxDepth {
		return ""
	}
	path := strings.Join(open[from:], ".")
	if len(path) > maxName {
		return ""
	}
	return path
}

// An xmlReader makes objects of elements.
type xmlReader struct {
	row     string          // the name of the elements that are rows or, in a table, a pattern of their path
	isTable bool            // the names of cells are paths
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
	case r.object == nil && r.isRow(name):
		r.object, r.outside, r.data, r.around = &object{line: line}, len(r.open), "", extract.NoBox
		if !r.isTable {
			r.object.setAttributes(t, r.folders)
		}
	case r.object == nil && name == "Folder":
		r.folders = append(r.folders, "")
	case name == "NetworkLink":
		r.isLink = true
	}
	for _, a := range t.Attr {
		if r.isTable && r.object != nil {
			r.object.setPath(pathOf(append(r.open, name, a.Name.Local), r.outside+1), a.Value)
			continue
		}
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

func (r *xmlReader) isRow(name string) bool {
	if !r.isTable {
		return name == r.row
	}
	path := pathOf(append(r.open, name), 1)
	return path != "" && matches(r.row, path)
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
	case o != nil && r.isTable:
		o.setPath(pathOf(append(r.open, name), r.outside+1), value)
	case o != nil && name == "coordinates":
		r.readPositions(strings.Fields(value))
	case o != nil && r.data != "" && (name == "value" || name == "SimpleData"):
		o.set(r.data, value)
	case o != nil && value != "" && name != "displayName" && !isView(r.open[len(r.open)-1]):
		o.set(name, value)
	case o == nil && name == "Folder":
		r.folders = r.folders[:len(r.folders)-1]
	case o == nil && name == "name" && len(r.folders) > 0 && r.folders[len(r.folders)-1] == "":
		r.folders[len(r.folders)-1] = value // the folder's, or that of the document in it
	}
	return nil
}

// isView reports whether an element of KML says from where a placemark is looked at.
func isView(name string) bool { return name == "LookAt" || name == "Camera" }

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

// setPath sets a cell of a table.
func (o *object) setPath(path, value string) {
	if path != "" && value != "" {
		o.set(path, value)
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
