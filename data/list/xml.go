package list

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"pubd/loader/sniff"
)

// maxCell is the maximum length of the text of an XML element that is kept, and of a line of names, in bytes.
const maxCell = 1 << 20

// maxOpen is how many elements of XML may be open outside of rows.
const maxOpen = 1000

// openXML makes a table of the placemarks of KML or the waypoints of GPX.
func (l *List) openXML(text []byte, kind sniff.Kind) error {
	row := "Placemark"
	if l.Form = KML; kind == sniff.GPX {
		l.Form, row = GPX, "wpt"
	}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	// The text was decoded, whatever encoding its declaration names.
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	decoder.Strict = false
	damaged := func(line int, err error) error {
		return faultf(line, "must be valid %s: was it copied completely? %v", strings.ToUpper(string(l.Form)), err)
	}
	var folder folders
	isLink := false
	for depth := 0; ; {
		token, err := decoder.Token()
		if err == io.EOF {
			if isLink && len(l.Columns) == 0 {
				return errors.New("is only a link to another file: open it in a browser, and save the file that it loads")
			}
			return nil
		}
		if err != nil {
			line, _ := decoder.InputPos()
			return damaged(line, err)
		}
		l.at(decoder.InputOffset())
		folder.note(token)
		start, isStart := token.(xml.StartElement)
		if _, isEnd := token.(xml.EndElement); isEnd {
			depth--
		} else if isStart {
			depth++
		}
		line, _ := decoder.InputPos()
		if depth > maxOpen {
			return faultf(line, "elements are nested too deep")
		}
		isLink = isLink || isStart && start.Name.Local == "NetworkLink"
		if !isStart || start.Name.Local != row {
			continue
		}
		depth--
		o := object{line: line}
		if len(folder.names) > 0 && folder.names[len(folder.names)-1] != "" {
			o.set("folder", folder.names[len(folder.names)-1])
		}
		for _, a := range start.Attr {
			if name := map[string]string{"lat": "latitude", "lon": "longitude", "id": "id"}[a.Name.Local]; name != "" {
				o.set(name, a.Value)
			}
		}
		if err := o.readElement(decoder); err != nil {
			return damaged(line, err)
		}
		if err := l.addObject(&o); err != nil {
			return err
		}
	}
}

// folders are the names of the folders of KML that a placemark is in.
type folders struct {
	names  []string
	inside bool // in the name of the last one
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

// readElement adds the elements within a placemark or waypoint as cells, by their names: those of KML's ExtendedData by
// the names that they give, and positions as well-known text.
func (o *object) readElement(decoder *xml.Decoder) error {
	var names []string // of the open elements
	var text strings.Builder
	data := "" // the name of the open Data
	begins := decoder.InputOffset()
	for {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		if decoder.InputOffset()-begins > maxRow {
			return errors.New("an element is longer than 16 MiB")
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(names) >= maxDepth {
				return errors.New("elements are nested too deep")
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
				return nil
			}
			name := names[len(names)-1]
			names = names[:len(names)-1]
			value := strings.TrimSpace(text.String())
			text.Reset()
			switch {
			case name == "coordinates" && value != "":
				o.set("geometry", wellKnown(value))
			case name == "value" && data != "", name == "SimpleData" && data != "":
				o.set(data, value)
			case value != "" && name != "displayName":
				o.set(name, value)
			}
		}
	}
}

// wellKnown returns positions of KML, each a longitude, a latitude and perhaps a height, as well-known text without
// heights.
func wellKnown(coordinates string) string {
	positions := strings.Fields(coordinates)
	for i, position := range positions {
		lng, rest, _ := strings.Cut(position, ",")
		lat, _, _ := strings.Cut(rest, ",")
		positions[i] = lng + " " + lat
	}
	if len(positions) == 1 {
		return "POINT(" + positions[0] + ")"
	}
	return "MULTIPOINT(" + strings.Join(positions, ", ") + ")"
}
