package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/data"
)

// pubs returns a snapshot with the pubs u1, u2, …, all at 52°, -1°, whose member trading is their generation.
func pubs(count int, generation string) string {
	var text strings.Builder
	text.WriteString("UID,name,trading,latitude,longitude\n")
	for i := range count {
		fmt.Fprintf(&text, "u%d,Lion %d,%s,52,-1\n", i+1, i+1, generation)
	}
	return text.String()
}

// replace replaces a file in one step.
func replace(t *testing.T, path, content string) {
	t.Helper()
	fresh := path + ".new"
	testkit.OK(t, os.WriteFile(fresh, []byte(content), 0o600))
	testkit.OK(t, os.Rename(fresh, path))
}

// generated returns a generated directory as CSV.
func generated(t *testing.T, count int, seed uint64) string {
	t.Helper()
	var text bytes.Buffer
	testkit.OK(t, data.Generate(&text, count, seed, nil))
	return text.String()
}

// generation returns the generation of a server's pubs.
func generation(p *process, key string) string {
	p.t.Helper()
	got := p.search("pubid=u1", key)
	_, rest, _ := strings.Cut(got.body, `"trading":"`)
	text, _, ok := strings.Cut(rest, `"`)
	testkit.StopIf(p.t, got.status != 200 || !ok, "pubid=u1: got %d %q, want 200 and a pub with trading", got.status, got.body)
	return text
}
