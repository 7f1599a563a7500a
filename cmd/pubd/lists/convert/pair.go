package convert

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/coordinate"
	"pubd/cmd/pubd/lists/heading"
	"pubd/data/world"
	"pubd/geo"
	"pubd/loader"
)

// takePairs finds the fields whose values are both coordinates, be they known as a place or not at all: they are no
// place, and the first one has the coordinates if no other field does. Where its values are addresses above their
// coordinates, it is the address, too, if there is no other. mapped has the fields that the caller says something about.
func (p *plan) takePairs(mapped map[int]bool, isPostgres bool) {
	has := func(of string) bool { return len(p.fields[of]) > 0 }
	isNeeded := !has(heading.BothCoordinates) && has(cell.LatitudeColumn) == has(cell.LongitudeColumn) && !has(cell.LatitudeColumn) && !has(heading.Easting)
	for of, fields := range p.fields {
		for _, field := range fields {
			mapped[field] = mapped[field] || of != cell.LocationColumn && of != cell.AreaColumn && of != cell.AddressColumn
		}
	}
	for field := range p.list.Columns {
		if mapped[field] || p.share(field, isPair) < nearlyAll {
			continue
		}
		for _, of := range []string{cell.LocationColumn, cell.AreaColumn, cell.AddressColumn} {
			p.fields[of] = slices.DeleteFunc(p.fields[of], func(f int) bool { return f == field })
		}
		if !isNeeded {
			continue
		}
		isNeeded = false
		p.fields[heading.BothCoordinates] = []int{field}
		inLines := func(value string) bool { return strings.Contains(value, "\n") }
		if !has(cell.AddressColumn) && !has(heading.Street) && p.share(field, inLines) > 0 {
			p.fields[cell.AddressColumn] = []int{field}
		}
	}
	if both := p.fields[heading.BothCoordinates]; len(both) > 0 && p.order == "" {
		p.order, p.isDoubtful = p.orderOf(both[0], isPostgres)
	}
}

// isPair reports whether a value is both coordinates, and no other pair of numbers: it has two decimals, a mark,
// brackets, letters, or metres of the British National Grid.
func isPair(value string) bool {
	_, _, rule := coordinate.Pair(value)
	return rule == "" && loader.WithPoint(value) == "" && isPrecise.MatchString(value) && !otherPair.MatchString(value)
}

var (
	isPrecise = regexp.MustCompile(`[°\pL([]|\d[.,]\d\d|^\d{6}[,;] ?\d{6}$`)
	// otherPair matches a telephone number, a score and two prices.
	otherPair = regexp.MustCompile(`^\+?[0-9 ()/-]{7,}$|^[0-9., ]+[/|][0-9., ]+$`)
)

// mayBePair reports whether a value, in a column whose name says coordinates, is neither words, one number nor a link
// without coordinates.
func mayBePair(value string) bool {
	_, _, rule := coordinate.Pair(value)
	return !noPair.MatchString(value) && (rule == "" || !link.MatchString(value))
}

var noPair = regexp.MustCompile(`^[^\d,]*$|^[-+]?\d+(?:\.\d+)?$`)

// twoNumbers matches a pair of coordinates that does not say which of them is which.
var twoNumbers = regexp.MustCompile(`^[(\[]?\s*([-+]?[0-9.]+)\s*[,; ]\s*([-+]?[0-9.]+)\s*[)\]]?$`)

// A reading is an order of pairs, and counts where the pubs would be.
type reading struct {
	impossible, inTown, onLand int
	countries                  map[string]int
}

func (r *reading) add(lat, lng float64, towns []string) {
	at := geo.Point{Lat: lat, Lng: lng}
	if math.Abs(lat) > 90 || math.Abs(lng) > 180 {
		r.impossible++
		return
	}
	if country := world.Country(at); country != "" {
		r.onLand++
		r.countries[country]++
	}
	isNear := func(town geo.Point) bool { return geo.Distance(at.Vector(), town.Vector()) < 50 }
	if slices.ContainsFunc(towns, func(name string) bool { return slices.ContainsFunc(world.Towns(name), isNear) }) {
		r.inTown++
	}
}

// isLongitudeFirst reports whether the first numbers of some pairs are longitudes, and whether the other order is
// possible, too. All pairs decide together: the order is the one in which, by a tenth of them, more are near the towns
// that their rows name, or else more are possible, on land, or in one country. prior is the order if both remain.
func isLongitudeFirst(pairs iter.Seq2[[2]float64, []string], prior bool) (is, isDoubtful bool) {
	given, exchanged := reading{countries: map[string]int{}}, reading{countries: map[string]int{}}
	all := 0
	for pair, towns := range pairs {
		all++
		given.add(pair[0], pair[1], towns)
		exchanged.add(pair[1], pair[0], towns)
	}
	compare := func(a, b int) int {
		if 10*max(a-b, b-a) <= all {
			return 0
		}
		return cmp.Compare(a, b)
	}
	one := func(r reading) int { return slices.Max(append(slices.Collect(maps.Values(r.countries)), 0)) }
	onMap := cmp.Or(compare(given.impossible, exchanged.impossible), compare(exchanged.onLand, given.onLand))
	order := cmp.Or(compare(exchanged.inTown, given.inTown), onMap, compare(one(exchanged), one(given)))
	return order > 0 || order == 0 && prior, onMap == 0 && all > 0
}

// orderOf returns the order of the pairs in a field, and whether the other one is possible, too. A point of PostgreSQL has
// the longitude first; and so does a list of numbers, as in GeoJSON, but not a text, if nothing else decides.
func (p *plan) orderOf(field int, isPostgres bool) (order string, isDoubtful bool) {
	if isPostgres && p.share(field, func(value string) bool { return value[0] == '(' }) > 0.5 {
		return heading.LongitudeFirst, false
	}
	pairs := func(yield func([2]float64, []string) bool) {
		for cells := range p.list.Sample(slices.Concat([]int{field}, p.fields[cell.LocationColumn], p.fields[cell.AreaColumn])...) {
			m := twoNumbers.FindStringSubmatch(strings.TrimSpace(cells[0]))
			if m == nil {
				continue
			}
			first, errFirst := strconv.ParseFloat(m[1], 64)
			second, errSecond := strconv.ParseFloat(m[2], 64)
			if errFirst == nil && errSecond == nil && !yield([2]float64{first, second}, cells[1:]) {
				return
			}
		}
	}
	isList := p.share(field, func(value string) bool { return value[0] == '[' }) > 0.5
	is, isDoubtful := isLongitudeFirst(pairs, isList)
	return map[bool]string{true: heading.LongitudeFirst, false: heading.LatitudeFirst}[is], isDoubtful
}
