package loader

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"pubd/index/schema"
	"pubd/index/text"
)

// convertRule ends a rule that pubd import takes care of.
const convertRule = "; pubd import converts it"

// hints are the likely causes of the complaints about a file, each kind once.
type hints struct {
	header   int // line of the header; 0 if there is none
	encoding *Complaint
	quote    *Complaint
	causes   causes
}

// note records what a wrong row says about the whole file.
func (h *hints) note(c Complaint, value string) {
	switch {
	case h.encoding == nil && !utf8.ValidString(value):
		if name, text := GuessEncoding(value); name != "" {
			c.Rule = fmt.Sprintf("is %s text, as %s: write the file as UTF-8, such as with iconv -f WINDOWS-1252 -t UTF-8", name,
				strconv.Quote(Shorten(text))) + convertRule
			h.encoding = &c
		}
	case h.quote == nil && h.header > 0 && strings.Contains(value, "\n"):
		c.Rule = "spans several lines: is a quote left open?"
		h.quote = &c
	}
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
		column, rule := d.columns.nearest(name, d.has)
		if scale := Scale(name); column == unknown && scale != "" {
			rule = fmt.Sprintf("is not a known column and is ignored: are these ratings out of %s? Those of a snapshot are out of 10, "+
				"such as total; pubd import --map total=COLUMN converts them", scale)
		}
		if rule != "" {
			list = append(list, Complaint{Line: d.hint.header, Column: "column", Value: name, Rule: rule})
		}
	}
	for _, hint := range []*Complaint{d.hint.encoding, d.hint.quote} {
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

// scaled matches the name of a column of ratings that are not out of 10.
var scaled = regexp.MustCompile(`(?i)(?:/|out of) *(5|20|25|50|100|1000) *\)?$`)

// Scale returns out of how much the name of a column says that its ratings are, if not out of 10: "5" for "Score /5";
// otherwise an empty text.
func Scale(name string) string {
	if found := scaled.FindStringSubmatch(name); found != nil {
		return found[1]
	}
	return ""
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
	for _, c := range []column{schema.ColumnLatitude, schema.ColumnLongitude} {
		isUsual := slices.ContainsFunc(schema.Columns[c].Usual, func(usual string) bool { return PlainName(usual) == sought })
		if isUsual && len(name) > 1 && !has[c] {
			best, least = c, 0
		}
	}
	for _, known := range slices.Sorted(maps.Keys(t.byName)) {
		c := t.byName[known]
		if has[c] {
			continue
		}
		if edits := text.Edits(sought, PlainName(known)); edits <= min(2, (len(known)-1)/3) && edits < least {
			best, least = c, edits
		}
	}
	if best == unknown {
		return best, ""
	}
	return best, "is not a known column and is ignored: is it " + t.names[best] + "?"
}
