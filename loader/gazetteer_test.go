package loader

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// TestGazetteer has a file per line, with what is read from it: the places, or the first complaint.
func TestGazetteer(t *testing.T) {
	for _, c := range cases(t, "gazetteer.txt") {
		options := Options{MaxBadRows: strings.Count(c.want, " skipped"), Places: Gazetteer{c.name, c.content}}
		result, err := Load("pubs.csv", []byte("UID,name\n1,Bell\n"), options)
		got, _, _ := strings.Cut(outcome(err), "⏎")
		if err == nil {
			got = ""
			for _, p := range result.Directory.Gazetteer {
				got += strings.Join([]string{p.Name, formatted(p.At.Lat), formatted(p.At.Lng), formatted(p.Population)}, " ")
				if p.Radius > 0 || p.Aliases != "" {
					got += " " + formatted(float64(p.Radius)) + " km " + p.Aliases
				}
			}
			got += strings.Repeat(" skipped", len(result.Skipped))
		}
		testkit.Equal(t, c.name+" "+string(c.content), got, c.want)
	}
}

func formatted(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// The gazetteer is a part of the identity of a snapshot.
func TestIdentity(t *testing.T) {
	seen := map[[32]byte]string{}
	for _, c := range []struct {
		name, snapshot string
		places         []byte
	}{{"none", "a", nil}, {"empty", "a", []byte{}}, {"other places", "a", []byte("b")}, {"other snapshot", "b", []byte("b")}} {
		id := Gazetteer{"p.csv", c.places}.Identity(sha256.Sum256([]byte(c.snapshot)))
		other, there := seen[id]
		testkit.FailIf(t, there, "%s is the same as %s", c.name, other)
		seen[id] = c.name
	}
}
