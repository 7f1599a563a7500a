package loader

import (
	"strconv"
	"strings"
	"testing"
)

// TestGazetteer has a file per line, with what is read from it: the places, or the first complaint.
func TestGazetteer(t *testing.T) {
	for _, c := range []struct {
		name, content, want string
		maxBadRows          int
	}{
		{"p.csv", "name,latitude,longitude\nYork,53.96,-1.08\n", "York 53.96 -1.08 0", 0},
		{"p.csv", "country,LON,lat,Name,population\nGB,-1.08,53.96,York,153717\n", "York 53.96 -1.08 153717", 0},
		{"p.csv", "name,latitude,longitude\nYork,53.96,-1.08\nHull,91,0\n", `p.csv:3: latitude "91": must be from -90 to 90`, 0},
		{"p.csv", "name,latitude,longitude\nYork,53.96,-1.08\nHull,91,0\n", "York 53.96 -1.08 0", 1},
		{"p.csv", "name,latitude,longitude\n,1,2\n", "p.csv:2: name: must not be empty", 0},
		{"p.csv", "name,latitude,longitude\nYork,,2\n", "p.csv:2: latitude: must be given", 0},
		{"p.csv", "name,latitude,longitude\nYork,1\n", "p.csv:2: has 2 fields, the header has 3", 0},
		{"p.csv", "name,latitude,longitude,population\nYork,1,2,-1\n", `p.csv:2: population "-1": must be a number, 0 or more`, 0},
		{"p.csv", "name,latitude\nYork,1\n", `p.csv:1: the first line must name a column longitude or lng or lon, separated by commas from the others; it has "name", "latitude"`, 0},
		{"p.csv", "name,lat,lng,lon\nYork,1,2,3\n", `p.csv:1: longitude: must be there once, but the header has "lng", "lon": leave out or rename one of them`, 0},
		{"p.csv", "name,latitude,longitude\n", "p.csv: has no place: a gazetteer must have at least one row that is not wrong", 0},
		{"p.csv", "", "p.csv: is empty: its first line must name the columns", 0},
		{"p.csv.gz", "name,latitude,longitude", "p.csv.gz: gzip: is not gzip data: compress the file, or remove the ending from its name", 0},
		{"p.json", "[]", "p.json: the name of a gazetteer must end in .csv, .csv.gz or .csv.zst", 0},
	} {
		got := ""
		result, err := Load("pubs.csv", []byte("UID,name\n1,Bell\n"), Options{MaxBadRows: c.maxBadRows, Places: Places{c.name, []byte(c.content)}})
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		} else {
			for _, p := range result.Directory.Gazetteer {
				got += strings.TrimSpace(strings.Join([]string{p.Name, formatted(p.At.Lat), formatted(p.At.Lng), formatted(p.Population)}, " "))
			}
			if len(result.Skipped) != c.maxBadRows {
				t.Errorf("%s %q: skipped %v", c.name, c.content, result.Skipped)
			}
		}
		if got != c.want {
			t.Errorf("%s %q:\n got %s\nwant %s", c.name, c.content, got, c.want)
		}
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
		id := Identity([]byte(c.snapshot), Places{"p.csv", c.places})
		if other, there := seen[id]; there {
			t.Errorf("%s is the same as %s", c.name, other)
		}
		seen[id] = c.name
	}
}
