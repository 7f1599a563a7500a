package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendFolded appends the folded form of a text to dst: its words in lower case without accents, punctuation or
// apostrophes, joined by one space. Data and queries are folded alike. The cost is linear in the text; it does not
// allocate when dst has room.
func AppendFolded(dst, text []byte) []byte {
	w := wordWriter{dst: dst, start: len(dst), word: len(dst)}
	return w.write(text)
}

// AppendFoldedSpans does the same as AppendFolded, and appends for each word from which to before which character of
// the text it is written.
func AppendFoldedSpans(dst, text []byte, spans [][2]int) ([]byte, [][2]int) {
	w := wordWriter{dst: dst, start: len(dst), word: len(dst), spans: spans, hasSpans: true}
	return w.write(text), w.spans
}

// minElided is the minimum number of characters of a word after an elided one.
const minElided = 3

// AppendElided appends the words of a text that follow elided ones, such as etoile in L'Étoile, joined by one space: of
// each run without white space, what follows the first apostrophe after a letter or digit, up to the end of its first
// folded word, if that has at least minElided characters. The cost is linear in the text.
func AppendElided(dst, text []byte) []byte {
	if !bytes.ContainsFunc(text, isDeleted) { // as most
		return dst
	}
	start := len(dst)
	for run := range bytes.FieldsFuncSeq(text, unicode.IsSpace) {
		previous := ' '
		for i, r := range string(run) {
			if isDeleted(r) && isOfWord(previous) {
				before := len(dst)
				if before > start {
					dst = append(dst, ' ')
				}
				begin := len(dst)
				dst = AppendFolded(dst, run[i+utf8.RuneLen(r):])
				word, _, _ := bytes.Cut(dst[begin:], space)
				if dst = dst[:begin+len(word)]; utf8.RuneCount(word) < minElided {
					dst = dst[:before]
				}
				break
			}
			previous = r
		}
	}
	return dst
}

// isDeleted reports whether folding deletes a character, which joins its neighbours: an apostrophe. A character that only
// decomposes into one separates words.
func isDeleted(r rune) bool {
	switch r {
	case '\'', '`', '\u2018', '\u2019', '\u02bc', '\uff07', '\u00b4':
		return true
	}
	return false
}

// isOfWord reports whether a character may be one of a word.
func isOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Nd, r) }

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

	character int // number of the character that is written
	spans     [][2]int
	hasSpans  bool // whether spans are wanted
}

// write appends the words of a text.
func (w *wordWriter) write(text []byte) []byte {
	for i := 0; i < len(text); w.character++ {
		if c := text[i]; c < utf8.RuneSelf {
			if c != '\'' && c != '`' {
				w.ascii(c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if !isDeleted(r) {
			w.decomposed(r, text[i:i+size])
		}
		i += size
	}
	w.expand()
	return w.dst
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
	case isOfWord(r):
		w.begin()
		w.dst = utf8.AppendRune(w.dst, unicode.ToLower(r))
	case unicode.Is(unicode.Mn, r):
	default:
		w.gap = true
	}
}

// begin prepares for another character of a word, which is a new word after a gap.
func (w *wordWriter) begin() {
	if w.hasSpans {
		if w.gap || len(w.dst) == w.start {
			w.spans = append(w.spans, [2]int{w.character, 0})
		}
		w.spans[len(w.spans)-1][1] = w.character + 1
	}
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
