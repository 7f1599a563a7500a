package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pubd/data/opening"
	"pubd/index"
	"pubd/loader"
)

// An hoursPlan says how the opening hours of a list are read. Besides columns of all hours, there may be some for each
// day, or for the beginnings and ends of all days.
type hoursPlan struct {
	reader      *opening.Reader
	days        [7]hoursFields
	daily       hoursFields
	all, unread int
	reasons     map[string]int // how many cannot be read
	example     string         // the first of these
	rows        []string       // the hours of each row
}

// hoursFields are the fields of hours, or of their beginnings and ends.
type hoursFields struct{ whole, opens, closes []int }

// text returns the hours that a row has in some fields; empty if it has none.
func (h hoursFields) text(f *filler) string {
	if whole := f.first(hoursColumn, index.Text, h.whole); whole != "" {
		return opening.Scalar(whole)
	}
	var spans []string
	for i := range min(len(h.opens), len(h.closes)) {
		opens, closes := f.first(hoursColumn, index.Text, h.opens[i:i+1]), f.first(hoursColumn, index.Text, h.closes[i:i+1])
		if opens != "" && closes != "" && opens != closes {
			spans = append(spans, opening.Scalar(opens)+"-"+opening.Scalar(closes))
		} else if either := cmp.Or(opens, closes); either != "" { // such as "closed"
			spans = append(spans, either)
		}
	}
	return strings.Join(spans, ", ")
}

// hours returns the opening hours of a row in OpenStreetMap's notation; empty if it has none. Of hours that cannot be read
// it returns why, and a text as it is written, unless that could be misread.
func (f *filler) hours() (value string, wrong *opening.Error) {
	h := &f.times
	for _, field := range f.fields[hoursColumn] {
		told := valueOf(hoursColumn, index.Text, f.cells[field])
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
	daily := h.daily.text(f)
	for day := range texts {
		texts[day] = cmp.Or(h.days[day].text(f), daily)
	}
	if texts != [7]string{} {
		return h.reader.Days(texts)
	}
	return value, wrong
}

// ofPub returns the name of a column without the names of members around it that say nothing about it.
func ofPub(name string) string {
	for {
		outer, inner, isNested := strings.Cut(name, ".")
		if !isNested || !wrapperNames[loader.PlainName(outer)] {
			return name
		}
		name = inner
	}
}

// findHours finds the columns of opening hours by their names and values: of one that is called so, half of the values can
// be read, of another with only such words in its name nine of ten. The caller's, and one named as in a snapshot, are taken
// whatever they have.
func (p *plan) findHours() {
	p.times = hoursPlan{reader: opening.NewReader(), reasons: map[string]int{}}
	h, named := &p.times, p.fields[hoursColumn]
	_, isMapped := p.joined[hoursColumn]
	names := make([]string, len(p.list.Columns))
	for field, name := range p.list.Columns {
		names[field] = ofPub(name)
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
			if value = opening.Scalar(value); (c.role.Opens || c.role.Closes) && opening.IsTime(value) {
				c.times++
			} else if _, err := h.reader.Notation(value); err == nil {
				c.read++
			}
		}
	}
	h.reader.Learnt()
	delete(p.fields, hoursColumn)
	var ofDays candidate
	for _, c := range candidates {
		of := []*hoursFields{&h.daily}
		if c.role.Days != 0 {
			of = nil
		}
		for day := range h.days {
			if c.role.Days>>day&1 == 1 {
				of = append(of, &h.days[day])
			}
		}
		isWhole, isTime := c.all > 0 && 10*c.read >= 9*c.all, c.times > 0 && 10*(c.times+c.read) >= 9*c.all
		switch {
		case c.isNamed && (isMapped || p.list.Columns[c.field] == hoursColumn || 2*c.read >= c.all), c.role.Days == 0 && c.role.IsNamed && isWhole:
			p.fields[hoursColumn] = append(p.fields[hoursColumn], c.field)
		case c.isNamed || c.role.Days == 0 && c.role.IsNamed && c.isList:
			h.all, h.unread = h.all+c.all, h.unread+c.all-c.read
		case isTime && c.role.Opens:
			for _, fields := range of {
				fields.opens = append(fields.opens, c.field)
			}
		case isTime:
			for _, fields := range of {
				fields.closes = append(fields.closes, c.field)
			}
		case c.role.Days != 0 && c.all > 0:
			for _, fields := range of {
				fields.whole = append(fields.whole, c.field)
			}
			ofDays.all, ofDays.read = ofDays.all+c.all, ofDays.read+c.read
		}
	}
	if 2*ofDays.read < ofDays.all {
		h.days = [7]hoursFields{}
		h.all, h.unread = h.all+ofDays.all, h.unread+ofDays.all-ofDays.read
	}
	slices.SortStableFunc(p.fields[hoursColumn], func(a, b int) int { return slices.Index(named, b) - slices.Index(named, a) })
	p.readHours()
}

// readHours reads the opening hours of the columns that were found. Those of fewer than five days are no week.
func (p *plan) readHours() {
	const leastDays = 5
	h, told := &p.times, 0
	for _, day := range h.days {
		if len(day.whole) > 0 || len(day.opens) > 0 && len(day.closes) > 0 {
			told++
		}
	}
	if told < leastDays {
		h.days = [7]hoursFields{}
	}
	if len(h.daily.opens) == 0 || len(h.daily.closes) == 0 {
		h.daily = hoursFields{}
	}
	for _, field := range h.fields() {
		p.used[field] = true
	}
	if len(h.fields())+len(p.fields[hoursColumn]) == 0 {
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
	for _, of := range append(h.days[:], h.daily) {
		all = append(all, slices.Concat(of.whole, of.opens, of.closes)...)
	}
	return all
}

// hoursStep says what opening hours are made from, besides columns of their own, and how many are of no use, and why.
func (p *plan) hoursStep(own string) string {
	h := &p.times
	step := either(own, p.names(h.fields(), ", "))
	if h.unread > 0 {
		step += fmt.Sprintf("; %d of %d cannot be read", h.unread, h.all)
	}
	if len(h.reasons) > 0 {
		step += fmt.Sprintf(" (%s), such as %q", counted(h.reasons, 5), loader.Shorten(h.example))
	}
	return step
}
