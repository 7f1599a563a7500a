package keys

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func hexDigest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// line returns a line of a key file for a key whose secret is its name. members are further members, with a leading comma.
func line(name, members string) string {
	return fmt.Sprintf("{\"name\":%q,\"sha256\":%q%s}\n", name, hexDigest(name), members)
}

func mustParse(t testing.TB, content string) *Set {
	t.Helper()
	s, err := Parse("keys", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCheck(t *testing.T) {
	s := mustParse(t, line("free", "")+
		line("limited", `,"rate":5`)+
		line("lasting", `,"expires":"2026-06-01T12:00:00.000001Z"`)+
		line("ending", `,"expires":"2026-06-01T12:00:00Z"`)+
		line("ended", `,"expires":"2026-06-01T13:59:59+02:00"`)+
		line("revoked", `,"revoked":"2030-01-01T00:00:00Z"`)+
		line("both", `,"expires":"2030-01-01T00:00:00Z","revoked":"2026-01-01T00:00:00Z"`))
	if got := s.Len(); got != 7 {
		t.Errorf("Len() = %d, want 7", got)
	}
	cases := []struct {
		secret string
		now    time.Time
		ok     bool
	}{
		{"free", noon, true},
		{"free", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), true},
		{"limited", noon, true},
		{"lasting", noon, true},
		{"lasting", noon.Add(time.Microsecond), false},
		{"ending", noon.Add(-time.Microsecond), true},
		{"ending", noon, false},
		{"ending", noon.In(time.FixedZone("", 3600)), false},
		{"ended", noon, false},
		{"ended", time.Unix(-1, 0), false},
		{"revoked", noon, false},
		{"revoked", time.Unix(-1, 0), false},
		{"both", noon, false},
		{"unknown", noon, false},
		{"Free", noon, false},
		{"fre", noon, false},
		{"free ", noon, false},
		{"free, free", noon, false},
		{"", noon, false},
		{hexDigest("free"), noon, false},
		{strings.Repeat("k", 16<<10), noon, false},
		{"\x00\xff", noon, false},
	}
	for _, c := range cases {
		key, ok := s.Check([]byte(c.secret), c.now)
		if ok != c.ok || (key != nil) != c.ok || ok && key.Name() != c.secret {
			t.Errorf("Check(%.20q, %v) = %+v, %v, want %v", c.secret, c.now, key, ok, c.ok)
		}
	}
	if key, ok := new(Set).Check([]byte("demo"), noon); ok || key != nil {
		t.Errorf("the zero set: Check(demo) = %v, %v, want nil, false", key, ok)
	}
}

func TestDemo(t *testing.T) {
	key, ok := Demo().Check([]byte("demo"), time.Now())
	if !ok || key.Name() != "demo" || Demo().Len() != 1 {
		t.Fatalf("Check(demo) = %v, %v", key, ok)
	}
	for range 1000 {
		if ok, _ := key.Allow(noon, anyone); !ok {
			t.Fatal("the demo key has a limited rate")
		}
	}
	if _, ok := Demo().Check([]byte("Demo"), time.Now()); ok {
		t.Error("Check(Demo) is true")
	}
}

func TestParseCopiesContent(t *testing.T) {
	content := []byte(line("alpha", ""))
	s, err := Parse("keys", content)
	if err != nil {
		t.Fatal(err)
	}
	clear(content)
	if key, ok := s.Check([]byte("alpha"), noon); !ok || key.Name() != "alpha" {
		t.Errorf("after the content was cleared: %v, %v", key, ok)
	}
}

func TestCheckDoesNotAllocate(t *testing.T) {
	s := mustParse(t, line("free", "")+line("limited", `,"rate":1`))
	for _, secret := range [][]byte{[]byte("free"), []byte("limited"), []byte("unknown"), bytes.Repeat([]byte("k"), 4000)} {
		got := testing.AllocsPerRun(100, func() {
			if key, ok := s.Check(secret, noon); ok {
				key.Allow(noon, anyone)
			}
		})
		if got != 0 {
			t.Errorf("Check(%.10q) and Allow: %v allocations, want 0", secret, got)
		}
	}
}

func TestInherit(t *testing.T) {
	old := mustParse(t, line("same", `,"rate":1`)+line("faster", `,"rate":1`)+line("freed", `,"rate":1`)+
		line("bound", "")+line("renamed", `,"rate":1`))
	spend := func(s *Set, secret string) bool {
		t.Helper()
		key, ok := s.Check([]byte(secret), noon)
		if !ok {
			t.Fatalf("%s is rejected", secret)
		}
		allowed, _ := key.Allow(noon, anyone)
		return allowed
	}
	for _, secret := range []string{"same", "faster", "freed", "bound", "renamed"} {
		spend(old, secret)
	}
	fresh := mustParse(t, line("same", `,"rate":1,"expires":"2030-01-01T00:00:00Z"`)+line("faster", `,"rate":2`)+
		line("freed", "")+line("bound", `,"rate":1`)+line("new", `,"rate":1`)+
		strings.Replace(line("renamed", `,"rate":1`), `"renamed"`, `"other"`, 1))
	fresh.Inherit(nil)
	fresh.Inherit(new(Set))
	fresh.Inherit(old)
	for secret, want := range map[string]bool{
		"same": false, "faster": true, "freed": true, "bound": true, "new": true, "renamed": false,
	} {
		if got := spend(fresh, secret); got != want {
			t.Errorf("%s: allowed %v after the reload, want %v", secret, got, want)
		}
	}
	third := mustParse(t, line("same", `,"rate":1`))
	third.Inherit(fresh)
	if spend(third, "same") {
		t.Error("the second reload refilled the bucket")
	}
}
