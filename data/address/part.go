package address

import (
	"regexp"
	"slices"
	"strings"
)

// A kind is what a part is by its words.
type kind int

const (
	plain   kind = iota // no word says what it is: a place, a building, or a street
	unclear             // a street or a village: Kew Green
	street
	building
)

// A part is what stands between two commas of an address.
type part struct {
	text     string
	key      string // text folded
	kind     kind
	numbered bool // a house number stands before it
	near     bool // "near" stands before it
}

// isStreet reports whether a place follows the part.
func (p *part) isStreet() bool { return p.kind == street || p.numbered && p.kind != building }

func (p *part) isThe() bool { return strings.HasPrefix(p.key, "the ") }

func (p *part) words() int { return strings.Count(p.key, " ") + 1 }

// The bounds of what is read at the end of an address; longer ones are no addresses.
const (
	maxParts = 12
	maxWords = 24 // of a part
)

// parse splits an address into its parts, and removes its countries, county and postal codes.
func parse(a Address) []part {
	pieces := withoutCounties(split(a.Text))
	pieces = pieces[max(0, len(pieces)-maxParts):]
	if last := len(pieces) - 1; last > 0 {
		pieces[last] = withoutDigits(pieces[last])
	}
	parts := make([]part, 0, maxParts)
	for _, fields := range pieces {
		parts = appendParts(parts, fields, len(pieces) == 1)
	}
	parts = slices.CompactFunc(parts, func(p, q part) bool { return p.key == q.key && !p.numbered })
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.key == "" })
	if slices.ContainsFunc(parts, func(p part) bool { return !p.near && !p.numbered && p.kind <= unclear }) {
		parts = slices.DeleteFunc(parts, func(p part) bool { return p.near })
	}
	if len(parts) > 0 && parts[0].kind == plain && bare(parts[0].key) == bare(fold(a.Name)) {
		parts[0].kind = building
	}
	return parts
}

// split splits a text at its commas and the like into words. House numbers join what follows them.
func split(text string) (pieces [][]string) {
	// Four spaces are a column of fixed width that somebody has joined with the next.
	text = strings.ReplaceAll(text, "    ", ",")
	var number []string
	for piece := range strings.FieldsFuncSeq(text, isSeparator) {
		fields := withoutPostcodes(strings.Fields(piece))
		if len(fields) == 0 {
			continue
		}
		if !slices.ContainsFunc(fields, func(word string) bool { return !isNumber(word) }) {
			number = fields[:1]
			continue
		}
		pieces = append(pieces, slices.Concat(number, fields))
		number = nil
	}
	return pieces
}

func isSeparator(r rune) bool {
	switch r {
	case ',', ';', '|', '(', ')', '\n', '\r':
		return true
	}
	return false
}

// appendParts appends the part of a piece, or two if a comma lacks after the street; joined is set if the address has no
// commas.
func appendParts(parts []part, fields []string, joined bool) []part {
	fields = fields[max(0, len(fields)-maxWords):]
	cut := 0
	for i := 1; i < len(fields)-1; i++ {
		if roads.has(fields[i]) && !isSaint(fields[i]) || joined && streets.has(fields[i]) {
			cut = i + 1
		}
	}
	if cut > 0 && !qualifiesRoad(fields[cut:]) {
		parts = append(parts, newPart(fields[:cut]))
		fields = fields[cut:]
	}
	return append(parts, newPart(fields))
}

func isSaint(word string) bool { return strings.EqualFold(strings.TrimSuffix(word, "."), "st") }

// qualifiesRoad reports whether words belong to the road before them: Bedford Road East, Mill Lane Industrial Estate.
func qualifiesRoad(fields []string) bool {
	last := fields[len(fields)-1]
	if len(fields) > 1 {
		return len(fields) == 2 && (roads.has(last) || streets.has(last) || buildingLast.has(last))
	}
	return qualifiers.has(last) || unclearLast.has(last) || streets.has(last) || buildingLast.has(last) || roads.has(last) ||
		afterRoad.has(last)
}

// newPart returns the part of some words.
func newPart(fields []string) part {
	p := part{}
	number := 0
	for number < len(fields)-1 && isNumber(fields[number]) {
		number++
	}
	p.numbered = number > 0
	fields = fields[number:]
	if len(fields) > 1 && (strings.EqualFold(strings.Trim(fields[0], "."), "nr") || strings.EqualFold(fields[0], "near")) {
		p.near = true
		fields = fields[1:]
	}
	p.text = strings.Trim(strings.Join(fields, " "), " .-'\"*:")
	p.key = fold(p.text)
	// Bridgend County Borough; lists cut addresses off at a length of theirs.
	if i := strings.Index(p.key, " county b"); i > 0 {
		p.key = p.key[:i]
		p.text = p.key
	}
	p.kind = kindOf(p.key)
	return p
}

func kindOf(key string) kind {
	last := lastWord(key)
	rest := strings.TrimSuffix(key, last)
	const longest = 6 // words of a place
	if key == "" || strings.Count(key, " ") >= longest || hasDigit(key) && !roads[last] {
		return building
	}
	if rest == "" {
		switch {
		case vagueNames[key] || buildingFirst[key] || buildingLast[key]:
			return building
		case unclearLast[key] || streets[key]:
			return unclear
		case len(key) > 5 && hasSuffix(key, streetEndings):
			return street
		}
		return plain
	}
	first, _, _ := strings.Cut(key, " ")
	rest = rest[:len(rest)-1]
	switch {
	case roads[last]:
		return street
	case key == "n a":
		return building
	case buildingFirst[first] || buildingLast[last] || (last == "park" || last == "village") && slices.ContainsFunc(strings.Fields(rest), func(word string) bool { return estates[word] }):
		return building
	case streets[last] || streetFirst[first]:
		return street
	case directions[last] && (roads[lastWord(rest)] || streets[lastWord(rest)] || strings.HasSuffix(rest, "way")):
		return street // Kingsway West
	case unclearLast[last] || first == "the":
		return unclear
	}
	return plain
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

// isNumber reports whether a word is a house number or joins two: 12a, 3/5, -.
func isNumber(word string) bool {
	switch word {
	case "-", "–", "&", "/":
		return true
	}
	return hasDigit(word)
}

// withoutPostcodes removes British, Irish and Canadian postcodes, and outward codes at the end.
func withoutPostcodes(fields []string) []string {
	kept := fields[:0]
	for i := 0; i < len(fields); i++ {
		word := strings.Trim(fields[i], ".")
		n := len(word)
		switch {
		case i+1 < len(fields) && outward.MatchString(word) && inward.MatchString(strings.Trim(fields[i+1], ".")):
			i++
		case 5 <= n && n <= 7 && outward.MatchString(word[:n-3]) && inward.MatchString(word[n-3:]):
		case i == len(fields)-1 && n > 2 && outward.MatchString(word):
		default:
			kept = append(kept, fields[i])
		}
	}
	return kept
}

// outward matches the first half of a postcode: one or two letters, a digit, and perhaps another character. inward
// matches the second half: 7SA, in Canada 7S4, in Ireland X285.
var (
	outward = regexp.MustCompile(`^[A-Za-z]{1,2}[0-9][[:ascii:]]?$`)
	inward  = regexp.MustCompile(`^(?:[0-9][A-Za-z][[:ascii:]]|[A-Za-z](?:[0-9]..|.[0-9].|..[0-9]))$`)
)

// withoutDigits removes a postal code of digits before or after a town, as in 10115 Berlin, 1012 AB Amsterdam and
// 00184 Roma RM, and the number of a district, as in Dublin 2.
func withoutDigits(fields []string) []string {
	n := len(fields)
	if last := fields[n-1]; n > 1 && len(last) <= 6 && isDigits(last) {
		return fields[:n-1]
	}
	if n == 1 || roads.has(fields[n-1]) || streets.has(fields[n-1]) {
		return fields
	}
	code := fields[0]
	if country, rest, ok := strings.Cut(code, "-"); ok && len(country) <= 2 && !hasDigit(country) {
		code = rest // CH-8001
	}
	rest := fields[1:]
	switch {
	case 4 <= len(code) && len(code) <= 6 && isDigits(code):
	case n > 2 && len(code) == 3 && isDigits(code) && len(fields[1]) == 2 && isDigits(fields[1]): // 111 22 Stockholm
		rest = fields[2:]
	default:
		return fields
	}
	if len(rest) > 1 && len(rest[0]) == 2 && !particles.has(rest[0]) && !isSaint(rest[0]) {
		rest = rest[1:]
	}
	if len(rest) > 1 && len(rest[len(rest)-1]) == 2 {
		rest = rest[:len(rest)-1]
	}
	return rest
}

func isDigits(word string) bool { return word != "" && strings.Trim(word, "0123456789") == "" }

// bare returns a folded name without the words that are often left out.
func bare(key string) string {
	for _, word := range pubWords {
		key = strings.TrimSuffix(key, word)
	}
	return strings.TrimPrefix(key, "the ")
}
