package opening

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Days is a set of days: bit 0 is Monday, bit 6 Sunday, bit 7 holidays.
type Days uint8

const (
	allDays  Days = 1<<7 - 1
	holidays Days = 1 << 7
)

// dayNames are the names of the days in OpenStreetMap's notation.
var dayNames = [8]string{"Mo", "Tu", "We", "Th", "Fr", "Sa", "Su", "PH"}

// single reports whether the set has one day of the week.
func (d Days) single() bool { return bits.OnesCount8(uint8(d)) == 1 && d != holidays }

// through returns the days from one to another.
func (d Days) through(last Days) Days {
	for all := d; ; all |= d {
		if d == last {
			return all
		}
		if d <<= 1; d == holidays {
			d = 1
		}
	}
}

// daysOfKind returns the days of a kind in words.txt, such as 1-5; none if it names no days.
func daysOfKind(kind string) Days {
	if kind == dayNames[7] {
		return holidays
	}
	var first, last int
	if n, _ := fmt.Sscanf(kind, "%d-%d", &first, &last); n == 0 {
		return 0
	}
	return (Days(1) << (first - 1)).through(Days(1) << (max(first, last) - 1))
}

// A Week says when a pub is open on each day and on holidays. The zero value says nothing.
type Week [8]Day

// A Day has the hours of a day. One that was not told is closed, if another was.
type Day struct {
	IsTold, IsUnknown bool
	// Spans are those that begin on the day, ascending and disjoint; none if it is closed.
	Spans []Span
	rule  Days // of the rule that told it
}

// A Span is from Start to before End, in minutes from the beginning of the day, of which End may be on the next one. End
// is -1 if it is not known.
type Span struct{ Start, End int }

func (s Span) String() string {
	clock := func(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }
	switch {
	case s.End < 0:
		return clock(s.Start) + "+"
	case s.End > dayMinutes && s.End-s.Start <= dayMinutes:
		return clock(s.Start) + "-" + clock(s.End-dayMinutes)
	}
	return clock(s.Start) + "-" + clock(s.End)
}

// add adds hours to some days. A day that a rule for more days told gets these instead, unless the rules are those of a
// list, which all add.
func (w *Week) add(on Days, spans []Span, isList bool) *Error {
	for day := range w {
		if on>>day&1 == 0 {
			continue
		}
		d, all := &w[day], slices.Clone(spans)
		replaces := !d.IsTold || !isList && d.rule != on && d.rule&on == on
		isWrong := !replaces && (d.rule != on && !isList || len(d.Spans) == 0 || len(spans) == 0)
		if !replaces {
			all = append(all, d.Spans...)
		}
		slices.SortFunc(all, func(a, b Span) int { return a.Start - b.Start })
		for i := range all[min(1, len(all)):] {
			isWrong = isWrong || all[i].End < 0 || all[i].End > all[i+1].Start
		}
		if isWrong {
			return &Error{Reason: "two hours for a day", At: dayNames[day]}
		}
		*d = Day{IsTold: true, Spans: all, rule: on}
	}
	return nil
}

// says reports whether the week says when the pub is open, or that it is closed on all days.
func (w Week) says() bool {
	told := 0
	for _, day := range w[:7] {
		if len(day.Spans) > 0 {
			return true
		}
		if day.IsTold {
			told++
		}
	}
	return told == 7
}

// String returns the week in OpenStreetMap's notation; empty if it says nothing.
func (w Week) String() string {
	var values [8]string
	isKnown := false
	for i, day := range w {
		var spans []string
		for _, span := range day.Spans {
			spans = append(spans, span.String())
		}
		switch {
		case day.IsUnknown:
			values[i] = " unknown"
		case spans != nil:
			values[i] = " " + strings.Join(spans, ",")
		case day.IsTold:
			values[i] = " off"
		}
		isKnown = isKnown || day.IsTold
	}
	if !isKnown {
		return ""
	}
	var rules []string
	for day := 0; day < len(values); {
		last := day
		for last < 6 && day < 7 && values[last+1] == values[day] {
			last++
		}
		name := dayNames[day]
		if last > day {
			name += "-" + dayNames[last]
		}
		if values[day] != "" {
			rules = append(rules, name+values[day])
		}
		day = last + 1
	}
	if len(rules) == 1 && rules[0] == "Mo-Su 00:00-24:00" {
		return "24/7"
	}
	return strings.Join(rules, "; ")
}
