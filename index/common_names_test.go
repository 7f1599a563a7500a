package index

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/data/lane"
)

// TestCommonNames searches for the 200 commonest names of real pubs with addresses by name. It finds the pubs that
// have all words in name and location, as ever, and besides them, which it logs, only pubs whose place has a word.
// None merely stands in a street of that name.
func TestCommonNames(t *testing.T) {
	lane.Long(t, "scans 50,000 pubs for 200 names")
	t.Parallel()
	const file = "../../shared/data/open_pubs.raw.csv.gz"
	packed, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(file, "is not here")
	}
	ok(t, err)
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	ok(t, err)
	rows := csv.NewReader(text)
	rows.FieldsPerRecord = -1
	var directory Directory
	counts := map[string]int{}
	pubs := map[string]*modelPub{}
	parts := map[string][]string{}
	for row, err := rows.Read(); err != io.EOF; row, err = rows.Read() {
		ok(t, err)
		if len(row) != 9 {
			continue // two rows are broken
		}
		latitude, err1 := strconv.ParseFloat(row[6], 64)
		longitude, err2 := strconv.ParseFloat(row[7], 64)
		if errors.Join(err1, err2) != nil {
			latitude, longitude = math.NaN(), math.NaN()
		}
		pub := Pub{UID: row[0], Name: row[1], Address: row[2], Postcode: row[3], Latitude: latitude, Longitude: longitude, Location: row[8], Area: row[8]}
		directory.Pubs = append(directory.Pubs, pub)
		counts[fold(pub.Name)]++
		pubs[pub.UID] = &modelPub{Pub: pub, name: newModelTexts(pub.Name), location: newModelTexts(pub.Location), all: newModelTexts(pub.Address, pub.Postcode)}
		for _, part := range addressParts(pub.Address) {
			parts[pub.UID] = append(parts[pub.UID], phrase(strings.Fields(fold(part))...))
		}
	}
	s, err := InMemory(directory, BuildOptions{})
	ok(t, err)
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	var w Workspace
	byPlace := 0
	for _, name := range names[:200] {
		words := lastOf(dropped(strings.Fields(name), modelStops))
		all := func(has func(word modelWord) bool) bool {
			return !slices.ContainsFunc(words, func(word modelWord) bool { return !has(word) })
		}
		result := s.Search(&Query{Text: []byte(name), Strict: true, Amount: math.MaxInt32}, &w)
		found, more := map[string]bool{}, 0
		for _, ordinal := range result.Pubs {
			pub := pubs[s.Pub(ordinal).UID]
			found[pub.UID] = true
			written := func(word modelWord) bool { return word.stands(pub.name.words) || word.stands(pub.location.words) }
			if all(written) {
				continue
			}
			more++
			isNamed := slices.ContainsFunc(words, func(word modelWord) bool { return word.stands(pub.name.words) })
			isPlaced := func(word modelWord) bool { return written(word) || modelWord{text: word.text}.stands(pub.all.words) }
			isPart := slices.Contains(parts[pub.UID], phrase(textsOf(words)...))
			if !all(isPlaced) || !isNamed && !isPart {
				t.Errorf("%q: found %s, %s, %s, %s", name, pub.UID, pub.Name, pub.Address, pub.Location)
			}
		}
		for _, pub := range pubs {
			if !found[pub.UID] && all(func(word modelWord) bool { return word.stands(pub.name.words) }) {
				t.Errorf("%q: %s, %s was not found", name, pub.UID, pub.Name)
			}
		}
		if byPlace += more; more > 0 {
			t.Logf("%q: %d found, %d of them by their place", name, result.Total, more)
		}
	}
	if byPlace == 0 {
		t.Error("no pub was found by its place")
	}
}
