package hours

import "slices"

// A rule is one of a value, as it is written.
type rule struct {
	dates    []dates // none: all
	weekdays uint8   // bit 0 is Monday
	replaces bool    // the rules before, on its days
	fallback bool    // fills only what they leave closed
	spans    []Span  // an open end is a span of its own; State may be Closed
}

// dates are the days of the year from first to last, as dateOf has them; over New Year if first is after last.
type dates struct{ first, last uint16 }

// isIn reports whether a rule holds on a day of the year.
func (r *rule) isIn(day uint16) bool {
	return len(r.dates) == 0 || slices.ContainsFunc(r.dates, func(d dates) bool {
		after, before := d.first <= day, day <= d.last
		return after && before || d.first > d.last && (after || before)
	})
}

// rules are those of a value, in its order.
type rules []rule

// of returns those that hold on a day.
func (rules rules) of(date Date) (held rules) {
	for _, r := range rules {
		if r.weekdays>>date.Weekday&1 == 1 && r.isIn(date.Day) {
			held = append(held, r)
		}
	}
	return held
}

// at returns what the rules say of a minute, less than 2880, of a day on which all hold. The span starts at the minute, and
// its state holds at least until its end.
func (rules rules) at(minute int) Span {
	now, end := Span{State: Closed}, 2*dayMinutes
	for i := range rules {
		rule := &rules[i]
		if rule.replaces {
			now = Span{State: Closed}
		}
		for _, span := range rule.spans {
			switch {
			case minute < span.Start:
				end = min(end, span.Start)
			case minute < span.End:
				end = min(end, span.End)
				if !rule.fallback || now.State == Closed {
					now = span
				}
			case now.OpenEnd && now.Start <= span.Start: // other hours have begun since
				now = Span{State: Closed}
			}
		}
	}
	now.Start, now.End = minute, end
	return now
}

// kind returns the kind of a day on which all rules hold; false if they have too many spans.
func (rules rules) kind() (k Kind, ok bool) {
	for minute, steps := 0, 0; minute < 2*dayMinutes; steps++ {
		if steps == maxSteps {
			return nil, false
		}
		span := rules.at(minute)
		minute = span.End
		switch next, last := newInterval(span), len(k)-1; {
		case span.State == Closed:
		case last >= 0 && k[last].End() == span.Start && (k[last]^next)&15 == 0: // of the same state
			span.Start = k[last].Start()
			k[last] = newInterval(span)
		default:
			k = append(k, next)
		}
	}
	return k, len(k) <= MaxIntervals
}

// Limits of a value: the times of a day at which its rules begin or end, its seasons, and the intervals of their days.
const (
	maxSteps     = 4 * MaxIntervals
	maxSeasons   = 100
	maxOfSeasons = 2000
)

// schedule returns what the rules say of each day of the year; false if that is too much.
func (rules rules) schedule() (s Schedule, ok bool) {
	intervals, before := 0, ""
	known := map[string]Season{} // by which rules hold
	for month := range monthDays {
		for day := range monthDays[month] {
			date := dateOf(month, day+1)
			holds := make([]byte, len(rules))
			for i := range rules {
				if rules[i].isIn(date) {
					holds[i] = 1
				}
			}
			if len(s) > 0 && string(holds) == before {
				continue
			}
			before = string(holds)
			season, isKnown := known[before]
			for weekday := 0; weekday < 7 && !isKnown; weekday++ {
				if season.Days[weekday], ok = rules.of(Date{weekday, date}).kind(); !ok {
					return nil, false
				}
				intervals += len(season.Days[weekday])
			}
			known[before] = season
			season.From = date
			if s = append(s, season); len(s) > maxSeasons || intervals > maxOfSeasons {
				return nil, false
			}
		}
	}
	return s, true
}
