package list

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"pubd/loader"
	"pubd/loader/sniff"
)

// maxCell is the maximum length of the text of an XML element that is kept, and of a line of names, in bytes.
const maxCell = 1 << 20

// maxOpen is how many elements of XML may be open outside of rows.
const maxOpen = 1000

// openXML makes a table of the placemarks of KML or the waypoints of GPX.
func (l *List) openXML(text []byte, kind sniff.Kind, options Options) error {
	row := "Placemark"
	if l.Form = KML; kind == sniff.GPX {
		l.Form, row = GPX, "wpt"
	}
	link := ""
	err := l.setObjects(options, func(take func(*object) bool) error {
		decoder := xml.NewDecoder(bytes.NewReader(text))
		// The text was decoded, whatever encoding its declaration names.
		decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
		decoder.Strict = false
		folder := folders{}
		depth := 0
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				line, _ := decoder.InputPos()
				return faultf(line, "must be valid %s: was it copied completely? %v", strings.ToUpper(string(l.Form)), err)
			}
			l.at(decoder.InputOffset())
			switch token.(type) {
			case xml.StartElement:
				depth++
			case xml.EndElement:
				depth--
			}
			if depth > maxOpen {
				line, _ := decoder.InputPos()
				return faultf(line, "elements are nested too deep")
			}
			folder.note(token)
			start, ok := token.(xml.StartElement)
			if ok && start.Name.Local == "NetworkLink" {
				link = "is only a link to another file: open it in a browser, and save the file that it loads"
			}
			if !ok || start.Name.Local != row {
				continue
			}
			line, _ := decoder.InputPos()
			o := object{line: line}
			if name := folder.name(); name != "" {
				o.set("folder", name)
			}
			for _, a := range start.Attr {
				switch a.Name.Local {
				case "lat":
					o.set("latitude", a.Value)
				case "lon":
					o.set("longitude", a.Value)
				case "id":
					o.set("id", a.Value)
				}
			}
			depth--
			around, err := o.readElement(decoder)
			if err != nil {
				return faultf(line, "must be valid %s: was it copied completely? %v", strings.ToUpper(string(l.Form)), err)
			}
			if !around.isEmpty() {
				if o.set("geometry", around.middle("")); !around.isSmall("") {
					o.fault = &loader.Complaint{Line: line, Column: "geometry", Rule: ruleGeometry}
				}
			}
			if !take(&o) {
				return nil
			}
		}
	})
	if err == nil && len(l.Columns) == 0 && link != "" {
		return errors.New(link)
	}
	return err
}

// folders are the names of the folders of KML that a placemark is in.
type folders struct {
	names  []string
	inside bool // in the name of the last one
}

func (f *folders) name() string {
	if len(f.names) == 0 {
		return ""
	}
	return f.names[len(f.names)-1]
}

// note follows the elements outside of placemarks.
func (f *folders) note(token xml.Token) {
	switch t := token.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "Folder":
			if len(f.names) < maxDepth {
				f.names = append(f.names, "")
			}
		case "name":
			f.inside = true
		}
	case xml.EndElement:
		switch t.Name.Local {
		case "Folder":
			if len(f.names) > 0 {
				f.names = f.names[:len(f.names)-1]
			}
		case "name":
			f.inside = false
		}
	case xml.CharData:
		if last := len(f.names) - 1; f.inside && last >= 0 && f.names[last] == "" {
			f.names[last] = strings.TrimSpace(string(t[:min(len(t), maxCell)]))
		}
	}
}

// readElement adds the elements within a placemark or waypoint as cells, by their names: those of KML's ExtendedData
// by the names that they give, and a point as a text with both coordinates. It returns the box around a line or polygon.
func (o *object) readElement(decoder *xml.Decoder) (box, error) {
	var names []string // of the open elements
	var text strings.Builder
	data := "" // the name of the open Data
	around := newBox()
	begins := decoder.InputOffset()
	for {
		token, err := decoder.Token()
		if err != nil {
			return around, err
		}
		if decoder.InputOffset()-begins > maxRow {
			return around, errors.New("an element is longer than 16 MiB")
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(names) >= maxDepth {
				return around, errors.New("elements are nested too deep")
			}
			names = append(names, t.Name.Local)
			text.Reset()
			for _, a := range t.Attr {
				if (t.Name.Local == "Data" || t.Name.Local == "SimpleData") && a.Name.Local == "name" {
					data = a.Value
				}
				if t.Name.Local == "link" && a.Name.Local == "href" {
					o.set("link", a.Value)
				}
			}
		case xml.CharData:
			if text.Len()+len(t) <= maxCell {
				text.Write(t)
			}
		case xml.EndElement:
			if len(names) == 0 {
				return around, nil
			}
			name := names[len(names)-1]
			names = names[:len(names)-1]
			value := strings.TrimSpace(text.String())
			text.Reset()
			switch {
			case name == "coordinates":
				if len(strings.Fields(value)) == 1 {
					o.set("geometry", kmlPoint(value))
					continue
				}
				for position := range strings.FieldsSeq(value) {
					around.addText(position)
				}
			case name == "value" && data != "", name == "SimpleData" && data != "":
				o.set(data, value)
			case value != "" && name != "displayName":
				o.set(name, value)
			}
		}
	}
}

// kmlPoint returns a position of KML, which has longitude, latitude and a height, as text with both.
func kmlPoint(position string) string {
	parts := strings.Split(position, ",")
	if len(parts) < 2 {
		return position
	}
	return "POINT(" + strings.TrimSpace(parts[0]) + " " + strings.TrimSpace(parts[1]) + ")"
}
