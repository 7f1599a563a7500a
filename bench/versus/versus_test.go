package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"pubd/bench"
	"pubd/bench/stage"
)

func TestEveryClassToReachExists(t *testing.T) {
	names := map[string]bool{}
	for _, class := range append(bench.AllClasses(), bench.Extensions...) {
		names[class.Name] = true
	}
	for name := range reach {
		if !names[name] {
			t.Errorf("%q in reach is not a class", name)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--rounds 0", "--rounds 0: must be 1 or more"},
		{"--suite none", `--suite must be one of "versus","more","extensions"`},
		{"--data nowhere.csv --window x", "--window"},
	} {
		parser, err := kong.New(new(command))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(strings.Fields(test.args)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.args, err, test.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	r := &results{classes: []string{"lookup", "within 2 km"}, contenders: []*contender{{name: "pubd"}, {name: "nginx"}}, samples: [][][]sample{
		{{{100_000, 5}, {120_000, 5}, {90_000, 5}}, {{100_000, 10}, {100_000, 10}, {100_000, 10}}},
		{{{50, 5}, {50, 5}, {50, 5}}, {{100, 4}, {50, 4}, {40, 4}}},
	}}
	c := command{Suite: "versus"}
	const want = `
| lookup | 100000 | 100000 | 0.90 – **1.00** – 1.20 | 2.00 | 1.00 | met |
| within 2 km | 50 | 50 | 0.50 – **1.00** – 1.25 | 0.80 | 0.70 | met |
| geometric mean | | | 1.00 | | 0.70 | met |
`
	if got := c.markdown(r, stage.Machine{}); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at its end\n%s", got, want)
	}
	reach["lookup"], overall["versus"] = 1.01, 1.01
	if got := c.markdown(r, stage.Machine{}); strings.Count(got, "**missed**") != 2 {
		t.Errorf("got\n%s\nwant two missed", got)
	}
	reach["lookup"], overall["versus"] = 1, 0.7
}

func TestComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("loads three servers for some seconds")
	}
	if _, err := stage.Tool("nginx", "nginx"); err != nil || runtime.NumCPU() < 2 {
		t.Skip("needs nginx and two cores: ", err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	if err := os.Chmod(os.Getenv("TMPDIR"), 0o755); err != nil {
		t.Fatal(err)
	}
	suites["extensions"] = bench.Extensions[len(bench.Extensions)-3:]
	t.Cleanup(func() { suites["extensions"] = bench.Extensions })
	c := command{Pubs: 2000, Requests: 100, Rounds: 1, Window: 30 * time.Millisecond, Suite: "extensions", Out: t.TempDir()}
	var stdout strings.Builder
	if err := c.run(t.Context(), &stdout, t.Output()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"BenchmarkStart/server=pubd 1 ", "BenchmarkExtensions/class=stats/server=pubd 1 ", "class=suggest/server=nginx 1 "} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no line %q in\n%s", want, stdout.String())
		}
	}
	if text, err := os.ReadFile(filepath.Join(c.Out, "extensions.md")); err != nil || !strings.Contains(string(text), "\n| geometric mean | ") {
		t.Errorf("extensions.md: %v, want the geometric mean in\n%s", err, text)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
