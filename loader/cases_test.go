package loader

import (
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// A testCase is a file and what is read from it.
type testCase struct {
	name    string
	content []byte
	want    string
}

// cases returns the lines of a file in testdata, "name content -> want". The content has escape sequences as in Go.
// Lines of what is wanted are joined by ⏎.
func cases(t testing.TB, file string) (list []testCase) {
	t.Helper()
	for _, c := range testkit.Cases(t, file) {
		name, escaped, _ := strings.Cut(c.Given, " ")
		content := []byte{} // not nil: an empty file is no missing one
		for {
			plain, _, _ := strings.Cut(escaped, `\`)
			content = append(content, plain...)
			if escaped = escaped[len(plain):]; escaped == "" {
				break
			}
			char, multibyte, rest, err := strconv.UnquoteChar(escaped, 0)
			testkit.StopIf(t, err != nil, "%v", err) // OK would take a microsecond for each of millions
			if content, escaped = append(content, byte(char)), rest; multibyte {
				content = append(content[:len(content)-1], string(char)...)
			}
		}
		list = append(list, testCase{name, content, c.Want})
	}
	return list
}

// outcome returns the error of a load, or that the file is accepted.
func outcome(err error) string {
	if err == nil {
		return "accepted"
	}
	return strings.ReplaceAll(err.Error(), "\n", "⏎")
}
