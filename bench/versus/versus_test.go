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
	"pubd/data/lane"
)

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
	r := &results{
		classes:    []bench.Class{{Name: "lookup", Reach: 1}, {Name: "stats"}},
		contenders: []*contender{{name: "pubd"}, {name: "nginx"}},
		rates:      [][][]float64{{{100_000, 120_000, 90_000}, {100_000, 100_000, 100_000}}, {{50, 50, 50}, {100, 50, 40}}},
		cpus:       [][][]float64{{{5, 5, 5}, {10, 10, 10}}, {{5, 5, 5}, {4, 4, 4}}},
	}
	c := command{Suite: "versus"}
	const want = `
| lookup | 100000 | 100000 | 0.90 – **1.00** – 1.20 | 2.00 | 1.00 | met |
| stats | 50 | 50 | 0.50 – **1.00** – 1.25 | 0.80 | 0.40 | met |
| geometric mean | | | 1.00 | | 0.70 | met |
`
	if got := c.markdown(r, stage.Machine{}); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at its end\n%s", got, want)
	}
	r.classes[0].Reach, overall["versus"] = 1.01, 1.01
	t.Cleanup(func() { overall["versus"] = 0.7 })
	if got := c.markdown(r, stage.Machine{}); strings.Count(got, "**missed**") != 2 {
		t.Errorf("got\n%s\nwant two missed", got)
	}
}

func TestComparison(t *testing.T) {
	lane.Long(t, "loads three servers for some seconds")
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
