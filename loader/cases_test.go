package loader

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func ok(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// failIf reports a failure, and lets the test go on.
func failIf(t testing.TB, wrong bool, format string, values ...any) {
	if wrong {
		t.Helper()
		t.Errorf(format, values...)
	}
}

// stopIf ends a test that cannot go on.
func stopIf(t testing.TB, wrong bool, format string, values ...any) {
	if wrong {
		t.Helper()
		t.Fatalf(format, values...)
	}
}

// equal reports a difference between what a test got and what it wants. Long texts are cut.
func equal[T any](t testing.TB, label string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%.200s:\n got %.2000s\nwant %.2000s", label, fmt.Sprint(got), fmt.Sprint(want))
	}
}

// A testCase is a file and what is read from it.
type testCase struct {
	name    string
	content []byte
	want    string
}

var repeated = regexp.MustCompile(`(?s)\{(\d+)\*(.[^}]*)\}`)

// cases returns the lines of a file in testdata, "name content -> want". The content has escape sequences as in Go. In
// both parts, {n*text} stands for n times the text. Lines of what is wanted are joined by ⏎.
func cases(t testing.TB, file string) (list []testCase) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	ok(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		given, want, found := strings.Cut(line, " -> ")
		failIf(t, !found, "%s: %s: has no arrow", file, line)
		name, escaped, _ := strings.Cut(given, " ")
		var content []byte
		for escaped != "" {
			char, multibyte, rest, err := strconv.UnquoteChar(escaped, 0)
			ok(t, err)
			if content, escaped = append(content, byte(char)), rest; multibyte {
				content = append(content[:len(content)-1], string(char)...)
			}
		}
		list = append(list, testCase{name, []byte(repeat(string(content))), repeat(want)})
	}
	failIf(t, len(list) == 0, "%s: has no line", file)
	return list
}

func repeat(text string) string {
	return repeated.ReplaceAllStringFunc(text, func(found string) string {
		parts := repeated.FindStringSubmatch(found)
		n, _ := strconv.Atoi(parts[1])
		return strings.Repeat(parts[2], n)
	})
}

// outcome returns the error of a load, or that the file is accepted.
func outcome(err error) string {
	if err == nil {
		return "accepted"
	}
	return strings.ReplaceAll(err.Error(), "\n", "⏎")
}
