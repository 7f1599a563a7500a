package convert

import (
	"errors"
	"io/fs"
	"math"
	"testing"

	"pubd/index"
	"pubd/loader"
)

// The original Open Pubs file gives the pubs of a snapshot that was made from it by other means.
func TestRealOpenPubs(t *testing.T) {
	const folder = "../../../shared/data"
	content, err := loader.ReadFile(folder + "/open_pubs.raw.csv.gz")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the data files are not in %s", folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	preset, header, _ := Preset("openpubs")
	result, err := Convert(t.Context(), "in", content, Options{Map: preset, Header: header})
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, result)
	if taken := len(result.Snapshot.Rows); result.Rows != 51566 || taken != 51566 {
		t.Errorf("%d of %d rows taken, complaints %v, want 51566 of 51566", taken, result.Rows, result.Complaints)
	}
	loaded, err := loader.Load("out.csv", []byte(textOf(result.Snapshot)), loader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	good, err := loader.LoadFile(folder+"/uk-pubs.csv", loader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]index.Pub{}
	for _, pub := range good.Directory.Pubs {
		want[pub.UID] = pub
	}
	// The other snapshot has these names without quotes.
	quoted := map[string]string{"7499": `J D Wetherspoon "The Star"`, "412676": `"Rory's Bar"`}
	both, equal, nowhere, placed := 0, 0, 0, 0
	for _, pub := range loaded.Directory.Pubs {
		known, ok := want[pub.UID]
		if !ok {
			continue
		}
		both++
		if pub.Location != "" && pub.Location != pub.Area {
			placed++
		}
		if math.IsNaN(pub.Latitude) && math.IsNaN(known.Latitude) {
			nowhere++
			known.Latitude, known.Longitude = 0, 0
			pub.Latitude, pub.Longitude = 0, 0
		}
		if pub.Name == known.Name {
			equal++
		} else if pub.Name != quoted[pub.UID] {
			t.Errorf("%s: named %q, want %q", pub.UID, pub.Name, known.Name)
		}
		if pub.Latitude != known.Latitude || pub.Longitude != known.Longitude {
			t.Errorf("%s: in %q at %v, %v, want %v, %v", pub.UID, pub.Location, pub.Latitude, pub.Longitude, known.Latitude, known.Longitude)
		}
	}
	if both != 51566 || nowhere != 70 || equal != both-len(quoted) {
		t.Errorf("%d pubs in both, %d without coordinates, %d of the same name", both, nowhere, equal)
	}
	if placed < both*3/4 {
		t.Errorf("%d of %d pubs are in a town that is not their authority", placed, both)
	}
	t.Logf("%d of %d pubs are in both; names equal in %.3f %%, coordinates in all", both, len(want), 100*float64(equal)/float64(both))
}
