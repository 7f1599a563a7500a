package features

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/index/text"
)

func find(v *Vocabulary, query string) (feature string, n int) {
	return v.Find(words(text.AppendFolded(nil, []byte(query))))
}

func TestBuiltIn(t *testing.T) {
	v := BuiltIn()
	var names []string
	written, feature := map[string]string{}, ""
	for line := range strings.Lines(string(builtIn)) {
		name, phrases, begins := strings.Cut(line, ":")
		switch {
		case line[0] == '#':
			continue
		case begins:
			if feature = name; !strings.HasPrefix(name, "chain ") && !asksForHours(name) {
				names = append(names, name)
			}
		default:
			phrases = line
		}
		if name, isChain := strings.CutPrefix(feature, "chain "); isChain {
			testkit.Equal(t, phrases, string(v.Chain([]byte(strings.TrimSpace(phrases)))), strings.ToLower(name))
			continue
		}
		for phrase := range strings.SplitSeq(strings.Trim(phrases, " ,\n"), ",") {
			all := words(text.AppendFolded(nil, []byte(phrase)))
			folded := string(all.AppendTo(nil))
			testkit.FailIf(t, written[folded] != "", "%q is written twice: %s and %s", phrase, written[folded], feature)
			written[folded] = feature
			if got, n := v.Find(append(all, []byte("leeds"))); got != feature || n != len(all) {
				t.Errorf("%q: got %s of %d words, want %s of %d", phrase, got, n, feature, len(all))
			}
		}
	}
	testkit.Equal(t, "names", v.Names(), names)
}

func TestFind(t *testing.T) {
	v := BuiltIn()
	for _, c := range []struct {
		query, feature string
		n              int
	}{
		{"", "", 0}, {"the", "", 0}, {"dog", "", 0}, {"dog house", "", 0}, {"red lion garden", "", 0}, {strings.Repeat("garden", 20), "", 0},
		{"dog friendly pub", "dog", 2}, {"beer garden near me open now", "garden", 2}, {"beer", "", 0}, {"garden beer", "garden", 1},
		{"music live", "live_music", 1}, {"live sports tv", "sport", 2}, {"open", "", 0}, {"open the late", "open_late", 2},
		{"JETZT GEÖFFNET in Köln", OpenNow, 2}, {"B&B", "rooms", 2}, {"bed & breakfast york", "rooms", 2},
	} {
		if feature, n := find(v, c.query); feature != c.feature || n != c.n {
			t.Errorf("%q: got %q, %d words, want %q, %d", c.query, feature, n, c.feature, c.n)
		}
	}
	query := words([]byte("beer garden near me open now"))
	if n := testing.AllocsPerRun(100, func() { v.Find(query) }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func TestNamed(t *testing.T) {
	v := BuiltIn()
	for name, want := range map[string]string{
		"Dog friendly": "dog", "dog": "dog", "Dogs?": "dog", "real_ale": "real_ale", "Wi-Fi": "wifi", "Disabled access": "wheelchair", "brewery": "brewery",
		"beergarden": "garden", "dogfriendly": "dog", "livemusic": "live_music", "open_late": "", "opennow": "",
		"": "", "dog friendly pub": "", "Name": "", "Fax": "", "open_now": "", "Late night": "",
	} {
		if got, ok := v.Named(name); ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q, %v, want %q", name, got, ok, want)
		}
	}
}

func TestNearest(t *testing.T) {
	v := testkit.Must(BuiltIn().With([]byte("boat: moorings"), "ours.txt"))(t)
	for name, want := range map[string]string{"hund": "dog", "gardens": "garden", "gardan": "garden", "moring": "boat", "boats": "boat", "swimming pool": "", "": "", "pug": "", "open nov": ""} {
		testkit.Equal(t, name, v.Nearest(name), want)
	}
}

func TestWith(t *testing.T) {
	const file = "\ufeff# Ours.\nchain Greene King: GK\n\nboat: mooring, the moorings,\r\n\tby boat\ndog: Rover\nroast: music\ncosy:\n"
	v := testkit.Must(BuiltIn().With([]byte(file), "ours.txt"))(t)
	for query, want := range map[string]string{"moorings": "boat", "by boat": "boat", "rover": "dog", "dogs": "dog", "music": "roast", "garden": "garden", "cosy": ""} {
		if got, _ := find(v, query); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	testkit.Equal(t, "gk", string(v.Chain([]byte("gk"))), "greene king")
	testkit.Equal(t, "spoons", string(v.Chain([]byte("spoons"))), "wetherspoon")
	if names := v.Names(); !slices.Equal(names[len(names)-2:], []string{"boat", "cosy"}) {
		t.Errorf("got names %v", names)
	}
	if got, _ := find(BuiltIn(), "music"); got != "live_music" {
		t.Errorf("the built-in vocabulary was changed: music is %q", got)
	}
}

func TestErrors(t *testing.T) {
	const name = `must be at most 32 letters a to z, digits and _, before a colon and phrases, as in "dog: dog friendly, dogs"`
	for file, want := range map[string]string{
		"  dogs\n":                                `f:1: feature "": ` + name,
		"chain Wetherspoon: spoons, the spoons":   `f:1: nickname "the spoons": must be one word`,
		"dog: dogs\nDog: dog":                     `f:2: feature "Dog": ` + name,
		"cosy\ndog: dogs":                         `f:1: feature "cosy": ` + name,
		"beer garden\n":                           `f:1: feature "beer garden": ` + name,
		strings.Repeat("a", 33) + ": b":           `f:1: feature "` + strings.Repeat("a", 33) + `": ` + name,
		"dog: dogs, & ,":                          `f:1: phrase "&": must have a word besides "the" and "and"`,
		"dog: dogs\n  " + strings.Repeat("d", 65): `f:2: phrase "` + strings.Repeat("d", 65) + `": must be at most 64 bytes long`,
		"dog: dogs\n\ncat: Cats, DOGS":            `f:3: phrase "DOGS": must mean one feature, but means dog, too`,
	} {
		if _, err := BuiltIn().With([]byte(file), "f"); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", file, err, want)
		}
	}
}

// A file takes time in proportion to its lines: with 20 times as many, less than 400 times as long, the shortest of three.
func TestWithManyLines(t *testing.T) {
	read := func(lines int) time.Duration {
		var file strings.Builder
		for i := range lines {
			fmt.Fprintf(&file, "x%d: phrase %d\n", i, i)
		}
		shortest := time.Hour
		for range 3 {
			begun := time.Now()
			v := testkit.Must(BuiltIn().With([]byte(file.String()), "many"))(t)
			shortest = min(shortest, time.Since(begun))
			testkit.Equal(t, "features", len(v.Names()), len(BuiltIn().Names())+lines)
		}
		return shortest
	}
	few, many := read(5_000), read(100_000)
	testkit.FailIf(t, many > 400*few, "5,000 lines took %v, 100,000 %v", few, many)
}
