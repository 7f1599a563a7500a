package address

import (
	"slices"
	"strings"
)

// counties has the names of counties by their folded spellings. The counties of Ireland are told by their "Co.".
var counties = func() map[string]string {
	table := map[string]string{}
	for _, spellings := range lists["counties"] {
		name, _, _ := strings.Cut(spellings, ",")
		for spelling := range strings.SplitSeq(spellings, ",") {
			table[fold(spelling)] = name
		}
	}
	return table
}()

// countyEndings are the last words of all counties and countries.
var countyEndings = func() set {
	s := set{}
	for key := range counties {
		s[lastWord(key)] = true
	}
	for key := range countries {
		s[lastWord(key)] = true
	}
	return s
}()

// longCounties are the folded spellings of two words or more, in order.
var longCounties = func() []string {
	var long []string
	for key := range counties {
		if strings.Contains(key, " ") {
			long = append(long, key)
		}
	}
	slices.Sort(long)
	return long
}()

// wholeCounty returns the county that a whole part of an address names, or "".
func wholeCounty(key string) string {
	if name := counties[key]; name != "" {
		return name
	}
	if rest, ok := strings.CutPrefix(key, "co "); ok {
		key = "county " + rest
	}
	if name := counties[key]; name != "" {
		return name
	}
	if rest, ok := strings.CutPrefix(key, "county "); ok && rest != "" && strings.Count(rest, " ") < 2 {
		return "County " + capitalised(rest)
	}
	if council, ok := strings.CutSuffix(key, " council"); ok {
		return capitalised(council)
	}
	// Lists cut addresses off at a length of theirs: West Mid. Seven letters exclude East and West L.
	if len(key) >= 7 && strings.Contains(key, " ") {
		if at, _ := slices.BinarySearch(longCounties, key); at < len(longCounties) && strings.HasPrefix(longCounties[at], key) {
			return counties[longCounties[at]]
		}
	}
	return ""
}

// withoutCounties removes the countries and counties at the end of an address, and returns the last county removed. A
// county may lack its comma: Ashton Lancs.
func withoutCounties(pieces [][]string) (rest [][]string, county string) {
	for len(pieces) > 0 {
		end := len(pieces) - 1
		said, words := countyWords(pieces[end], len(pieces) > 1)
		if words == 0 {
			break
		}
		if said != "" {
			county = said
		}
		if kept := len(pieces[end]) - words; kept > 0 {
			pieces[end] = pieces[end][:kept]
		} else {
			pieces = pieces[:end]
		}
	}
	return pieces, county
}

// countyWords returns how many words at the end of a piece are a county or a country, at most all, and the county. A
// code of two letters counts as a county without a name, if another piece stands before it.
func countyWords(fields []string, several bool) (county string, words int) {
	n := len(fields)
	if n == 0 || n > maxWords {
		return "", 0
	}
	key := fold(strings.Join(fields, " "))
	if county = wholeCounty(key); county != "" || countries[key] {
		return county, n
	}
	if code := strings.TrimRight(key, "0123456789 "); several && len(code) == 2 {
		return "", n
	}
	if !countyEndings.has(fields[n-1]) {
		return "", 0
	}
	const longest = 6 // words: Bath and North East Somerset
	for words = min(n-1, longest); words > 0; words-- {
		key, before := fold(strings.Join(fields[n-words:], " ")), fields[n-words-1]
		county = counties[key]
		if county == "" && !countries[key] || particles.has(before) || words == 1 && qualifiers.has(before) {
			continue // Bradford on Avon
		}
		return county, words
	}
	return "", 0
}
