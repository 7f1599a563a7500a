package address

import (
	_ "embed"
	"slices"
	"strings"

	"pubd/data"
	"pubd/index"
)

//go:embed words.txt
var wordsText string

var lists = data.ReadLists(wordsText)

// What the words of an address say: words.txt describes each list. Those that are sets have folded words.
var (
	roads         = setOf("roads")
	streets       = setOf("streets")
	streetFirst   = setOf("streetFirst")
	afterRoad     = setOf("afterRoad")
	directions    = setOf("directions")
	unclearLast   = setOf("unclearLast")
	buildingLast  = setOf("buildingLast")
	buildingFirst = setOf("buildingFirst")
	estates       = setOf("estates")
	qualifiers    = setOf("qualifiers")
	vagueNames    = setOf("vagueNames")
	particles     = setOf("particles")
	countries     = setOf("countries")
	streetEndings = lists["streetEndings"]
	streetSounds  = lists["streetSounds"]
	pubWords      = lists["pubWords"]
)

// A set has folded words or names.
type set map[string]bool

// has reports whether a word is in the set once folded. It allocates nothing for a word of usual length.
func (s set) has(word string) bool {
	var buffer [32]byte
	return s[string(index.AppendFolded(buffer[:0], []byte(word)))]
}

func setOf(list string) set {
	s := set{}
	for _, entry := range lists[list] {
		s[fold(entry)] = true
	}
	return s
}

// soundsLikeStreet reports whether a folded name has one of streetSounds.
func soundsLikeStreet(key string) bool { return hasSuffix(key, streetSounds) }

func hasSuffix(key string, endings []string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(key, ending) })
}

func fold(text string) string {
	var buffer [96]byte
	return string(index.AppendFolded(buffer[:0], []byte(text)))
}

// lastWord returns the last word of a folded text.
func lastWord(key string) string { return key[strings.LastIndexByte(key, ' ')+1:] }
