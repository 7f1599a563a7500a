package keys

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

func keyFile(t testing.TB) string { return filepath.Join(t.TempDir(), "keys") }

func add(path string, e Entry) (secret string, err error) {
	err = Add(path, e, func(shown string) error { secret = shown; return nil })
	return secret, err
}

func mustLoad(t testing.TB, path string) *Set {
	t.Helper()
	s, _, err := Load(t.Context(), path)
	testkit.OK(t, err)
	return s
}

// lasts returns an entry without what varies: the time of its creation, the zone of its end, and when it was revoked.
func lasts(e Entry) Entry {
	e.Created, e.Expires = time.Time{}, e.Expires.UTC()
	if !e.Revoked.IsZero() {
		e.Revoked = noon
	}
	return e
}

// The golden files of pubd keys have the other complaints.
func TestComplaintsOfEdits(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	path, broken, fifo, large, absent := in("keys"), in("broken"), in("fifo"), in("large"), in("absent")
	secret := testkit.Must(add(path, Entry{Name: "used"}))(t)
	testkit.Must(add(path, Entry{Name: "old"}))(t)
	testkit.OK(t, Revoke(path, "old"))
	testkit.Must(add(path, Entry{Name: "ended", Expires: noon}))(t)
	testkit.OK(t, os.WriteFile(broken, []byte("no key file"), 0o600))
	testkit.OK(t, os.WriteFile(large, make([]byte, MaxFileSize+1), 0o600))
	testkit.OK(t, syscall.Mkfifo(fifo, 0o600))
	add := func(path string, e Entry) error {
		got, err := add(path, e)
		testkit.Equal(t, "secret of a rejected key", got, "")
		return err
	}
	load := func(path string) error { _, _, err := Load(t.Context(), path); return err }
	cases := []struct {
		got  error
		want string
	}{
		{add(path, Entry{Name: "two words"}), `^PATH/keys: name "two wo…": must be 1 to 64 `},
		{add(path, Entry{Name: secret}), `^PATH/keys: name "pubd_.…": must not be a secret, logs show it$`},
		{add(path, Entry{Name: "a", Rate: -1}), `^PATH/keys: rate "-1": must be a number above 0, at most 1000000$`},
		{add(path, Entry{Name: "a", Rate: math.NaN()}), `^PATH/keys: rate "NaN": `},
		{add(path, Entry{Name: "a", Rate: math.Inf(1)}), `^PATH/keys: rate "\+Inf": `},
		{add(path, Entry{Name: "a", Rate: 1e6 + 1}), `^PATH/keys: rate "1\.0000…": `},
		{add(path, Entry{Name: "a", Expires: time.Unix(0, 0)}), `^PATH/keys: expires "1970-0…": must be an RFC 3339 time from 1970 to 9999`},
		{add(path, Entry{Name: "a", Expires: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}), `^PATH/keys: expires "10000-…": must be `},
		{add(large, Entry{Name: "a"}), `^read PATH/large: must be at most 16777216 bytes, remove revoked keys$`},
		{add(fifo, Entry{Name: "a"}), `^open PATH/fifo: is a named pipe: must be a regular file$`},
		{Rotate(path, "none", 0, nil), `^PATH/keys: name "none": is not in the file`},
		{Rotate(path, "old", 0, nil), `^PATH/keys: name "old": was revoked on `},
		{Rotate(path, "ended", 0, nil), `^PATH/keys:3: name "ended": expired on 2026-06-01T12:00:00Z, revoke that key and add another one$`},
		{Revoke(path, secret), `^PATH/keys: name "pubd_.…": must not be a secret, logs show it$`},
		{Revoke(broken, "a"), `^PATH/broken:1: `},
		{load(absent), `^open PATH/absent: no such file or directory, make it with pubd keys add$`},
		{load(broken), `^PATH/broken:1: `},
		{load(large), `^read PATH/large: must be at most `},
		{load(folder), `^open PATH: is a directory: must be a regular file$`},
		{load(fifo), `^open PATH/fifo: is a named pipe: must be a regular file$`},
		{load("/dev/zero"), `^open /dev/zero: is a device: must be a regular file$`},
	}
	for i, c := range cases {
		want := strings.ReplaceAll(c.want, "PATH", regexp.QuoteMeta(folder))
		if c.got == nil || !regexp.MustCompile(want).MatchString(c.got.Error()) {
			t.Errorf("case %d: got %v, want %s", i, c.got, want)
		} else if strings.Contains(c.got.Error(), secret[5:]) {
			t.Errorf("case %d shows the secret: %v", i, c.got)
		}
	}
	left, _ := filepath.Glob(filepath.Join(folder, ".*"))
	testkit.FailIf(t, len(left) > 0, "left behind: %v", left)
	_, err := os.Stat(absent)
	testkit.FailIf(t, err == nil, "a failed revocation created the file")
}

// A rotated key has two secrets until the overlap ends, or the key does; revoking it ends all of them.
func TestRotate(t *testing.T) {
	path, now := keyFile(t), time.Now()
	show := func(to *string) func(string) error { return func(shown string) error { *to = shown; return nil } }
	secrets := make([]string, 5)
	testkit.OK(t, Add(path, Entry{Name: "app", Rate: 5, Public: true, RatePerClient: 7}, show(&secrets[0])))
	testkit.OK(t, Add(path, Entry{Name: "brief", Expires: now.Add(30 * time.Minute)}, show(&secrets[1])))
	testkit.OK(t, Rotate(path, "app", time.Hour, show(&secrets[2])))
	testkit.OK(t, Rotate(path, "brief", time.Hour, show(&secrets[3])))
	testkit.OK(t, Rotate(path, "app", 3*time.Hour, show(&secrets[4])))
	before := testkit.Read(t, path)
	failure := Rotate(path, "app", 0, func(string) error { return os.ErrClosed })
	testkit.FailIf(t, failure != os.ErrClosed || string(testkit.Read(t, path)) != string(before), "unseen secret: got %v and another file", failure)
	_, err := add(path, Entry{Name: "app"})
	testkit.FailIf(t, err == nil, "a rotated name can be added")
	s := mustLoad(t, path)
	testkit.Equal(t, "offered", s.Offered(now), secrets[4])
	for after, valid := range map[time.Duration]string{time.Minute: "01234", 45 * time.Minute: "024", 2 * time.Hour: "24", 4 * time.Hour: "4"} {
		got := ""
		for i, secret := range secrets {
			if _, ok := s.Check([]byte(secret), now.Add(after)); ok {
				got += fmt.Sprint(i)
			}
		}
		testkit.Equal(t, fmt.Sprint("valid after ", after), got, valid)
	}
	for _, e := range testkit.Must(List(path))(t) {
		testkit.FailIf(t, e.Name == "app" && (e.Rate != 5 || e.RatePerClient != 7), "got %+v, want the rates", e)
	}
	testkit.OK(t, Revoke(path, "app"))
	for _, i := range []int{0, 2, 4} {
		wantKey(t, mustLoad(t, path), secrets[i], now, "")
	}
}

// Requests are counted by the name of the key, under the same label in all sets, as long as there are labels.
func TestLabels(t *testing.T) {
	var many strings.Builder
	for i := range MaxLabels {
		many.WriteString(line(fmt.Sprint("key", i), ""))
	}
	labels := func(s *Set, names ...string) (got []string) {
		for _, name := range names {
			key, _ := s.Check([]byte(name), noon)
			got = append(got, s.Labels()[key.Label()])
		}
		return got
	}
	first := mustParse(t, line("b", "")+line("gone", `,"revoked":"2026-01-01T00:00:00Z"`)+line("other", ""))
	testkit.Equal(t, "labels", first.Labels(), []string{"other", "b"})
	testkit.Equal(t, "labels of keys", labels(first, "b", "other"), []string{"b", "other"})
	second := mustParse(t, line("a", "")+line("b", "")+many.String())
	second.Inherit(first)
	testkit.Equal(t, "first labels", second.Labels()[:4], []string{"other", "b", "a", "key0"})
	testkit.Equal(t, "number of labels", len(second.Labels()), MaxLabels)
	testkit.Equal(t, "labels of keys", labels(second, "a", "b", "key96", "key97"), []string{"a", "b", "key96", "other"})
	third := mustParse(t, line("new", ""))
	third.Inherit(second)
	testkit.Equal(t, "labels of a new key", labels(third, "new"), []string{"other"})
}

// After any sequence of edits, the file has the same keys as a model that is a list.
func TestEditsMatchModel(t *testing.T) {
	folder, files := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		type key struct {
			secret string
			entry  Entry
		}
		files++
		path := filepath.Join(folder, fmt.Sprint(files))
		var model []key
		current := func(name string) int {
			return slices.IndexFunc(model, func(k key) bool { return k.entry.Name == name && k.entry.Revoked.IsZero() })
		}
		check := func() {
			entries, err := List(path)
			s, _, err2 := Load(t.Context(), path)
			if missing := len(model) == 0; (err != nil) != missing || (err2 != nil) != missing || len(entries) != len(model) || !missing && s.Len() != len(model) {
				t.Fatalf("List: %+v, %v, Load: %v, want %d keys", entries, err, err2, len(model))
			}
			for i, k := range model {
				want := k.entry
				testkit.StopIf(t, lasts(entries[i]) != lasts(want), "entry %d is %+v, want %+v", i, entries[i], want)
				valid := want.Revoked.IsZero() && (want.Expires.IsZero() || noon.Before(want.Expires.Truncate(time.Microsecond)))
				found, opened := s.Check([]byte(k.secret), noon)
				testkit.StopIf(t, opened != valid || opened && found.Name() != want.Name,
					"Check of key %d, %+v: %v, want %v", i, want, opened, valid)
			}
		}
		for range rapid.IntRange(1, 10).Draw(t, "edits") {
			name := rapid.SampledFrom([]string{"a", "b", "<ç>", "\"🍺"}).Draw(t, "name")
			known := current(name)
			if rapid.Bool().Draw(t, "revoke") {
				err := Revoke(path, name)
				testkit.StopIf(t, (err == nil) != (known >= 0), "Revoke(%s): %v, in use: %v", name, err, known >= 0)
				if known >= 0 {
					model[known].entry.Revoked = time.Now()
				}
			} else {
				e := Entry{Name: name, Rate: rapid.SampledFrom([]float64{0, 1e-9, 0.1, 5, MaxRate}).Draw(t, "rate")}
				if rapid.Bool().Draw(t, "expires") {
					e.Expires = noon.Add(time.Duration(rapid.Int64Range(-1e18, 1e18).Draw(t, "after noon")))
				}
				secret, err := add(path, e)
				testkit.StopIf(t, (err == nil) != (known < 0) || (secret != "") != (known < 0),
					"Add(%s): %v, in use: %v", e.Name, err, known >= 0)
				if content, _ := os.ReadFile(path); err == nil {
					model = append(model, key{secret, e})
					testkit.StopIf(t, !regexp.MustCompile(`^pubd_[a-z2-7]{32}$`).MatchString(secret) || strings.Contains(string(content), secret[5:]),
						"the secret %s is malformed, or in the file", secret)
				}
			}
			check()
		}
	})
}
