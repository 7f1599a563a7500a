package survey

import (
	"cmp"
	"fmt"
	"hash/maphash"
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

// A variant is a location with one character left out.
type variant struct {
	hash   uint64
	number uint32
}

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
	seed := maphash.MakeSeed()
	var variants []variant
	for _, number := range frequent {
		each(seed, f.locations.folded[number], func(hash uint64) { variants = append(variants, variant{hash, number}) })
	}
	slices.SortFunc(variants, func(a, b variant) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.number, b.number)) })
	places := f.places(frequent)
	for i, number := range f.located {
		if number == none || f.locations.pubs[number] != 1 || utf8.RuneCountInString(f.locations.folded[number]) < minSpelling {
			continue
		}
		location := []rune(f.locations.folded[number])
		best, found := uint32(0), false
		each(seed, f.locations.folded[number], func(hash uint64) {
			at, _ := slices.BinarySearchFunc(variants, hash, func(v variant, hash uint64) int { return cmp.Compare(v.hash, hash) })
			for end := min(at+maxAlike, len(variants)); at < end && variants[at].hash == hash; at++ {
				other := variants[at].number
				if found && f.locations.pubs[other] <= f.locations.pubs[best] || !isEdit(location, []rune(f.locations.folded[other])) {
					continue
				}
				if positions := places[other]; len(positions) == 0 || math.IsNaN(f.points[i].Lat) {
					if f.locations.folded[other][0] != f.locations.folded[number][0] {
						continue
					}
				} else if !isNearby(f.points[i].Vector(), positions) {
					continue
				}
				best, found = other, true
			}
		})
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

// each calls do with a hash of a text and of each variant without one of its characters. Two texts that are one edit
// apart have one of these in common.
func each(seed maphash.Seed, text string, do func(hash uint64)) {
	runes := []rune(text)
	if len(runes) > maxSpelling {
		return
	}
	do(maphash.String(seed, text))
	for i := range runes {
		do(maphash.String(seed, string(runes[:i])+string(runes[i+1:])))
	}
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
