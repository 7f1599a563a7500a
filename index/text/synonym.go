package text

import "iter"

// Synonyms yields the other spellings of a word of a field. At the end of a field, st is a street, not a saint.
func Synonyms(word []byte, last bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(word) == 0 || len(word) > longestSynonym || !mayHaveSynonym[len(word)][word[0]] {
			return
		}
		other, ok := synonyms[string(word)]
		if ok && !(last && string(word) == "st") {
			yield(other)
		}
	}
}

// shortened are the words with a short spelling.
var shortened = [...]struct{ word, spelling string }{
	{"saint", "st"},
	{"one", "1"}, {"two", "2"}, {"three", "3"}, {"four", "4"}, {"five", "5"}, {"six", "6"},
	{"seven", "7"}, {"eight", "8"}, {"nine", "9"}, {"ten", "10"}, {"eleven", "11"}, {"twelve", "12"},
}

// longestSynonym is the length of the longest words with another spelling.
const longestSynonym = len("eleven")

// mayHaveSynonym reports, by length and first byte, whether a word may have another spelling: few do.
var mayHaveSynonym = func() (may [longestSynonym + 1][256]bool) {
	for word := range synonyms {
		may[len(word)][word[0]] = true
	}
	return may
}()

// synonyms are the other spellings of words.
var synonyms = func() map[string]string {
	other := map[string]string{}
	for _, short := range shortened {
		other[short.word], other[short.spelling] = short.spelling, short.word
	}
	return other
}()
