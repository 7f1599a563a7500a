package survey

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"pubd/geo"
)

const (
	// common is how many pubs make a location common.
	common = 5
	// maxCommon bounds the memory for hostile files: only the most frequent locations count.
	maxCommon = 20_000
	// maxAlike bounds the time for hostile files: the maximum number of similar locations to compare.
	maxAlike = 20
	// minSpelling and maxSpelling bound the length, in characters, of the locations that are checked.
	minSpelling, maxSpelling = 5, 40
	// maxNeighbours bounds the time for hostile files: the maximum number of pubs of a location to compare.
	maxNeighbours = 200
	// nearby is the maximum distance of a pub with a misspelt location from one of the others.
	nearby geo.Kilometres = 10
)

// findMisspelt finds pubs that are the only ones of their location while a common location is one edit away: an
// insertion, a deletion, a substitution or a swap of neighbours. One of its pubs must be within 10 km; without
// coordinates, both must begin with the same character. Locations of fewer than five characters are too short for
// that.
func (f *finder) findMisspelt() {
	var frequent []uint32
	for number, pubs := range f.locations.pubs {
		if pubs >= common && utf8.RuneCountInString(f.locations.folded[number]) >= minSpelling {
			frequent = append(frequent, uint32(number))
		}
	}
	slices.SortFunc(frequent, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(f.locations.pubs[b], f.locations.pubs[a]), cmp.Compare(f.locations.folded[a], f.locations.folded[b]))
	})
	frequent = frequent[:min(len(frequent), maxCommon)]
	alike := map[string][]uint32{} // locations by their variants, common ones first
	for _, number := range frequent {
		for _, variant := range variants(f.locations.folded[number]) {
			if len(alike[variant]) < maxAlike {
				alike[variant] = append(alike[variant], number)
			}
		}
	}
	places := f.places(frequent)
	for i, number := range f.located {
		if number == none || f.locations.pubs[number] != 1 || utf8.RuneCountInString(f.locations.folded[number]) < minSpelling {
			continue
		}
		location := f.locations.folded[number]
		best, found := uint32(0), false
		for _, variant := range variants(location) {
			for _, other := range alike[variant] {
				if found && f.locations.pubs[other] <= f.locations.pubs[best] || !isEdit([]rune(location), []rune(f.locations.folded[other])) {
					continue
				}
				if positions := places[other]; len(positions) == 0 || math.IsNaN(f.points[i].Lat) {
					if f.locations.folded[other][0] != location[0] {
						continue
					}
				} else if !isNearby(f.points[i].Vector(), positions) {
					continue
				}
				best, found = other, true
			}
		}
		if found {
			value := f.locations.value(best)
			f.add(Location, i, fmt.Sprintf("no other pub is there, %d are in %s", value.Pubs, quoted(value.Value)))
		}
	}
}

// places returns the positions of pubs of each location, at most maxNeighbours of them.
func (f *finder) places(locations []uint32) map[uint32][]geo.Vector {
	places := make(map[uint32][]geo.Vector, len(locations))
	for _, number := range locations {
		places[number] = nil
	}
	for i, number := range f.located {
		if positions, wanted := places[number]; wanted && len(positions) < maxNeighbours && !math.IsNaN(f.points[i].Lat) {
			places[number] = append(positions, f.points[i].Vector())
		}
	}
	return places
}

func isNearby(place geo.Vector, others []geo.Vector) bool {
	return slices.ContainsFunc(others, func(other geo.Vector) bool { return geo.Distance(place, other) <= nearby })
}

// variants returns a text, and it without each of its characters; nothing if it is too long. Two texts that are one
// edit apart have one of these in common.
func variants(text string) (all []string) {
	runes := []rune(text)
	if len(runes) > maxSpelling {
		return nil
	}
	all = append(all, text)
	for i := range runes {
		all = append(all, string(runes[:i])+string(runes[i+1:]))
	}
	return all
}

// isEdit reports whether two different texts are one edit apart that involves no digit: Ward 7 is not Ward 8.
func isEdit(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	start := 0
	for start < len(a) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	a, b = a[start:len(a)-end], b[start:len(b)-end]
	for _, r := range slices.Concat(a, b) {
		if r >= '0' && r <= '9' {
			return false
		}
	}
	return len(a) <= 1 && len(b) == 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
