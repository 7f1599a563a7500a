package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendFolded appends the folded form of a text to dst: its words in lower case without accents, punctuation or
// apostrophes, joined by one space. Data and queries are folded alike. The cost is linear in the text; it does not
// allocate when dst has room.
func AppendFolded(dst, text []byte) []byte {
	w := wordWriter{dst: dst, start: len(dst), word: len(dst)}
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c != '\'' && c != '`' {
				w.ascii(c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if !isApostrophe(r) {
			w.decomposed(r, text[i:i+size])
		}
		i += size
	}
	return w.finish()
}

// AppendFoldedSpans does the same as AppendFolded, and appends for each word from which to before which character of
// the text it is written.
func AppendFoldedSpans(dst, text []byte, spans [][2]int) ([]byte, [][2]int) {
	w := wordWriter{dst: dst, start: len(dst), word: len(dst)}
	first := len(spans)
	for character := 0; len(text) > 0; character++ {
		if c := text[0]; len(spans) > first && !w.gap && ('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') { // most characters
			w.dst = append(w.dst, c|0x20)
			spans[len(spans)-1][1] = character + 1
			text = text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		encoded := text[:size]
		text = text[size:]
		before, gap := len(w.dst), w.gap
		switch {
		case r == '\'' || r == '`' || isApostrophe(r):
		case r < utf8.RuneSelf:
			w.ascii(byte(r))
		default:
			w.decomposed(r, encoded)
		}
		written := w.dst[before:]
		if len(written) > 0 && !gap && written[0] != ' ' || before == w.start && len(written) > 0 {
			if len(spans) == first {
				spans = append(spans, [2]int{character, character})
			}
			spans[len(spans)-1][1] = character + 1
		}
		for _, c := range written {
			if c == ' ' {
				spans = append(spans, [2]int{character, character + 1})
			}
		}
	}
	return w.finish(), spans
}

// isApostrophe reports whether a character is deleted like ' and `, which joins its neighbours. A character that only
// decomposes into one of them separates words.
func isApostrophe(r rune) bool {
	switch r {
	case '\u2018', '\u2019', '\u02bc', '\uff07', '\u00b4':
		return true
	}
	return false
}

// letters are the letters that do not decompose but are commonly written as others.
var letters = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe", 'ø': "o", 'Ø': "o", 'ł': "l", 'Ł': "l",
	'đ': "d", 'Đ': "d", 'ð': "d", 'Ð': "d", 'þ': "th", 'Þ': "th", 'ı': "i", 'ς': "σ",
}

// A wordWriter appends words to dst, separated by a space.
type wordWriter struct {
	dst   []byte
	start int  // where the folded form begins
	word  int  // where the last word begins
	gap   bool // whether the last word has ended
}

func (w *wordWriter) ascii(c byte) {
	switch {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		w.begin()
		w.dst = append(w.dst, c)
	case 'A' <= c && c <= 'Z':
		w.begin()
		w.dst = append(w.dst, c+'a'-'A')
	case c == '&' || c == '+':
		w.gap = true
		w.begin()
		w.dst = append(w.dst, "and"...)
		w.gap = true
	default:
		w.gap = true
	}
}

// decomposed writes the compatibility decomposition (NFKD) of a character. It does not restore the canonical order of
// marks, because words have no marks.
func (w *wordWriter) decomposed(r rune, encoded []byte) {
	const first, last, vowels, finals = 0xac00, 0xd7a3, 21, 28 // Hangul syllables: Unicode, section 3.12
	if first <= r && r <= last {
		r -= first
		w.rune(0x1100 + r/(vowels*finals))
		w.rune(0x1161 + r/finals%vowels)
		if r%finals > 0 {
			w.rune(0x11a7 + r%finals)
		}
		return
	}
	parts := norm.NFKD.Properties(encoded).Decomposition()
	if parts == nil {
		w.rune(r)
	}
	for len(parts) > 0 {
		r, size := utf8.DecodeRune(parts)
		w.rune(r)
		parts = parts[size:]
	}
}

func (w *wordWriter) rune(r rune) {
	if r < utf8.RuneSelf {
		w.ascii(byte(r))
		return
	}
	if letter, ok := letters[r]; ok {
		w.begin()
		w.dst = append(w.dst, letter...)
		return
	}
	switch {
	case unicode.IsLetter(r) || unicode.Is(unicode.Nd, r):
		w.begin()
		w.dst = utf8.AppendRune(w.dst, unicode.ToLower(r))
	case unicode.Is(unicode.Mn, r):
	default:
		w.gap = true
	}
}

// begin prepares for another character of a word, which is a new word after a gap.
func (w *wordWriter) begin() {
	if !w.gap {
		return
	}
	w.gap = false
	if len(w.dst) > w.start {
		w.expand()
		w.dst = append(w.dst, ' ')
		w.word = len(w.dst)
	}
}

// expand replaces the last word by "and" if it is n, as in Rose 'n' Crown.
func (w *wordWriter) expand() {
	if len(w.dst) == w.word+1 && w.dst[w.word] == 'n' {
		w.dst = append(w.dst[:w.word], "and"...)
	}
}

func (w *wordWriter) finish() []byte {
	w.expand()
	return w.dst
}
