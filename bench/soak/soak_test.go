package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"pubd/bench/stage"
)

var chosenRows = flag.String("rows", "", "let TestRows run these rows; all but F, of which every fuzz test has its seeds, where it is empty")

// TestRows runs rows in their short form, and skips those of which a program is missing. What it asserts of a figure
// that the machine decides is no more than that the row was run to its end; answers that are wrong or missing fail it
// anywhere.
func TestRows(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts servers")
	}
	b, err := newBed(t.Context(), "", true, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	chosen, err := choose(strings.Fields(*chosenRows))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range chosen {
		if *chosenRows == "" && row.name == "F" {
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			if !row.timed {
				t.Parallel()
			}
			got, err := row.attempt(t.Context(), b)
			if _, missing := errors.AsType[stage.MissingError](err); missing || errors.Is(err, errNoCgroup) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %s", got.n, got.figure)
			if !got.passed && !(row.timed && got.sound) {
				t.Errorf("%s: %s: %s", row.stimulus, got.n, got.figure)
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		arguments string
		want      int
		says      string
	}{
		{"--list", 0, "R2"},
		{"--list r2", 0, "p99 while reloading"},
		{"R2 nonsense", 2, `"nonsense": no row has this name`},
		{"--help", 0, "--short"},
	} {
		var said strings.Builder
		if got := run(t.Context(), strings.Fields(c.arguments), &said, &said); got != c.want || !strings.Contains(said.String(), c.says) {
			t.Errorf("soak %s: exit code %d, %q, want %d, %q", c.arguments, got, said.String(), c.want, c.says)
		}
	}
}

func TestEndedBadly(t *testing.T) {
	const late = "fuzz: elapsed: 20s, execs: 74419 (4207/sec), new interesting: 0 (total: 372)\n--- FAIL: FuzzCSV (20.19s)\n    context deadline exceeded\nFAIL\n"
	for said, want := range map[string]bool{
		late: true,
		late + "\n    Failing input written to testdata/fuzz/FuzzCSV/1\n":                           false,
		"--- FAIL: FuzzCSV (2.19s)\n    --- FAIL: FuzzCSV (0.00s)\n        csv_test.go:12: wrong\n": false,
		"--- FAIL: FuzzCSV (2.19s)\n    fuzzing process hung or terminated unexpectedly\n":          false,
		"ok  \tpubd/loader\t20.2s\n": false,
	} {
		if endedBadly(said) != want {
			t.Errorf("endedBadly(%q) = %v", said, !want)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h, other histogram
	for us := range 1000 {
		h.add(time.Duration(us) * time.Microsecond)
		other.add(time.Second)
	}
	for _, c := range []struct {
		share     float64
		low, high time.Duration
	}{
		{0, 1 * time.Microsecond, 1 * time.Microsecond},
		{0.5, 500 * time.Microsecond, 532 * time.Microsecond},
		{0.99, 990 * time.Microsecond, 1055 * time.Microsecond},
	} {
		if got := h.quantile(c.share); got < c.low || got > c.high {
			t.Errorf("quantile %v of 0 to 999 µs = %v, want %v to %v", c.share, got, c.low, c.high)
		}
	}
	h.merge(&other)
	if got := h.quantile(0.75); got < time.Second || got > 1063*time.Millisecond || h.count != 2000 {
		t.Errorf("after merging: third quartile %v of %d, want about 1 s of 2000", got, h.count)
	}
}

func TestRatios(t *testing.T) {
	var r ratios
	for _, ratio := range []float64{3, 1, 1.5} {
		r.add(ratio)
	}
	if got, want := r.String(), "in 3 rounds 1.00 to 3.00 times, median 1.50"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReport(t *testing.T) {
	var said strings.Builder
	r := report{Rows: []result{
		resultOf(rows[0], outcome{n: "12 answers", figure: "a|b, 0 failed", passed: true}, nil),
		resultOf(rows[1], outcome{}, os.ErrNotExist),
		resultOf(rows[3], outcome{figure: "slow", sound: true, kept: 0.0123}, nil),
		resultOf(rows[4], outcome{figure: "wrong", kept: 0.5}, nil),
		resultOf(rows[8], outcome{figure: "late", sound: true, kept: 0.0009}, nil),
	}}
	r.writeMarkdown(&said, "| L1 | replaced |\n| "+rows[2].name+" | kept |\n")
	for _, want := range []string{`| 12 answers | a\|b, 0 failed; the host kept 0.0 % of the cores to itself | passed |`, "| file does not exist | not run |", "| slow; the host kept 1.2 % of the cores to itself | cannot be told here |", "| wrong; the host kept 50.0 % of the cores to itself | FAILED |", "| late; the host kept 0.1 % of the cores to itself | FAILED |", "full forms", "| kept |\n"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("got %s\nwant %s", said.String(), want)
		}
	}
	if strings.Contains(said.String(), "replaced") {
		t.Errorf("got %s, want the row that was run anew", said.String())
	}
}
