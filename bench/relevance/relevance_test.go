package main

import (
	"strings"
	"testing"

	"pubd/data"
	"pubd/index"
	"pubd/loader"
)

// Corrupted names find their pubs in the embedded sample, pubs that do not exist are not found, and few keystrokes suffice.
func TestSample(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts pubd")
	}
	r, err := (&command{Count: 40, Postgres: 20}).measure(t.Context())
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
	if picture := r.chart(); !strings.Contains(picture, "first letter wrong") {
		t.Errorf("chart: %.200s", picture)
	}
	t.Log(r.markdown())
}

// Each class always corrupts a name in the same way, and applies to names of the sample.
func TestSpoilersAreDeterministic(t *testing.T) {
	pub := &index.Pub{Name: "The King's Head & Railway Tavern", UID: "7", Location: "Ely"}
	for _, class := range classes {
		got, again := class.spoil(dice(pub.UID, class.name), pub), class.spoil(dice(pub.UID, class.name), pub)
		if got != again || (got == pub.Name) != (class.name == "as it is") || got == "" {
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
