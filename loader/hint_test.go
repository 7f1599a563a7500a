package loader

import (
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// Hints about likely causes come before complaints, and also with accepted files.
func TestHints(t *testing.T) {
	for _, c := range cases(t, "hints.txt") {
		result, err := Load(c.name, c.content, Options{})
		hints, got := []Complaint(nil), "accepted"
		if refused, is := err.(*RejectedError); is {
			hints, got = refused.Hints, "refused"
			begins := len(hints) == 0 || strings.HasPrefix(err.Error(), hints[0].Error()+"\n")
			testkit.FailIf(t, !begins, "%q: %v does not begin with %v", c.content, err, hints)
		} else if err == nil {
			hints = result.Hints
		}
		for i, hint := range hints {
			got += []string{" ", "⏎"}[min(i, 1)] + hint.Error()
		}
		testkit.Equal(t, string(c.content), got, c.want)
	}
}
