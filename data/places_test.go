package data

import (
	"slices"
	"testing"
)

func TestTablesAgree(t *testing.T) {
	towns, districts, ferries := readTowns(), readDistricts(), readFerries()
	known := map[string]int{}
	for _, town := range towns {
		known[town.name]++
		if town.lat < 49.8 || town.lat > 60.9 || town.lng < -10.7 || town.lng > 1.9 || town.people < 1 || town.country > ireland {
			t.Errorf("%+v is outside the British Isles or has no people", town)
		}
	}
	if len(towns) < 300 {
		t.Errorf("%d towns, want at least 300", len(towns))
	}
	for name, list := range districts {
		if known[name] != 1 {
			t.Errorf("districts of %s: %d towns of that name, want 1", name, known[name])
		}
		town := towns[0]
		for _, town = range towns {
			if town.name == name {
				break
			}
		}
		for _, d := range list {
			a := place{lat: micro(town.lat), lng: micro(town.lng)}
			north, east := apart(a, place{lat: micro(d.lat), lng: micro(d.lng)})
			if north*north+east*east > 30_000*30_000 {
				t.Errorf("%s is more than 30 km from %s", d.name, name)
			}
		}
	}
	for _, f := range ferries {
		if known[f[0]] == 0 || known[f[1]] == 0 {
			t.Errorf("ferry %q: no such town", f)
		}
	}
}

// Some lists repeat an entry to draw it more often.
func TestListsHaveNoDuplicates(t *testing.T) {
	weighted := []string{"addressStreets", "categories", "counts", "englishSuffixes", "norseSuffixes", "venues", "irishVenues"}
	for name, list := range readWords() {
		seen := map[string]bool{}
		for _, word := range list {
			if seen[word] && !slices.Contains(weighted, name) || word == "" {
				t.Errorf("%s: %q is repeated or empty", name, word)
			}
			seen[word] = true
		}
	}
}
