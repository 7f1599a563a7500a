package schema

import (
	"strings"

	"pubd/index/text"
)

// CutAddress compares the pieces of an address, which commas part, with other texts of where a pub is, such as its
// town, postcode and area, so that nobody is told a place twice. Case, accents, punctuation and spaces do not count,
// and a piece may be two of the texts: York YO1 7EH. It returns the address without those pieces, and the texts, each
// empty if the address or an earlier text says the same.
func CutAddress(address string, texts ...string) (street string, missing []string) {
	keys, isSaid := make([]string, len(texts)), make([]bool, len(texts))
	for i, text := range texts {
		keys[i] = placeKey(text)
	}
	says := func(piece string) (found bool) {
		for i, first := range keys {
			if first != "" && piece == first {
				isSaid[i], found = true, true
			}
			for j, second := range keys {
				if i != j && first != "" && second != "" && piece == first+second {
					isSaid[i], isSaid[j], found = true, true, true
				}
			}
		}
		return found
	}
	var pieces []string
	for piece := range strings.SplitSeq(address, ",") {
		if piece = strings.TrimSpace(piece); piece != "" && !says(placeKey(piece)) {
			pieces = append(pieces, piece)
		}
	}
	missing = append(missing, texts...)
	for i := range texts {
		if isSaid[i] {
			missing[i] = ""
		}
		says(keys[i])
	}
	return strings.Join(pieces, ", "), missing
}

// placeKey returns what counts of a text when places are compared.
func placeKey(written string) string {
	return strings.ReplaceAll(string(text.AppendFolded(nil, []byte(written))), " ", "")
}
