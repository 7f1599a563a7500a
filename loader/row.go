package loader

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"pubd/index/hours"
	"pubd/index/schema"
	"pubd/index/text"
)

// The limits of a text of a pub: its bytes and, if it is searched, the bytes and words of its folded form, which
// searches and highlights go through. A text in any language is folded to at most three times its bytes, as Hangul is, but
// some characters stand for words. Real names and addresses have up to 20 words.
const (
	maxText     = 1000
	maxFolded   = 4 * maxText
	maxWords    = 64
	maxFeatures = 100
	// sureWords is a length in bytes up to which no text has more words or bytes when it is folded: U+FDFA, of three
	// bytes, is folded to four words of 33 bytes with their spaces.
	sureWords = maxWords * 3 / 4
)

// kind is the form of a cell in the file.
type kind uint8

const (
	missing kind = iota
	textual      // CSV text or a JSON string
	number       // a JSON number
	truth        // true or false in JSON
	halved       // a JSON string with half of a surrogate pair
	other        // any other JSON value
)

// cell is one value of a row. Its text is the content of a JSON string, otherwise what the file has.
type cell struct {
	text string
	kind kind
}

// row is the cells of one row of a file, by column.
type row []cell

func (r row) set(c column, text string, k kind) {
	if k == textual && (text == "" || text == `\N` || text == "null") {
		k = missing
	}
	r[c] = cell{text, k}
}

// fill sets a row to the fields of a record of CSV, whose columns may be unknown.
func (r row) fill(columns []column, record []string) {
	clear(r)
	for i, c := range columns {
		if c != unknown {
			r.set(c, record[i], textual)
		}
	}
}

// value returns the text of a column, empty if it is missing.
func (r row) value(c column) string {
	if r[c].kind == missing {
		return ""
	}
	return r[c].text
}

// fault is what is wrong with a row; an empty rule means nothing.
type fault struct {
	column column // unknown means the row as a whole
	value  string
	rule   string
}

// rowReader converts rows to pubs. It is kept between rows for its memory.
type rowReader struct {
	scratch []byte
	folded  []byte
	made    schema.Pub
	extra   []schema.ExtraColumn
	leftOut []fault // of the last row: values that break a rule, and do not reject it
}

// pub applies every rule to a row that needs no other row, and removes the values that are left out. The pub is valid
// until the next call, and its texts are those of the row.
func (r *rowReader) pub(cells row) (*schema.Pub, fault) {
	r.made, r.leftOut = schema.Pub{}, r.leftOut[:0]
	pub := &r.made
	for c := range column(len(cells)) {
		var rule string
		switch c.kind() {
		case schema.Text:
			rule = r.text(c, cells[c])
		case schema.Decimal:
			rule = r.decimal(schema.Columns[c].Decimal(pub), cells[c], &schema.Columns[c])
		case schema.Whole:
			rule = r.whole(schema.Columns[c].Whole(pub), cells[c])
		}
		switch wrong := (fault{c, cells[c].text, rule}); {
		case rule == "":
		case !c.isLenient():
			return nil, wrong
		default:
			r.leftOut, cells[c] = append(r.leftOut, wrong), cell{}
			if c == schema.ColumnTimeZone { // hours of an unknown zone would be those of another one
				cells[schema.ColumnHours] = cell{}
			}
		}
	}
	if math.IsNaN(pub.Latitude) != math.IsNaN(pub.Longitude) {
		given, absent := schema.ColumnLatitude, column(schema.ColumnLongitude)
		if math.IsNaN(pub.Latitude) {
			given, absent = schema.ColumnLongitude, schema.ColumnLatitude
		}
		return nil, fault{absent, "", fmt.Sprintf("must be given where %s is, or both left out", schema.Columns[given].Name)}
	}
	for c := range column(schema.ColumnCount) {
		if c.kind() == schema.Text {
			*schema.Columns[c].Text(pub) = cells.value(c)
		}
	}
	if slices.ContainsFunc(cells[schema.ColumnCount:], func(c cell) bool { return c.kind != missing }) {
		pub.Extra = make([]string, len(cells)-schema.ColumnCount)
		for i := range pub.Extra {
			pub.Extra[i] = cells.value(column(schema.ColumnCount + i))
		}
	}
	return pub, fault{column: unknown}
}

// whole parses a whole number, 0 or more, into value, or returns the rule that it breaks. One with a point or an
// exponent, as spreadsheets write it, is at most 2^53.
func (r *rowReader) whole(value *int64, c cell) (rule string) {
	if c.kind == missing {
		return ""
	}
	r.scratch = append(r.scratch[:0], c.text...)
	var ok bool
	if *value, ok = schema.ParseInteger(r.scratch); !ok {
		var decimal float64
		decimal, ok = schema.ParseDecimal(r.scratch)
		ok = ok && 0 <= decimal && decimal <= 1<<53 && decimal == math.Trunc(decimal)
		*value = int64(decimal)
	}
	if !ok || c.kind > number {
		return "must be a whole number, 0 or more"
	}
	return ""
}

// decimal parses a number of a column into value, NaN if it is missing, or returns the rule that it breaks.
func (r *rowReader) decimal(value *float64, c cell, column *schema.Column) (rule string) {
	if c.kind == missing {
		*value = math.NaN()
		return ""
	}
	var ok bool
	if c.kind <= number {
		r.scratch = append(r.scratch[:0], c.text...)
		*value, ok = schema.ParseDecimal(r.scratch)
	}
	switch {
	case !ok && WithPoint(c.text) != "":
		return fmt.Sprintf("must be a decimal number from %v to %v, with a point: %s", column.Least, column.Most, WithPoint(Shorten(c.text)))
	case !ok:
		return fmt.Sprintf("must be a decimal number from %v to %v", column.Least, column.Most)
	case *value < column.Least || *value > column.Most:
		return fmt.Sprintf("must be from %v to %v", column.Least, column.Most)
	}
	return ""
}

// text returns the rule that a text cell breaks, or empty.
func (r *rowReader) text(column column, c cell) string {
	needed := column < schema.ColumnCount && schema.Columns[column].Required
	switch {
	case c.kind == missing && needed && c.text != "":
		return "must be given: this stands for a missing value"
	case c.kind == missing && needed:
		return "must not be empty"
	case c.kind == missing:
		return ""
	case c.kind == halved:
		return "must be valid UTF-8: a \\u escape names half a character"
	case c.kind == number && column == schema.ColumnUID:
	case c.kind <= truth && column >= schema.ColumnCount:
	case c.kind == other && column >= schema.ColumnCount:
		return "must be text, a number, true or false"
	case c.kind != textual:
		return "must be text in quotes"
	}
	if len(c.text) > maxText {
		return fmt.Sprintf("must be at most 1,000 bytes long, is %d", len(c.text))
	}
	if !utf8.ValidString(c.text) {
		return "must be valid UTF-8"
	}
	for _, r := range c.text {
		if r < 0x20 || 0x7f <= r && r <= 0x9f {
			return fmt.Sprintf("must not hold a control character, has %U", r)
		}
	}
	switch {
	case column == schema.ColumnTimeZone && !hours.IsZone(c.text):
		return "must be the name of a time zone, such as Europe/London: without it, opening_hours has no meaning"
	case column == schema.ColumnFeatures && strings.Count(c.text, ";") >= maxFeatures:
		return fmt.Sprintf("must have at most %d features, has %d", maxFeatures, 1+strings.Count(c.text, ";"))
	case column >= schema.ColumnCount && !r.isOfType(column, c.text):
		return "must be a number, as --facet says"
	case len(c.text) <= sureWords || !column.isSearched():
		return ""
	}
	r.scratch = append(r.scratch[:0], c.text...)
	r.folded = text.AppendFolded(r.folded[:0], r.scratch)
	if words := 1 + bytes.Count(r.folded, []byte(" ")); words > maxWords {
		return fmt.Sprintf("must have at most %d words, has %d as it is searched: shorten it", maxWords, words)
	}
	if len(r.folded) > maxFolded {
		return fmt.Sprintf("must be at most 4,000 bytes long as it is searched, is %d: spell out its ligatures, or shorten it", len(r.folded))
	}
	return ""
}

// isOfType reports whether an extra column may have a text: one of numbers has no others.
func (r *rowReader) isOfType(extra column, text string) bool {
	_, isNumber := schema.ParseDecimal([]byte(text))
	return isNumber || r.extra == nil || r.extra[extra-schema.ColumnCount].Type() != schema.NumberType
}

// isSearched reports whether the words of a text are: those of the others are limited by what they say.
func (c column) isSearched() bool {
	switch c {
	case schema.ColumnUID, schema.ColumnFeatures, schema.ColumnHours, schema.ColumnTimeZone:
		return false
	}
	return c < schema.ColumnCount
}
