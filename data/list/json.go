package list

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"pubd/loader"
)

const (
	// maxDepth is how deep members may be nested to become columns, and lists to be found.
	maxDepth = 16
	// maxHead is the maximum size of a member beside the list that is looked at.
	maxHead = 64 << 10
	// maxRow is the maximum size of a row: of JSON or XML, it takes up to 40 times as much memory.
	maxRow = 16 << 20
	// maxName is the maximum length of the names that lead to a list or a value, each of which is held with all of them.
	maxName = 1000
	// maxLists is how many lists are told apart.
	maxLists = 10_000
	// recordSeparator begins each value of a GeoJSON text sequence (RFC 8142).
	recordSeparator = "\x1e"
)

// A foundList is a list of objects in a JSON text.
type foundList struct {
	path string // names of members, separated by points; empty if it is the whole text
	at   int64  // offset of its bracket or brace, -1 if the text is one row
	rows int
	// keyed is set if it is an object whose members are the rows, by their identifiers.
	keyed bool
}

// A document is what there is in a JSON text besides its rows.
type document struct {
	text   []byte
	lists  []foundList
	keyed  []foundList                // of which one is the list if there is no other
	tables bool                       // there are lists of lists
	head   map[string]json.RawMessage // those members of the outermost object that say what it is
}

func newDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// openJSON finds the list in a JSON text, and what it is a list of.
func (l *List) openJSON(text []byte, options Options) error {
	text = bytes.TrimRight(text, "\x00 \t\r\n")
	l.total = int64(len(text))
	if isSequence(text) {
		return l.openSequence(text, options)
	}
	doc, err := survey(text)
	if err != nil {
		return syntaxError(text, err)
	}
	list, err := doc.choose(options.Path)
	if err != nil {
		return err
	}
	if list.path != "" && list.path != "features" && list.path != "elements" {
		l.Found = append(l.Found, fmt.Sprintf("the list in %s", loader.Visible(loader.Shorten(list.path))))
	}
	each := func(take func(line int, value json.RawMessage) bool) error {
		lines := lineCounter{text: text, line: 1}
		if list.at < 0 { // a single object
			take(1, text)
			return nil
		}
		decoder := newDecoder(text[list.at:])
		if _, err := decoder.ReadToken(); err != nil {
			return err
		}
		for kind := decoder.PeekKind(); kind != jsontext.KindEndArray && kind != jsontext.KindEndObject; kind = decoder.PeekKind() {
			key := ""
			if list.keyed {
				token, err := decoder.ReadToken()
				if err != nil {
					return syntaxError(text, err)
				}
				key = token.String()
			}
			value, err := decoder.ReadValue()
			if err != nil {
				return syntaxError(text, err)
			}
			end := list.at + decoder.InputOffset()
			line := lines.lineAt(end - int64(len(value)))
			if list.keyed {
				value = withKey(key, value)
			}
			l.at(end)
			if !take(line, json.RawMessage(value)) {
				return nil
			}
		}
		return nil
	}
	return l.openValues(doc, each, options)
}

// openSequence opens a text with an object on each line, or behind each record separator.
func (l *List) openSequence(text []byte, options Options) error {
	l.Found = append(l.Found, "an object on each line")
	separator := []byte("\n")
	if bytes.HasPrefix(text, []byte(recordSeparator)) {
		separator = []byte(recordSeparator)
		l.Found[len(l.Found)-1] = "record separators"
	}
	each := func(take func(line int, value json.RawMessage) bool) error {
		line, read := 1, 0
		for part := range bytes.SplitSeq(text, separator) {
			value := bytes.Trim(part, " \t\r\n"+recordSeparator)
			begins := line + bytes.Count(part[:bytes.Index(part, value)], []byte("\n"))
			line += bytes.Count(part, []byte("\n"))
			if separator[0] == '\n' {
				line++
			}
			read += len(part) + 1
			l.at(min(int64(read), l.total))
			if len(value) > 0 && !take(begins, value) {
				return nil
			}
		}
		return nil
	}
	return l.openValues(document{}, each, options)
}

// openValues makes a table of JSON values: features, elements of OpenStreetMap, or any objects.
func (l *List) openValues(doc document, all func(take func(line int, value json.RawMessage) bool) error, options Options) error {
	each := func(take func(line int, value json.RawMessage) bool) error {
		var long error
		err := all(func(line int, value json.RawMessage) bool {
			if len(value) > maxRow {
				long = faultf(line, "an object is longer than 16 MiB: is it a list of pubs?")
			}
			return long == nil && take(line, value)
		})
		return cmp.Or(long, err)
	}
	kind := ""
	if err := each(func(_ int, value json.RawMessage) bool {
		var first struct{ Type, ID json.RawMessage }
		if json.Unmarshal(value, &first) == nil {
			kind = plain(first.Type)
			if first.ID == nil && kind != "Feature" {
				kind = ""
			}
		}
		return false
	}); err != nil {
		return err
	}
	if title := plain(doc.head["type"]); title == "FeatureCollection" {
		kind = "Feature"
	}
	switch kind {
	case "Feature":
		return l.openFeatures(doc, each, options)
	case "node", "way", "relation":
		return l.openOverpass(doc, each, options)
	}
	if doc.head["osm3s"] != nil && options.Path == "" {
		return l.openOverpass(doc, each, options)
	}
	l.Form = JSON
	var o object
	return l.setObjects(options, func(take func(*object) bool) error {
		return each(func(line int, value json.RawMessage) bool {
			o = object{line: line, names: o.names[:0], values: o.values[:0]}
			if !begins(value, '{') || !o.flatten("", value, 0) {
				o.fault = &loader.Complaint{Line: line, Value: loader.Shorten(string(value[:min(len(value), 300)])), Rule: "must be one valid JSON object"}
			}
			return take(&o)
		})
	})
}

// withKey returns an object with its key in the object around it as its first member, id.
func withKey(key string, object jsontext.Value) jsontext.Value {
	quoted, err := jsontext.AppendQuote([]byte(`{"id":`), key)
	if err != nil || len(object) < 2 {
		return object
	}
	inner := bytes.TrimLeft(object[1:], " \t\r\n")
	if len(inner) > 1 {
		quoted = append(quoted, ',')
	}
	return append(quoted, inner...)
}

// isSequence reports whether a JSON text is a sequence of objects: behind record separators, or each on its own line.
func isSequence(text []byte) bool {
	if bytes.HasPrefix(text, []byte(recordSeparator)) {
		return true
	}
	first, rest, more := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	return more && bytes.HasPrefix(first, []byte("{")) && jsontext.Value(bytes.TrimSpace(first)).IsValid() && len(bytes.TrimSpace(rest)) > 0
}

// survey reads a whole JSON text, and finds the lists of objects in it.
func survey(text []byte) (document, error) {
	doc := document{text: text, head: map[string]json.RawMessage{}}
	decoder := newDecoder(text)
	if err := doc.walk(decoder, ""); err != nil {
		return doc, err
	}
	if _, err := decoder.ReadToken(); err != io.EOF {
		return doc, cmp.Or(err, errors.New("has more after its end"))
	}
	return doc, nil
}

// walk reads a value. It passes over lists of anything but objects, and over what is too deep or too much.
func (d *document) walk(decoder *jsontext.Decoder, path string) error {
	kind := decoder.PeekKind()
	if kind != jsontext.KindBeginArray && kind != jsontext.KindBeginObject ||
		len(path) > maxName || strings.Count(path, ".") >= maxDepth || len(d.lists)+len(d.keyed) >= maxLists {
		return decoder.SkipValue()
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	if kind == jsontext.KindBeginArray {
		list := foundList{path: path, at: decoder.InputOffset() - 1}
		isList := decoder.PeekKind() == jsontext.KindEndArray
		for decoder.PeekKind() != jsontext.KindEndArray {
			d.tables = d.tables || decoder.PeekKind() == jsontext.KindBeginArray
			isList = isList || decoder.PeekKind() == jsontext.KindBeginObject
			if err := decoder.SkipValue(); err != nil {
				return err
			}
			list.rows++
		}
		if isList {
			d.lists = append(d.lists, list)
		}
		_, err := decoder.ReadToken()
		return err
	}
	keyed := foundList{path: path, at: decoder.InputOffset() - 1, keyed: true}
	members := 0
	defer func() {
		if keyed.rows == members && members > 1 {
			d.keyed = append(d.keyed, keyed)
		}
	}()
	for decoder.PeekKind() != jsontext.KindEndObject {
		token, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		name, begins := token.String(), decoder.InputOffset()
		if members++; decoder.PeekKind() == jsontext.KindBeginObject {
			keyed.rows++
		}
		inner := name
		if path != "" {
			inner = path + "." + name
		}
		if err := d.walk(decoder, inner); err != nil {
			return err
		}
		isRead := path == "" && (name == "type" || name == "crs" || name == "osm3s" || name == "remark")
		if value := d.text[begins:decoder.InputOffset()]; isRead && len(value) < maxHead {
			d.head[name] = bytes.TrimLeft(value, ": \t\r\n")
		}
	}
	_, err := decoder.ReadToken()
	return err
}

// choose returns the list to read: the one on a path, the only one, or one whose name says that it is the list.
func (d *document) choose(path string) (foundList, error) {
	if path != "" {
		if at := slices.IndexFunc(d.lists, func(l foundList) bool { return l.path == path }); at >= 0 {
			return d.lists[at], nil
		}
		return foundList{}, fmt.Errorf("has no list of objects at %q: --list must be one of %s", loader.Shorten(path), d.named())
	}
	filled := slices.DeleteFunc(slices.Clone(d.lists), func(l foundList) bool { return l.rows == 0 })
	for _, name := range []string{"", "pubs", "results", "features", "elements"} {
		if at := slices.IndexFunc(d.lists, func(l foundList) bool { return l.path == name }); at >= 0 {
			return d.lists[at], nil
		}
	}
	switch {
	case len(filled) == 1:
		return filled[0], nil
	case len(filled) > 1:
		return foundList{}, fmt.Errorf("has several lists: add --list with one of %s", d.named())
	case len(d.keyed) > 0:
		return slices.MaxFunc(d.keyed, func(a, b foundList) int { return cmp.Or(a.rows-b.rows, len(b.path)-len(a.path)) }), nil
	case len(d.lists) > 0:
		return d.lists[0], nil
	case d.tables:
		return foundList{}, errors.New("has lists of lists, which do not say what is what: save them as CSV with a line of names, or as objects")
	case bytes.HasPrefix(d.text, []byte("{")):
		return foundList{at: -1, rows: 1}, nil
	}
	return foundList{}, errors.New("must be a list of objects, such as [{\"name\": \"Red Lion\"}], or an object with one inside")
}

// named returns the lists with their sizes.
func (d *document) named() string {
	var names []string
	for _, l := range d.lists[:min(len(d.lists), 20)] {
		names = append(names, fmt.Sprintf("%s (%d)", loader.Visible(loader.Shorten(cmp.Or(l.path, "the whole text"))), l.rows))
	}
	if len(names) == 0 {
		return "none: there is no list of objects"
	}
	return strings.Join(names, ", ")
}

// syntaxError says where a text is not JSON.
func syntaxError(text []byte, err error) error {
	line := 0
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		line = 1 + bytes.Count(text[:min(syntax.ByteOffset, int64(len(text)))], []byte("\n"))
		err = syntax.Err
	}
	return faultf(line, "must be valid JSON: was it copied completely? %v", err)
}

// lineCounter converts offsets in a text to line numbers.
type lineCounter struct {
	text []byte
	at   int64 // the last offset passed to lineAt
	line int   // its line
}

// lineAt returns the line of an offset, which must not be less than in the previous call.
func (l *lineCounter) lineAt(offset int64) int {
	l.line += bytes.Count(l.text[l.at:offset], []byte("\n"))
	l.at = offset
	return l.line
}

// flatten adds the members of a JSON object as cells, those of objects inside it with the names that lead to them. It
// returns false if the text is not valid.
func (o *object) flatten(prefix string, value []byte, depth int) bool {
	decoder := newDecoder(value)
	if _, err := decoder.ReadToken(); err != nil {
		return false
	}
	for decoder.PeekKind() != jsontext.KindEndObject {
		token, err := decoder.ReadToken()
		if err != nil {
			return false
		}
		name := prefix + token.String()
		if len(name) > maxName {
			o.fault = &loader.Complaint{Line: o.line, Value: loader.Shorten(name), Rule: "names of members must be at most 1,000 bytes long in all"}
			return true
		}
		member, err := decoder.ReadValue()
		if err != nil || !o.add(name, json.RawMessage(member), depth) {
			return false
		}
	}
	_, err := decoder.ReadToken()
	return err == nil
}

// add adds a JSON value as one cell or several.
func (o *object) add(name string, value json.RawMessage, depth int) bool {
	switch {
	case begins(value, '{'):
		if depth >= maxDepth {
			o.set(name, "")
			return true
		}
		if text, ok := geometry(value, ""); ok && text != "" {
			o.set(name, text)
			return true
		}
		if text, ok := rdfValue(value); ok {
			o.set(name, text)
			return true
		}
		return o.flatten(name+".", value, depth+1)
	case begins(value, '['):
		if depth >= maxDepth {
			o.set(name, "")
			return true
		}
		var all []json.RawMessage
		if json.Unmarshal(value, &all) != nil {
			return false
		}
		if len(all) == 1 {
			return o.add(name, all[0], depth+1)
		}
		o.set(name, joined(all))
		return true
	}
	o.set(name, plain(value))
	return true
}

// joined returns the texts and numbers of a list: numbers with commas, as they may be coordinates.
func joined(values []json.RawMessage) string {
	var texts []string
	separator := ", "
	for _, value := range values {
		switch {
		case begins(value, '{') || begins(value, '['):
			return ""
		case begins(value, '"'):
			separator = "; "
		}
		if text := plain(value); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, separator)
}

// rdfValue returns the value of an object that also says its type, as results of SPARQL queries have them.
func rdfValue(value json.RawMessage) (string, bool) {
	var typed struct{ Type, Value *string }
	if json.Unmarshal(value, &typed) != nil || typed.Type == nil || typed.Value == nil {
		return "", false
	}
	return *typed.Value, true
}

// begins reports whether a JSON value begins with a character.
func begins(value json.RawMessage, c byte) bool { return len(value) > 0 && value[0] == c }

// plain returns the content of a JSON string, a number, true or false as it is written, and empty for anything else.
func plain(value json.RawMessage) string {
	switch {
	case len(value) == 0 || strings.ContainsRune("{[n", rune(value[0])):
		return ""
	case value[0] == '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return ""
		}
		return text
	}
	return string(value)
}
