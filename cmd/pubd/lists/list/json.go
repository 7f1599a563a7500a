package list

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
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

// A value is a JSON value.
type value struct {
	kind   jsontext.Kind // that of null for what is nested too deep
	text   string        // the content of a string; a number, true or false as it is written
	raw    string        // an object or a list as it is written
	names  []string      // of the members of an object; several may be the same
	values []value       // of an object, or elements of a list
}

func (v value) isObject() bool { return v.kind == jsontext.KindBeginObject }
func (v value) isList() bool   { return v.kind == jsontext.KindBeginArray }
func (v value) isNumber() bool { return v.kind == jsontext.KindNumber }

// parse reads a value. Bytes that are not UTF-8 become U+FFFD.
func parse(text []byte) (value, error) { return parseNext(newDecoder(text), string(text), 0) }

func newDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func parseNext(decoder *jsontext.Decoder, text string, depth int) (v value, err error) {
	if depth > maxDepth {
		return value{kind: jsontext.KindNull}, decoder.SkipValue()
	}
	token, err := decoder.ReadToken()
	if err != nil {
		return v, err
	}
	v.kind = token.Kind()
	if !v.isObject() && !v.isList() {
		if v.kind != jsontext.KindNull {
			v.text = token.String()
		}
		return v, nil
	}
	begins := decoder.InputOffset() - 1
	for kind := decoder.PeekKind(); kind != jsontext.KindEndObject && kind != jsontext.KindEndArray; kind = decoder.PeekKind() {
		if v.isObject() {
			name, err := decoder.ReadToken()
			if err != nil {
				return v, err
			}
			v.names = append(v.names, name.String())
		}
		inner, err := parseNext(decoder, text, depth+1)
		if err != nil {
			return v, err
		}
		v.values = append(v.values, inner)
	}
	_, err = decoder.ReadToken()
	if v.isObject() && len(v.names) == 1 && strings.HasPrefix(v.names[0], "$") && v.values[0].raw == "" {
		return v.values[0], err // as MongoDB writes {"$oid":"5f1"}
	}
	v.raw = text[begins:decoder.InputOffset()]
	return v, err
}

// member returns the first member with a name; the zero value if there is none.
func (v value) member(name string) value {
	if at := slices.Index(v.names, name); at >= 0 {
		return v.values[at]
	}
	return value{}
}

// A foundList is a list of objects in a JSON text.
type foundList struct {
	path string // names of members, separated by points; empty if it is the whole text
	at   int64  // offset of its bracket or brace, -1 if the text is one row
	rows int
	// keyed is set if it is an object whose members are the rows, by their identifiers.
	keyed bool
	// inside has the names that lead to the rows if the objects of the list are collections of them; otherwise none.
	// isDoubtful is set if they may be the rows themselves, as they have as many names of columns.
	inside     []string
	isDoubtful bool
	shape      [sha256.Size]byte // the hash of the names in the first row; zero if that is no object, or large
	width      int               // the length of the first row of a list of lists
}

// innerPath returns the path of the rows in collections.
func (l *foundList) innerPath() string {
	return strings.TrimPrefix(strings.Join(append([]string{l.path}, l.inside...), "."), ".")
}

// A document is a JSON text without its rows.
type document struct {
	text   []byte
	known  func(name string) bool // reports whether a name may be one of a column; may be nil
	lists  []foundList
	keyed  []foundList      // of which one is the list if there is no other
	tables []foundList      // lists of lists
	head   map[string]value // those members of the outermost object that say what it is
}

// take receives a row and its line, until it returns an error: errEnough if that is no error.
type take func(line int, text []byte) error

var errEnough = errors.New("enough")

// openJSON finds the list in a JSON text, and what it is a list of.
func (l *List) openJSON(text []byte) error {
	text = bytes.TrimRight(text, "\x00 \t\r\n")
	if bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity")) {
		mended := notANumber.ReplaceAllFunc(text, withoutNaN)
		if !bytes.Equal(mended, text) {
			l.Found = append(l.Found, "NaN or Infinity as missing")
		}
		text = mended
	}
	if isSequence(text) {
		return l.openSequence(text)
	}
	doc, err := survey(text, l.options.Known)
	if err != nil {
		plain := withoutComments(text)
		if !isJSON(plain) {
			return syntaxError(text, err)
		}
		l.Found = append(l.Found, "comments or commas before brackets left out")
		return l.openJSON(plain)
	}
	lists, path, err := doc.choose(l.options.Path)
	if err != nil {
		return err
	}
	if path != "" && path != "features" && path != "elements" {
		l.Found = append(l.Found, fmt.Sprintf("the list in %s", loader.Visible(loader.Shorten(path))))
	}
	if lists == nil {
		return l.openTable(doc)
	}
	return l.openValues(doc, func(take take) error {
		for _, list := range lists {
			if list.at < 0 {
				return take(1, text)
			}
			title := ""
			if len(lists) > 1 {
				title = list.path
			}
			if err := l.eachRow(text, list, title, take); err != nil {
				return err
			}
		}
		return nil
	})
}

// comment matches a string, which stays, or what JSON does not have, but its dialects.
var comment = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|//[^\n]*|/\*(?s:.*?)\*/|,\s*[\]}]`)

// withoutComments removes comments, and then commas before brackets. Lines stay where they are.
func withoutComments(text []byte) []byte {
	for range 2 {
		text = comment.ReplaceAllFunc(text, func(token []byte) []byte {
			switch token[0] {
			case '/':
				return bytes.Repeat([]byte("\n"), bytes.Count(token, []byte("\n")))
			case ',':
				return token[1:]
			}
			return token
		})
	}
	return text
}

// openTable opens the list of lists in a JSON text: of those that the list columns names, or one of objects as long as a
// row, as Socrata has it, or the first row does.
func (l *List) openTable(doc document) error {
	l.Form = JSON
	if names := doc.head["columns"]; names.isList() {
		l.setHeader(record{line: 1, cells: names.texts()})
	} else if header := doc.headerOf(doc.tables[0]); header != nil {
		var names []string
		err := l.eachRow(doc.text, *header, "", func(_ int, text []byte) error {
			row, err := parse(text)
			names = append(names, row.member("name").text)
			return err
		})
		if err != nil {
			return err
		}
		l.setHeader(record{line: 1, cells: names})
	}
	err := l.eachRow(doc.text, doc.tables[0], "", func(line int, text []byte) error {
		row, err := parse(text[:min(len(text), maxRow)])
		switch {
		case err != nil || !row.isList():
			l.addFault(&loader.Complaint{Line: line, Value: loader.Shorten(string(text[:min(len(text), 300)])), Rule: "must be a list of values"})
		case l.Header == 0:
			l.setHeader(record{line, row.texts()})
		default:
			l.addRecord(record{line, row.texts()})
		}
		return nil
	})
	if err == nil && (l.options.Known == nil || !slices.ContainsFunc(l.Columns, l.options.Known)) {
		return errors.New("has lists of lists, which do not say what is what: save them as CSV with a line of names, or as objects")
	}
	return err
}

// texts returns the text of each element of a list.
func (v value) texts() (all []string) {
	for _, inner := range v.values {
		all = append(all, inner.joined())
	}
	return all
}

// eachRow calls take with the rows of a list in a JSON text. A title becomes the member list of each.
func (l *List) eachRow(text []byte, list foundList, title string, take take) error {
	decoder := newDecoder(text[list.at:])
	_, err := decoder.ReadToken()
	line, before := 1, int64(0)
	for kind := decoder.PeekKind(); err == nil && kind != jsontext.KindEndArray && kind != jsontext.KindEndObject; kind = decoder.PeekKind() {
		var key jsontext.Token
		if list.keyed {
			if key, err = decoder.ReadToken(); err != nil {
				return err
			}
			key = key.Clone()
		}
		var row jsontext.Value
		if row, err = decoder.ReadValue(); err != nil {
			return err
		}
		end := list.at + decoder.InputOffset()
		begins := end - int64(len(row))
		line, before = line+bytes.Count(text[before:begins], []byte("\n")), begins
		if title != "" {
			row = withMember("list", title, row)
		}
		if list.keyed {
			row = withMember("id", key.String(), row)
		}
		err = eachInner(line, row, list.inside, take)
	}
	return err
}

// eachInner calls take with the rows in a collection, to which some names lead, each with the texts and the like beside
// them; or with the text itself if there are none.
func eachInner(line int, text []byte, inside []string, take take) error {
	if len(inside) > 0 && len(text) > maxRow {
		return faultf(line, "a list in a list is longer than 16 MiB: split it")
	}
	if len(inside) == 0 {
		return take(line, text)
	}
	outer, err := parse(text)
	if err != nil || outer.member(inside[0]).kind == 0 {
		return take(line, text)
	}
	for _, inner := range outer.member(inside[0]).values {
		row := jsontext.Value(inner.raw)
		for i, name := range outer.names {
			if slices.Contains(inner.names, name) {
				name = "list." + name
			}
			if beside := outer.values[i]; beside.text != "" {
				row = withMember(name, beside.text, row)
			}
		}
		if err := eachInner(line, row, inside[1:], take); err != nil {
			return err
		}
	}
	return nil
}

// notANumber matches a string, which stays, or NaN or an infinity as Python writes it.
var notANumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)`)

func withoutNaN(token []byte) []byte {
	if token[0] == '"' {
		return token
	}
	return []byte("null")
}

// openSequence opens a text with an object on each line, or behind each record separator.
func (l *List) openSequence(text []byte) error {
	found, separator := "an object on each line", "\n"
	if bytes.HasPrefix(text, []byte(recordSeparator)) {
		found, separator = "record separators", recordSeparator
	}
	l.Found = append(l.Found, found)
	return l.openValues(document{}, func(take take) error {
		line, read := 1, 0
		for part := range bytes.SplitAfterSeq(text, []byte(separator)) {
			row := bytes.Trim(part, " \t\r\n"+recordSeparator)
			begins := line + bytes.Count(part[:bytes.Index(part, row)], []byte("\n"))
			line += bytes.Count(part, []byte("\n"))
			read += len(part)
			if len(row) > 0 {
				if err := take(begins, row); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// openValues makes a table of JSON values: features, elements of OpenStreetMap, or any objects. each calls take with
// the text of each.
func (l *List) openValues(doc document, each func(take) error) error {
	kind := ""
	err := each(func(_ int, text []byte) error {
		if first, err := parse(text[:min(len(text), maxRow)]); err == nil {
			if kind = first.member("type").text; kind != "Feature" && first.member("id").kind == 0 {
				kind = ""
			}
		}
		return errEnough
	})
	if err != nil && err != errEnough {
		return err
	}
	convert, rule := (*object).addMembers, "must be one valid JSON object"
	l.Form = JSON
	switch {
	case kind == "Feature" || doc.head["type"].text == "FeatureCollection":
		l.Form = GeoJSON
		reference, err := referenceOf(doc.head["crs"])
		if err != nil {
			return err
		}
		if reference != "" {
			l.Found = append(l.Found, "metres of the British National Grid")
		}
		convert = func(o *object, v value) { o.addFeature(v, reference) }
		rule = "must be a feature of GeoJSON"
	case kind == "node", kind == "way", kind == "relation", doc.head["osm3s"].kind != 0 && l.options.Path == "":
		l.Form = OSM
		nodes, err := l.readNodes(doc, each)
		if err != nil {
			return err
		}
		convert = func(o *object, v value) { o.addElement(v, nodes) }
		rule = "must be a node, way or relation of OpenStreetMap"
	}
	return each(func(line int, text []byte) error {
		if len(text) > maxRow {
			return faultf(line, "an object is longer than 16 MiB: is it a list of pubs?")
		}
		o := object{line: line}
		v, err := parse(text)
		if err != nil || !v.isObject() {
			o.fault = &loader.Complaint{Line: line, Value: loader.Shorten(string(text[:min(len(text), 300)])), Rule: rule}
		} else {
			convert(&o, v)
		}
		if l.Form == OSM && o.fault == nil && o.names == nil {
			return nil
		}
		return l.addObject(&o)
	})
}

func isJSON(text []byte) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true))
}

// withMember returns an object with one more member, the first.
func withMember(name, text string, object jsontext.Value) jsontext.Value {
	quoted, err := jsontext.AppendQuote([]byte(`{"`+name+`":`), text)
	if err != nil || len(object) < 2 || object[0] != '{' {
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
func survey(text []byte, known func(string) bool) (document, error) {
	doc := document{text: text, known: known, head: map[string]value{}}
	decoder := newDecoder(text)
	if _, err := doc.walk(decoder, ""); err != nil {
		return doc, err
	}
	if _, err := decoder.ReadToken(); err != io.EOF {
		return doc, cmp.Or(err, errors.New("has more after its end"))
	}
	return doc, nil
}

// walk reads a value, and returns the names of those members of an object that are no objects or lists. What is too deep
// or too much is skipped.
func (d *document) walk(decoder *jsontext.Decoder, path string) (names []string, err error) {
	kind := decoder.PeekKind()
	if kind != jsontext.KindBeginArray && kind != jsontext.KindBeginObject ||
		len(path) > maxName || strings.Count(path, ".") >= maxDepth || len(d.lists)+len(d.keyed) >= maxLists {
		return nil, decoder.SkipValue()
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	found := foundList{path: path, at: decoder.InputOffset() - 1}
	if kind == jsontext.KindBeginArray {
		return nil, d.walkList(decoder, found)
	}
	found.keyed = true
	return d.walkObject(decoder, found)
}

// walkObject reads the rest of an object. If all of its members are objects, it is a list by keys: in place of the lists
// in it if all of its rows have a column.
func (d *document) walkObject(decoder *jsontext.Decoder, found foundList) (names []string, err error) {
	shared := map[string]int{} // how many rows have a name
	inside, members := len(d.lists), 0
	for ; decoder.PeekKind() != jsontext.KindEndObject; members++ {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		name, begins := token.String(), decoder.InputOffset()
		switch decoder.PeekKind() {
		case jsontext.KindBeginObject:
			found.rows++
		case jsontext.KindBeginArray:
		default:
			names = append(names, name)
		}
		inner, err := d.walk(decoder, strings.TrimPrefix(found.path+"."+name, "."))
		if err != nil {
			return nil, err
		}
		for _, name := range inner {
			shared[name]++
		}
		isRead := found.path == "" && (name == "type" || name == "crs" || name == "osm3s" || name == "remark" || name == "columns")
		if text := d.text[begins:decoder.InputOffset()]; isRead && len(text) < maxHead {
			d.head[name], _ = parse(bytes.TrimLeft(text, ": \t\r\n"))
		}
	}
	if found.rows == members && members > 1 {
		haveColumn := false
		for name, rows := range shared {
			haveColumn = haveColumn || rows == members && d.known != nil && d.known(name)
		}
		if haveColumn {
			d.lists = append(d.lists[:inside], found)
		} else {
			d.keyed = append(d.keyed, found)
		}
	}
	_, err = decoder.ReadToken()
	return names, err
}

// walkList reads the rest of a list.
func (d *document) walkList(decoder *jsontext.Decoder, found foundList) error {
	isList, isTable := decoder.PeekKind() == jsontext.KindEndArray, false
	for ; decoder.PeekKind() != jsontext.KindEndArray; found.rows++ {
		isTable = isTable || decoder.PeekKind() == jsontext.KindBeginArray
		isList = isList || decoder.PeekKind() == jsontext.KindBeginObject
		begins := decoder.InputOffset()
		if err := decoder.SkipValue(); err != nil {
			return err
		}
		row := d.text[begins:decoder.InputOffset()]
		if found.rows == 0 && len(row) < maxHead {
			first, _ := parse(bytes.TrimLeft(row, ", \t\r\n"))
			slices.Sort(first.names)
			if found.shape = sha256.Sum256([]byte(strings.Join(first.names, "\x00"))); first.isList() {
				found.width = len(first.values)
			}
		}
		if found.rows == 0 && len(row) <= maxRow {
			if first, err := parse(bytes.TrimLeft(row, ", \t\r\n")); err == nil {
				found.inside, found.isDoubtful = d.insideOf(first)
			}
		}
	}
	if isList {
		d.lists = append(d.lists, found)
	} else if isTable {
		d.tables = append(d.tables, found)
	}
	_, err := decoder.ReadToken()
	return err
}

// insideOf returns the names that lead to the rows in a collection: the list of objects, in it or in lists in it, of which
// one has most names of columns, and more than the collection itself; none if there is no such list. It is doubtful if one
// has as many, such as a name, and more members, and the collection next to none.
func (d *document) insideOf(collection value) (inside []string, isDoubtful bool) {
	isKnown := func(name string) bool { return d.known != nil && d.known(name) }
	count := func(v value) (known, all int) {
		for i, name := range v.names {
			if !v.values[i].isList() {
				if all++; isKnown(name) {
					known++
				}
			}
		}
		return known, all
	}
	own, all := count(collection)
	most := max(own, 1)
	for i, name := range collection.names {
		rows := collection.values[i]
		if !rows.isList() || len(rows.values) == 0 || !rows.values[0].isObject() {
			continue
		}
		first := rows.values[0]
		deeper, _ := d.insideOf(first)
		known, members := count(first)
		for _, name := range deeper {
			first = first.member(name).values[0]
			known, _ = count(first)
		}
		isOwn := func(name string) bool { return isKnown(name) && slices.Contains(collection.names, name) }
		isCollection := collection.member("type").text == "FeatureCollection" && name == "features" || collection.member("osm3s").kind != 0 && name == "elements"
		switch {
		case isCollection || known > most:
			most, inside, isDoubtful = known, append([]string{name}, deeper...), false
		case inside == nil && known == most && members > all && all <= 2 && slices.ContainsFunc(first.names, isOwn):
			inside, isDoubtful = []string{name}, true
		}
	}
	return inside, isDoubtful
}

// headerOf returns the list of objects that names the columns of a list of lists, as it has one for each; nil if none
// does.
func (d *document) headerOf(table foundList) *foundList {
	at := slices.IndexFunc(d.lists, func(l foundList) bool { return l.rows == table.width && strings.HasSuffix("."+l.path, ".columns") })
	if at < 0 || table.width < 2 {
		return nil
	}
	return &d.lists[at]
}

// choose returns the lists to read, and their path: those on a path, in which * stands for any name, the only one, one
// whose name says that it is the list, or several whose paths differ in one name and whose rows are alike. It returns none
// if there are lists of lists only.
func (d *document) choose(pattern string) (chosen []foundList, on string, err error) {
	one := func(l foundList) ([]foundList, string, error) {
		if l.isDoubtful {
			return nil, "", fmt.Errorf("has lists in a list: add --list %s for the inner ones, or --list '%s' for the outer one", l.innerPath(), cmp.Or(l.path, "*"))
		}
		return []foundList{l}, l.path, nil
	}
	if pattern != "" {
		for _, l := range d.lists {
			isInside := l.inside != nil && matches(pattern, l.innerPath())
			if l.isDoubtful && !isInside {
				l.inside = nil
			}
			if isInside || matches(pattern, l.path) {
				chosen = append(chosen, l)
			}
		}
		if chosen == nil {
			err = fmt.Errorf("has no list of objects at %q: --list must be one of %s", loader.Shorten(pattern), d.named())
		}
		return chosen, pattern, err
	}
	for _, name := range []string{"", "pubs", "results", "features", "elements"} {
		if at := slices.IndexFunc(d.lists, func(l foundList) bool { return l.path == name && l.rows > 0 }); at >= 0 {
			return one(d.lists[at])
		}
	}
	if len(d.tables) > 0 && d.headerOf(d.tables[0]) != nil {
		return nil, d.tables[0].path, nil
	}
	filled := slices.DeleteFunc(slices.Clone(d.lists), func(l foundList) bool { return l.rows == 0 })
	switch pattern = patternOf(filled); {
	case len(filled) == 1:
		return one(filled[0])
	case pattern != "" && !slices.ContainsFunc(filled, func(l foundList) bool { return l.shape != filled[0].shape }):
		return filled, pattern, nil
	case len(filled) > 1:
		return nil, "", fmt.Errorf("has several lists: add --list with one of %s", d.named())
	case len(d.keyed) > 0:
		return one(slices.MaxFunc(d.keyed, func(a, b foundList) int { return cmp.Or(a.rows-b.rows, len(b.path)-len(a.path)) }))
	case len(d.lists) > 0:
		return one(d.lists[0])
	case len(d.tables) > 0:
		return nil, d.tables[0].path, nil
	case bytes.HasPrefix(d.text, []byte("{")):
		return one(foundList{at: -1, rows: 1})
	}
	return nil, "", errors.New("must be a list of objects, such as [{\"name\": \"Red Lion\"}], or an object with one inside")
}

// matches reports whether names joined by points match a pattern, in which * stands for any name.
func matches(pattern, names string) bool {
	is, err := path.Match(strings.ReplaceAll(pattern, ".", "/"), strings.ReplaceAll(names, ".", "/"))
	return pattern == names || is && err == nil
}

// patternOf returns the paths of all lists, with * in place of the one name in which they differ; empty if they differ
// otherwise, or are fewer than two.
func patternOf(lists []foundList) string {
	if !slices.ContainsFunc(lists, func(l foundList) bool { return l.path != lists[0].path }) {
		return ""
	}
	names := strings.Split(lists[0].path, ".")
	for i := range names {
		pattern := strings.Join(slices.Concat(names[:i], []string{"*"}, names[i+1:]), ".")
		if !slices.ContainsFunc(lists, func(l foundList) bool { return !matches(pattern, l.path) }) {
			return pattern
		}
	}
	return ""
}

// named returns the lists with their sizes.
func (d *document) named() string {
	var names []string
	for _, l := range d.lists[:min(len(d.lists), 20)] {
		names = append(names, fmt.Sprintf("%s (%d)", loader.Visible(loader.Shorten(cmp.Or(l.path, "the whole text"))), l.rows))
	}
	return cmp.Or(strings.Join(names, ", "), "none: there is no list of objects")
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

// addMembers adds the members of an object as cells, those of objects inside it with the names that lead to them.
func (o *object) addMembers(v value) { o.flatten("", v) }

func (o *object) flatten(prefix string, v value) {
	for i, member := range v.values {
		name := prefix + v.names[i]
		if len(name) > maxName {
			o.fault = &loader.Complaint{Line: o.line, Value: loader.Shorten(name), Rule: "names of members must be at most 1,000 bytes long in all"}
			return
		}
		o.add(name, member)
	}
}

// add adds a JSON value as one cell or several.
func (o *object) add(name string, v value) {
	switch {
	case v.isTold(), v.isList() && ofHours.MatchString(name) && slices.ContainsFunc(v.values, value.isObject):
		o.set(name, v.raw)
	case v.isObject():
		kind, content := v.member("type"), v.member("value")
		if position := position(v, ""); position != "" {
			o.set(name, position)
		} else if kind.kind == jsontext.KindString && content.kind == jsontext.KindString { // of a result of SPARQL
			o.set(name, content.text)
		} else {
			o.flatten(name+".", v)
		}
	case v.isList() && (len(v.values) == 1 || slices.ContainsFunc(v.values, value.isObject)):
		for _, inner := range v.values { // of which the first that has something counts
			o.add(name, inner)
		}
	case v.isList() && len(v.values) == 2 && v.values[0].isNumber() && v.values[1].isNumber(): // perhaps longitude and latitude
		o.set(name, "["+v.joined()+"]")
	default:
		o.set(name, v.joined())
	}
}

// telling matches the names of members that tell the elements of a list apart.
var telling = regexp.MustCompile(`(?i)^@?(?:day|days|day_?of_?week|week_?days?|dow|type|kind|\w+_type|(?:open|start|begin|from)\w*)$`)

// ofHours matches the names of lists of opening hours.
var ofHours = regexp.MustCompile(`(?i)hours|opening|öffnung|horari|orari|otev|godzin|oriau`)

// isTold reports whether a value is kept as it is written, as its parts mean nothing alone: a list whose elements are of
// different days, times or kinds, so that the first does not stand for all, one of pairs of texts, or the hours of some days.
func (v value) isTold() bool {
	if v.isObject() {
		return slices.ContainsFunc(v.names, func(name string) bool { return strings.EqualFold(name, "dayOfWeek") })
	}
	told := map[string]string{}
	for _, inner := range v.values {
		if inner.isList() && len(inner.values) > 0 && inner.values[0].kind == jsontext.KindString {
			return true
		}
		if open := inner.member("open"); open.isObject() {
			inner = open
		}
		for i, name := range inner.names {
			text := cmp.Or(inner.values[i].raw, inner.values[i].text)
			before, known := told[name]
			isDay := strings.Contains(strings.ToLower(name), "day")
			if telling.MatchString(name) && (isDay || known && before != text) {
				return true
			}
			told[name] = text
		}
	}
	return false
}

// joined returns the text of a value; of a list those of its elements, numbers with commas, as they may be coordinates.
func (v value) joined() string {
	if !v.isList() {
		return v.text
	}
	var texts []string
	separator := ", "
	for _, inner := range v.values {
		if inner.isObject() || inner.isList() {
			return ""
		}
		if inner.kind == jsontext.KindString {
			separator = "; "
		}
		if inner.text != "" {
			texts = append(texts, inner.text)
		}
	}
	return strings.Join(texts, separator)
}
