package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts pubd")
	}
	if runtime.NumCPU() < 2 {
		t.Skip("takes two cores")
	}
	c := command{Sizes: []int{300, 200}, Rounds: 1, Window: 5 * time.Millisecond, Out: t.TempDir()}
	var out strings.Builder
	if err := c.run(t.Context(), &out, t.Output()); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(c.Out, "growth.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 200 |", "| 300 |", "| lookup |", "| words of no pub |"} {
		if !strings.Contains(string(written), want) {
			t.Errorf("growth.md has no %q:\n%s", want, written)
		}
	}
	if want := "BenchmarkGrowth/class=lookup/server=300_pubs 1 "; !strings.Contains(out.String(), want) {
		t.Errorf("no line %q in\n%s", want, out.String())
	}
	c.Sizes = []int{0}
	if err := c.run(t.Context(), &out, t.Output()); err == nil || !strings.Contains(err.Error(), "--sizes [0]") {
		t.Errorf("no pubs: got %v", err)
	}
}
