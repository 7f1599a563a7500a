package text

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Class is a set of the classes below: the roles that a word of a query may have besides that of a name.
type Class uint16

// The classes. A word may have several.
const (
	Kind          Class = 1 << iota // a kind of pub
	PluralKind                      // more than one pub of a kind, which asks for them
	Generic                         // a kind, or what is often added to a name or left out
	Plain                           // a kind that says nothing of a pub: nearly all are
	Where                           // asks for what is in a place
	Filler                          // links other words, or says what is wanted of them; where words do
	EnglishFiller                   // the same in English, the language of addresses
	PlaceNoun                       // stands beside the name of a place, such as station
	Wish                            // what a person wishes of a pub, such as garden; a name may have it, too
	Here                            // means the place where the person is
	Best                            // ranks by fair scores
	Denial                          // says that the next words are not wanted
	Unit                            // of a distance or a time, after a number
	Time                            // may ask for pubs that are open at some time
	Usual         = Generic | Filler
)

// classes are what the words of a list are, by its name; "elsewhere" ends the names of lists of other languages.
var classes = map[string]Class{
	"kinds": Kind | Generic, "plural kinds": Kind | PluralKind | Generic, "other generic words": Generic,
	"where words": Where | Filler, "best words": Best | Filler, "other filler words": Filler, "plain kinds": Plain, "place nouns": PlaceNoun, "wishes": Wish,
	"here words": Here, "denials": Denial, "units": Unit, "time words": Time,
}

// wordsFile is the file with the lists: lines "name: word word", continued where a line is indented, and comments. The
// groups of the list "same" are separated by commas.
//
//go:embed words.txt
var wordsFile string

var classOf, same = readWordLists(wordsFile)

// readWordLists returns the classes of each word, and the other words of the groups that it is in.
func readWordLists(file string) (classOf map[string]Class, same map[string][]string) {
	classOf, same = map[string]Class{}, map[string][]string{}
	for _, list := range wordLists(file) {
		name, elsewhere := strings.CutSuffix(list.Name, " elsewhere")
		class, known := classes[name]
		switch {
		case name == "same":
			for group := range strings.SplitSeq(strings.Join(list.Words, " "), ",") {
				words := strings.Fields(group)
				for i, word := range words {
					same[word] = append(append(same[word], words[:i]...), words[i+1:]...)
				}
			}
		case !known:
			panic(fmt.Sprintf("words.txt: unknown list %q", list.Name))
		default:
			if class&Filler != 0 && !elsewhere {
				class |= EnglishFiller
			}
			for _, word := range list.Words {
				classOf[word] |= class
			}
		}
	}
	return classOf, same
}

// wordList is a list of a file.
type wordList struct {
	Name  string
	Words []string
}

func wordLists(file string) (lists []wordList) {
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if !strings.HasPrefix(line, " ") {
			name, words, _ := strings.Cut(line, ":")
			lists, line = append(lists, wordList{Name: name}), words
		}
		last := &lists[len(lists)-1]
		last.Words = append(last.Words, strings.Fields(line)...)
	}
	return lists
}

// ClassOf returns the classes of a folded word.
func ClassOf(word []byte) Class { return classOf[string(word)] }

// Is reports whether a word has one of some classes.
func (c Class) Is(some Class) bool { return c&some != 0 }

// Same returns the other words that count as the same as a word where a query is relaxed, such as street for st.
func Same(word []byte) []string { return same[string(word)] }

// IsStop reports whether a word is "the" or "and".
func IsStop(word []byte) bool { return string(word) == "the" || string(word) == "and" }

// HasDigit reports whether a word has a decimal digit.
func HasDigit(word []byte) bool {
	for len(word) > 0 {
		r, size := utf8.DecodeRune(word)
		if unicode.Is(unicode.Nd, r) {
			return true
		}
		word = word[size:]
	}
	return false
}
