package loader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pubd/index/schema"
)

// readJSON reads an array of pubs, or an object with a member that is one. It returns what ended the reading before
// the end of the file, or nil.
func readJSON(source *source, draft *draft) *Complaint {
	lines := &lineReader{reader: source, line: 1}
	decoder := jsontext.NewDecoder(lines, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	r := &jsonReader{decoder: decoder, lines: lines, source: source, draft: draft}
	token, err := r.decoder.ReadToken()
	var reason *Complaint
	switch kind := token.Kind(); {
	case err == io.EOF:
		return &Complaint{Rule: "is empty: it must be a list of pubs, or an object whose member pubs or results is one"}
	case err != nil:
		return r.syntax(err)
	case kind == jsontext.KindBeginArray:
		reason = r.list()
	case kind == jsontext.KindBeginObject:
		reason = r.wrapper()
	default:
		reason = r.here("must be a list of pubs, or an object whose member pubs or results is one")
	}
	if reason != nil || draft.tooManyErrors() {
		return reason
	}
	source.endRow()
	_, err = r.decoder.ReadToken()
	switch {
	case err == io.EOF:
		return nil
	case errors.Is(err, errLongRow):
		return r.syntax(err)
	}
	offset := r.decoder.InputOffset()
	if err != nil {
		offset = max(offset, syntaxOf(err).ByteOffset)
	}
	return &Complaint{Line: r.lines.at(offset), Rule: "must end after the list of pubs: for a pub on each line name the file .ndjson"}
}

// jsonReader reads a JSON text value by value and tracks its lines. What belongs to a single row, repeated members and
// invalid UTF-8, is left to [draft.addJSON].
type jsonReader struct {
	decoder *jsontext.Decoder
	lines   *lineReader
	source  *source
	draft   *draft
}

// list reads the pubs after the opening bracket of their array.
func (r *jsonReader) list() *Complaint {
	for r.decoder.PeekKind() != jsontext.KindEndArray {
		r.source.endRow()
		value, err := r.decoder.ReadValue()
		if err != nil {
			return r.syntax(err)
		}
		r.draft.addJSON(r.lines.at(r.decoder.InputOffset()-int64(len(value))), value)
		if r.draft.tooManyErrors() {
			return nil
		}
	}
	_, err := r.decoder.ReadToken()
	return r.syntax(err)
}

// wrapper reads the members of an object after its opening brace.
func (r *jsonReader) wrapper() *Complaint {
	found, skippedBytes := "", 0
	for r.decoder.PeekKind() != jsontext.KindEndObject {
		r.source.endRow()
		token, err := r.decoder.ReadToken()
		if err != nil {
			return r.syntax(err)
		}
		name := token.String()
		if name != "pubs" && name != "results" {
			value, err := r.decoder.ReadValue()
			if err != nil {
				return r.syntax(err)
			}
			if skippedBytes += len(value); skippedBytes > maxFurther {
				return r.here("has more than 64 MiB in members beside the list of pubs: leave them out")
			}
			// Keep the line breaks of skipped members from piling up.
			r.lines.at(r.decoder.InputOffset())
			continue
		}
		if found != "" {
			return r.here(fmt.Sprintf("has a member %s after the member %s: leave out one of them", name, found))
		}
		found = name
		switch token, err := r.decoder.ReadToken(); {
		case err != nil:
			return r.syntax(err)
		case token.Kind() != jsontext.KindBeginArray:
			return r.here(fmt.Sprintf("the member %s must be a list of pubs", found))
		}
		if reason := r.list(); reason != nil {
			return reason
		}
		if r.draft.tooManyErrors() {
			return nil
		}
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return r.syntax(err)
	}
	if found == "" {
		return &Complaint{Rule: "has no member pubs or results: one must be the list of pubs; for a pub on each line name the file .ndjson"}
	}
	return nil
}

// here complains about the last value read.
func (r *jsonReader) here(rule string) *Complaint {
	return &Complaint{Line: r.lines.at(r.decoder.InputOffset()), Rule: rule}
}

// syntax complains about an error of the decoder; it returns nil if there is none.
func (r *jsonReader) syntax(err error) *Complaint {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errLongRow):
		return r.here(errLongRow.Error() + ": is a quote left open?")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Complaint{Line: r.lines.at(r.lines.read), Rule: "ends too early, within the list of pubs: copy the whole file again"}
	}
	syntax := syntaxOf(err)
	line := r.lines.at(max(syntax.ByteOffset, r.decoder.InputOffset()))
	return &Complaint{Line: line, Rule: "must be valid JSON: " + syntax.Err.Error() + r.draft.place(line)}
}

// syntaxOf returns the syntax error that an error of a decoder is or, for an error of its reader, one without a place.
func syntaxOf(err error) *jsontext.SyntacticError {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		syntax = &jsontext.SyntacticError{Err: err}
	}
	return syntax
}

// readNDJSON reads one pub from each line that is not blank. It returns what ended the reading, or nil.
func readNDJSON(source *source, draft *draft) *Complaint {
	for line := 1; !draft.tooManyErrors(); line++ {
		text, err := source.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return &Complaint{Line: line, Rule: err.Error() + ": each line must be one pub"}
		}
		if text = bytes.Trim(text, " \t\r\n"); len(text) > 0 {
			draft.addJSON(line, text)
			source.endRow()
		}
		if err == io.EOF {
			return nil
		}
	}
	return nil
}

// lineReader tracks where lines begin in what is read from it.
type lineReader struct {
	reader io.Reader
	read   int64 // bytes read
	// breaks has the offsets, modulo 2^32, of line breaks at or after the last offset passed to at: the limit on the
	// length of a row keeps them close together, and 32 bits halve the memory for a row of line breaks.
	breaks []uint32
	line   int // of the last offset
}

// Read implements io.Reader.
func (l *lineReader) Read(p []byte) (int, error) {
	n, err := l.reader.Read(p[:min(len(p), maxAhead)])
	for i, c := range p[:n] {
		if c == '\n' {
			l.breaks = append(l.breaks, uint32(l.read+int64(i)))
		}
	}
	l.read += int64(n)
	return n, err
}

// at returns the line of an offset, which must not be less than in the previous call.
func (l *lineReader) at(offset int64) int {
	passed := 0
	for passed < len(l.breaks) && int32(l.breaks[passed]-uint32(offset)) < 0 {
		passed++
	}
	l.line += passed
	l.breaks = l.breaks[passed:]
	return l.line
}

// addJSON adds a row from a JSON value without surrounding space.
func (d *draft) addJSON(line int, value []byte) {
	d.begin(line)
	if fault := d.readObject(value); fault.rule != "" {
		d.complain(line, d.cells.value(schema.ColumnUID), fault)
		return
	}
	d.add(line, d.cells)
}

// readObject sets the cells from the members of an object.
func (d *draft) readObject(value []byte) fault {
	clear(d.cells)
	d.given = append(d.given[:0], make([]bool, len(d.cells))...)
	content := string(value)
	// It replaces invalid UTF-8 in names; that in values is seen from the text.
	decoder := jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowInvalidUTF8(true))
	switch token, err := decoder.ReadToken(); {
	case err != nil:
		return d.objectFault(err)
	case token.Kind() != jsontext.KindBeginObject:
		return fault{unknown, content[:min(len(content), 4*maxShown)], `must be an object, a pub as {"UID": "7", "name": "Bell"}`}
	}
	others := 0
	for decoder.PeekKind() != jsontext.KindEndObject {
		token, err := decoder.ReadToken()
		if err != nil {
			return d.objectFault(err)
		}
		name := token.String()
		member, err := decoder.ReadValue()
		if err != nil {
			return d.objectFault(err)
		}
		end := int(decoder.InputOffset())
		text := content[end-len(member) : end] // as it is
		c := d.columns.find(name)
		if c == unknown {
			if others++; others > manyOthers {
				d.others++
			}
			if others > manyOthers && d.others > maxOthers {
				return fault{unknown, "", othersRule}
			}
			d.ignore(name)
			continue
		}
		if d.given[c] {
			return fault{c, "", onceRule}
		}
		d.given[c], d.has[c] = true, true
		switch member.Kind() {
		case jsontext.KindString:
			if plain, ok := unquote(text); ok {
				d.cells.set(c, plain, textual)
			} else {
				d.cells.set(c, text, halved)
			}
		case jsontext.KindNull:
			d.cells.set(c, "", missing)
		case jsontext.KindTrue, jsontext.KindFalse:
			d.cells.set(c, text, truth)
		case jsontext.KindNumber:
			d.cells.set(c, text, number)
		default:
			var list []string
			if c == schema.ColumnFeatures && json.Unmarshal(member, &list) == nil {
				d.cells.set(c, strings.Join(list, ";"), textual)
				continue
			}
			d.cells.set(c, text, other)
		}
	}
	if _, err := decoder.ReadToken(); err != nil {
		return d.objectFault(err)
	}
	if int(decoder.InputOffset()) < len(content) {
		return fault{unknown, "", "must be one JSON object on one line, and has more after it"}
	}
	return fault{column: unknown}
}

const onceRule = "must be there once, under one name"

// A row may have manyOthers members that are no columns, and all rows together maxOthers beyond that: finding repeated
// ones among many takes time and memory.
const (
	manyOthers = 1000
	maxOthers  = 1_000_000
	othersRule = "must have at most 1,000 members that are no columns: leave them out"
)

// objectFault returns what an error says about a row.
func (d *draft) objectFault(err error) fault {
	syntax := syntaxOf(err)
	if !errors.Is(err, jsontext.ErrDuplicateName) {
		return fault{unknown, "", "must be one JSON object on one line: " + syntax.Err.Error()}
	}
	name := syntax.JSONPointer.LastToken()
	if c := d.columns.find(name); c != unknown && syntax.JSONPointer.Parent() == "" {
		return fault{c, "", onceRule}
	}
	return fault{unknown, "", "must have the member " + strconv.Quote(Shorten(name)) + " once"}
}

// unquote returns the content of a valid JSON string; if some bytes are not UTF-8, without interpreting it. ok is
// false if an escape is half of a surrogate pair.
func unquote(quoted string) (content string, ok bool) {
	content = quoted[1 : len(quoted)-1]
	if strings.IndexByte(content, '\\') < 0 {
		return content, true
	}
	plain, err := jsontext.AppendUnquote(nil, quoted)
	if err == nil {
		return string(plain), true
	}
	return content, !utf8.ValidString(quoted)
}
