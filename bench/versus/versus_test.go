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
			t.Errorf("%q is to be reached, and no class", name)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--rounds 0", "--rounds 0: must be 1 or more"},
		{"--classes 1,10", "--classes 10: must be from 1 to 9"},
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

func TestComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("puts load on three servers for some seconds")
	}
	if _, err := stage.Tool("nginx", "nginx"); err != nil || runtime.NumCPU() < 2 {
		t.Skip("takes nginx and two cores: ", err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	if err := os.Chmod(os.Getenv("TMPDIR"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := command{Pubs: 2000, Requests: 200, Rounds: 1, Window: 100 * time.Millisecond, Classes: []int{1, 7}, Out: t.TempDir()}
	var stdout strings.Builder
	if err := c.run(t.Context(), &stdout, t.Output()); err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"pubd", "nginx"} {
		if want := "BenchmarkVersus/class=within_2_km/server=" + server + " 1 "; !strings.Contains(stdout.String(), want) {
			t.Errorf("no line %q in\n%s", want, stdout.String())
		}
	}
	if text, err := os.ReadFile(filepath.Join(c.Out, "versus.md")); err != nil || !strings.Contains(string(text), "\n| geometric mean | 0.70 |") {
		t.Errorf("versus.md: %v, want the geometric mean in\n%s", err, text)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
