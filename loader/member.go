package loader

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep the lists and objects of an ignored member may be nested.
const maxDepth = 1000

// A row may have more than manyOthers unknown members as long as those rows together have at most maxOthers of them: finding duplicates
// among that many takes long.
const (
	manyOthers = 1000
	maxOthers  = 1_000_000
)

const othersRule = "must have at most 1,000 members that are no columns: leave them out"

const depthRule = "must not nest lists and objects deeper than 1,000 levels"

// addJSON adds a row from a valid JSON value without surrounding space.
func (d *draft) addJSON(line int, value []byte) {
	d.begin(line)
	if value[0] != '{' {
		d.complain(line, "", fault{unknown, string(value[:min(len(value), 4*maxShown)]), `must be an object, a pub as {"UID": "7", "name": "Bell"}`})
		return
	}
	// One copy for the whole row, which all strings below are parts of.
	text := string(value)
	cells := d.cells
	clear(cells)
	d.given = append(d.given[:0], make([]bool, len(cells))...)
	var wrong fault
	members := members{text: text, at: 1}
	tooMany := func() bool { return d.manyOthers > maxOthers && len(d.others) > manyOthers }
	for !tooMany() && members.next() {
		name, ok := unquote(members.name)
		if !ok {
			name = members.name
		}
		c := d.columns.find(name)
		if c == unknown {
			name = d.ignore(name)
			if d.others[name] && wrong.rule == "" {
				wrong = fault{unknown, "", "must have the member " + strconv.Quote(shorten(name)) + " once"}
			}
			d.others[name] = true
			continue
		}
		if d.given[c] && wrong.rule == "" {
			wrong = fault{c, "", "must be there once, under one name"}
		}
		d.given[c], d.has[c] = true, true
		switch members.value[0] {
		case '"':
			if text, ok := unquote(members.value); ok {
				cells.set(c, text, textual)
			} else {
				cells.set(c, members.value, halved)
			}
		case 'n':
			cells.set(c, "", missing)
		case 't', 'f':
			cells.set(c, members.value, truth)
		case '[', '{':
			cells.set(c, members.value, other)
		default:
			cells.set(c, members.value, number)
		}
	}
	if tooMany() {
		wrong = fault{unknown, "", othersRule}
	}
	if len(d.others) > manyOthers {
		d.manyOthers += len(d.others)
		// Clearing a map takes as long as filling it did, and would do so again for each later row.
		d.others = map[string]bool{}
	}
	clear(d.others)
	if wrong.rule == "" && members.deepest > maxDepth {
		wrong = fault{unknown, "", depthRule}
	}
	if wrong.rule != "" {
		d.complain(line, cells.value(columnUID), wrong)
		return
	}
	d.add(line, cells)
}

// members iterates over the members of a valid JSON object, from after its opening brace.
type members struct {
	text        string
	at          int
	name, value string // of the current member, as in the text
	deepest     int    // nesting depth of the members so far
}

func (m *members) next() bool {
	m.skipSpace()
	if m.text[m.at] == ',' {
		m.at++
		m.skipSpace()
	}
	if m.text[m.at] == '}' {
		return false
	}
	m.name = m.take()
	m.skipSpace()
	m.at++ // the colon
	m.skipSpace()
	m.value = m.take()
	return true
}

func (m *members) skipSpace() {
	for isSpace(m.text[m.at]) {
		m.at++
	}
}

// take returns the value that begins here.
func (m *members) take() string {
	begin := m.at
	nested := 0
	for {
		switch m.text[m.at] {
		case '"':
			m.at = stringEnd(m.text, m.at)
		case '[', '{':
			nested++
			m.deepest = max(m.deepest, nested)
			m.at++
		case ']', '}':
			nested--
			m.at++
		default:
			m.at++
		}
		if nested > 0 {
			continue
		}
		switch c := m.text[m.at]; {
		case c == ',' || c == ':' || c == '}' || isSpace(c):
			return m.text[begin:m.at]
		}
	}
}

// stringEnd returns the offset after the JSON string that begins at an offset of a valid text.
func stringEnd(text string, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// unquote returns the content of a valid JSON string; bytes that are not UTF-8 are kept. ok is false if an escape is half of a surrogate
// pair.
func unquote(quoted string) (content string, ok bool) {
	inner := quoted[1 : len(quoted)-1]
	if strings.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	plain := make([]byte, 0, len(inner))
	for len(inner) > 0 {
		if inner[0] != '\\' {
			plain = append(plain, inner[0])
			inner = inner[1:]
			continue
		}
		if inner[1] != 'u' {
			plain = append(plain, escapes[inner[1]])
			inner = inner[2:]
			continue
		}
		r := escaped(inner)
		inner = inner[6:]
		if utf16.IsSurrogate(r) {
			if !strings.HasPrefix(inner, `\u`) {
				return "", false
			}
			if r = utf16.DecodeRune(r, escaped(inner)); r == utf8.RuneError {
				return "", false
			}
			inner = inner[6:]
		}
		plain = utf8.AppendRune(plain, r)
	}
	return string(plain), true
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped returns the 16 bits of a valid \u escape.
func escaped(text string) rune {
	bits, _ := strconv.ParseUint(text[2:6], 16, 16)
	return rune(bits)
}
