package relax

import (
	"slices"

	"pubd/index/text"
)

// isWhere reports whether a word asks for what is in a place.
func isWhere(word []byte) bool {
	switch string(word) {
	case "in", "near", "around", "nearby", "at", "by", "on", "nearest", "closest":
		return true
	}
	return false
}

// isKind reports whether a word is a kind of pub, such as bars, of which all in a place may be wanted.
func isKind(word []byte) bool {
	switch string(word) {
	case "pub", "bar", "freehouse", "nightclub", "micropub", "brewpub", "gastropub", "taproom", "brewery",
		"pubs", "bars", "freehouses", "nightclubs", "micropubs", "brewpubs", "gastropubs", "taprooms", "breweries",
		"inns", "taverns", "hotels", "clubs":
		return true
	}
	return false
}

// WantsPlace reports whether a query may ask for all pubs of a place.
func WantsPlace(words text.Phrase) bool {
	return slices.ContainsFunc(words, func(word []byte) bool { return isWhere(word) || isKind(word) })
}

// abbreviations are pairs of equivalent words, each by the other.
var abbreviations = func() map[string]string {
	other := map[string]string{}
	for _, pair := range [...][2]string{
		{"adm", "admiral"}, {"bros", "brothers"}, {"capt", "captain"}, {"center", "centre"}, {"co", "company"}, {"dr", "doctor"},
		{"gen", "general"}, {"gray", "grey"}, {"gt", "great"}, {"ii", "2"}, {"iii", "3"}, {"iv", "fourth"}, {"jct", "junction"},
		{"lt", "little"}, {"mt", "mount"}, {"no", "number"}, {"rd", "road"}, {"rly", "railway"}, {"sgt", "sergeant"}, {"sq", "square"},
		{"st", "street"}, {"stn", "station"}, {"theater", "theatre"}, {"wagon", "waggon"}, {"wm", "william"},
	} {
		other[pair[0]], other[pair[1]] = pair[1], pair[0]
	}
	return other
}()

// Abbreviation returns what a word abbreviates, or its abbreviation, or "".
func Abbreviation(word []byte) string { return abbreviations[string(word)] }

// Core appends the words of a query that are neither generic nor filler, or all words if none would be left.
func Core(dst, words text.Phrase) text.Phrase {
	start := len(dst)
	for _, word := range words {
		if !text.IsUsual(word) {
			dst = append(dst, word)
		}
	}
	if len(dst) == start {
		dst = append(dst, words...)
	}
	return dst
}
