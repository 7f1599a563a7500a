package text

import (
	"unicode"
	"unicode/utf8"
)

// IsStop reports whether a word is "the" or "and".
func IsStop(word []byte) bool { return string(word) == "the" || string(word) == "and" }

// IsGeneric reports whether a word says what a pub is rather than which, such as inn: it is in many names and often
// added or left out.
func IsGeneric(word []byte) bool {
	switch string(word) {
	case "inn", "pub", "house", "hotel", "tavern", "bar", "club", "ale", "restaurant", "freehouse", "brewpub", "gastropub", "micropub",
		"taproom", "nightclub", "brewery",
		"inns", "pubs", "houses", "hotels", "taverns", "bars", "clubs", "ales", "restaurants", "freehouses", "brewpubs", "gastropubs",
		"micropubs", "taprooms", "nightclubs", "breweries",
		"ph", "public", "ltd", "ye", "olde":
		return true
	}
	return false
}

// IsFiller reports whether a word of a query only links others or says what is wanted of them, such as in or menu.
func IsFiller(word []byte) bool {
	switch string(word) {
	case "a", "at", "by", "called", "for", "in", "my", "near", "of", "on", "to", "uk", "with", "me", "best", "good", "nearest", "closest",
		"nearby", "around", "menu", "menus", "opening", "open", "time", "times", "hours", "booking", "bookings", "review", "reviews",
		"phone", "number":
		return true
	}
	return false
}

// IsUsual reports whether a word is generic or filler.
func IsUsual(word []byte) bool { return IsGeneric(word) || IsFiller(word) }

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
