package convert

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/index"
	"pubd/index/hours"
)

// week has the parts that are the hours of a day, as OpenStreetMap names the days.
var week = []string{"Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"}

// What people write in place of times of 24 hours and of dashes.
var (
	clock = regexp.MustCompile(`(?i)\b(\d{1,2})(?:[:.](\d\d))?\s*([ap])\.?m\b\.?`)
	other = strings.NewReplacer("noon", "12:00", "Noon", "12:00", "midnight", "24:00", "Midnight", "24:00", " to ", "-", "\n", "; ")
)

// notation returns opening hours in OpenStreetMap's notation; ok is false if they cannot be read even with what people
// write otherwise replaced.
func notation(value string) (converted string, ok bool) {
	if _, err := hours.Parse(value); err == nil {
		return value, true
	}
	converted = clock.ReplaceAllStringFunc(other.Replace(value), func(time string) string {
		m := clock.FindStringSubmatch(time)
		hour, _ := strconv.Atoi(m[1])
		if hour %= 12; strings.EqualFold(m[3], "p") {
			hour += 12
		}
		return fmt.Sprintf("%02d:%s", hour, cmp.Or(m[2], "00"))
	})
	if _, err := hours.Parse(converted); err != nil {
		return value, false
	}
	return converted, true
}

// hours returns the opening hours of a row, in OpenStreetMap's notation if ok; empty if it has none. Those of a day
// without a value are unknown.
func (f *filler) hours() (value string, ok bool) {
	if value = f.text(hoursColumn); value == "" && f.first(hoursColumn, index.Text, f.days) != "" {
		var rules []string
		for i, day := range week {
			rules = append(rules, day+" "+cmp.Or(f.cells[f.days[i]], "unknown"))
		}
		value = strings.Join(rules, "; ")
	}
	return notation(value)
}

// hoursCount counts the opening hours of a list: all, those that cannot be read, and those that are too long to keep.
type hoursCount struct{ all, unreadable, long int }

// countHours counts the opening hours. Unless the caller or the name of their column says what they are, they are left out
// if fewer than half can be read.
func (p *plan) countHours() {
	for _, day := range week {
		if fields := p.fields[day]; len(fields) > 0 {
			p.days = append(p.days, fields[0])
		}
	}
	if len(p.days) < len(week) {
		p.days = nil
	}
	f := &filler{plan: p}
	for f.cells = range p.list.Cells() {
		switch value, ok := f.hours(); {
		case value == "":
			continue
		case len(value) > maxText:
			p.hours.long++
		case !ok:
			p.hours.unreadable++
		}
		p.hours.all++
	}
	_, isMapped := p.joined[hoursColumn]
	isNamed := slices.ContainsFunc(p.fields[hoursColumn], func(field int) bool { return p.list.Columns[field] == hoursColumn })
	if !isMapped && !isNamed && 2*p.hours.unreadable > p.hours.all {
		p.days = nil
		delete(p.fields, hoursColumn)
	}
	if p.days == nil {
		maps.DeleteFunc(p.fields, func(of string, _ []int) bool { return slices.Contains(week, of) })
	}
}

// hoursStep says what opening hours are made from, besides columns of their own, and how many are of no use.
func (p *plan) hoursStep(own string) string {
	step := either(own, p.names(p.days, ", "))
	if p.hours.unreadable > 0 {
		step += fmt.Sprintf("; %d of %d cannot be read", p.hours.unreadable, p.hours.all)
	}
	if p.hours.long > 0 {
		step += fmt.Sprintf("; %d of more than %d bytes left out", p.hours.long, maxText)
	}
	return step
}
