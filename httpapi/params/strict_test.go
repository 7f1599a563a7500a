package params

import (
	"strings"
	"testing"
)

// For a parameter name with one letter wrong, missing or added, the error suggests that parameter, or one at the same
// distance.
func TestNearest(t *testing.T) {
	for parameter := range parameterCount {
		if parameter == paramAfter {
			continue
		}
		name := parameter.String()
		for _, misspelt := range []string{name[:len(name)-1], name + "s", "x" + name, name[:1] + "x" + name[2:], strings.ToUpper(name)} {
			failIf(t, nearest(misspelt, Search) == "", "%s: got nothing, want %s", misspelt, name)
		}
		equal(t, name, nearest(name, Search), name)
	}
	for _, far := range []string{"", "x", "radius", "callback", "after", strings.Repeat("search", 100)} {
		equal(t, far, nearest(far, Search), "")
	}
}
