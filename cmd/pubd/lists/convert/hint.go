package convert

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/heading"
	"pubd/index/schema"
	"pubd/loader"
)

// hints say of columns that nothing reads what they may be, each with the --map that takes it: first those that look like
// coordinates, then hours, addresses and ratings, and names that are nearly those of a column.
func (p *plan) hints() (steps []Step) {
	ignored := p.ignored()
	ignored = ignored[:min(len(ignored), mostNamed)]
	has := func(of string) bool { return slices.Contains(p.columns, of) }
	hint := func(field int, of, format string, values ...any) {
		if name := p.list.Columns[field]; canType(name) && slices.Contains(ignored, field) {
			ignored = slices.DeleteFunc(ignored, func(f int) bool { return f == field })
			steps = append(steps, Step{"left out", name + ": " + fmt.Sprintf(format, values...) + " --map " + shellWord(of+"="+name)})
		}
	}
	if !has(cell.LatitudeColumn) {
		for _, field := range slices.Sorted(maps.Keys(p.halves)) {
			of := p.halves[field]
			hint(field, of, "is one of two coordinates, and no column is known to be the other: --map %s=COLUMN and", otherHalf[of])
		}
	}
	for _, field := range slices.Clone(ignored) {
		may := func(of string) bool { return !has(of) && p.fits(of, field) }
		if of := heading.Near(p.list.Columns[field], may); of != "" {
			hint(field, of, "is it %s?", of)
		}
	}
	if lat, lng := p.coordinateFields(func(field int) bool { return slices.Contains(ignored, field) }); lat >= 0 && !has(cell.LatitudeColumn) {
		hint(lat, cell.LatitudeColumn, "is it latitude?")
		hint(lng, cell.LongitudeColumn, "is it longitude?")
	}
	isHours := func(value string) bool {
		_, wrong := p.times.reader.Notation(value)
		return wrong == nil && strings.ContainsAny(value, ":-–") && hasLetter.MatchString(value)
	}
	for _, field := range slices.Clone(ignored) {
		switch most := p.most(field); {
		case !has(cell.HoursColumn) && p.share(field, isHours) >= nearlyAll:
			hint(field, cell.HoursColumn, "are these opening hours?")
		case !has(cell.AddressColumn) && p.share(field, likeAddress.MatchString) >= half:
			hint(field, cell.AddressColumn, "is it the address?")
		case loader.KindOf(loader.ColumnName(p.list.Columns[field])) == schema.Decimal && most > 10:
			scale := slices.IndexFunc(scales, func(scale float64) bool { return scale >= most })
			of := fmt.Sprint(scales[max(0, scale)])
			name := loader.ColumnName(p.list.Columns[field])
			steps = append(steps, Step{"left out", fmt.Sprintf("%s: ratings up to %v, not 10: are they out of %s? --map %s", p.list.Columns[field], most, of, shellWord(name+"="+p.list.Columns[field]+"/"+of))})
		}
	}
	return steps
}

// otherHalf has the other one of two coordinates.
var otherHalf = map[string]string{cell.LatitudeColumn: cell.LongitudeColumn, cell.LongitudeColumn: cell.LatitudeColumn, heading.Easting: heading.Northing, heading.Northing: heading.Easting}

// scales are out of how much ratings are that are not out of 10.
var scales = []float64{25, 50, 100, 1000}

var (
	hasLetter   = regexp.MustCompile(`\pL`)
	likeAddress = regexp.MustCompile(`^\d+\S{0,2},? \pL{2,}.* \pL|\pL.*[ ,]\d+\S{0,2}, .*\pL{2}`)
)

// most returns the greatest number in a field of nothing but numbers; 0 if it has others.
func (p *plan) most(field int) (most float64) {
	for value := range p.values(field) {
		number, err := strconv.ParseFloat(cmp.Or(loader.WithPoint(value), value), 64)
		if err != nil {
			return 0
		}
		most = max(most, number)
	}
	return most
}
