package convert

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/heading"
	"pubd/cmd/pubd/lists/opening"
	"pubd/index/schema"
	"pubd/loader"
)

// An hoursPlan says how the opening hours of a list are read. Besides columns of all hours, there may be some for each
// day, or for the beginnings and ends of all days.
type hoursPlan struct {
	reader      *opening.Reader
	columns     []hoursColumn
	isLeftOut   bool // too few of some columns can be read
	all, unread int
	reasons     map[string]int // how many cannot be read
	example     string         // the first of these
	rows        []string       // the hours of each row
}

// An hoursColumn has some part of the hours of some days, or of all if it names none.
type hoursColumn struct {
	field int
	days  opening.Days
	part  int
}

// The parts: the hours, their beginnings and ends, or whether it is closed or open.
const (
	whole = iota
	opens
	closes
	isClosed
	isOpen
)

// isOf reports whether a column is one of a day or, for none, one of all days.
func (c hoursColumn) isOf(day opening.Days) bool { return c.days == day || c.days&day != 0 }

// hoursOf returns the hours that a row has in the columns of a day; empty if it has none.
func (f *filler) hoursOf(day opening.Days) string {
	var of [isOpen + 1][]string
	for _, c := range f.times.columns {
		if c.isOf(day) {
			of[c.part] = append(of[c.part], f.first(cell.HoursColumn, schema.Text, []int{c.field}))
		}
	}
	if cell.IsYes(cmp.Or(of[isClosed]...)) || cell.IsNo(cmp.Or(of[isOpen]...)) {
		return "closed"
	}
	if all := strings.Join(slices.Compact(slices.DeleteFunc(of[whole], func(text string) bool { return text == "" })), ", "); all != "" {
		return opening.Scalar(all)
	}
	var spans []string
	for i := range min(len(of[opens]), len(of[closes])) {
		first, last := of[opens][i], of[closes][i]
		if first != "" && last != "" && first != last {
			spans = append(spans, opening.Scalar(first)+"-"+opening.Scalar(last))
		} else if either := cmp.Or(first, last); either != "" { // such as "closed"
			spans = append(spans, either)
		}
	}
	return strings.Join(spans, ", ")
}

// hours returns the opening hours of a row in OpenStreetMap's notation; empty if it has none. Of hours that cannot be read
// it returns why, and a text as it is written, unless that could be misread.
func (f *filler) hours() (value string, wrong *opening.Error) {
	h := &f.times
	for _, field := range f.fields[cell.HoursColumn] {
		told := cell.Value(cell.HoursColumn, schema.Text, f.cells[field])
		if told == "" {
			continue
		}
		notation, err := h.reader.Notation(told)
		if err == nil {
			return notation, nil
		}
		if wrong == nil {
			value, wrong = notation, err
		}
	}
	var texts [7]string
	daily := f.hoursOf(0)
	for day := range texts {
		texts[day] = cmp.Or(f.hoursOf(1<<day), daily)
	}
	if texts != [7]string{} {
		return h.reader.Days(texts)
	}
	return value, wrong
}

// findHours finds the columns of opening hours by their names and values: of one that is called so, half of the values can
// be read, of another with only such words in its name nine of ten. The caller's, and one named as in a snapshot, are taken
// whatever they have.
func (p *plan) findHours() {
	p.times = hoursPlan{reader: opening.NewReader(), reasons: map[string]int{}}
	h, named := &p.times, p.fields[cell.HoursColumn]
	_, isMapped := p.joined[cell.HoursColumn]
	names := make([]string, len(p.list.Columns))
	for field, name := range p.list.Columns {
		names[field] = heading.OfPub(name)
	}
	for _, fields := range p.fields {
		for _, field := range fields {
			names[field] = ""
		}
	}
	type candidate struct {
		field            int
		role             opening.Role
		isNamed, isList  bool
		all, times, read int
		flags            int // values that are yes or no
	}
	var candidates []candidate
	for field, role := range opening.Roles(names) {
		if isNamed := slices.Contains(named, field); isNamed || role != (opening.Role{}) && !isMapped {
			candidates = append(candidates, candidate{field: field, role: role, isNamed: isNamed})
		}
	}
	for i := range candidates {
		c := &candidates[i]
		for value := range p.values(c.field) {
			c.all++
			c.isList = c.isList || opening.IsJSON(value)
			if cell.IsYes(value) || cell.IsNo(value) {
				c.flags++
			}
			if value = opening.Scalar(value); (c.role.Opens || c.role.Closes) && opening.IsTime(value) {
				c.times++
			} else if _, err := h.reader.Notation(value); err == nil {
				c.read++
			}
		}
	}
	h.reader.Learnt()
	delete(p.fields, cell.HoursColumn)
	var ofDays candidate
	for _, c := range candidates {
		isDay, kind := c.role.Days != 0, whole
		isWhole, isTime := c.all > 0 && 10*c.read >= 9*c.all, c.times > 0 && 10*(c.times+c.read) >= 9*c.all
		isFlag := c.all > 0 && c.flags == c.all
		switch {
		case c.isNamed && (isMapped || p.list.Columns[c.field] == cell.HoursColumn || 2*c.read >= c.all), !isDay && c.role.IsNamed && isWhole:
			p.fields[cell.HoursColumn] = append(p.fields[cell.HoursColumn], c.field)
			continue
		case c.isNamed || !isDay && c.role.IsNamed && c.isList:
			h.isLeftOut = true
			continue
		case isFlag && c.role.Closes:
			kind = isClosed
		case isFlag && c.role.Opens:
			kind = isOpen
		case isTime && c.role.Opens:
			kind = opens
		case isTime:
			kind = closes
		case !isDay || c.all == 0:
			continue
		default:
			ofDays.all, ofDays.read, ofDays.role.Days = ofDays.all+c.all, ofDays.read+c.read, ofDays.role.Days|c.role.Days
		}
		if days := c.role.Days & (1<<7 - 1); !isDay || days != 0 { // not only of holidays
			h.columns = append(h.columns, hoursColumn{c.field, days, kind})
		}
	}
	if 2*ofDays.read < ofDays.all {
		h.columns = slices.DeleteFunc(h.columns, func(c hoursColumn) bool { return c.days != 0 })
		h.isLeftOut = h.isLeftOut || bits.OnesCount8(uint8(ofDays.role.Days)) >= leastDays
	}
	rank := func(field int) int { return cmp.Or(slices.Index(named, field)+1, len(named)+1) }
	slices.SortStableFunc(p.fields[cell.HoursColumn], func(a, b int) int { return rank(a) - rank(b) })
	p.readHours()
}

// leastDays is how many days make a week.
const leastDays = 5

// readHours reads the opening hours of the columns that were found. Those of fewer days than a week are left out.
func (p *plan) readHours() {
	h, told := &p.times, 0
	has := func(day opening.Days, part int) bool {
		return slices.ContainsFunc(h.columns, func(c hoursColumn) bool { return c.isOf(day) && c.part == part })
	}
	isTold := func(day opening.Days) bool { return has(day, opens) && has(day, closes) }
	for day := range 7 {
		if has(1<<day, whole) || isTold(1<<day) {
			told++
		}
	}
	isDaily := isTold(0)
	h.columns = slices.DeleteFunc(h.columns, func(c hoursColumn) bool { return c.days != 0 && told < leastDays || c.days == 0 && !isDaily })
	rank := func(c hoursColumn) int { return int(c.days&-c.days-1)<<8 + c.part } // by the first day, those of all last
	slices.SortStableFunc(h.columns, func(a, b hoursColumn) int { return rank(a) - rank(b) })
	for _, field := range h.fields() {
		p.used[field] = true
	}
	if len(h.fields())+len(p.fields[cell.HoursColumn]) == 0 {
		return
	}
	f := &filler{plan: p}
	for f.cells = range p.list.Cells() {
		value, wrong := f.hours()
		if value != "" || wrong != nil {
			h.all++
		}
		if wrong != nil {
			h.unread++
			h.reasons[wrong.Reason]++
			h.example = cmp.Or(h.example, strings.Clone(wrong.At))
		}
		h.rows = append(h.rows, value)
	}
}

// fields returns the fields of days, and of beginnings and ends.
func (h *hoursPlan) fields() (all []int) {
	for _, c := range h.columns {
		all = append(all, c.field)
	}
	return all
}

// hoursStep says what opening hours are made from, besides columns of their own, and how many are of no use, and why.
func (p *plan) hoursStep(own string) string {
	h := &p.times
	step := either(own, p.names(h.fields(), ", "))
	if h.unread > 0 {
		step += fmt.Sprintf("; %d of %d cannot be read (%s), such as %q", h.unread, h.all, counted(h.reasons, 5), loader.Shorten(h.example))
	}
	return step
}
