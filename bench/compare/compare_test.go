package compare

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/bench/stage"
)

func TestResults(t *testing.T) {
	process, err := stage.Start(t.Context(), stage.Command(t.Context(), nil, "sleep", "60"), syscall.SIGTERM, func() bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(process.Stop)
	contender := func(name string, rates map[int][]float64) *Contender {
		rounds := map[int]int{}
		return &Contender{name, process, func(_ context.Context, class int, _ time.Duration) (float64, error) {
			rounds[class]++
			return rates[class][rounds[class]-1], nil
		}}
	}
	none := math.NaN()
	r, err := Measure(t.Context(), t.Output(), "Test", []string{"lookup", "within 2 km, paged"}, []*Contender{
		contender("pubd", map[int][]float64{0: {100_000, 120_000, 90_000}, 1: {50, 50, 50}}),
		contender("nginx", map[int][]float64{0: {100_000, 100_000, 100_000}, 1: {100, 50, 40}}),
		contender("Redis", map[int][]float64{0: {1000, 1000, 1000}, 1: {none, none, none}}),
	}, 3, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	const want = `| class | pubd /s | nginx /s | ratio to nginx | Redis /s | ratio to Redis |
|---|--:|--:|--:|--:|--:|
| lookup | 100,000 | 100,000 | 0.90 – **1.00** – 1.20 | 1,000 | 90 – **100** – 120 |
| within 2 km, paged | 50 | 50 | 0.50 – **1.00** – 1.25 | – | – |
| geometric mean | | | 1.00 | | NaN |
`
	if got := r.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	dir := t.TempDir()
	if err := r.Save(dir, "text", stage.ReadMachine(t.Context())); err != nil {
		t.Fatal(err)
	}
	samples, _ := os.ReadFile(filepath.Join(dir, "test.txt"))
	for _, want := range []string{"\nBenchmarkTest/class=lookup/server=nginx 1 100000 answers/s 0 cpu-ns/answer\n", "\nBenchmarkTest/class=within_2_km_paged/server=pubd 1 50 answers/s"} {
		if strings.Count(string(samples), want) == 0 {
			t.Errorf("no line %q in\n%s", want, samples)
		}
	}
	if strings.Contains(string(samples), "NaN") || strings.Count(string(samples), "\nBenchmark") != 15 {
		t.Errorf("got\n%s\nwant 15 lines", samples)
	}
	for _, name := range []string{"test.md", "test.svg"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
