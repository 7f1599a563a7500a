package coordinate

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// axis says which coordinate a text names.
type axis byte

const (
	either axis = iota
	latitude
	longitude
)

// angle is one coordinate as people write it.
type angle struct {
	number
	axis       axis
	isLabelled bool // by a word such as "lat"
	hemisphere int  // 1 for north and east, -1 for south and west, 0 if no letter says it
	parts      int  // 1 for degrees, 2 with minutes, 3 with seconds
	isMarked   bool // the degrees have a mark
}

// words are those before and after an angle, in lower case: labels and, with a sign, hemispheres. O is missing: it is
// east in German and west in French, Italian and Spanish.
var words = map[string]struct {
	axis       axis
	hemisphere int
}{
	"lat": {latitude, 0}, "latitude": {latitude, 0}, "northing": {latitude, 0},
	"lng": {longitude, 0}, "lon": {longitude, 0}, "long": {longitude, 0}, "longitude": {longitude, 0}, "easting": {longitude, 0},
	"n": {latitude, 1}, "north": {latitude, 1}, "nord": {latitude, 1}, "norte": {latitude, 1},
	"s": {latitude, -1}, "south": {latitude, -1}, "süd": {latitude, -1}, "sud": {latitude, -1}, "sur": {latitude, -1},
	"e": {longitude, 1}, "east": {longitude, 1}, "ost": {longitude, 1}, "est": {longitude, 1}, "este": {longitude, 1},
	"w": {longitude, -1}, "west": {longitude, -1}, "ouest": {longitude, -1}, "ovest": {longitude, -1}, "oeste": {longitude, -1},
}

// numberForm matches "51", "51.5", "51,5", ".5" or, as programs write what is almost zero, "6.1e-05" at the end.
const numberForm = `((?:[0-9]+(?:\.[0-9]*|,[0-9]+)?|\.[0-9]+)(?:[eE]-[0-9]{1,2}$)?)`

// angleForm matches a tidy angle: words, a sign, degrees, minutes and seconds, each with what is behind it, which is a
// mark, a space or nothing, and a word. Marks are in lower case, so that S is south.
var angleForm = regexp.MustCompile(`^(?:(\pL+)[ :=]*)?(?:(\pL+)[ :=]*)?([-+]?)` +
	numberForm + `( ?(?:°|degrees?|deg|d|:)? ?)` +
	`(?:` + numberForm + `( ?(?:'|minutes?|min|m|:)? ?)` +
	`(?:` + numberForm + `( ?(?:"|seconds?|sec|s)? ?))?)?` +
	`(\pL*)$`)

// tidier writes the signs that look alike as one of them. Â° is a degree sign in UTF-8 that was read as Latin-1.
var tidier = strings.NewReplacer(
	"\u2212", "-", "\u2013", "-", "\u2012", "-", "\u2010", "-", "\u2011", "-",
	"Â°", "°", "º", "°", "˚", "°", "&deg;", "°",
	"''", `"`, "′′", `"`, "’’", `"`, "″", `"`, "”", `"`, "“", `"`, "′", "'", "’", "'", "‘", "'", "´", "'", "ʹ", "'", "`", "'",
	"_", " ")

// tidy returns a text with one sign for each meaning, and single spaces between words and none at the ends.
func tidy(text string) string {
	text = tidier.Replace(text)
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// plain reads two angles: "51.5, -0.12", "51,5 -0,12", `51°30'26"N 0°7'39"W`. Where one ends and the other begins is
// tried out, and must have one answer.
func plain(text string) (result, bool) {
	if len(text) > maxPlain {
		return result{}, false
	}
	text = tidy(text)
	for _, brackets := range []string{"()", "[]", "{}", "<>"} {
		if len(text) > 2 && text[0] == brackets[0] && text[len(text)-1] == brackets[1] {
			text = strings.TrimSpace(text[1 : len(text)-1])
			break
		}
	}
	var first, second angle
	answers, previous := 0, ' '
	for at, next := range text {
		if right, ok := rightOf(text[at:], previous, next); ok {
			a, okA := readAngle(text[:at])
			if b, okB := readAngle(right); okA && okB && areAlike(a, b) {
				first, second = a, b
				answers++
			}
		}
		previous = next
	}
	if answers != 1 {
		return result{}, false
	}
	switch a, b := first.number, second.number; {
	case first.axis == latitude:
		return resolve(b, a, Degrees, ""), true
	case first.axis == longitude:
		return resolve(a, b, Degrees, ""), true
	case isBeyond(a) && isBeyond(b):
		return fromMetres(a.value, b.value), true
	case !isBeyond(a) && !isLatitude(a) && isLatitude(b):
		return degrees(b, a), true
	default:
		return degrees(a, b), true
	}
}

// fromAddress reads the last line of an address if it is in brackets. Another address in lines has no coordinates.
func fromAddress(text string) (result, bool) {
	at := strings.LastIndexByte(text, '\n')
	if last := text[at+1:]; at >= 0 && last[0] == '(' {
		return plain(last)
	}
	return result{}, at >= 0
}

func isLatitude(n number) bool { return -90 <= n.value && n.value <= 90 }

// rightOf returns what is right of a possible border between two angles: spaces, one of , ; / | or, without any, the
// border between a letter and a digit, or what is before a letter. previous is the rune before the border.
func rightOf(text string, previous, next rune) (right string, ok bool) {
	const separators = ",;/|"
	if previous == ' ' || strings.ContainsRune(separators, previous) {
		return "", false
	}
	right = strings.TrimPrefix(text, " ")
	if right != "" && strings.IndexByte(separators, right[0]) >= 0 {
		right = strings.TrimPrefix(right[1:], " ")
	}
	return right, right != text || unicode.IsLetter(previous) && unicode.IsDigit(next) || !unicode.IsLetter(previous) && unicode.IsLetter(next)
}

// areAlike reports whether two angles can be a pair. Both or none have a letter or label: "W 045 060" is an Irish grid
// reference. Without any or marks they have the same parts: "51 30 0" may be 51° and 30°0′, or 51°30′ and 0°.
func areAlike(a, b angle) bool {
	if a.axis != either || b.axis != either {
		return a.axis != either && b.axis != either && a.axis != b.axis
	}
	return a.parts == b.parts || a.isMarked && b.isMarked
}

// readAngle reads one tidy angle. Degrees with a fraction have no minutes, and minutes with one no seconds; between
// them is a mark or a space; minutes and seconds are below 60. A minus and a letter contradict each other.
func readAngle(text string) (a angle, ok bool) {
	m := angleForm.FindStringSubmatch(text)
	if m == nil {
		return a, false
	}
	sign, parts, behind, word := m[3], []string{m[4], m[6], m[8]}, []string{m[5], m[7], m[9]}, m[10]
	parts = parts[:slices.Index(append(parts, ""), "")]
	mark := strings.TrimSpace(behind[0])
	if s := strings.TrimPrefix(behind[2], " "); strings.HasPrefix(s+" ", "s ") && !strings.HasPrefix(mark, "d") {
		word = s + word // south, unlike that of 51d30m26s
	}
	for _, word := range []string{m[1], m[2], word} {
		if word != "" && !a.take(word) {
			return a, false
		}
	}
	a.parts, a.isMarked = len(parts), mark != ""
	unit := 1.0
	for i, part := range parts {
		n, ok := decimal(strings.Replace(part, ",", ".", 1))
		whole := strings.IndexAny(part+".", ".,")
		isBroken := i < len(parts)-1 && (whole < len(part) || behind[i] == "")
		if !ok || isBroken || i > 0 && (n.value >= 60 || whole > 2) {
			return a, false
		}
		if i == 0 {
			a.number = n
			continue
		}
		unit /= 60
		a.value += n.value * unit
		a.text = rounded(a.value)
	}
	if sign == "-" && a.hemisphere != 0 {
		return a, false
	}
	if (sign == "-" || a.hemisphere < 0) && a.value != 0 {
		a.text, a.value = "-"+a.text, -a.value
	}
	return a, true
}

// take adds a word to an angle. It is false if the word is unknown, a second one of its kind, or of the other axis.
func (a *angle) take(word string) bool {
	w, known := words[strings.ToLower(word)]
	isSecond := w.hemisphere == 0 && a.isLabelled || w.hemisphere != 0 && a.hemisphere != 0
	if !known || isSecond || a.axis != either && a.axis != w.axis {
		return false
	}
	a.axis = w.axis
	if w.hemisphere == 0 {
		a.isLabelled = true
	}
	a.hemisphere += w.hemisphere
	return true
}
