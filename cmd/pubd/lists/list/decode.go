package list

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"pubd/loader"
)

// wide are the encodings of two and four bytes per character, with their byte order marks. Those of UTF-32 come first,
// as one begins like one of UTF-16.
var wide = []struct {
	name, mark string
	unit       int
	encoding   encoding.Encoding
}{
	{"UTF-32", "\xff\xfe\x00\x00", 4, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
	{"UTF-32", "\x00\x00\xfe\xff", 4, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	{"UTF-16", "\xff\xfe", 2, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	{"UTF-16", "\xfe\xff", 2, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
}

// decode returns a text as UTF-8 with line feeds at its line ends, without a byte order mark, and its encoding if that
// was another one. A text without a mark is recognised by its first characters, which are ASCII in every list. Text
// that is not UTF-8 at all is assumed to have an encoding of spreadsheet programs.
func decode(text []byte) (decoded []byte, name string) {
	decoded, _ = bytes.CutPrefix(text, []byte("\xef\xbb\xbf"))
	for _, w := range wide {
		body, marked := bytes.CutPrefix(text, []byte(w.mark))
		if !marked && !isASCII(text, w.unit, w.encoding) {
			continue
		}
		if all, err := w.encoding.NewDecoder().Bytes(body); err == nil {
			return withLineFeeds(all), w.name
		}
	}
	if !utf8.Valid(decoded) {
		if guessed, all := loader.GuessEncoding(string(decoded)); guessed != "" {
			decoded, name = []byte(all), guessed
		}
	}
	return withLineFeeds(decoded), name
}

// isASCII reports whether the first two characters of a text of some bytes each are ASCII in an encoding, and not zero.
func isASCII(text []byte, unit int, wide encoding.Encoding) bool {
	if len(text) < 2*unit {
		return false
	}
	head, err := wide.NewDecoder().Bytes(text[:2*unit])
	return err == nil && len(head) == 2 && 0 < min(head[0], head[1]) && max(head[0], head[1]) < utf8.RuneSelf
}

// withLineFeeds replaces carriage returns by line feeds if a text ends its lines with them alone.
func withLineFeeds(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') >= 0 {
		return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	return text
}
