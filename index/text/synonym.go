package text

import "strconv"

// Synonyms returns the other spellings of a word of a field. At the end of a field, st is a street, not a saint.
func Synonyms(word []byte, last bool) []string {
	if len(word) == 0 || len(word) > longestSynonym || !mayHaveSynonym[len(word)][word[0]] || last && string(word) == "st" {
		return nil
	}
	return synonyms[string(word)]
}

// longestSynonym is the length of the longest words with another spelling.
const longestSynonym = len("eleven")

// synonyms are the other spellings of words.
var synonyms = func() map[string][]string {
	other := map[string][]string{"saint": {"st"}, "sankt": {"st"}, "st": {"saint", "sankt"}}
	for i, word := range [...]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		digits := strconv.Itoa(i + 1)
		other[word], other[digits] = []string{digits}, []string{word}
	}
	return other
}()

// mayHaveSynonym reports, by length and first byte, whether a word may have another spelling: few do.
var mayHaveSynonym = func() (may [longestSynonym + 1][256]bool) {
	for word := range synonyms {
		may[len(word)][word[0]] = true
	}
	return may
}()
