package keys

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func hexDigest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// line returns a line of a key file for a key whose secret is its name. members are further members, with a leading
// comma.
func line(name, members string) string {
	return fmt.Sprintf("{\"name\":%q,\"sha256\":%q%s}\n", name, hexDigest(name), members)
}

// named returns a line for a key with a secret of its own.
func named(name, secret, members string) string {
	return strings.Replace(line(secret, members), fmt.Sprintf("%q", secret), fmt.Sprintf("%q", name), 1)
}

func mustParse(t testing.TB, content string) *Set {
	return testkit.Must(Parse("keys", []byte(content)))(t)
}

// wantKey reports an error unless a secret is that of a key with this name at that time, or of none if name is empty.
func wantKey(t testing.TB, s *Set, secret string, now time.Time, name string) {
	t.Helper()
	key, valid := s.Check([]byte(secret), now)
	testkit.FailIf(t, valid != (name != "") || (key != nil) != valid || valid && key.Name() != name,
		"Check(%.20q, %v) = %+v, %v, want %q", secret, now, key, valid, name)
}

func TestCheck(t *testing.T) {
	s := mustParse(t, line("free", "")+
		line("limited", `,"rate":5`)+
		line("lasting", `,"expires":"2026-06-01T12:00:00.000001Z"`)+
		line("ending", `,"expires":"2026-06-01T12:00:00Z"`)+
		line("ended", `,"expires":"2026-06-01T13:59:59+02:00"`)+
		line("revoked", `,"revoked":"2030-01-01T00:00:00Z"`)+
		line("both", `,"expires":"2030-01-01T00:00:00Z","revoked":"2026-01-01T00:00:00Z"`))
	testkit.Equal(t, "keys", s.Len(), 7)
	for _, c := range []struct {
		secret string
		now    time.Time
		name   string
	}{
		{"free", noon, "free"}, {"free", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), "free"},
		{"limited", noon, "limited"},
		{"lasting", noon, "lasting"}, {"lasting", noon.Add(time.Microsecond), ""},
		{"ending", noon.Add(-time.Microsecond), "ending"}, {"ending", noon, ""}, {"ending", noon.In(time.FixedZone("", 3600)), ""},
		{"ended", noon, ""}, {"ended", time.Unix(-1, 0), ""},
		{"revoked", noon, ""}, {"revoked", time.Unix(-1, 0), ""},
		{"both", noon, ""},
		{"unknown", noon, ""}, {"Free", noon, ""}, {"fre", noon, ""}, {"free ", noon, ""}, {"free, free", noon, ""}, {"", noon, ""},
		{hexDigest("free"), noon, ""}, {strings.Repeat("k", 16<<10), noon, ""}, {"\x00\xff", noon, ""},
	} {
		wantKey(t, s, c.secret, c.now, c.name)
	}
	wantKey(t, new(Set), "demo", noon, "")
}

func TestInherit(t *testing.T) {
	old := mustParse(t, line("same", `,"rate":1`)+line("faster", `,"rate":1`)+line("freed", `,"rate":1`)+
		line("bound", "")+line("renamed", `,"rate":1`))
	spend := func(s *Set, secret string) bool {
		t.Helper()
		key, valid := s.Check([]byte(secret), noon)
		testkit.StopIf(t, !valid, "%s is rejected", secret)
		return allows(key, noon, anyone)
	}
	for _, secret := range []string{"same", "faster", "freed", "bound", "renamed"} {
		spend(old, secret)
	}
	fresh := mustParse(t, line("same", `,"rate":1,"expires":"2030-01-01T00:00:00Z"`)+line("faster", `,"rate":2`)+
		line("freed", "")+line("bound", `,"rate":1`)+line("new", `,"rate":1`)+
		named("other", "renamed", `,"rate":1`)+named("same", "rotated", `,"rate":1`))
	fresh.Inherit(nil)
	fresh.Inherit(new(Set))
	fresh.Inherit(old)
	for secret, want := range map[string]bool{
		"same": false, "faster": true, "freed": true, "bound": true, "new": true, "renamed": true, "rotated": false,
	} {
		testkit.Equal(t, secret+": allowed after the reload", spend(fresh, secret), want)
	}
	third := mustParse(t, line("same", `,"rate":1`))
	third.Inherit(fresh)
	testkit.Equal(t, "allowed after the second reload", spend(third, "same"), false)
}

// The secrets of a name share its rate, that of all clients and that of each.
func TestSecretsShareTheirRate(t *testing.T) {
	twins, allowed := mustParse(t, named("app", "old", `,"rate":10,"expires":"2027-01-01T00:00:00Z"`)+named("app", "new", `,"rate":10`)), 0
	for i := range 60 {
		key, _ := twins.Check([]byte([]string{"old", "new"}[i%2]), noon)
		if allows(key, noon, anyone) {
			allowed++
		}
	}
	testkit.Equal(t, "allowed of 60 at rate 10", allowed, 10)
	path := keyFile(t)
	s, key, _ := publicKey(t, path, Entry{Name: "pages", RatePerClient: 1})
	testkit.OK(t, Rotate(path, "pages", time.Hour, func(string) error { return nil }))
	fresh := mustLoad(t, path)
	fresh.Inherit(s)
	key.Allow(noon, anyone)
	for _, key := range fresh.keys {
		testkit.Equal(t, "the other secret of a public key", allows(key, noon, anyone), false)
	}
}
