package spool

import (
	"testing"

	"pgregory.net/rapid"
)

// A table finds what a map does, also where many texts have the same hash.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := InMemory()
		defer space.Close()
		table, model := NewTable(space), map[int]uint32{}
		hashes := rapid.Uint32Range(1, 1000).Draw(t, "hashes")
		var values []int // by number
		is := func(value int) func(number uint32) bool {
			return func(number uint32) bool { return values[number] == value }
		}
		for _, value := range rapid.SliceOf(rapid.IntRange(0, 2000)).Draw(t, "values") {
			hash := uint32(value) % hashes << 12
			want, known := model[value]
			if got, ok := table.Find(hash, is(value)); ok != known || ok && got != want {
				t.Fatalf("%d: found %d, %v, want %d, %v", value, got, ok, want, known)
			}
			got, isNew := table.FindOrAdd(hash, uint32(len(values)), is(value))
			if isNew == known || known && got != want || isNew && got != uint32(len(values)) {
				t.Fatalf("%d: got %d, %v, want %d, %v", value, got, isNew, want, !known)
			}
			if isNew {
				model[value] = got
				values = append(values, value)
			}
		}
		for value, want := range model {
			if got, ok := table.Find(uint32(value)%hashes<<12, is(value)); !ok || got != want {
				t.Fatalf("%d at the end: found %d, %v, want %d", value, got, ok, want)
			}
		}
	})
}
