package address

import "strings"

// counties has the folded spellings of counties. The counties of Ireland are told by their "Co.".
var counties = func() set {
	s := set{}
	for _, spellings := range lists["counties"] {
		for spelling := range strings.SplitSeq(spellings, ",") {
			s[fold(spelling)] = true
		}
	}
	return s
}()

// isCounty reports whether a whole part of an address is a county.
func isCounty(key string) bool {
	if rest, ok := strings.CutPrefix(key, "co "); ok {
		key = "county " + rest
	}
	if counties[key] || strings.HasSuffix(key, " council") {
		return true
	}
	if rest, ok := strings.CutPrefix(key, "county "); ok && rest != "" && strings.Count(rest, " ") < 2 {
		return true
	}
	// Lists cut addresses off at a length of theirs: West Mid. Seven letters exclude East and West L.
	if len(key) < 7 || !strings.Contains(key, " ") {
		return false
	}
	for county := range counties {
		if strings.HasPrefix(county, key) {
			return true
		}
	}
	return false
}

// withoutCounties removes the countries and counties at the end of an address. A county may lack its comma: Ashton
// Lancs.
func withoutCounties(pieces [][]string) [][]string {
	for len(pieces) > 0 {
		end := len(pieces) - 1
		words := countyWords(pieces[end], end > 0)
		if words == 0 {
			break
		}
		if kept := len(pieces[end]) - words; kept > 0 {
			pieces[end] = pieces[end][:kept]
		} else {
			pieces = pieces[:end]
		}
	}
	return pieces
}

// countyWords returns how many words at the end of a piece are a county or a country, at most all. A code of two
// letters counts as a county, if another piece stands before it.
func countyWords(fields []string, several bool) int {
	n := len(fields)
	if n == 0 || n > maxWords {
		return 0
	}
	key := fold(strings.Join(fields, " "))
	if isCounty(key) || countries[key] {
		return n
	}
	if code := strings.TrimRight(key, "0123456789 "); several && len(code) == 2 {
		return n
	}
	const longest = 6 // words: Bath and North East Somerset
	for words := min(n-1, longest); words > 0; words-- {
		key, before := fold(strings.Join(fields[n-words:], " ")), fields[n-words-1]
		if !counties[key] && !countries[key] || particles.has(before) || words == 1 && qualifiers.has(before) {
			continue // Bradford on Avon
		}
		return words
	}
	return 0
}
