package main

import (
	"bytes"
	"flag"
	"math"
	"os"
	"testing"
	"time"

	"pubd/bench/stage"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func reportForTest() *report {
	none := math.NaN()
	return &report{
		Suite: contract,
		Machine: stage.Machine{CPU: "Abacus 9000", Cores: 2, Kernel: "6.1.0", Go: "go1.26.0", Commit: "0123456789ab+dirty",
			Date: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Load: 0.25},
		Data: "pubs.csv, 51,566 pubs", Tools: []string{"wrk 4.1.0", "nginx 1.22.1", "Redis 7.0.15"}, Kept: 0.0125, Rounds: 3, Seconds: 2, Requests: 2000,
		Contenders: []string{"pubd", "nginx", "Redis"}, Notes: []string{"", "", "knows no words"},
		Classes: []classReport{
			{Name: "lookup", Target: target{1, 1.2}, Distinct: 1960, BodySize: 428.4, Pubs: []float64{1, none, none},
				Rates: [][]float64{{130000, 120000, 125000}, {100000, 100000, 100000}, {none, none, none}},
				Busy:  [][]float64{{1, 0.99, 1}, {0.98, 0.98, 0.98}, {none, none, none}}},
			{Name: "within 2 km", Target: target{0.7, 0.9}, Distinct: 2000, BodySize: 11149, Pubs: []float64{40.54, none, 41.4},
				Rates: [][]float64{{60000, 80000, 70000}, {100000, 100000, 100000}, {1200, 1300, 9000}},
				Busy:  [][]float64{{1, 1, 1}, {1, 0.6, 0.5}, {none, none, none}}},
		},
	}
}

func TestMarkdown(t *testing.T) {
	for file, change := range map[string]func(*report){
		"testdata/versus.md": func(*report) {},
		"testdata/without-nginx.md": func(r *report) {
			r.Contenders = []string{"pubd"}
			for i := range r.Classes {
				c := &r.Classes[i]
				c.Pubs, c.Rates, c.Busy = c.Pubs[:1], c.Rates[:1], c.Busy[:1]
			}
		},
	} {
		r := reportForTest()
		change(r)
		got := r.markdown()
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the report says: go test ./bench/versus -run Markdown -update\ngot:\n%s", file, got)
		}
	}
}
