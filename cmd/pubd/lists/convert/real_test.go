package convert

import (
	"errors"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index/schema"
	"pubd/index/text"
	"pubd/loader"
)

// The original Open Pubs file gives the pubs of a snapshot that was made from it by other means. Nearly all of them
// have a town, near them.
func TestRealOpenPubs(t *testing.T) {
	const folder = "../../../../../shared/data"
	content, err := loader.ReadFile(folder + "/open_pubs.raw.csv.gz")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the data files are not in %s", folder)
	}
	testkit.OK(t, err)
	preset, header, _ := Preset("openpubs")
	result := testkit.Must(Convert("in", content, Options{Map: preset, Header: header}))(t)
	checkResult(t, result)
	if taken := len(result.Snapshot.Rows); result.Rows != 51566 || taken != 51566 {
		t.Errorf("%d of %d rows taken, complaints %v, want 51566 of 51566", taken, result.Rows, result.Complaints)
	}
	loaded := testkit.Must(loader.Load("out.csv", []byte(textOf(result.Snapshot)), loader.Options{}))(t)
	good := testkit.Must(loader.LoadFile(folder+"/uk-pubs.csv", loader.Options{}))(t)
	want := map[string]schema.Pub{}
	for _, pub := range good.Directory.Pubs {
		want[pub.UID] = pub
	}
	places := testkit.Must(loader.ReadFile(folder + "/places-gb.csv"))(t)
	points := map[string][]geo.Vector{}
	fold := func(written string) string { return string(text.AppendFolded(nil, []byte(written))) }
	for line := range strings.Lines(string(places)) {
		cells := strings.Split(line, ",")
		lat, _ := strconv.ParseFloat(cells[1], 64)
		lng, _ := strconv.ParseFloat(cells[2], 64)
		points[fold(cells[0])] = append(points[fold(cells[0])], geo.Point{Lat: lat, Lng: lng}.Vector())
	}
	// The other snapshot has these names without quotes.
	quoted := map[string]string{"7499": `J D Wetherspoon "The Star"`, "412676": `"Rory's Bar"`}
	nowhere, located, named, near := 0, 0, 0, 0
	for _, pub := range loaded.Directory.Pubs {
		known := want[pub.UID]
		testkit.FailIf(t, pub.Name != known.Name && pub.Name != quoted[pub.UID],
			"%s: named %q, want %q", pub.UID, pub.Name, known.Name)
		if pub.Location != "" {
			located++
		}
		at := geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}
		if math.IsNaN(at.Lat) && math.IsNaN(known.Latitude) {
			nowhere++
			continue
		}
		testkit.FailIf(t, at != (geo.Point{Lat: known.Latitude, Lng: known.Longitude}),
			"%s: at %v, want %v, %v", pub.UID, at, known.Latitude, known.Longitude)
		if homonyms := points[fold(pub.Location)]; homonyms != nil {
			named++
			if slices.ContainsFunc(homonyms, func(v geo.Vector) bool { return geo.Distance(at.Vector(), v) <= 8 }) {
				near++
			}
		}
	}
	testkit.FailIf(t, nowhere != 70, "%d pubs without coordinates, want 70", nowhere)
	// The gazetteer lacks many suburbs, and spells others differently.
	pubs := len(loaded.Directory.Pubs)
	for _, share := range []struct {
		of          string
		part, whole int
		least, most float64 // per cent
	}{
		{"pubs with a location", located, pubs, 96, 100},
		{"locations in the gazetteer", named, pubs - nowhere, 88.5, 93},
		{"of these within 8 km of a point of their name", near, named, 93, 100},
	} {
		got := 100 * float64(share.part) / float64(share.whole)
		t.Logf("%s: %.2f %%", share.of, got)
		testkit.FailIf(t, got < share.least || got > share.most,
			"%s: %.2f %%, want from %v to %v", share.of, got, share.least, share.most)
	}
}
