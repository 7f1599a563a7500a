// Package texts has all words of the web pages, in each language: of the explorer, the rendered pages and the list for
// other pages. What comes from the data, such as names and categories, stays as it is, and so do the messages of the
// API.
//
// [In] is the entry point: it returns the [Table] of a language, which a file in the folder tables has, as JSON from
// keys to texts. A value takes the place of its name in braces. A text with a number has one form for each plural
// category that the language has for whole numbers, by the names of CLDR
// (https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html). French, Spanish and Czech have
// one more, for whole millions or fractions, which reads as other here.
//
// What the directory lists, such as pubs, is {nouns} in texts, and one of it is {noun}; in a text with a number, {noun}
// has the form for that number. {Noun} and {Nouns} begin with a capital letter. As operators may choose another noun,
// no text depends on its gender, on a case but the nominative, or on what it begins with.
//
// The same tables serve Go and the scripts of pages, which have [Table.Literals]. A test checks that all languages have
// all keys with the same values and no others, and that each key is used.
package texts

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed tables
var tables embed.FS

// Languages are the tags of all languages; the first is the default.
var Languages = []string{"en", "de", "fr", "es", "cs"}

// A language has what differs between languages but texts.
type language struct {
	// locale is the BCP 47 tag by which browsers format numbers.
	locale string
	// point separates the decimals, and group the thousands in numbers of at least grouped digits (CLDR, as browsers do).
	point, group string
	grouped      int
	// plural returns the category of a whole number.
	plural func(n int64) string
}

var languages = map[string]language{
	"en": {"en-GB", ".", ",", 4, oneElseOther},
	"de": {"de-DE", ",", ".", 4, oneElseOther},
	"fr": {"fr-FR", ",", "\u202f", 4, func(n int64) string { return oneElseOther(max(n, 1)) }},
	"es": {"es-ES", ",", ".", 5, oneElseOther},
	"cs": {"cs-CZ", ",", "\u00a0", 4, func(n int64) string {
		if 2 <= n && n <= 4 {
			return "few"
		}
		return oneElseOther(n)
	}},
}

func oneElseOther(n int64) string {
	if n == 1 {
		return "one"
	}
	return "other"
}

// A Table has the texts of a language. It is immutable and safe for concurrent use.
type Table struct {
	// Tag is the language, such as "de".
	Tag string
	language
	texts map[string]text
}

// A text is one form, or several by plural category.
type text struct {
	form  string
	forms map[string]string
}

// UnmarshalJSON reads a text, which is a string or an object.
func (t *text) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &t.form) == nil {
		return nil
	}
	return json.Unmarshal(data, &t.forms)
}

// MarshalJSON writes a text as UnmarshalJSON reads it.
func (t text) MarshalJSON() ([]byte, error) {
	if t.forms != nil {
		return json.Marshal(t.forms)
	}
	return json.Marshal(t.form)
}

// In returns the table of one of [Languages]; "" is the default. The noun is what the directory lists, singular and
// plural, such as "brewery,breweries"; "" is that of the table. In Czech, its form after five and more may follow. It
// returns an error for another language or noun.
func In(tag, noun string) (*Table, error) {
	if tag == "" {
		tag = Languages[0]
	}
	t := &Table{Tag: tag, language: languages[tag]}
	body, err := tables.ReadFile("tables/" + tag + ".json")
	if err != nil || !slices.Contains(Languages, tag) {
		return nil, fmt.Errorf("language %q: must be one of %s", tag, strings.Join(Languages, ", "))
	}
	if err := json.Unmarshal(body, &t.texts); err != nil {
		return nil, fmt.Errorf("tables/%s.json: %w", tag, err)
	}
	forms := t.texts["noun"].forms
	delete(t.texts, "noun")
	if noun != "" {
		if err := parseNoun(noun, forms); err != nil {
			return nil, err
		}
	}
	t.name(forms)
	return t, nil
}

// maxNoun is the maximum length of a form of a noun, in characters.
const maxNoun = 40

// parseNoun sets the forms of a noun, by plural category, which has those of the usual noun before.
func parseNoun(noun string, forms map[string]string) error {
	given := strings.Split(noun, ",")
	if len(given) < 2 || len(given) > len(forms) {
		return fmt.Errorf("noun %q: must be singular and plural, such as brewery,breweries; "+
			"in Czech, the form after 5 may follow", noun)
	}
	isOdd := func(c rune) bool { return !unicode.IsGraphic(c) || c == '{' || c == '}' }
	for i, form := range given {
		given[i] = strings.TrimSpace(form)
		isLong := utf8.RuneCountInString(form) > maxNoun
		if given[i] == "" || isLong || !utf8.ValidString(form) || strings.ContainsFunc(form, isOdd) {
			return fmt.Errorf("noun %q: %q must be plain text of 1 to %d characters, without braces", noun, form, maxNoun)
		}
	}
	forms["one"], forms["other"] = given[0], given[len(given)-1]
	if forms["few"] != "" {
		forms["few"] = given[1]
	}
	return nil
}

// name sets the noun in all texts, given its forms by plural category.
func (t *Table) name(noun map[string]string) {
	plural := cmp.Or(noun["few"], noun["other"])
	for key, text := range t.texts {
		text.form = named(text.form, noun["one"], plural)
		for category, form := range text.forms {
			text.forms[category] = named(form, noun[category], plural)
		}
		t.texts[key] = text
	}
}

func named(form, singular, plural string) string {
	capital := func(noun string) string {
		first, size := utf8.DecodeRuneInString(noun)
		return string(unicode.ToTitle(first)) + noun[size:]
	}
	return set(form, []string{"noun", singular, "nouns", plural, "Noun", capital(singular), "Nouns", capital(plural)})
}

// Text returns a text, in which values, pairs of a name and what takes its place, are set. A key that the table does
// not have is returned itself.
func (t *Table) Text(key string, values ...string) string {
	found, ok := t.texts[key]
	if !ok {
		return key
	}
	return set(found.form, values)
}

// Count returns the form of a text for a whole number, which is the value n.
func (t *Table) Count(key string, n int64, values ...string) string {
	forms := t.texts[key].forms
	form, ok := forms[t.plural(n)]
	if !ok {
		form = forms["other"]
	}
	return set(form, append([]string{"n", t.Number(n)}, values...))
}

// set puts values in the place of their names in braces. What stands in a value is not replaced.
func set(form string, values []string) string {
	if len(values) == 0 {
		return form
	}
	pairs := slices.Clone(values)
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs[:len(pairs)&^1]...).Replace(form)
}

// Number returns a whole number as people write it.
func (t *Table) Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	return sign + t.separated(digits)
}

// separated returns digits with their thousands separated.
func (t *Table) separated(digits string) string {
	if len(digits) < t.grouped {
		return digits
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + t.group + digits[at:]
	}
	return digits
}

// Decimal returns a number of at least 0 with one decimal, a half rounded up, as browsers do.
func (t *Table) Decimal(x float64) string {
	whole, decimals, _ := strings.Cut(strconv.FormatFloat(math.Round(10*math.Abs(x))/10, 'f', 1, 64), ".")
	return t.separated(whole) + t.point + decimals
}

// Status returns a trading status as people read it: the known ones in the language, others as the data has them.
func (t *Table) Status(trading string) string {
	if found, ok := t.texts["status_"+trading]; ok {
		return found.form
	}
	return strings.ReplaceAll(trading, "_", " ")
}

// Feature returns a feature as people read it: the known ones in the language, others as the data has them.
func (t *Table) Feature(name string) string {
	if found, ok := t.texts["feature_"+strings.ReplaceAll(strings.ToLower(name), " ", "_")]; ok {
		return found.form
	}
	return strings.ReplaceAll(name, "_", " ")
}

// Literals returns the texts as literals of JavaScript by key, and the locale. A text with a number is an object of its
// forms by plural category.
func (t *Table) Literals() map[string]string {
	literals := map[string]string{"locale": strconv.Quote(t.locale)}
	for key, text := range t.texts {
		literal, err := json.Marshal(text)
		if err != nil {
			panic(err) // it is of strings
		}
		literals[key] = string(literal)
	}
	return literals
}
