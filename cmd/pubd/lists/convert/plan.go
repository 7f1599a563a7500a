package convert

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/heading"
	"pubd/cmd/pubd/lists/list"
	"pubd/cmd/pubd/lists/merge"
	"pubd/index/features"
	"pubd/loader"
)

// A plan says which columns of a list become which of a snapshot.
type plan struct {
	vocabulary *features.Vocabulary
	offers     []offer
	times      hoursPlan

	list     *list.List
	isTagged bool             // columns are tags of OpenStreetMap
	kinds    []string         // of elements of OpenStreetMap in GeoJSON to keep; nil if all rows are
	fields   map[string][]int // by column or part, the fields of the list that it is made from, the best first
	joined   map[string]bool  // whether fields are joined, of the columns that the caller maps
	used     []bool           // by field
	halves   map[int]string   // by field, which of two coordinates it is where the other one lacks
	scales   map[int]string   // by field, out of how much its ratings are, if not 10
	extra    []string
	autoUID  bool
	// repeated has the UIDs of the list, and whether they are in several rows; nil unless autoUID is set.
	repeated map[string]bool
	columns  []string     // of the snapshot that the list can fill, in their order
	towns    addressTowns // the locations that the addresses name; nil if the list has them
	grid     bool         // latitude and longitude are metres of the British National Grid
	// closed counts the rows of pubs that are closed, by status, as closings and the name say; closedFields are those that do.
	closed       map[string]int
	closings     []closing
	closedFields []int
	order        string // of both coordinates in one field: heading.LatitudeFirst, heading.LongitudeFirst, or empty as they say
	isDoubtful   bool   // the other order is possible, too
}

// newPlan plans how to read a list. The complaint says what a snapshot needs that the list does not have.
func newPlan(l *list.List, options Options) (*plan, *loader.Complaint) {
	p := &plan{list: l, fields: map[string][]int{}, joined: map[string]bool{}, halves: map[int]string{}, scales: map[int]string{}, used: make([]bool, len(l.Columns)), extra: options.Extra, autoUID: options.AutoUID,
		vocabulary: options.Vocabulary}
	if p.isTagged = p.findTags(); p.isTagged && l.Form == list.GeoJSON && cell.IsPresent(func(tag string) string { return cell.Of(l.Columns, l.Columns, tag) }) {
		p.kinds = options.kinds()
	}
	for field, name := range l.Columns {
		if scale := loader.Scale(name); scale != "" {
			p.scales[field] = scale
		}
	}
	mapped := map[int]bool{}
	for _, m := range options.Map {
		at := p.field(m.Theirs)
		if at < 0 && m.IfThere {
			continue
		}
		if scale := loader.Scale(m.Theirs); at < 0 && scale != "" { // Total/25 of a column Total
			at = p.field(m.Theirs[:strings.LastIndexByte(m.Theirs, '/')])
			p.scales[max(at, 0)] = scale
		}
		if at < 0 {
			return nil, &loader.Complaint{Line: l.Header, Column: "column", Value: loader.Shorten(m.Theirs), Rule: "must be one of the list, which has " + loader.Quoted(l.Columns)}
		}
		mapped[at] = true
		ours := m.Ours
		if ours == heading.LatitudeFirst || ours == heading.LongitudeFirst {
			p.order, ours = ours, heading.BothCoordinates
		}
		p.fields[ours] = append(p.fields[ours], at)
		p.joined[ours] = len(p.fields[ours]) > 1
	}
	type candidate struct{ field, rank int }
	candidates := map[string][]candidate{}
	for field, name := range l.Columns {
		if mapped[field] {
			continue
		}
		if !slices.ContainsFunc(options.Extra, func(extra string) bool { return strings.EqualFold(extra, name) }) && !(p.isTagged && slices.Contains(otherTags, name)) {
			for _, m := range heading.Meanings(name) {
				if p.fits(m.Of, field) {
					candidates[m.Of] = append(candidates[m.Of], candidate{field, m.Rank})
				}
			}
		}
		for _, extra := range options.Extra {
			for rank, called := range []string{extra, "extra." + extra, "contact:" + extra, extra + "_url"} {
				if loader.PlainName(called) == loader.PlainName(name) {
					candidates[extra] = append(candidates[extra], candidate{field, rank})
				}
			}
		}
	}
	for _, of := range slices.Sorted(maps.Keys(candidates)) {
		fields := candidates[of]
		if p.fields[of] != nil || of == heading.Identifier && !options.AutoUID {
			continue // mapped, or not asked for
		}
		slices.SortStableFunc(fields, func(a, b candidate) int { return a.rank - b.rank })
		for i, c := range fields {
			if i > 0 && c.rank == fields[0].rank && l.Header > 0 && strings.EqualFold(l.Columns[c.field], l.Columns[fields[0].field]) {
				return nil, &loader.Complaint{Line: l.Header, Column: of, Rule: "must be one column, the header has " +
					loader.Quoted([]string{l.Columns[fields[0].field], l.Columns[c.field]}) + ": leave out or rename one of them"}
			}
			// A name inside another object is hardly the name of the pub, if there is one outside.
			if (of == cell.UIDColumn || of == cell.NameColumn) && c.rank/heading.Nested > fields[0].rank/heading.Nested {
				break
			}
			p.fields[of] = append(p.fields[of], c.field)
		}
	}
	p.takePairs(mapped, options.IsPostgres)
	p.findClosed()
	if p.autoUID {
		p.findRepeated()
	}
	p.choose(options.Places != nil && options.Towns != merge.TownsOfList)
	if missing := p.lacks(); missing != nil {
		return nil, missing
	}
	return p, nil
}

// findRepeated finds the UIDs that several rows have: they are none, such as those of KML that name a saved search.
func (p *plan) findRepeated() {
	p.repeated = map[string]bool{}
	for cells := range p.list.Cells() {
		uid := p.ownUID(cells)
		_, p.repeated[uid] = p.repeated[uid]
	}
}

// ownUID returns the UID of a row, or what may be one; empty if there is none.
func (p *plan) ownUID(cells []string) string {
	for _, field := range slices.Concat(p.fields[cell.UIDColumn], p.fields[heading.Identifier]) {
		if value := strings.TrimSpace(cells[field]); value != "" {
			return value
		}
	}
	return ""
}

// field returns the field of the list with a name, or -1.
func (p *plan) field(name string) int {
	return slices.IndexFunc(p.list.Columns, func(known string) bool { return strings.EqualFold(known, strings.TrimSpace(name)) })
}

// choose decides which of the parts are of use, and which columns they make. isGazetteer is set if a gazetteer has towns.
func (p *plan) choose(isGazetteer bool) {
	has := func(of string) bool { return len(p.fields[of]) > 0 }
	for _, pair := range [][2]string{{cell.LatitudeColumn, cell.LongitudeColumn}, {heading.Easting, heading.Northing}} {
		if has(pair[0]) != has(pair[1]) {
			for _, of := range pair {
				for _, field := range p.fields[of] {
					p.halves[field] = of
				}
			}
			delete(p.fields, pair[0])
			delete(p.fields, pair[1])
		}
	}
	for _, of := range []string{cell.LatitudeColumn, cell.LongitudeColumn, heading.BothCoordinates, heading.Easting, heading.Northing} {
		if has(of) {
			p.fields[of] = p.fields[of][:1]
		}
	}
	if has(cell.LatitudeColumn) || has(heading.BothCoordinates) {
		delete(p.fields, heading.Easting)
		delete(p.fields, heading.Northing)
	}
	if !p.isTagged {
		maps.DeleteFunc(p.fields, func(of string, _ []int) bool {
			return of == heading.Tag || of == heading.Operator || of == heading.Country
		})
	}
	p.findHours()
	p.findOffers()
	if !has(cell.LocationColumn) && has(cell.AddressColumn) {
		p.towns = p.findTowns()
	}
	makes := map[string]bool{
		cell.UIDColumn:       p.autoUID || has(cell.UIDColumn),
		cell.LatitudeColumn:  has(cell.LatitudeColumn) || has(heading.BothCoordinates) || has(heading.Easting),
		cell.LongitudeColumn: has(cell.LatitudeColumn) || has(heading.BothCoordinates) || has(heading.Easting),
		cell.AddressColumn:   has(cell.AddressColumn) || has(heading.Street) || has(heading.HouseName),
		cell.CategoryColumn:  has(cell.CategoryColumn) || has(heading.Tag),
		cell.LocationColumn:  has(cell.LocationColumn) || p.towns != nil || isGazetteer,
		cell.FeaturesColumn:  len(p.offers) > 0,
		cell.HoursColumn:     len(p.times.fields()) > 0,
		cell.BrandColumn:     has(heading.Operator),
		cell.TradingColumn:   has(cell.TradingColumn) || len(p.closed) > 0,
	}
	for _, name := range append(loader.Columns(), p.extra...) {
		if makes[name] || has(name) {
			p.columns = append(p.columns, name)
		}
	}
	for _, fields := range p.fields {
		for _, f := range fields {
			p.used[f] = true
		}
	}
	p.grid = p.isGrid()
}

// sources returns the fields that a column of the snapshot is made from.
func (p *plan) sources(name string) (fields []int) {
	fields = p.fields[name]
	switch name {
	case cell.AddressColumn:
		fields = slices.Concat(fields, p.fields[heading.FurtherLine], p.fields[heading.HouseName], p.fields[heading.HouseNumber], p.fields[heading.Street])
	case cell.LatitudeColumn, cell.LongitudeColumn:
		fields = slices.Concat(fields, p.fields[heading.BothCoordinates], p.fields[heading.Easting])
	case cell.HoursColumn:
		fields = slices.Concat(fields, p.times.fields())
	}
	return fields
}

// ignored returns the fields that nothing reads.
func (p *plan) ignored() (fields []int) {
	for field, used := range p.used {
		if !used && (p.list.Columns[field] != "" || p.example(field) != "") {
			fields = append(fields, field)
		}
	}
	return fields
}

// A Step says what a column of the snapshot is made from.
type Step struct {
	// To has the columns of the snapshot, such as "latitude, longitude".
	To string
	// From says what they are made from, such as "Town, or else Village".
	From string
}

// mostNamed is how many columns a step names, mostHints of how many the plan says what they may be.
const mostNamed, mostHints = 30, 10

// names returns the names of some fields.
func (p *plan) names(fields []int, separator string) string {
	var all []string
	for i, f := range fields {
		if i == mostNamed {
			return strings.Join(all, separator) + fmt.Sprintf(" and %d more", len(fields)-i)
		}
		all = append(all, cmp.Or(loader.Visible(loader.Shorten(p.list.Columns[f])), fmt.Sprint("column ", f+1)))
	}
	return strings.Join(all, separator)
}

// steps describes the plan, in the order of the snapshot. The columns that are taken as they are named stand in one.
func (p *plan) steps() (steps []Step) {
	var same []string
	for _, name := range p.columns {
		from := p.names(p.fields[name], orElse)
		switch name {
		case cell.UIDColumn:
			if p.autoUID {
				from = either(from, p.names(p.fields[heading.Identifier], orElse), "made from name and place")
			}
		case cell.LatitudeColumn, cell.LongitudeColumn:
			at := p.positionStep()
			if at == "" {
				break
			}
			if name == cell.LatitudeColumn {
				steps = append(steps, Step{cell.LatitudeColumn + ", " + cell.LongitudeColumn, at})
			}
			continue
		case cell.AddressColumn:
			if lines := p.names(p.fields[heading.FurtherLine], ", "); from != "" && lines != "" {
				from += ", " + lines
			}
			from = either(from, p.names(slices.Concat(p.fields[heading.HouseName], p.fields[heading.HouseNumber], p.fields[heading.Street]), ", "))
		case cell.TradingColumn:
			from = p.tradingStep()
		case cell.CategoryColumn:
			from = either(from, p.names(p.fields[heading.Tag], ", "))
		case cell.BrandColumn:
			if chain := p.names(p.fields[heading.Operator], orElse); chain != "" {
				from = either(from, chain+" in the United Kingdom")
			}
		case cell.LocationColumn:
			if p.towns != nil {
				from = p.towns.step(p.names(p.fields[cell.AddressColumn], orElse))
			}
			from = cmp.Or(from, "the nearest place")
		}
		if name == cell.AltNamesColumn || p.joined[name] {
			from = p.names(p.fields[name], ", ")
		}
		switch name {
		case cell.FeaturesColumn:
			from = p.featuresStep()
		case cell.HoursColumn:
			from = p.hoursStep(from)
		}
		if strings.EqualFold(from, name) {
			same = append(same, name)
			continue
		}
		steps = append(steps, Step{name, from})
	}
	if same != nil {
		steps = append([]Step{{"as named", strings.Join(same, ", ")}}, steps...)
	}
	if p.times.isLeftOut && !slices.Contains(p.columns, cell.HoursColumn) {
		steps = append(steps, Step{cell.HoursColumn, "none: too few can be read (--map opening_hours=COLUMN takes them)"})
	}
	hints := p.hints()
	if len(hints) > mostHints {
		hints = append(hints[:mostHints], Step{"left out", "…"})
	}
	steps = append(steps, hints...)
	if ignored := p.ignored(); len(ignored) > 0 {
		steps = append(steps, Step{"left out", p.names(ignored, ", ") + " (--extra keeps them)"})
	}
	return steps
}

// orElse is between what is taken and what is taken if that is empty.
const orElse = ", or else "

// either describes what is taken from the first of some sources that has a value.
func either(sources ...string) string {
	return strings.Join(slices.DeleteFunc(sources, func(s string) bool { return s == "" }), orElse)
}

// gridNote follows columns whose values are converted.
const gridNote = ", metres of the British National Grid"

// positionStep says what the coordinates are made from; empty if that is plain.
func (p *plan) positionStep() string {
	var from []string
	if lat := p.fields[cell.LatitudeColumn]; len(lat) > 0 {
		separate := p.names([]int{lat[0], p.fields[cell.LongitudeColumn][0]}, ", ")
		if p.grid {
			separate += gridNote
		}
		from = append(from, separate)
	}
	if both := p.fields[heading.BothCoordinates]; len(both) > 0 {
		from = append(from, p.names(both, ""))
		other := map[string]string{heading.LongitudeFirst: heading.LatitudeFirst, heading.LatitudeFirst: heading.LongitudeFirst}[p.order]
		switch last := len(from) - 1; {
		case p.isDoubtful:
			from[last] += fmt.Sprintf(" (%s; --map %s for the other order)", strings.Replace(p.order, ",", ", ", 1), shellWord(other+"="+p.list.Columns[both[0]]))
		case p.order == heading.LongitudeFirst:
			from[last] += " (longitude, latitude)"
		}
	}
	if p.list.Form == list.GeoJSON {
		slices.Reverse(from)
	}
	if east := p.fields[heading.Easting]; len(east) > 0 {
		from = append(from, p.names([]int{east[0], p.fields[heading.Northing][0]}, ", ")+gridNote)
	}
	if len(from) == 1 && strings.EqualFold(from[0], cell.LatitudeColumn+", "+cell.LongitudeColumn) {
		return ""
	}
	return either(from...)
}
