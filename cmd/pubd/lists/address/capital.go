package address

import (
	"strings"
	"unicode"
)

// capitalised writes the name of a place with capitals where such names have them, whatever the case of its letters is:
// Stoke-on-Trent, King's Lynn.
func capitalised(name string) string {
	runes := []rune(strings.ToLower(name))
	start := 0 // of a word
	for i := 0; i <= len(runes); i++ {
		if i < len(runes) && runes[i] != ' ' && runes[i] != '-' {
			continue
		}
		word := runes[start:i]
		if start == 0 || !particles[string(word)] {
			capitalise(word)
		}
		start = i + 1
	}
	return string(runes)
}

// capitalise capitalises the first letter of a word, and one after a point, a slash or the apostrophe of O'Brien.
func capitalise(word []rune) {
	for i, r := range word {
		begins := i == 0 || word[i-1] == '.' || word[i-1] == '/'
		if begins || i == 2 && len(word) > 3 && (word[1] == '\'' || word[1] == '’') {
			word[i] = unicode.ToTitle(r)
		}
	}
}
