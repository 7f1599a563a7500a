package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pubd/bench/stage"
	"pubd/data"
	"pubd/data/lane"
	"pubd/geo"
	"pubd/index"
	"pubd/loader"
)

// Corrupted names find their pubs in the embedded sample, pubs that do not exist are not found, and few keystrokes
// suffice.
func TestSample(t *testing.T) {
	lane.Long(t, "asks pubd and PostgreSQL hundreds of questions")
	r, err := (&command{Count: 40, Postgres: 20}).measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range classes {
		for column, name := range r.columns[:len(ways)] {
			if s := r.answers[class.name][column]; s.found*100 < s.total*90 {
				t.Errorf("%s, %s: found %d of %d, want 90 %%", class.name, name, s.found, s.total)
			}
		}
	}
	for _, kind := range strangerKinds[1:] {
		if s := r.answers[kind][0]; s.answered*10 > s.total {
			t.Errorf("%s, within 5 km: answered %d of %d, want 10 %%", kind, s.answered, s.total)
		}
	}
	if r.rank(0.5) > 3 || r.rank(0.9) > 6 {
		t.Errorf("keys: median %d, nine of ten %d, want 3 and 6", r.rank(0.5), r.rank(0.9))
	}
	if picture := r.chart(); !strings.Contains(picture, "first letter wrong") {
		t.Errorf("chart: %.200s", picture)
	}
	t.Log(r.markdown())
}

// Each class always corrupts a name in the same way, and applies to names of the sample.
func TestSpoilersAreDeterministic(t *testing.T) {
	intact := target{&index.Pub{UID: "7"}, "The King's Head & Railway Tavern", "Ely", geo.Point{}}
	for _, class := range classes {
		got, again := class.spoil(dice("7", class.name), intact), class.spoil(dice("7", class.name), intact)
		if got != again || (got == intact.name) != (class.name == "as it is") || got == "" {
			t.Errorf("%s: got %q, then %q", class.name, got, again)
		}
	}
	loaded, err := loader.Load("sample.csv", data.Sample(), loader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	questions := questionsAbout(targetsOf(loaded.Directory.Pubs), 30)
	for _, class := range classes {
		if got := len(questions[class.name]); got < 30 {
			t.Errorf("%s: %d questions, want 30", class.name, got)
		}
	}
}

func TestReadTargets(t *testing.T) {
	pubs := []index.Pub{{UID: "u1", Name: "Anchor"}}
	for _, c := range []struct{ file, want string }{
		{"place,asked,uid,lat,lng\nEly,The Anchor,u1,52,0.2\n", ""},
		{"asked,uid,lat,lng\n", "pairs.csv:1: column place is missing: the columns must be asked, uid, lat, lng and place"},
		{"asked,uid,lat,lng,place\n", "pairs.csv: no row follows the header"},
		{"asked,uid,lat,lng,place\nAnchor,u2,1,2,Ely\n", `pairs.csv:2: uid "u2": no pub of the snapshot has it`},
		{"asked,uid,lat,lng,place\nAnchor,u1,91,2,Ely\n", `pairs.csv:2: lat "91": must be degrees, from -90 to 90`},
		{"asked,uid,lat,lng,place\nAnchor,u1,1,NaN,Ely\n", `pairs.csv:2: lng "NaN": must be degrees, from -180 to 180`},
		{"asked,uid,lat,lng,place\nAnchor,u1\n", "wrong number of fields"},
	} {
		path := filepath.Join(t.TempDir(), "pairs.csv")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readTargets(path, pubs)
		if c.want == "" && (err != nil || len(got) != 1 || got[0].name != "The Anchor" || got[0].place != "Ely") ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: got %v, %v, want %s", c.file, got, err, c.want)
		}
	}
}

// Questions of people are judged by the first pubs, and by their distance near a point.
func TestPeople(t *testing.T) {
	lane.Long(t, "starts a server")
	program, err := stage.CompilePubd(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pubs.csv")
	const pubs = "UID,name,latitude,longitude,postcode\n1,Red Lion,51,0,SW1A 1AA\n2,Red Lion,52,0,\n3,White Hart,51,0,\n"
	if err := os.WriteFile(file, []byte(pubs), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := startPubd(t.Context(), program, file, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	questions := filepath.Join(t.TempDir(), "questions.json")
	const text = `[
		{"question": "red lion", "means": "list", "accept": "lion", "near": [51, 0], "need": 2, "need_near": 2},
		{"question": "red lion", "means": "list", "accept": "lion", "near": [51, 0], "within_km": 5, "need": 3, "need_near": 2},
		{"question": "red lion", "means": "one", "accept": "\\| sw1a", "near": [51, 0], "need": 1, "need_near": 1},
		{"question": "white heart", "means": "none", "accept": "x", "near": [51, 0], "need": 0, "need_near": 0},
		{"question": "white hart", "means": "none", "accept": "x", "near": [51, 0], "need": 0, "need_near": 0}]`
	if err := os.WriteFile(questions, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := s.measurePeople(t.Context(), questions)
	if err != nil {
		t.Fatal(err)
	}
	const want = `| one, as text | 1 | 1 |
| one, near a point | 1 | 1 |
| list, as text | 2 | 1 |
| list, near a point | 2 | 1 |
| none, as text | 2 | 1 |
| none, near a point | 2 | 1 |
| all | 10 | 6 |

Missed:

- ` + "`red lion` (list, as text): 2 of 3\n- `red lion` (list, near a point): 1 of 2\n" +
		"- `white hart` (none, as text): found by a strict search\n- `white hart` (none, near a point): found by a strict search\n"
	if got := p.markdown(); !strings.HasSuffix(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
