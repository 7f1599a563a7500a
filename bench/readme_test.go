package bench_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// README has the three commands that someone who picks the project up needs, each in its section, and .ci/run calls
// them.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(readme), "\n## ")
	first := slices.IndexFunc(sections, func(text string) bool { return strings.HasPrefix(text, "Run it\n") })
	if first < 0 || first+3 > len(sections) {
		t.Fatal("README.md: has no section \"Run it\" with two sections below")
	}
	for i, c := range []struct{ title, command string }{
		{"Run it", "go run ./cmd/pubd"}, {"Test it", "go test ./..."}, {"Measure it", "go test -bench . ./bench"},
	} {
		if text := sections[first+i]; !strings.HasPrefix(text, c.title+"\n") || !strings.Contains(text, "\n"+c.command+"\n```") {
			t.Errorf("README.md: section %d from \"Run it\" must be %q, with the command %s", i+1, c.title, c.command)
		}
		if !regexp.MustCompile(`(?m)^[^#\n]*` + regexp.QuoteMeta(c.command) + `( |$)`).Match(script) {
			t.Errorf(".ci/run: does not call %s", c.command)
		}
	}
}
