package text

import "strconv"

// Synonyms returns the other spellings of a word of a field. At the end of a field, st is a street, not a saint.
func Synonyms(word []byte, last bool) []string {
	if last && string(word) == "st" {
		return nil
	}
	return synonyms[string(word)]
}

// AllSynonyms returns the other spellings of all words that have any.
func AllSynonyms() map[string][]string { return synonyms }

// synonyms are the other spellings of words.
var synonyms = func() map[string][]string {
	other := map[string][]string{"saint": {"st"}, "sankt": {"st"}, "st": {"saint", "sankt"}}
	for i, word := range [...]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		digits := strconv.Itoa(i + 1)
		other[word], other[digits] = []string{digits}, []string{word}
	}
	return other
}()
