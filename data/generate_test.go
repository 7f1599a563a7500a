package data_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/data"
)

func generated(t testing.TB, pubs int, seed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.OK(t, data.Generate(&b, pubs, seed, nil))
	return b.Bytes()
}

// pubs returns the rows of a generated directory, without the header.
func pubs(t testing.TB, n int, seed uint64) [][]string {
	t.Helper()
	rows := testkit.Must(csv.NewReader(bytes.NewReader(generated(t, n, seed))).ReadAll())(t)
	if got := strings.Join(rows[0], ","); got != data.Header {
		t.Fatalf("header %s, want %s", got, data.Header)
	}
	testkit.StopIf(t, len(rows) != n+1, "%d pubs, want %d", len(rows)-1, n)
	return rows[1:]
}

func TestGenerateIsDeterministic(t *testing.T) {
	one := generated(t, 5000, 7)
	const want = "183cab72bf3e375406aa614cb0c17aef5ebf3d08bf708e6aecad1d9cfc7a18e1"
	if got := fmt.Sprintf("%x", sha256.Sum256(one)); got != want {
		t.Errorf("5000 pubs with seed 7 have SHA-256 %s, want %s", got, want)
	}
	if bytes.Equal(one, generated(t, 5000, 8)) {
		t.Error("different seeds, same bytes")
	}
	if !bytes.HasPrefix(one, generated(t, 1234, 7)) {
		t.Error("a smaller directory is not the beginning of a larger one with the same seed")
	}
}

func TestGenerateProgress(t *testing.T) {
	var calls []int
	testkit.OK(t, data.Generate(io.Discard, 10_000, 1, func(done int) { calls = append(calls, done) }))
	if got := fmt.Sprint(calls); got != "[4096 8192 10000]" {
		t.Errorf("progress %s", got)
	}
}

func TestUIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	last, rising := "", 0
	for _, row := range pubs(t, 50_000, 11) {
		uid := row[0]
		testkit.StopIf(t, seen[uid] || len(uid) != 6, "UID %q is repeated or does not have six characters", uid)
		seen[uid] = true
		if uid > last {
			rising++
		}
		last = uid
	}
	testkit.FailIf(t, rising < 20_000 || rising > 30_000,
		"%d of 50,000 UIDs are greater than the previous one, want about half", rising)
}
