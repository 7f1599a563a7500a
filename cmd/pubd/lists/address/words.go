package address

import (
	_ "embed"
	"strings"

	"pubd/data"
	"pubd/index/text"
)

//go:embed words.txt
var wordsText string

var lists = data.ReadLists(wordsText)

// What the words of an address say: words.txt describes each list. Those that are sets have folded words.
var (
	roads       = setOf("roads")
	saints      = setOf("saints")
	streets     = setOf("streets")
	streetWords = setOf("streetWords")
	endings     = lists["streetEndings"]
	directions  = setOf("directions")
	buildings   = setOf("buildings")
	insides     = setOf("insides")
	qualifiers  = setOf("qualifiers")
	vague       = setOf("vague")
	particles   = setOf("particles")
	regions     = setOf("regions")
)

// A set has folded words or names.
type set map[string]bool

// has reports whether a word is in the set once folded. It allocates nothing for a word of usual length.
func (s set) has(word string) bool {
	var buffer [32]byte
	return s[string(text.AppendFolded(buffer[:0], []byte(word)))]
}

func setOf(list string) set {
	s := set{}
	for _, entry := range lists[list] {
		for spelling := range strings.SplitSeq(entry, ",") {
			s[fold(spelling)] = true
		}
	}
	return s
}

func fold(written string) string {
	var buffer [96]byte
	return string(text.AppendFolded(buffer[:0], []byte(written)))
}

// lastWord returns the last word of a folded text.
func lastWord(key string) string { return key[strings.LastIndexByte(key, ' ')+1:] }
