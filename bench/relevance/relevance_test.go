package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/loader"
)

// Corrupted names find their pubs in the embedded sample, and made-up names are not found.
func TestSample(t *testing.T) {
	testkit.Long(t, "asks thousands of questions")
	r := testkit.Must(measure("", "", "", 40))(t)
	for _, class := range classes {
		for i, s := range r.shares[class.name] {
			if s.asked < 30 || s.found*100 < s.asked*90 {
				t.Errorf("%s, %s: found %d of %d, want 90 %% of 30 and more", class.name, ways[i].name, s.found, s.asked)
			}
		}
	}
	if r.madeUp.answered*10 > r.madeUp.asked {
		t.Errorf("made-up names: answered %d of %d, want 10 %%", r.madeUp.answered, r.madeUp.asked)
	}
	var text strings.Builder
	r.write(&text)
	t.Log(text.String())
}

// Questions of people are judged by the first pubs, and by their distance near a point.
func TestPeople(t *testing.T) {
	const pubs = "UID,name,latitude,longitude,postcode\n1,Red Lion,51,0,SW1A 1AA\n2,Red Lion,52,0,\n3,White Hart,51,0,\n"
	directory := testkit.Must(loader.Load("pubs.csv", []byte(pubs), loader.Options{}))(t).Directory
	s := testkit.Must(newSearcher(directory))(t)
	questions := filepath.Join(t.TempDir(), "questions.json")
	const text = `[
		{"question": "red lion", "means": "list", "accept": "lion", "near": [51, 0], "need": 2, "need_near": 2},
		{"question": "red lion", "means": "list", "accept": "lion", "near": [51, 0], "within_km": 5, "need": 3, "need_near": 2},
		{"question": "red lion", "means": "one", "accept": "\\| sw1a", "near": [51, 0], "need": 1, "need_near": 1},
		{"question": "white heart", "means": "none", "accept": "x", "near": [51, 0], "need": 0, "need_near": 0},
		{"question": "white hart", "means": "none", "accept": "x", "near": [51, 0], "need": 0, "need_near": 0}]`
	testkit.OK(t, os.WriteFile(questions, []byte(text), 0o600))
	p := testkit.Must(s.measurePeople(questions))(t)
	const want = `| one, near a point | 1 | 1 |
| one, as text | 1 | 1 |
| none, near a point | 2 | 1 |
| none, as text | 2 | 1 |
| list, near a point | 2 | 1 |
| list, as text | 2 | 1 |
| all | 10 | 6 |

Missed:

- ` + "`red lion` (list, as text): 2 of 3\n- `red lion` (list, near a point): 1 of 2\n" +
		"- `white hart` (none, as text): found by a strict search\n- `white hart` (none, near a point): found by a strict search\n"
	var got strings.Builder
	if p.write(&got); !strings.HasSuffix(got.String(), want) {
		t.Errorf("got %s\nwant %s", got.String(), want)
	}
}
