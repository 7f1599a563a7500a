package coordinate

import "regexp"

// foreigners are notations that are known but not read, and what to do about them.
var foreigners = []struct {
	form *regexp.Regexp
	rule string
}{
	{regexp.MustCompile(`(?i)^(?:[2-9CFGHJMPQRVWX]{4}|[2-9CFGHJMPQRVWX]{6}|[2-9CFGHJMPQRVWX]{8})\+[2-9CFGHJMPQRVWX]{2,7}(?:[ ,].*)?$`),
		"is a Plus Code: look up its coordinates on plus.codes, and give those, such as " + example},
	{regexp.MustCompile(`^(?://+)?[\pL\pM]+[.。][\pL\pM]+[.。][\pL\pM]+$`),
		"is a what3words address: look up its coordinates on a map, and give those, such as " + example},
	{regexp.MustCompile(`(?i)^[0-9]{1,2} ?[C-HJ-NP-X] ?(?:[A-HJ-NP-Z]{2} ?)?[0-9]+(?: [0-9]+)?(?: ?m?[NE])?$`),
		"is a position of UTM or MGRS: convert it to degrees, such as " + example},
	{regexp.MustCompile(`(?i)^[A-HJ-Z] ?(?:[0-9]{3} ?[0-9]{3}|[0-9]{4} ?[0-9]{4}|[0-9]{5} ?[0-9]{5})$`),
		"is an Irish grid reference: convert it to degrees, such as " + example},
	{regexp.MustCompile(`(?i)[0-9°'"] ?O(?:[^\pL]|$)|(?:^|[^\pL])O ?[0-9]`),
		"has the letter O, which is east in German and west in French: write E or W"},
}

// foreign returns the rule for a text that no notation reads.
func foreign(text string) string {
	if len(text) > maxPlain {
		return unreadable
	}
	text = tidy(text)
	for _, f := range foreigners {
		if f.form.MatchString(text) {
			return f.rule
		}
	}
	return unreadable
}
