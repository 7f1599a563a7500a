package hours

import "time"

const (
	dayMinutes  = 24 * 60
	weekMinutes = 7 * dayMinutes
	horizon     = 8 * dayMinutes // how far Closes and Opens look
)

// Local is a local wall time in minutes since 1 January 1970, 0:00, without a time zone.
type Local int64

// LocalOf returns the wall time of t in its location.
func LocalOf(t time.Time) Local {
	_, offset := t.Zone()
	seconds := t.Unix() + int64(offset)
	return Local((seconds - modulo(seconds, 60)) / 60)
}

// Time returns the wall time as one of UTC.
func (l Local) Time() time.Time { return time.Unix(int64(l)*60, 0).UTC() }

// Monday returns the midnight that begins the week.
func (l Local) Monday() Local { return l - Local(l.minuteOfWeek()) }

// minuteOfWeek returns the minutes since Monday, 0:00.
func (l Local) minuteOfWeek() int { return int(modulo(int64(l)+3*dayMinutes, weekMinutes)) }

func modulo(n, m int64) int64 { return (n%m + m) % m }

// State says whether a pub is open.
type State uint8

// The states.
const (
	Unknown State = iota
	Closed
	Open
)

// String returns "unknown", "closed" or "open".
func (s State) String() string { return [...]string{"unknown", "closed", "open"}[s] }

// Span are hours that begin on a day: Start from 0 to 1439, and End up to 2880, in minutes from its midnight. State is
// Open or Unknown. OpenEnd says that they go on after End, and that it is not known how long: "12:00-18:00+" is open to
// 18:00 with an open end, and "17:00+" is unknown, with Start and End 17:00.
type Span struct {
	Start, End int
	State      State
	OpenEnd    bool
}

// String returns a span as [Span.Append] writes it.
func (s Span) String() string { return string(s.Append(nil)) }

// Append appends a span such as 12:00-02:00, with a plus at an open end; one that is not known to be open has a question
// mark.
func (s Span) Append(dst []byte) []byte {
	dst = appendClock(dst, s.Start)
	if s.End > s.Start {
		dst = appendClock(append(dst, '-'), s.End)
	}
	switch {
	case s.OpenEnd:
		return append(dst, '+')
	case s.State == Unknown:
		return append(dst, '?')
	}
	return dst
}

func appendClock(dst []byte, minute int) []byte {
	if minute > dayMinutes {
		minute -= dayMinutes
	}
	hours, minutes := byte(minute/60), byte(minute%60)
	return append(dst, '0'+hours/10, '0'+hours%10, ':', '0'+minutes/10, '0'+minutes%10)
}

// Schedule is a value that was read. It is immutable and safe for concurrent use. Of the zero Schedule every time is
// Unknown.
type Schedule struct {
	rules  []rule
	week   Week
	weekly bool // week says all
}

type rule struct {
	dates    []dates // none: all
	weekdays uint8   // bit 0 is Monday
	replaces bool    // the rules before, on its days
	fallback bool    // fills only what they leave closed
	spans    []Span  // an open end is a span of its own; State may be Closed
}

// dates are the days of the year from first to last, as dateOf has them; over New Year if first is after last.
type dates struct{ first, last uint16 }

func (r *rule) isOn(weekday int, date uint16) bool {
	if r.weekdays>>weekday&1 == 0 {
		return false
	}
	for _, d := range r.dates {
		after, before := d.first <= date, date <= d.last
		if after && before || d.first > d.last && (after || before) {
			return true
		}
	}
	return len(r.dates) == 0
}

// on returns what the rules say of a minute, less than 2880, of the day that begins at midnight. The span starts at the
// minute, and its state holds at least until its end.
func (s *Schedule) on(midnight Local, minute int) Span {
	_, month, day := time.Unix(int64(midnight)*60, 0).UTC().Date()
	weekday, date := midnight.minuteOfWeek()/dayMinutes, dateOf(int(month)-1, day)
	now, end := Span{State: Closed}, 2*dayMinutes
	for i := range s.rules {
		rule := &s.rules[i]
		if !rule.isOn(weekday, date) {
			continue
		}
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

// byRules returns the state at a time, and a later time until which it holds.
func (s *Schedule) byRules(at Local) (State, Local) {
	if len(s.rules) == 0 {
		return Unknown, at + dayMinutes
	}
	minute := at.minuteOfWeek() % dayMinutes
	midnight := at - Local(minute)
	before, today := s.on(midnight-dayMinutes, minute+dayMinutes), s.on(midnight, minute)
	state := today.State
	if state == Closed || before.State == Open {
		state = before.State
	}
	return state, midnight + Local(min(before.End-dayMinutes, today.End, dayMinutes))
}

// next returns the state at a time, and a later time until which it holds.
func (s *Schedule) next(at Local) (State, Local) {
	if s.weekly {
		return s.week.next(at)
	}
	return s.byRules(at)
}

// State returns the state at a time. It does not allocate.
func (s *Schedule) State(at Local) State {
	state, _ := s.next(at)
	return state
}

// Closes returns the first time that is not known to be open; false if that is not open, or not within 8 days.
func (s *Schedule) Closes(at Local) (Local, bool) { return s.change(at, false) }

// Opens returns the next time that is known to be open; false if that is open, or not within 8 days.
func (s *Schedule) Opens(at Local) (Local, bool) { return s.change(at, true) }

// change returns the first time after at from which it is open, or is not; false if that is so at once, or not within
// the horizon.
func (s *Schedule) change(at Local, open bool) (Local, bool) {
	for now := at; now <= at+horizon; {
		state, until := s.next(now)
		if (state == Open) == open {
			return now, now > at
		}
		now = until
	}
	return 0, false
}

// Day returns the spans that begin on the day of a midnight, in order.
func (s *Schedule) Day(midnight Local) []Span {
	var spans []Span
	before := Span{State: Closed}
	for minute := 0; minute < 2*dayMinutes; minute = before.End {
		span := s.on(midnight, minute)
		last := len(spans) - 1
		switch {
		case span.State == Closed, span.OpenEnd && before.OpenEnd:
		case span.OpenEnd && before.State != Closed:
			spans[last].OpenEnd = true
		case span.OpenEnd:
			spans = append(spans, Span{Start: minute, End: minute, OpenEnd: true})
		case span.State == before.State && !before.OpenEnd:
			spans[last].End = span.End
		default:
			spans = append(spans, span)
		}
		before = span
	}
	return spans
}
