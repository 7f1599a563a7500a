// Package features knows what pubs offer, such as a garden: the names of features, and the phrases that say them in
// queries and in lists of pubs. It also knows nicknames of chains.
package features

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pubd/index/text"
)

// OpenNow, OpenLate and OpenAt are no features of a pub, but what phrases ask of its hours: to be open at the time of the
// query, at 0:30, and at a [Time].
const (
	OpenNow  = "open_now"
	OpenLate = "open_late"
	OpenAt   = "open_at"
)

// maxPhrase is the maximum number of bytes of a folded phrase.
const maxPhrase = 64

// isName matches the name of a feature.
var isName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

// A Vocabulary has features and their phrases. Methods of nil but With are those of the built-in one. It is immutable and
// safe for concurrent use.
type Vocabulary struct {
	names   []string
	known   map[string]bool   // names
	phrases map[string]string // features by folded phrase, without "the" and "and"
	joined  map[string]string // features by the names and phrases of features of pubs, written together
	longest int               // number of words of a phrase
	chains  map[string][]byte // folded names of chains by nickname, which is one folded word
}

//go:embed features.txt
var builtIn []byte

// BuiltIn returns the vocabulary of pubd, in eleven languages. It is read once, when it is first needed.
var BuiltIn = sync.OnceValue(func() *Vocabulary {
	v, err := (&Vocabulary{known: map[string]bool{}, phrases: map[string]string{}, joined: map[string]string{}, chains: map[string][]byte{}}).With(builtIn, "features.txt")
	if err != nil {
		panic(err)
	}
	return v
})

// With returns a vocabulary with the lines of a file added, which are written as those of features.txt. They name new
// features, or add phrases to known ones, or nicknames to chains; what has another meaning in v gets that of the file. An
// error begins with the name of the file and the line.
func (v *Vocabulary) With(content []byte, name string) (*Vocabulary, error) {
	added := &Vocabulary{slices.Clone(v.names), maps.Clone(v.known), maps.Clone(v.phrases), maps.Clone(v.joined), v.longest, maps.Clone(v.chains)}
	own := map[string]string{}
	feature, isList, number, chain := "", false, 0, []byte(nil)
	for line := range strings.Lines(strings.TrimPrefix(string(content), "\ufeff")) {
		number++
		phrases := strings.TrimSpace(line)
		if phrases == "" || phrases[0] == '#' {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			feature, phrases, isList = strings.Cut(phrases, ":")
			name, isChain := strings.CutPrefix(feature, "chain ")
			if chain = nil; isChain && isList {
				chain = text.AppendFolded(nil, []byte(name))
			} else if !added.known[feature] {
				added.names, added.known[feature] = append(added.names, feature), true
			}
		}
		if len(chain) > 0 {
			for nickname := range strings.SplitSeq(phrases, ",") {
				folded := text.AppendFolded(nil, []byte(nickname))
				if bytes.IndexByte(folded, ' ') >= 0 || len(folded) == 0 && strings.TrimSpace(nickname) != "" {
					return nil, fmt.Errorf("%s:%d: nickname %q: must be one word", name, number, strings.TrimSpace(nickname))
				}
				added.chains[string(folded)] = chain
			}
			continue
		}
		if !isList || !isName.MatchString(feature) {
			return nil, fmt.Errorf("%s:%d: feature %.40q: must be at most 32 letters a to z, digits and _, before a colon and "+
				"phrases, as in \"dog: dog friendly, dogs\"", name, number, feature)
		}
		for phrase := range strings.SplitSeq(phrases, ",") {
			words := words(text.AppendFolded(nil, []byte(phrase)))
			folded := string(words.AppendTo(nil))
			rule := ""
			switch other := own[folded]; {
			case strings.TrimSpace(phrase) == "":
				continue
			case folded == "":
				rule = "must have a word besides \"the\" and \"and\""
			case len(folded) > maxPhrase:
				rule = fmt.Sprintf("must be at most %d bytes long", maxPhrase)
			case other != "" && other != feature:
				rule = fmt.Sprintf("must mean one feature, but means %s, too", other)
			}
			if rule != "" {
				return nil, fmt.Errorf("%s:%d: phrase %q: %s", name, number, strings.TrimSpace(phrase), rule)
			}
			own[folded], added.phrases[folded] = feature, feature
			if !asksForHours(feature) {
				added.joined[join(words)] = feature
			}
			added.longest = max(added.longest, len(words))
		}
	}
	return added, nil
}

// words returns the words of a folded text that count, which share its memory.
func words(folded []byte) text.Phrase {
	return slices.DeleteFunc(text.Phrase{}.AppendWords(folded), text.IsStop)
}

// Names returns the names of the features that pubs may have, in the order of the files.
func (v *Vocabulary) Names() []string {
	names := cmp.Or(v, BuiltIn()).names
	return slices.DeleteFunc(slices.Clone(names), asksForHours)
}

func asksForHours(name string) bool { return name == OpenNow || name == OpenLate || name == OpenAt }

// Find returns the feature that the longest phrase at the beginning of folded words means, and its number of words: 0
// if there is none. The words are without "the" and "and". It does not allocate.
func (v *Vocabulary) Find(words [][]byte) (feature string, n int) {
	v = cmp.Or(v, BuiltIn())
	var room [maxPhrase + 1]byte
	phrase := room[:0]
	for i, word := range words[:min(len(words), v.longest)] {
		if i > 0 {
			phrase = append(phrase, ' ')
		}
		if len(phrase)+len(word) > maxPhrase {
			break
		}
		phrase = append(phrase, word...)
		if means, ok := v.phrases[string(phrase)]; ok {
			feature, n = means, i+1
		}
	}
	return feature, n
}

// Chain returns the folded name of the chain of which a folded word is a nickname; nil if it is not a nickname. It does
// not allocate.
func (v *Vocabulary) Chain(nickname []byte) []byte {
	return cmp.Or(v, BuiltIn()).chains[string(nickname)]
}

// join returns words written together.
func join(words text.Phrase) string { return string(bytes.Join(words, nil)) }

// Named returns the feature of pubs that a whole text names or means, also written together or apart: dog for "Dog
// friendly", live_music for "Live-Music", garden for "beergarden".
func (v *Vocabulary) Named(name string) (feature string, ok bool) {
	v = cmp.Or(v, BuiltIn())
	written := words(text.AppendFolded(nil, []byte(name)))
	if joined := string(bytes.Join(written, []byte("_"))); v.known[joined] && !asksForHours(joined) {
		return joined, true
	}
	feature, ok = v.joined[join(written)]
	return feature, ok
}

// Nearest returns the feature of pubs that a text most probably means with at most one in four letters wrong, and two; empty if there is
// none.
func (v *Vocabulary) Nearest(name string) (nearest string) {
	v = cmp.Or(v, BuiltIn())
	written, least := join(words(text.AppendFolded(nil, []byte(name)))), maxPhrase
	var m text.FuzzyMatcher
	consider := func(other, feature string) {
		edits := m.Distance([]byte(written), []byte(other), 2, false)
		if edits <= min(2, len(other)/4) && (edits < least || edits == least && feature < nearest) {
			nearest, least = feature, edits
		}
	}
	if len(written) > maxPhrase {
		return ""
	}
	for phrase, feature := range v.joined {
		consider(phrase, feature)
	}
	for _, feature := range v.Names() {
		consider(strings.ReplaceAll(feature, "_", ""), feature)
	}
	return nearest
}
