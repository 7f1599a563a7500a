package request

import "strings"

// EqualLower reports whether a text, with ASCII letters lowered, equals a word.
func EqualLower(text []byte, word string) bool {
	if len(text) != len(word) {
		return false
	}
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// AppendEscaped appends a text percent-encoded, except for unreserved characters and those of kept.
func AppendEscaped(dst, text []byte, kept string) []byte {
	for _, c := range text {
		if IsUnreserved(c) || strings.IndexByte(kept, c) >= 0 {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	return dst
}

// IsUnreserved reports whether a character needs no encoding (RFC 3986, section 2.3).
func IsUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}
