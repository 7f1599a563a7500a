package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"
)

// A class is a way to corrupt a name. spoil returns "" if it does not apply to a target.
type class struct {
	name     string
	hasPlace bool // the result includes the location
	spoil    func(rng *rand.Rand, intact target) string
}

var classes = []class{
	{"as it is", false, func(_ *rand.Rand, intact target) string { return intact.Name }},
	{"one edit", false, edited(4, 1, 1)},
	{"two edits in one word of 10 letters and more", false, edited(10, 1, 2)},
	{"two edits in two words", false, edited(4, 2, 1)},
	{"first letter wrong", false, onWords(func(rng *rand.Rand, words []string) []string {
		at := pick(rng, words, 4)
		if at < 0 {
			return nil
		}
		letters := []rune(words[at])
		letters[0] = otherLetter(rng, letters[0])
		words[at] = string(letters)
		return words
	})},
	{"other order", false, onWords(func(rng *rand.Rand, words []string) []string {
		at := 1 + rng.IntN(max(1, len(words)-1))
		return append(slices.Clone(words[at:]), words[:at]...)
	})},
	{"accents", false, onName(strings.NewReplacer("a", "á", "e", "è", "i", "ï", "o", "ô", "u", "ü").Replace)},
	{"capitals", false, onName(strings.ToUpper)},
	{"apostrophes", false, onName(func(name string) string {
		if bare := strings.NewReplacer("'", "", "’", "").Replace(name); bare != name {
			return bare
		}
		return strings.Replace(name, "s ", "'s ", 1)
	})},
	{"& for and", false, onName(strings.NewReplacer(" & ", " and ", " and ", " & ", " And ", " & ").Replace)},
	{"two words joined", false, onWords(func(rng *rand.Rand, words []string) []string {
		at := rng.IntN(max(1, len(words)-1))
		return slices.Replace(words, at, min(len(words), at+2), strings.Join(words[at:min(len(words), at+2)], ""))
	})},
	{"a word split", false, onWords(func(rng *rand.Rand, words []string) []string {
		at := pick(rng, words, 6)
		if at < 0 {
			return nil
		}
		letters := []rune(words[at])
		cut := 2 + rng.IntN(len(letters)-3)
		return slices.Replace(words, at, at+1, string(letters[:cut]), string(letters[cut:]))
	})},
	{"all spaces missing", false, onName(func(name string) string { return strings.ReplaceAll(name, " ", "") })},
	{"abbreviated", false, onWords(func(_ *rand.Rand, words []string) []string {
		for i, word := range words {
			if other := abbreviations[strings.ToLower(word)]; other != "" {
				words[i] = other
				return words
			}
		}
		return nil
	})},
	{"X pub in T", true, func(_ *rand.Rand, intact target) string { return intact.Name + " pub in " + intact.Location }},
	{"the X near T", true, func(_ *rand.Rand, intact target) string { return "the " + intact.Name + " near " + intact.Location }},
	{"X inn", false, func(_ *rand.Rand, intact target) string { return intact.Name + " inn" }},
}

// abbreviations maps words to their other usual spellings, in both directions.
var abbreviations = func() map[string]string {
	other := map[string]string{}
	for _, two := range strings.Split(`adm admiral,bros brothers,capt captain,center centre,co company,dr doctor,gen general,gray grey,gt great,jct junction,
lt little,mt mount,rd road,rly railway,sgt sergeant,sq square,st street,stn station,theater theatre,wagon waggon,wm william`, ",") {
		short, long, _ := strings.Cut(strings.TrimSpace(two), " ")
		other[short], other[long] = long, short
	}
	return other
}()

// questionsAbout returns questions about the first targets to which the class applies.
func (c class) questionsAbout(targets []target, count int) (questions []question) {
	for _, t := range targets {
		if text := c.spoil(dice(t.UID, c.name), t); text != "" && len(questions) < count {
			questions = append(questions, question{t, text, c.hasPlace})
		}
	}
	return questions
}

// dice returns a random number generator. The same texts give the same numbers.
func dice(texts ...string) *rand.Rand {
	return rand.New(rand.NewPCG(xxhash.Sum64String(strings.Join(texts, "\x00")), 1))
}

// madeUp returns the name of a pub that does not exist, from a pronounceable word.
func madeUp(rng *rand.Rand, _ target) (name string) {
	for range 2 + rng.IntN(2) {
		name += string("bdfgjklmnprstvwz"[rng.IntN(16)]) + string("aeiou"[rng.IntN(5)])
	}
	return name + string("dklmnrst"[rng.IntN(8)]) + " Arms"
}

// onName corrupts names with a function, which must change them.
func onName(spoil func(name string) string) func(*rand.Rand, target) string {
	return func(_ *rand.Rand, intact target) string {
		if spoiled := spoil(intact.Name); spoiled != intact.Name {
			return spoiled
		}
		return ""
	}
}

// onWords corrupts the words of names with a function, which must change them.
func onWords(spoil func(rng *rand.Rand, words []string) []string) func(*rand.Rand, target) string {
	return func(rng *rand.Rand, intact target) string {
		spoiled := strings.Join(spoil(rng, strings.Fields(intact.Name)), " ")
		if spoiled == strings.Join(strings.Fields(intact.Name), " ") {
			return ""
		}
		return spoiled
	}
}

// edited makes a number of edits in each of a number of words that have a minimum of letters. It does not replace
// first letters.
func edited(letters, words, edits int) func(*rand.Rand, target) string {
	return onWords(func(rng *rand.Rand, all []string) []string {
		spoiled := slices.Clone(all)
		for range words {
			at := pick(rng, all, letters)
			if at < 0 {
				return nil
			}
			for range edits {
				spoiled[at] = edit(rng, spoiled[at])
			}
			if all[at] == spoiled[at] { // the second edit has undone the first
				return nil
			}
			all[at] = "" // so that it is not picked again
		}
		return spoiled
	})
}

// pick returns the index of a random word that consists of a minimum of letters, or -1.
func pick(rng *rand.Rand, words []string, letters int) int {
	var places []int
	for i, word := range words {
		isLetter := func(r rune) bool { return unicode.IsLetter(r) || r == '\'' || r == '’' }
		if count := len([]rune(word)); count >= letters && strings.IndexFunc(word, func(r rune) bool { return !isLetter(r) }) < 0 {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return -1
	}
	return places[rng.IntN(len(places))]
}

// edit inserts, deletes or replaces a letter or swaps two neighbours. The result differs from the word.
func edit(rng *rand.Rand, word string) string {
	for {
		letters := []rune(word)
		at := 1 + rng.IntN(len(letters)-1)
		switch kind := rng.IntN(4); {
		case kind == 0:
			letters = slices.Insert(letters, at, otherLetter(rng, 0))
		case kind == 1:
			letters = slices.Delete(letters, at, at+1)
		case kind == 2:
			letters[at] = otherLetter(rng, letters[at])
		case at+1 < len(letters):
			letters[at], letters[at+1] = letters[at+1], letters[at]
		}
		if spoiled := string(letters); spoiled != word {
			return spoiled
		}
	}
}

func otherLetter(rng *rand.Rand, than rune) rune {
	for {
		if letter := 'a' + rune(rng.IntN(26)); letter != unicode.ToLower(than) {
			return letter
		}
	}
}
