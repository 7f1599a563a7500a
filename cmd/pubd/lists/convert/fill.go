package convert

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/cmd/pubd/lists/address"
	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/coordinate"
	"pubd/cmd/pubd/lists/heading"
	"pubd/cmd/pubd/lists/list"
	"pubd/data/world"
	"pubd/geo"
	"pubd/index/schema"
	"pubd/loader"
)

// A filler makes rows of a snapshot from those of a list, by its plan.
type filler struct {
	*plan
	fills []fill   // by column of the plan
	rows  int      // that were filled
	cells []string // of the current row of the list
	// isGuessed is set if the town of the row is guessed.
	isGuessed bool
	made      []string // by column of the snapshot
	said      []bool   // by column of the snapshot, whether the row has it
}

// A fill is how a column is filled.
type fill struct {
	name   string
	kind   schema.Kind
	place  int // of the column in the snapshot
	fields []int
	from   []int // all that the value is made from
}

// newFiller returns a filler of rows with some columns, among which are those of the plan.
func (p *plan) newFiller(columns []string) *filler {
	f := &filler{plan: p, made: make([]string, len(columns)), said: make([]bool, len(columns))}
	for _, name := range p.columns {
		f.fills = append(f.fills, fill{name, loader.KindOf(name), slices.Index(columns, name), p.fields[name], p.sources(name)})
	}
	return f
}

// made yields the UID of each row of the list, and its values by column of the snapshot.
func (p *plan) made(columns []string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		f := p.newFiller(columns)
		for cells := range p.list.Cells() {
			if made, _ := f.row(cells); !yield(p.ownUID(cells), made) {
				return
			}
		}
	}
}

// first returns the first value of some fields.
func (f *filler) first(of string, kind schema.Kind, fields []int) string {
	for _, field := range fields {
		text := f.cells[field]
		if kind == schema.Decimal && f.scales[field] != "" && text != "" && strings.Trim(text, "0123456789., ") == "" {
			text += "/" + f.scales[field]
		}
		if value := cell.Value(of, kind, text); value != "" {
			return value
		}
	}
	return ""
}

// text returns the first text of a column or a part.
func (f *filler) text(of string) string { return f.first(of, schema.Text, f.fields[of]) }

// all returns the texts of a column or a part that are not empty.
func (f *filler) all(of string) (values []string) {
	for _, field := range f.fields[of] {
		if value := cell.Value(of, schema.Text, f.cells[field]); value != "" {
			values = append(values, value)
		}
	}
	return values
}

// tagged returns the value of a tag of OpenStreetMap.
func (f *filler) tagged(name string) string {
	for _, field := range f.fields[heading.Tag] {
		if f.list.Columns[field] == name {
			return cell.Value(heading.Tag, schema.Text, f.cells[field])
		}
	}
	return ""
}

// row returns the values of a row by column of the snapshot, which are valid until the next call. The complaint is
// about a value that the rules of snapshots do not see.
func (f *filler) row(cells []string) ([]string, *loader.Complaint) {
	f.cells, f.isGuessed = cells, false
	defer func() { f.rows++ }()
	clear(f.made)
	lat, lng, wrong := f.position()
	for i := range f.fills {
		fill := &f.fills[i]
		value := ""
		switch fill.name {
		case cell.LatitudeColumn:
			value = lat
		case cell.LongitudeColumn:
			value = lng
		case cell.UIDColumn:
			value = f.ownUID(cells)
			if f.repeated[value] {
				value = ""
			}
		case cell.AddressColumn:
			value = f.address()
		case cell.AltNamesColumn:
			value = f.altNames()
		default:
			value = f.first(fill.name, fill.kind, fill.fields)
		}
		if fill.name == cell.TradingColumn && len(f.closed) > 0 {
			_, status := f.closedBy(cells)
			value = cmp.Or(status, value)
		}
		switch {
		case fill.name == cell.FeaturesColumn:
			value = f.features()
		case fill.name == cell.HoursColumn:
			value = f.times.rows[f.rows]
		case f.joined[fill.name]:
			value = strings.Join(slices.Compact(f.all(fill.name)), ", ")
		case value != "":
		case fill.name == cell.CategoryColumn:
			value = cell.Category(f.tagged)
		case fill.name == cell.BrandColumn:
			value = f.chain(lat, lng)
		case fill.name == cell.LocationColumn && f.towns != nil:
			value, f.isGuessed = f.towns[f.rows].name, !f.towns[f.rows].isSure
		}
		f.made[fill.place] = value
		f.said[fill.place] = value != "" || slices.ContainsFunc(fill.from, func(field int) bool { return cell.Value(cell.FeaturesColumn, schema.Text, cells[field]) != "" })
	}
	return f.made, wrong
}

// address returns the whole address if the list has it, otherwise house and street.
func (f *filler) address() string {
	if whole := f.text(cell.AddressColumn); len(whole) > cell.MaxLength {
		return whole // which is refused
	} else if whole != "" {
		lines := strings.FieldsFunc(whole, func(r rune) bool { return r == '\n' || r == '\r' })
		if last := len(lines) - 1; last > 0 && twoNumbers.MatchString(lines[last]) {
			lines = lines[:last]
		}
		for i := range lines {
			lines[i] = strings.Trim(lines[i], " ,\t")
		}
		whole = strings.Join(append(lines, f.all(heading.FurtherLine)...), ", ")
		if road := f.street(); road != "" && isCodeAndTown.MatchString(whole) {
			return road + ", " + whole
		}
		return whole
	}
	return f.street()
}

// isCodeAndTown matches an address without a street, such as "5035 Bergen".
var isCodeAndTown = regexp.MustCompile(`^(?:[A-Z]{1,2}-)?\d[\d -]{2,6}\d \pL[^,\d]*$`)

// street returns house and street of a row.
func (f *filler) street() string {
	house, road := f.text(heading.HouseNumber), f.text(heading.Street)
	if len(f.fields[heading.Street]) > 0 && numbersLast[loader.PlainName(f.list.Columns[f.fields[heading.Street][0]])] {
		house, road = road, house
	}
	parts := []string{f.text(heading.HouseName), strings.TrimSpace(house + " " + road)}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// whole returns all that says where a pub is, to find its town.
func (f *filler) whole() address.Address {
	return address.Address{Text: f.address(), Postcode: f.text(cell.PostcodeColumn)}
}

// numbersLast has the plain names of columns of streets in languages that put the number of the house behind it.
var numbersLast = map[string]bool{"strasse": true, "calle": true, "ulice": true}

// altNames returns the other names, as the list has them in a column of that name, or those of several columns.
func (f *filler) altNames() string {
	var names []string
	length := 0
	for _, value := range f.all(cell.AltNamesColumn) {
		if length > cell.MaxText {
			break // which is refused
		}
		if value != f.text(cell.NameColumn) && !slices.Contains(names, value) {
			names = append(names, value)
			length += len(value)
		}
	}
	return strings.Join(names, "; ")
}

// position returns the coordinates, from the first of the columns for them that has some. The geometry of GeoJSON comes
// before its properties.
func (f *filler) position() (latitude, longitude string, wrong *loader.Complaint) {
	both, lat, lng := f.text(heading.BothCoordinates), f.text(cell.LatitudeColumn), f.text(cell.LongitudeColumn)
	switch separate := lat != "" || lng != ""; {
	case separate && (both == "" || f.list.Form != list.GeoJSON):
		if f.grid {
			return british(lng, lat)
		}
		return angle(lat, coordinate.Latitude), angle(lng, coordinate.Longitude), nil
	case both != "":
		if f.order == heading.LongitudeFirst {
			both = twoNumbers.ReplaceAllString(both, "POINT($1 $2)")
		}
		lat, lng, rule := coordinate.Pair(both)
		if rule != "" {
			return "", "", &loader.Complaint{Column: loader.Visible(loader.Shorten(f.list.Columns[f.fields[heading.BothCoordinates][0]])), Value: loader.Shorten(both), Rule: rule}
		}
		return lat, lng, nil
	}
	if east, north := f.text(heading.Easting), f.text(heading.Northing); east != "" || north != "" {
		return british(east, north)
	}
	return "", "", nil
}

// angle returns a coordinate as a decimal number. What cannot be read stays as it is, and is refused by the rules of
// snapshots.
func angle(text string, read func(text string) (string, bool)) string {
	if _, isNumber := schema.ParseDecimal([]byte(text)); isNumber {
		return text
	}
	if decimal, ok := read(text); ok {
		return decimal
	}
	return text
}

// british converts eastings and northings.
func british(east, north string) (lat, lng string, wrong *loader.Complaint) {
	lat, lng, rule := coordinate.Pair(fmt.Sprintf("SRID=27700;POINT(%s %s)", withoutGroups(east), withoutGroups(north)))
	if rule != "" {
		return "", "", &loader.Complaint{Column: heading.Easting + ", " + heading.Northing, Value: loader.Shorten(east + ", " + north), Rule: rule}
	}
	return lat, lng, nil
}

// withoutGroups returns a number without separators between thousands, and with a decimal point.
func withoutGroups(number string) string {
	return strings.Replace(cell.Whole(number), ",", ".", 1)
}

// isGrid reports whether the latitudes and longitudes are metres of the British National Grid.
func (p *plan) isGrid() bool {
	if len(p.fields[cell.LatitudeColumn]) == 0 {
		return false
	}
	all, found := 0, 0
	for at := range p.positions(p.fields[cell.LatitudeColumn][0], p.fields[cell.LongitudeColumn][0]) {
		all++
		if _, _, ok := coordinate.British(at[1], at[0]); ok && min(at[0], at[1]) >= coordinate.MinMetres {
			found++
		}
	}
	return found > 0 && float64(found) >= nearlyAll*float64(all)
}

// positions yields the numbers of the sample in two fields, with a comma only before decimals, and no texts with them.
func (p *plan) positions(north, east int) iter.Seq2[[2]float64, []string] {
	return func(yield func([2]float64, []string) bool) {
		for cells := range p.list.Sample(north, east) {
			lat, errLat := strconv.ParseFloat(strings.Replace(cells[0], ",", ".", 1), 64)
			lng, errLng := strconv.ParseFloat(strings.Replace(cells[1], ",", ".", 1), 64)
			if errLat == nil && errLng == nil && (lat != 0 || lng != 0) && !yield([2]float64{lat, lng}, nil) {
				return
			}
		}
	}
}

// chain returns the operator of a pub in the United Kingdom, where it is the chain; empty elsewhere.
func (f *filler) chain(latitude, longitude string) string {
	chain, where := f.text(heading.Operator), f.text(heading.Country)
	if chain != "" && where == "" {
		lat, errLat := strconv.ParseFloat(latitude, 64)
		lng, errLng := strconv.ParseFloat(longitude, 64)
		if errLat == nil && errLng == nil {
			where = world.Country(geo.Point{Lat: lat, Lng: lng})
		}
	}
	switch strings.ToLower(where) {
	case "gb", "uk", "united kingdom":
		return chain
	}
	return ""
}
