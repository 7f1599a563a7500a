package loader

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"pubd/index"
)

// convertRule ends a rule that pubd import takes care of.
const convertRule = "; pubd import converts it"

// hints are the likely causes of the complaints about a file, each kind once.
type hints struct {
	header   int // line of the header; 0 if there is none
	encoding *Complaint
	decimal  *Complaint
	quote    *Complaint
	causes   causes
}

// note records what a wrong row says about the whole file.
func (h *hints) note(c Complaint, value string) {
	switch {
	case h.encoding == nil && !utf8.ValidString(value):
		if name, text := GuessEncoding(value); name != "" {
			c.Rule = fmt.Sprintf("is %s text, as %s: write the file as UTF-8, such as with iconv -f WINDOWS-1252 -t UTF-8", name,
				strconv.Quote(Shorten(text))) + h.convertRule()
			h.encoding = &c
		}
	case h.decimal == nil && WithPoint(value) != "" && strings.Contains(c.Rule, "decimal number"):
		c.Rule = "numbers must have a decimal point, not a comma" + h.convertRule()
		h.decimal = &c
	case h.quote == nil && h.header > 0 && strings.Contains(value, "\n"):
		c.Rule = "spans several lines: is a quote left open?"
		h.quote = &c
	}
}

// convertRule returns what else to do about a CSV file.
func (h *hints) convertRule() string {
	if h.header == 0 {
		return ""
	}
	return convertRule
}

// GuessEncoding returns the likely encoding of a text that is not UTF-8, and the decoded text. The name is empty if it
// is neither of the two that spreadsheet programs write.
func GuessEncoding(text string) (name, decoded string) {
	name = "Latin-1"
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch c := text[i]; {
		case size > 1: // valid UTF-8, so the rest is damaged
			return "", ""
		case r == utf8.RuneError && charmap.Windows1252.DecodeByte(c) == utf8.RuneError:
			return "", ""
		case 0x80 <= c && c < 0xa0:
			name = "Windows-1252"
		}
		i += size
	}
	decoded, err := charmap.Windows1252.NewDecoder().String(text)
	if err != nil {
		return "", ""
	}
	return name, decoded
}

// WithPoint returns a number with a decimal comma as it must be written; empty for any other text.
func WithPoint(text string) string {
	whole, fraction, ok := strings.Cut(text, ",")
	digits := strings.TrimLeft(whole, "+-")
	if !ok || len(whole)-len(digits) > 1 || digits+fraction == "" || strings.Trim(digits+fraction, "0123456789") != "" {
		return ""
	}
	return whole + "." + fraction
}

// hints returns the hints about a file, those about columns first.
func (d *draft) hints() (list []Complaint) {
	for _, name := range d.ignored {
		if column, rule := d.columns.nearest(name, d.has); column != unknown {
			list = append(list, Complaint{Line: d.hint.header, Column: "column", Value: name, Rule: rule})
		}
	}
	for _, hint := range []*Complaint{d.hint.encoding, d.hint.decimal, d.hint.quote} {
		if hint != nil {
			list = append(list, *hint)
		}
	}
	list = append(list, d.causes()...)
	for i := range list {
		list[i].File = d.file
	}
	return d.shown(list)
}

// nearest returns the column, of those that a file does not have, that an unknown name probably means, and what to say
// about it; unknown if there is no similar one.
func (t *columnTable) nearest(name string, has []bool) (best column, rule string) {
	if trimmed := t.find(strings.TrimSpace(name)); trimmed != unknown && !has[trimmed] {
		return trimmed, "is ignored because of the spaces around its name: write " + t.names[trimmed] + " without them" + convertRule
	}
	best = unknown
	if len(name) > maxExtraName {
		return best, ""
	}
	least, sought := maxExtraName, PlainName(name)
	for _, c := range []column{index.ColumnLatitude, index.ColumnLongitude} {
		isUsual := slices.ContainsFunc(index.Columns[c].Usual, func(usual string) bool { return PlainName(usual) == sought })
		if isUsual && len(name) > 1 && !has[c] {
			best, least = c, 0
		}
	}
	for _, known := range slices.Sorted(maps.Keys(t.byName)) {
		c := t.byName[known]
		if has[c] {
			continue
		}
		if edits := index.Edits(sought, PlainName(known)); edits <= min(2, (len(known)-1)/3) && edits < least {
			best, least = c, edits
		}
	}
	if best == unknown {
		return best, ""
	}
	return best, "is not a known column and is ignored: is it " + t.names[best] + "?"
}

// separators are those that other programs use instead of commas.
var separators = []struct{ by, name string }{{";", "semicolons"}, {"\t", "tabs"}, {"|", "vertical bars"}}

// dialect checks the first line of a CSV text for a foreign separator. It returns nil if there is none.
func (s *source) dialect(columns *columnTable) *Complaint {
	head, _ := s.Peek(blockSize)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	first := strings.TrimSuffix(string(line), "\r")
	if len(first) == len("sep=,") && strings.EqualFold(first[:len("sep=")], "sep=") {
		return &Complaint{Line: 1, Value: first, Rule: "is for spreadsheet programs: delete this line, and separate columns by commas" + convertRule}
	}
	if columns.areNamed(strings.Split(first, ",")) {
		return nil
	}
	for _, separator := range separators {
		if columns.areNamed(strings.Split(first, separator.by)) {
			return &Complaint{Line: 1, Rule: "columns are separated by " + separator.name + ", must be by commas" + convertRule}
		}
	}
	return nil
}

// areNamed reports whether UID and name are among the names of columns.
func (t *columnTable) areNamed(names []string) bool {
	var found [index.ColumnCount]bool
	for _, name := range names {
		if c := t.find(strings.Trim(name, `" `)); c != unknown && c < index.ColumnCount {
			found[c] = true
		}
	}
	return found[index.ColumnUID] && found[index.ColumnName]
}
