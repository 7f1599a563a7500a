package hours

// MaxIntervals is the largest number of intervals of a week.
const MaxIntervals = 21

// Interval is a part of a week, from Start to before End in minutes from Monday, 0:00. It is stored as it is:
// Start<<16 | End<<2 | State.
type Interval uint32

// Start returns a minute from 0 to 10079.
func (i Interval) Start() int { return int(i >> 16) }

// End returns a minute from 1 to 10080.
func (i Interval) End() int { return int(i >> 2 & (1<<14 - 1)) }

// State returns Open or Unknown.
func (i Interval) State() State { return State(i & 3) }

func newInterval(start, end int, state State) Interval {
	return Interval(start<<16 | end<<2 | int(state))
}

// Week is a schedule that does not depend on dates: ascending, disjoint intervals. What is in none is closed. Hours
// over the end of the week are two intervals.
type Week []Interval

// Week returns the schedule as a week; false if it depends on dates, or has more than [MaxIntervals] intervals.
func (s *Schedule) Week() (week Week, ok bool) { return s.week, s.weekly }

// weekOf returns the week of rules; false if they depend on dates, or there are too many intervals.
func weekOf(rules []rule) (week Week, ok bool) {
	s := Schedule{rules: rules}
	for _, r := range rules {
		if len(r.dates) > 0 {
			return nil, false
		}
	}
	const monday = 4 * dayMinutes
	for at := Local(monday); at < monday+weekMinutes; {
		state, until := s.byRules(at)
		start, end, last := int(at-monday), int(until-monday), len(week)-1
		switch {
		case state == Closed:
		case last >= 0 && week[last].End() == start && week[last].State() == state:
			week[last] = newInterval(week[last].Start(), end, state)
		case last+1 == MaxIntervals:
			return nil, false
		default:
			week = append(week, newInterval(start, end, state))
		}
		at = until
	}
	return week, true
}

// next returns the state at a time, and a later time until which it holds.
func (w Week) next(at Local) (State, Local) {
	minute := at.minuteOfWeek()
	monday := at - Local(minute)
	for _, i := range w {
		if minute < i.Start() {
			return Closed, monday + Local(i.Start())
		}
		if minute < i.End() {
			return i.State(), monday + Local(i.End())
		}
	}
	return Closed, monday + weekMinutes
}

// Schedule returns the week as a schedule.
func (w Week) Schedule() Schedule { return Schedule{week: w, weekly: true} }

// IsValid reports whether the intervals are as they should be, for a week that Parse did not make.
func (w Week) IsValid() bool {
	end := 0
	for _, i := range w {
		if i.Start() < end || i.End() <= i.Start() || i.End() > weekMinutes || i.State() > Open {
			return false
		}
		end = i.End()
	}
	return true
}
