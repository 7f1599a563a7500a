package relax

import (
	"slices"

	"pubd/index/text"
)

// isFiller reports whether a word only links others, such as in, in "the Anchor in Leeds".
func isFiller(word []byte) bool {
	switch string(word) {
	case "a", "at", "by", "called", "in", "near", "of", "on", "to", "uk":
		return true
	}
	return false
}

// isSlight reports whether a word is generic or filler.
func isSlight(word []byte) bool { return text.IsGeneric(word) || isFiller(word) }

// abbreviations are pairs of equivalent words.
var abbreviations = [...][2]string{
	{"adm", "admiral"}, {"bros", "brothers"}, {"capt", "captain"}, {"center", "centre"}, {"co", "company"}, {"dr", "doctor"},
	{"gen", "general"}, {"gray", "grey"}, {"gt", "great"}, {"ii", "2"}, {"iii", "3"}, {"iv", "fourth"}, {"jct", "junction"},
	{"lt", "little"}, {"mt", "mount"}, {"no", "number"}, {"rd", "road"}, {"rly", "railway"}, {"sgt", "sergeant"}, {"sq", "square"},
	{"st", "street"}, {"stn", "station"}, {"theater", "theatre"}, {"wagon", "waggon"}, {"wm", "william"},
}

// Abbreviation returns what a word abbreviates, or its abbreviation, or "".
func Abbreviation(word []byte) string {
	for _, pair := range abbreviations {
		switch string(word) {
		case pair[0]:
			return pair[1]
		case pair[1]:
			return pair[0]
		}
	}
	return ""
}

// coreOf appends the places of the words of a query that are neither generic nor filler, or of all words if none would be left.
func coreOf(dst []uint8, words text.Phrase) []uint8 {
	all := !slices.ContainsFunc(words, func(word []byte) bool { return !isSlight(word) })
	for i, word := range words {
		if all || !isSlight(word) {
			dst = append(dst, uint8(i))
		}
	}
	return dst
}
