package params

// parseTruth parses true, false, 1 or 0, in any case.
func parseTruth(value []byte) (truth, ok bool) {
	switch {
	case EqualLower(value, "true") || string(value) == "1":
		return true, true
	case EqualLower(value, "false") || string(value) == "0":
		return false, true
	}
	return false, false
}

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
