package address

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/geo"
	"pubd/loader"
)

const folder = "../../../shared/data"

// readReal reads a data file that is not part of the project, or skips the test.
func readReal(t *testing.T, name string) [][]string {
	t.Helper()
	content, err := loader.ReadFile(folder + "/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the data files are not in %s", folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	var plain io.Reader = bytes.NewReader(content)
	if strings.HasSuffix(name, ".gz") {
		if plain, err = gzip.NewReader(plain); err != nil {
			t.Fatal(err)
		}
	}
	reader := csv.NewReader(plain)
	reader.LazyQuotes = true
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// readOpenPubs returns the rows of the Open Pubs file that are not shifted, and their addresses.
func readOpenPubs(t *testing.T) (rows [][]string, addresses []Address) {
	t.Helper()
	for _, row := range readReal(t, "open_pubs.raw.csv.gz") {
		if len(row) == 9 {
			rows = append(rows, row)
			addresses = append(addresses, Address{Name: row[1], Text: row[2], Authority: row[8], Postcode: row[3]})
		}
	}
	return rows, addresses
}

// Nearly all pubs of the Open Pubs file have a location, and it is the name of a point near them, where the gazetteer
// has the name: it lacks many suburbs, and spells others differently.
func TestRealOpenPubs(t *testing.T) {
	rows, addresses := readOpenPubs(t)
	points := map[string][]geo.Point{}
	for _, row := range readReal(t, "places-gb.csv") {
		points[fold(row[0])] = append(points[fold(row[0])], point(row[1], row[2]))
	}
	towns := Learn(slices.Values(addresses))
	const pubs, located, named = 0, 1, 2
	var number [3]int
	var within [3]int // 3, 8 and 15 km
	for i, a := range addresses {
		number[pubs]++
		location := towns.Of(a)
		at := point(rows[i][6], rows[i][7])
		if location == "" || at == (geo.Point{}) {
			if location != "" {
				number[pubs]-- // it has no coordinates
			}
			continue
		}
		number[located]++
		nearest := math.Inf(1)
		for _, p := range points[fold(location)] {
			nearest = min(nearest, float64(geo.Distance(at.Vector(), p.Vector())))
		}
		if !math.IsInf(nearest, 1) {
			number[named]++
		}
		for j, limit := range []float64{3, 8, 15} {
			if nearest <= limit {
				within[j]++
			}
		}
	}
	for _, share := range []struct {
		of          string
		part, whole int
		least, most float64 // per cent
	}{
		{"pubs with a location", number[located], number[pubs], 99.5, 100},
		{"locations within 3 km of a point of their name", within[0], number[located], 76.5, 100},
		{"within 8 km", within[1], number[located], 87, 100},
		{"within 15 km", within[2], number[located], 89, 100},
		{"locations in the gazetteer", number[named], number[located], 91.5, 93},
		{"of these within 8 km", within[1], number[named], 94.5, 100},
	} {
		got := 100 * float64(share.part) / float64(share.whole)
		t.Logf("%s: %.2f %%", share.of, got)
		if got < share.least || got > share.most {
			t.Errorf("%s: %.2f %%, want from %v to %v", share.of, got, share.least, share.most)
		}
	}
}

func point(latitude, longitude string) geo.Point {
	lat, _ := strconv.ParseFloat(latitude, 64)
	lon, _ := strconv.ParseFloat(longitude, 64)
	return geo.Point{Lat: lat, Lng: lon}
}
