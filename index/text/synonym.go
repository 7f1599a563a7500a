package text

import "iter"

// Synonyms yields the other spellings of a word of a field. A st that ends its field is a street, no saint.
func Synonyms(word []byte, last bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		switch other, ok := synonyms[string(word)]; {
		case ok:
			yield(other)
		case !last && string(word) == "st":
			yield("saint")
		}
	}
}

var synonyms = map[string]string{
	"saint": "st",
	"one":   "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
	"seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
	"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six",
	"7": "seven", "8": "eight", "9": "nine", "10": "ten", "11": "eleven", "12": "twelve",
}
