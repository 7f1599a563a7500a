package loader

import (
	"strings"
	"unicode"

	"pubd/index"
)

// usualNames has the columns by the names that lists of places give them, in the form of [PlainName]. A snapshot file
// must use the names of columns; for it, those of coordinates are hints.
var usualNames = func() map[string]column {
	names := map[string]column{}
	for c := range column(index.ColumnCount) {
		for _, name := range index.Columns[c].Usual {
			names[PlainName(name)] = c
		}
	}
	return names
}()

// PlainName returns the letters and digits of a column's name, in lower case and without accents: "Název" and "nazev",
// "addr:city" and "Addr City" are the same name.
func PlainName(name string) string {
	if len(name) > 4*maxExtraName {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, string(index.AppendFolded(nil, []byte(name))))
}
