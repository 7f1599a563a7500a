package survey

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"pubd/cmd/pubd/lists/coordinate"
	"pubd/index/schema"
	"pubd/index/text"
	"pubd/loader"
)

// A textRule checks a text for one kind of mistake: it returns the reason, or an empty string.
type textRule struct {
	kind     Kind
	nameOnly bool
	reason   func(text string) string
}

var textRules = []textRule{
	{Mojibake, false, garbled},
	{Invisible, false, invisible},
	{Entity, false, entity},
	{Spaces, false, spaces},
	{Placeholder, true, placeholder},
}

// findTexts checks names and facets. If many pubs share a text, each of them is a finding.
func (f *finder) findTexts() {
	for i := range f.pubs {
		pub := &f.pubs[i]
		texts := [...]struct{ of, text string }{{"name", pub.Name}, {schema.Location.String(), pub.Location},
			{schema.Trading.String(), pub.Trading}, {schema.Category.String(), pub.Category}}
		for _, rule := range textRules {
			for n, t := range texts {
				if reason := rule.reason(t.text); reason != "" && (n == 0 || !rule.nameOnly) {
					f.add(rule.kind, i, t.of+" "+reason)
					break
				}
			}
		}
		if reason := isPosition(pub.Location); reason != "" {
			f.add(Coordinates, i, reason)
		}
	}
}

// isPosition detects coordinates, such as "51.5, -0.12" and "POINT(-0.12 51.5)".
func isPosition(location string) string {
	if !strings.ContainsAny(location, ",()") || !strings.ContainsAny(location, "0123456789") {
		return ""
	}
	lat, lng, rule := coordinate.Pair(location)
	if rule != "" || lat == "" {
		return ""
	}
	return fmt.Sprintf("location %s is a point: latitude %s, longitude %s", quoted(location), lat, lng)
}

// garbled detects UTF-8 text that was decoded as another encoding, such as "CafÃ©" for "Café", and lost characters.
func garbled(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return ""
	}
	for _, encoding := range misread {
		if decoded, ok := decodeAgain(text, encoding); ok {
			// Some programs do it to their own output.
			for range 2 {
				if again, ok := decodeAgain(decoded, encoding); ok {
					decoded = again
				}
			}
			return "is probably " + quoted(decoded)
		}
	}
	if strings.ContainsRune(text, utf8.RuneError) {
		return "has U+FFFD, which stands for a character that was lost"
	}
	return ""
}

// misread are the encodings that programs take UTF-8 for: that of western, central and eastern Europe, that of Greece,
// and that of spreadsheets on a Mac.
var misread = []*charmap.Charmap{charmap.Windows1252, charmap.Windows1250, charmap.Windows1251, charmap.Windows1253, charmap.Macintosh}

// decodeAgain returns a text with the bytes that it has in an encoding read as UTF-8, if they are. A single character
// counts only if it is Latin, punctuation or a currency sign: CAFÉ’S would have another letter. In Cyrillic and Greek,
// where such pairs occur, there must be three.
func decodeAgain(text string, encoding *charmap.Charmap) (decoded string, ok bool) {
	decoded, err := encoding.NewEncoder().String(text)
	if err != nil || !utf8.ValidString(decoded) {
		return "", false
	}
	count, usual := 0, true
	for _, r := range decoded {
		if r >= utf8.RuneSelf {
			count++
			usual = usual && (r >= 0xa0 && r < 0x250 || r >= 0x2010 && r < 0x20d0 || r == '™')
		}
	}
	if encoding == charmap.Windows1251 || encoding == charmap.Windows1253 {
		return decoded, count > 2
	}
	return decoded, count > 1 || count == 1 && usual
}

func invisible(text string) string {
	for _, r := range text {
		// The joiners U+200C and U+200D are part of some scripts and of emoji.
		if r != '\u200c' && r != '\u200d' && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) {
			return fmt.Sprintf("has %U", r)
		}
	}
	return ""
}

var entityForm = regexp.MustCompile(`&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});`)

func entity(text string) string {
	for _, found := range entityForm.FindAllString(text, -1) {
		if decoded := html.UnescapeString(found); decoded != found {
			return fmt.Sprintf("has %s for %s", found, quoted(decoded))
		}
	}
	return ""
}

var twoSpaces = regexp.MustCompile(`[\s\p{Z}]{2}`)

// spaces detects spaces at the ends, and repeated ones.
func spaces(text string) string {
	switch {
	case strings.TrimLeftFunc(text, unicode.IsSpace) != text:
		return "begins with a space"
	case strings.TrimRightFunc(text, unicode.IsSpace) != text:
		return "ends with a space"
	case twoSpaces.MatchString(text):
		return "has two spaces in a row"
	}
	return ""
}

// sheetErrors are what spreadsheets write instead of a value.
var sheetErrors = []string{"#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#N/A", "#NUM!", "#NULL!"}

// nameless are folded names that stand for no name.
var nameless = []string{"unknown", "no name", "noname", "unnamed", "not known", "none", "nil", "nan", "undefined", "n a", "na", "tbc", "tba", "tbd", "test", "pub",
	"name", "xxx", "asdf"}

func placeholder(name string) string {
	if strings.HasPrefix(name, "#") && slices.Contains(sheetErrors, strings.ToUpper(name)) {
		return "is a spreadsheet error"
	}
	switch folded := string(text.AppendFolded(nil, []byte(name))); {
	case folded == "":
		return "has no letter or digit: no search finds it"
	case slices.Contains(nameless, folded):
		return "is not a name"
	}
	return ""
}

// quoted returns a shortened text in quotes, with unprintable characters escaped.
func quoted(text string) string { return strconv.Quote(loader.Shorten(text)) }
