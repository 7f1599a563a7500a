package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pubd/data"
	"pubd/index"
	"pubd/loader"
)

// What people spoil in names is found in the embedded sample, what does not exist is not, and few keys are enough.
func TestSample(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts pubd")
	}
	r, err := measure(t.Context(), options{count: 40, rows: 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range classes {
		for column, name := range r.columns[:len(ways)] {
			if s := r.answers[class.name][column]; s.found*100 < s.asked*90 {
				t.Errorf("%s, %s: found %d of %d, want 90 %%", class.name, name, s.found, s.asked)
			}
		}
	}
	for _, kind := range strangerKinds[1:] {
		if s := r.answers[kind][0]; s.answered*10 > s.asked {
			t.Errorf("%s, within 5 km: answered %d of %d, want 10 %%", kind, s.answered, s.asked)
		}
	}
	if r.rank(0.5) > 3 || r.rank(0.9) > 6 {
		t.Errorf("keys: median %d, nine of ten %d, want 3 and 6", r.rank(0.5), r.rank(0.9))
	}
	var report, picture strings.Builder
	if err := r.writeMarkdown(&report); err != nil {
		t.Fatal(err)
	}
	if err := r.writeChart(&picture); err != nil || !strings.Contains(picture.String(), "first letter wrong") {
		t.Errorf("chart: %v: %.200s", err, picture.String())
	}
	t.Log(report.String())
}

// The same pairs are spoiled in the same way, each class as it says.
func TestSpoilersAreDeterministic(t *testing.T) {
	p := pair{asked: "The King's Head & Railway Tavern", uid: "7", place: "Ely"}
	for _, class := range classes {
		got, again := class.spoil(dice(p.uid, class.name), p), class.spoil(dice(p.uid, class.name), p)
		if got != again || (got == p.asked) != (class.name == "as it is") || got == "" {
			t.Errorf("%s: got %q, then %q", class.name, got, again)
		}
	}
	loaded, err := loader.Load("sample.csv", data.Sample(), loader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range classes {
		if questions := askedOf(ownPairs(loaded.Directory.Pubs), 30)[class.name]; len(questions) < 30 {
			t.Errorf("%s: %d questions", class.name, len(questions))
		}
	}
}

func TestReadPairs(t *testing.T) {
	pubs := []index.Pub{{UID: "u1", Name: "Anchor"}}
	for _, c := range []struct{ file, want string }{
		{"place,asked,uid,lat,lng\nEly,The Anchor,u1,52,0.2\n", ""},
		{"asked,uid,lat,lng\n", "pairs.csv:1: column place is missing: it must have asked, uid, lat, lng and place"},
		{"asked,uid,lat,lng,place\n", "pairs.csv: it has no pair"},
		{"asked,uid,lat,lng,place\nAnchor,u2,1,2,Ely\n", `pairs.csv:2: uid "u2": no pub of the snapshot has it`},
		{"asked,uid,lat,lng,place\nAnchor,u1,91,2,Ely\n", `pairs.csv:2: lat "91": must be degrees`},
		{"asked,uid,lat,lng,place\nAnchor,u1,1,NaN,Ely\n", `pairs.csv:2: lng "NaN": must be degrees`},
		{"asked,uid,lat,lng,place\nAnchor,u1\n", "wrong number of fields"},
	} {
		path := filepath.Join(t.TempDir(), "pairs.csv")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		pairs, err := readPairs(path, pubs)
		if c.want == "" && (err != nil || len(pairs) != 1 || pairs[0].place != "Ely") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: got %v, %v, want %s", c.file, pairs, err, c.want)
		}
	}
}
