package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite bench/results/relevance.md")

// What is written about relevance is what is measured.
func TestReport(t *testing.T) {
	const data, golden = "../../../shared/data/uk-pubs.csv", "../results/relevance.md"
	if _, err := os.Stat(data); err != nil {
		t.Skip("the snapshot that the report is about is not here:", err)
	}
	var got strings.Builder
	if err := run(data, &got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got.String() != string(want) {
		t.Errorf("%v\n got %s\nwant %s\n(go test -update takes it over)", err, got.String(), want)
	}
}
