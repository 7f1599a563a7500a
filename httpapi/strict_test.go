package httpapi

import (
	"strings"
	"testing"
)

// For a parameter name with one letter wrong, missing or added, the error suggests that parameter, or one at the same
// distance.
func TestNearest(t *testing.T) {
	for _, parameter := range pubsParameters {
		name := parameter.String()
		for _, misspelt := range []string{name[:len(name)-1], name + "s", "x" + name, name[:1] + "x" + name[2:], strings.ToUpper(name)} {
			if found := nearest(misspelt, pubsParameters); found == parameterCount {
				t.Errorf("%s: got nothing, want %s", misspelt, name)
			}
		}
		equal(t, name, nearest(name, pubsParameters), parameter)
	}
	for _, far := range []string{"", "x", "radius", "callback", strings.Repeat("search", 100)} {
		equal(t, far, nearest(far, pubsParameters), parameterCount)
	}
}
