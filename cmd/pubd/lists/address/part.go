package address

import (
	"regexp"
	"slices"
	"strings"
)

// A part is a text between two commas of an address.
type part struct {
	text string
	key  string // text folded
	// mayBeTown is unset where a number or a word says what else it is, isUnlikely set where a word does that is also in
	// the names of towns: Chester-le-Street, Rugby.
	mayBeTown, isUnlikely bool
	// isSure is set if a postcode says that it is a town, isAfterCode if it follows that.
	isSure, isAfterCode bool
}

// The bounds of what is read at the end of an address; longer ones are no addresses.
const (
	maxParts = 12
	maxWords = 24 // of a part
)

var (
	// afterCode matches a town behind a postcode of digits, which may have the code of its country, as in SE-111 22
	// Stockholm, the letters of the Netherlands behind it, and a province behind the town.
	afterCode = regexp.MustCompile(`^(?:[A-Z]{1,3}-?)?(?:\d{4,6}|\d{2,5}-\d{3}|\d{3} \d{2})(?: [A-Z]{2})? (\D+?)(?: [A-Z]{2})?$`)
	// beforeCode matches what stands before a postcode: of Britain (CO10 7SA, or its first half), Ireland (D02 X285), or
	// Canada (ON M5V 2T6), or of digits, with a state.
	beforeCode = regexp.MustCompile(`^(\D*?\d{0,2}?) ?\b(?:((?i:[A-Z]{1,2}\d[A-Z\d]?(?: ?\d[A-Z]{2})?|[A-Z]\d[\dW] ?[A-Z\d]{4}))|(?:([A-Z]{2,3}) )?(?:\d{4,6}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d))$`)
	// british matches a postcode of Britain, Ireland or Canada: there, it stands behind the town.
	british = regexp.MustCompile(`^(?i:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[\dW] ?[A-Z\d]{4}|[A-Z]\d[A-Z] ?\d[A-Z]\d)$`)
	// district matches the number of a part of a town: Dublin 2.
	district = regexp.MustCompile(`^(\D{4,}) \d{1,2}$`)
)

// parse splits an address into its parts, without postcodes, and without the country, the state or the county at the end.
// An address that is too long has none.
func parse(a Address) []part {
	if max(len(a.Text), len(a.Postcode)) > MaxBytes {
		return nil
	}
	pieces := split(a.Text)
	parts := make([]part, 0, maxParts)
	isCoded := british.MatchString(strings.TrimSpace(a.Postcode))
	for i, text := range pieces[max(0, len(pieces)-maxParts):] {
		p := newPart(text)
		if after := find(afterCode, text); after != nil && i > 0 && newPart(after[1]).mayBeTown {
			p = newPart(after[1])
			p.isSure, p.isAfterCode = true, true
		} else if before := find(beforeCode, text); before != nil {
			p = newPart(before[1])
			p.isSure = i > 0 && p.mayBeTown
			if last := len(parts) - 1; p.key == "" && last >= 0 {
				// A town stands before a state, but the street may stand before a postcode: Markveien, 0550.
				parts[last].isSure = before[3] != "" && parts[last].mayBeTown
				parts[last].mayBeTown = parts[last].mayBeTown && (parts[last].isSure || last > 0)
			}
			isCoded = isCoded || before[2] != ""
		}
		if p.key != "" {
			parts = append(parts, p)
		}
	}
	for len(parts) > 1 && parts[len(parts)-1].isRegion() {
		parts = parts[:len(parts)-1]
	}
	last := len(parts) - 1
	for last >= 0 && parts[last].dropRegion() {
	}
	if isCoded && last > 0 && (parts[last-1].isStreet() || district.MatchString(parts[last].text)) && parts[last].asTown() {
		parts[last].isSure = true // 12 High Street, Diss, IP22 4AA
	}
	return parts
}

// isStreet reports whether a town may be expected to follow a part.
func (p *part) isStreet() bool {
	last := lastWord(p.key)
	return hasDigit(p.key) || roads[last] || streets[last]
}

// find is FindStringSubmatch for a text with a digit; other texts do not match.
func find(form *regexp.Regexp, text string) []string {
	if !hasDigit(text) {
		return nil
	}
	return form.FindStringSubmatch(text)
}

// split splits a text at its commas and the like, and behind a road where a comma lacks: High Street Cowdenbeath.
func split(text string) (pieces []string) {
	// Four spaces are a column of fixed width that somebody has joined with the next.
	text = strings.ReplaceAll(text, "    ", ",")
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;|()\n\r", r) }) {
		words := strings.Fields(piece)
		words = words[max(0, len(words)-maxWords):]
		for i := len(words) - 2; i > 0; i-- {
			if roads.has(words[i]) && !saints.has(words[i]) && mayFollow(words[i+1:]) {
				pieces, words = append(pieces, strings.Join(words[:i+1], " ")), words[i+1:]
				break
			}
		}
		if len(words) > 0 {
			pieces = append(pieces, strings.Join(words, " "))
		}
	}
	return pieces
}

// mayFollow reports whether words behind a road may be a town.
func mayFollow(words []string) bool {
	if len(words) > 1 && !hasDigit(words[1]) {
		return newPart(strings.Join(words[:2], " ")).mayBeTown
	}
	return newPart(words[0]).mayBeTown && !directions.has(words[0]) // Bedford Road East
}

func newPart(text string) part {
	for _, near := range []string{"nr ", "nr. ", "near "} {
		if len(text) > len(near) && strings.EqualFold(text[:len(near)], near) {
			text = text[len(near):]
		}
	}
	p := part{text: strings.Trim(text, " .-'\"*:")}
	p.key = fold(p.text)
	never, seldom := isOther(p.key)
	p.mayBeTown = len(p.key) > 1 && !directions[p.key] && !hasDigit(p.key) && !never && !seldom
	p.isUnlikely = seldom && !never && !hasDigit(p.key)
	return p
}

// asTown removes the number of a district, and reports whether what is left may be a town.
func (p *part) asTown() bool {
	if m := district.FindStringSubmatch(p.text); m != nil {
		*p = newPart(m[1])
	}
	return p.mayBeTown
}

// isOther reports whether the words of a folded part say that it is never a town, or seldom: a street, a building, or a
// part of one.
func isOther(key string) (never, seldom bool) {
	const longest = 6 // words of a town
	words := strings.Fields(key)
	if len(words) == 0 || len(words) > longest {
		return true, true
	}
	last := words[len(words)-1]
	never = len(last) > 5 && slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(last, ending) }) ||
		len(words) > 1 && slices.ContainsFunc(words, func(word string) bool { return streetWords[word] })
	return never, roads[last] || streets[last] || buildings[last] || insides[words[0]] || words[0] == "the" || vague[key]
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

// isRegion reports whether a part is a country, a state or a county.
func (p *part) isRegion() bool {
	rest, isCounty := strings.CutPrefix(strings.Replace(p.key, "county ", "co ", 1), "co ")
	return regions[p.key] || len(p.key) == 2 || isCounty && strings.Count(rest, " ") < 2 || strings.HasSuffix(p.key, " council") || strings.Contains(p.key, " county b")
}

// dropRegion removes a country, a state or a county at the end of a part, where a comma lacks: Ashton Lancs. It is false
// if there is none.
func (p *part) dropRegion() bool {
	const longest = 6 // words: Bath and North East Somerset
	words := strings.Fields(p.text)
	for n := min(len(words)-1, longest); n > 0; n-- {
		if before := len(words) - n; regions.has(strings.Join(words[before:], " ")) && !particles.has(words[before-1]) && !qualifiers.has(words[before-1]) {
			isSure := p.isSure
			*p = newPart(strings.Join(words[:before], " "))
			p.isSure = isSure && p.mayBeTown
			return true
		}
	}
	return false
}
