package params

import (
	"os"
	"pubd/bench/testkit"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A testCase is what a function or a service is given, and what it returns.
type testCase struct{ given, want string }

var repeated = regexp.MustCompile(`\{(\d+)\*([^}]+)\}`)

// cases returns the lines of a file in testdata, "given -> want", without comments. {n*text} stands for n times the
// text.
func cases(t testing.TB, file string) (list []testCase) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		line = repeated.ReplaceAllStringFunc(line, func(found string) string {
			parts := repeated.FindStringSubmatch(found)
			n, _ := strconv.Atoi(parts[1])
			return strings.Repeat(parts[2], n)
		})
		if line == "" || line[0] == '#' {
			continue
		}
		given, want, found := strings.Cut(line, " ->")
		testkit.FailIf(t, !found, "%s: %s: has no arrow", file, line)
		list = append(list, testCase{given, strings.TrimPrefix(want, " ")})
	}
	testkit.FailIf(t, len(list) == 0, "%s: has no line", file)
	return list
}
