package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/lists"
)

const columns = "UID,name,location,trading,latitude,longitude,common_category,beer,total,review_count\n"

func TestCompare(t *testing.T) {
	const was, other = "7,Bell,Diss,open,51.5,-0.1,Brewpub,7.5,7,3\n", "9,Lion,,,,,,,,0\n"
	list := testkit.Cases(t, "compare.txt")
	files(t, nil)
	for _, c := range list {
		replace(t, "old.csv", columns+was+other)
		replace(t, "new.csv", columns+other+strings.ReplaceAll(c.Given, `\n`, "\n"))
		d, err := (&lists.Diff{Old: "old.csv", New: "new.csv"}).Compare(cli.Terminal{})
		testkit.OK(t, err)
		testkit.Equal(t, c.Given, told(d), c.Want)
		testkit.Equal(t, c.Given+": is empty", d.IsEmpty(), c.Want == "" || c.Want == "nudged")
		back, err := (&lists.Diff{Old: "new.csv", New: "old.csv"}).Compare(cli.Terminal{})
		testkit.OK(t, err)
		isReverse := back.IsEmpty() == d.IsEmpty() && len(back.Added) == len(d.Removed) && len(back.Moved) == len(d.Moved) && len(back.Ratings) == len(d.Ratings)
		testkit.FailIf(t, !isReverse, "%q: the other way round: %+v", c.Given, back)
	}
}

// told summarises a difference.
func told(d *lists.Difference) string {
	var words []string
	for _, pub := range d.Added {
		words = append(words, "added "+pub.UID)
	}
	for _, pub := range d.Removed {
		words = append(words, "removed "+pub.UID)
	}
	for _, move := range d.Moved {
		words = append(words, fmt.Sprintf("moved %.1f", move.Metres))
	}
	for _, change := range slices.Concat(d.Renamed, d.Ratings, d.Other) {
		words = append(words, fmt.Sprintf("%s %v → %v", change.Member, change.Old, change.New))
	}
	if d.Counts.Nudged > 0 {
		words = append(words, "nudged")
	}
	return strings.Join(words, ", ")
}

// twoDirectories returns directories with more differences than a report shows.
func twoDirectories() map[string]string {
	before, after := columns, columns
	for i := range 1200 {
		row := fmt.Sprintf("u%d,Bell %d,Diss,open,52.%03d,1,,7,7,2\n", i, i, i%1000)
		switch {
		case i < 25: // moves of different lengths
			before += row
			after += fmt.Sprintf("u%d,Bell %d,Diss,open,52.%03d,1.%04d,,7,7,2\n", i, i, i%1000, (i*7)%25*300+1)
		case i < 30:
			before += row
		case i < 52:
			after += row
		case i == 52:
			before += row
			after += "u52,The Bell <52>,Eye,closed,,,Brewpub,,8.25,3\n"
		default:
			before += row
			after += row
		}
	}
	return map[string]string{
		"old.csv": before, "new.csv": after, "uncounted.csv": "UID,name\n7,Bell\n", "counted.csv": "UID,name,review_count\n7,Bell,0\n",
		"broken.csv": "UID,name\n7,\n",
	}
}

func TestDiffReports(t *testing.T) {
	testdata := files(t, twoDirectories())
	for _, c := range []struct {
		golden   string
		json     bool
		old, new string
		want     error
	}{
		{"differ.txt", false, "old.csv", "new.csv", cli.ErrReported},
		{"differ.json", true, "old.csv", "new.csv", cli.ErrReported},
		{"equal.txt", false, "old.csv", "old.csv", nil},
		{"equal.json", true, "old.csv", "old.csv", nil},
		{"uncounted.txt", false, "uncounted.csv", "counted.csv", cli.ErrReported},
		{"absent.txt", false, "absent.csv", "new.csv", cli.ErrTrouble},
		{"broken.txt", true, "old.csv", "broken.csv", cli.ErrTrouble},
	} {
		var out, errs testkit.Output
		testkit.Equal(t, c.golden, (&lists.Diff{JSON: c.json, Old: c.old, New: c.new}).Run(cli.Terminal{Out: &out, Err: &errs}), c.want)
		failed := c.want == cli.ErrTrouble
		testkit.FailIf(t, failed != (errs.String() != "") || failed != (out.String() == ""), "%s: stdout %q, stderr %q", c.golden, &out, &errs)
		isJSON := json.Valid([]byte(out.String())) && strings.Count(out.String(), "\n") == 1
		testkit.FailIf(t, c.json && out.String() != "" && !isJSON, "%s: must be one JSON object on one line: %s", c.golden, &out)
		testkit.Golden(t, filepath.Join(testdata, "diff", c.golden), out.String()+errs.String())
	}
	testkit.Equal(t, "to a full disk", (&lists.Diff{Old: "old.csv", New: "new.csv"}).Run(cli.Terminal{Out: &fullWriter{10}, Err: new(testkit.Output)}), cli.ErrTrouble)
}
