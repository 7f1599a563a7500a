package convert

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pubd/data/opening"
	"pubd/index"
	"pubd/index/hours"
	"pubd/loader"
)

// An hoursPlan says how the opening hours of a list are read. Besides columns of all hours, there may be some for each
// day, or for the beginnings and ends of all days.
type hoursPlan struct {
	reader    *opening.Reader
	days      [7]hoursFields
	daily     hoursFields
	all, long int
	unread    int
	reasons   map[string]int    // how many cannot be read
	examples  map[string]string // one of each reason
}

// hoursFields are the fields of hours, or of their beginnings and ends.
type hoursFields struct{ whole, opens, closes []int }

func (h hoursFields) all() []int { return slices.Concat(h.whole, h.opens, h.closes) }

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
			if value, wrong = told, err; opening.IsJSON(told) || couldRead(told) {
				value = notation
			}
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

func couldRead(value string) bool {
	_, err := hours.Parse(value)
	return err == nil
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
	p.times = hoursPlan{reader: opening.NewReader(), reasons: map[string]int{}, examples: map[string]string{}}
	h := &p.times
	named := p.fields[hoursColumn]
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
		isNamed          bool
		all, times, read int
	}
	var candidates []candidate
	for field, role := range opening.Roles(names) {
		if isNamed := slices.Contains(named, field); isNamed || role != (opening.Role{}) && !isMapped {
			candidates = append(candidates, candidate{field: field, role: role, isNamed: isNamed})
		}
	}
	for cells := range p.list.Cells() {
		for i := range candidates {
			c := &candidates[i]
			value := opening.Scalar(valueOf(hoursColumn, index.Text, cells[c.field]))
			if value == "" {
				continue
			}
			c.all++
			if (c.role.Opens || c.role.Closes) && opening.IsTime(value) {
				c.times++
			} else if h.reader.Learn(value) {
				c.read++
			}
		}
	}
	h.reader.Learnt()
	delete(p.fields, hoursColumn)
	ofDays, readOfDays := 0, 0
	for _, c := range candidates {
		of, isDay := &h.daily, false
		for day := range h.days {
			if c.role.Days == 1<<day {
				of, isDay = &h.days[day], true
			}
		}
		switch {
		case c.isNamed && (isMapped || p.list.Columns[c.field] == hoursColumn || 2*c.read >= c.all), !isDay && c.role.IsNamed && 10*c.read >= 9*c.all && c.all > 0:
			p.fields[hoursColumn] = append(p.fields[hoursColumn], c.field)
		case c.isNamed:
			h.all, h.unread = h.all+c.all, h.unread+c.all-c.read
		case c.times > 0 && 10*(c.times+c.read) >= 9*c.all && c.role.Opens:
			of.opens = append(of.opens, c.field)
		case c.times > 0 && 10*(c.times+c.read) >= 9*c.all:
			of.closes = append(of.closes, c.field)
		case isDay && c.all > 0:
			of.whole = append(of.whole, c.field)
			ofDays, readOfDays = ofDays+c.all, readOfDays+c.read
		}
	}
	if 2*readOfDays < ofDays {
		h.days = [7]hoursFields{}
		h.all, h.unread = h.all+ofDays, h.unread+ofDays-readOfDays
	}
	slices.SortStableFunc(p.fields[hoursColumn], func(a, b int) int { return cmp.Or(slices.Index(named, b) - slices.Index(named, a)) })
	p.countHours()
}

// countHours counts the opening hours of the columns that were found. Those of fewer than five days are no week.
func (p *plan) countHours() {
	h := &p.times
	const leastDays = 5
	told := 0
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
	f := &filler{plan: p}
	for _, field := range h.fields() {
		p.used[field] = true
	}
	if len(h.fields())+len(p.fields[hoursColumn]) == 0 {
		return
	}
	for f.cells = range p.list.Cells() {
		value, wrong := f.hours()
		if value == "" && wrong == nil {
			continue
		}
		h.all++
		if len(value) > maxText {
			h.long++
		} else if wrong != nil {
			h.unread++
			h.reasons[wrong.Reason]++
			if _, known := h.examples[wrong.Reason]; !known {
				h.examples[wrong.Reason] = strings.Clone(wrong.At)
			}
		}
	}
}

// fields returns the fields of days, and of beginnings and ends.
func (h *hoursPlan) fields() (all []int) {
	for _, day := range h.days {
		all = append(all, day.all()...)
	}
	return append(all, h.daily.all()...)
}

// hoursStep says what opening hours are made from, besides columns of their own, and how many are of no use, and why.
func (p *plan) hoursStep(own string) string {
	h := &p.times
	step := either(own, p.names(h.fields(), ", "))
	if h.unread > 0 {
		step += fmt.Sprintf("; %d of %d cannot be read", h.unread, h.all)
	}
	for i, reason := range slices.SortedFunc(maps.Keys(h.reasons), func(a, b string) int { return cmp.Or(h.reasons[b]-h.reasons[a], strings.Compare(a, b)) }) {
		step += fmt.Sprintf("%s %d %s, such as %q", []string{":", ","}[min(i, 1)], h.reasons[reason], reason, loader.Shorten(h.examples[reason]))
	}
	if h.long > 0 {
		step += fmt.Sprintf("; %d of more than %d bytes left out", h.long, maxText)
	}
	return step
}
