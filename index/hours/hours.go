package hours

import "time"

const (
	dayMinutes = 24 * 60
	horizon    = 8 * dayMinutes // how far Closes and Opens look
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

// Midnight returns the midnight that begins the day.
func (l Local) Midnight() Local { return l - Local(modulo(int64(l), dayMinutes)) }

// Monday returns the midnight that begins the week.
func (l Local) Monday() Local { return l.Midnight() - Local(l.weekday())*dayMinutes }

// weekday returns the day of the week, of which 0 is Monday.
func (l Local) weekday() int { return int(modulo(int64(l)+3*dayMinutes, 7*dayMinutes) / dayMinutes) }

// Date returns the day of a time.
func (l Local) Date() Date {
	_, month, day := l.Time().Date()
	return Date{l.weekday(), dateOf(int(month)-1, day)}
}

// A Date is a day of some year: its weekday, of which 0 is Monday, and its day of the year, which grows with it.
type Date struct {
	Weekday int
	Day     uint16
}

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

// A Schedule is a value that was read: its seasons, at least one, of which the first begins on 1 January. It is immutable
// and safe for concurrent use.
type Schedule []Season

// A Season is a part of the year, from a day on, in which the hours of a day depend on its weekday alone.
type Season struct {
	From uint16  // as in [Date]
	Days [7]Kind // from Monday on
}

// Kind returns the kind of the day that begins at a midnight.
func (s Schedule) Kind(midnight Local) Kind {
	date := midnight.Date()
	season := len(s) - 1
	for s[season].From > date.Day {
		season--
	}
	return s[season].Days[date.Weekday]
}

// A Calendar returns the kind of the day that begins at a midnight.
type Calendar func(midnight Local) Kind

// State returns the state at a time.
func (c Calendar) State(at Local) State {
	midnight := at.Midnight()
	return StateOf(c(midnight-dayMinutes), c(midnight), int(at-midnight))
}

// StateOf returns the state at a minute of a day, by its kind and that of the day before, whose hours may go on.
func StateOf(before, today Kind, minute int) State {
	state := today.state(minute)
	if state == Open {
		return state
	}
	if n := len(before); n == 0 || before[n-1].End() <= minute+dayMinutes { // as most
		return state
	}
	if night := before.state(minute + dayMinutes); night != Closed {
		return night
	}
	return state
}

// Sometime returns the state at some time from a minute of a day to before another, by its kind and that of the day before:
// open if it is ever known to be, else unknown if that is so ever.
func Sometime(before, today Kind, from, to int) State {
	state := Closed
	for _, i := range [...]struct {
		Kind
		from, to int
	}{{today, from, to}, {before, from + dayMinutes, to + dayMinutes}} {
		for _, interval := range i.Kind {
			if interval.Start() < i.to && i.from < interval.End() {
				if state = interval.State(); state == Open {
					return Open
				}
			}
		}
	}
	return state
}

// Throughout returns the state of a whole day, by its kind and that of the day before: closed if it ever is, else unknown if
// that is so ever.
func Throughout(before, today Kind) State {
	all := Open
	for minute := 0; minute < dayMinutes; {
		switch StateOf(before, today, minute) {
		case Closed:
			return Closed
		case Unknown:
			all = Unknown
		}
		minute = min(today.next(minute), before.next(minute+dayMinutes)-dayMinutes)
	}
	return all
}

// Closes returns the first time that is not known to be open; false if that is not open, or not within 8 days.
func (c Calendar) Closes(at Local) (Local, bool) { return c.change(at, false) }

// Opens returns the next time that is known to be open; false if that is open, or not within 8 days.
func (c Calendar) Opens(at Local) (Local, bool) { return c.change(at, true) }

// change returns the first time after at from which it is open, or is not; false if that is so at once, or not within
// the horizon.
func (c Calendar) change(at Local, open bool) (Local, bool) {
	midnight := at.Midnight()
	minute, before := int(at-midnight), c(midnight-dayMinutes)
	for midnight <= at+horizon {
		today := c(midnight)
		for minute < dayMinutes {
			isLate, late := before.nextOpen(minute + dayMinutes)
			isOpen, until := today.nextOpen(minute)
			switch now := midnight + Local(minute); {
			case (isLate || isOpen) != open:
			case now == at || now > at+horizon:
				return 0, false
			default:
				return now, true
			}
			minute = min(late-dayMinutes, until, dayMinutes)
		}
		minute, midnight, before = 0, midnight+dayMinutes, today
	}
	return 0, false
}

// Opening is whether a pub is open, and when that changes, in its wall time.
type Opening struct {
	At    Local
	State State
	// Closes is the first minute that it is not known to be open, if it is open; Opens the next that it is, if it is not.
	// Either is 0 if it does not change within 8 days.
	Closes, Opens Local
}

// Opening returns whether a pub is open at a time.
func (c Calendar) Opening(at Local) Opening {
	o := Opening{At: at, State: c.State(at)}
	o.Closes, _ = c.Closes(at)
	o.Opens, _ = c.Opens(at)
	return o
}
