package hours

// MaxIntervals is the largest number of intervals of a kind of day.
const MaxIntervals = 21

// Interval is a part of a day and the next one, from Start to before End in minutes from the midnight that begins it. It
// is stored as it is: Start<<16 | End<<4 | State, and 4 if it follows an open end.
type Interval uint32

const followsOpenEnd = 4

// Start returns a minute from 0 to 2879.
func (i Interval) Start() int { return int(i >> 16) }

// End returns a minute from 1 to 2880.
func (i Interval) End() int { return int(i >> 4 & (1<<12 - 1)) }

// State returns Open or Unknown.
func (i Interval) State() State { return State(i & 3) }

func newInterval(span Span) Interval {
	i := Interval(span.Start<<16 | span.End<<4 | int(span.State))
	if span.OpenEnd {
		i |= followsOpenEnd
	}
	return i
}

// Kind is a kind of day: the hours that begin on it, as ascending, disjoint intervals. What is in none is closed.
type Kind []Interval

// IsValid reports whether the intervals are as they should be, for a kind that Parse did not make.
func (k Kind) IsValid() bool {
	end := 0
	for _, i := range k {
		if i.Start() < end || i.End() <= i.Start() || i.End() > 2*dayMinutes || i.State() == Closed || i.State() > Open || i&(1<<3) != 0 {
			return false
		}
		end = i.End()
	}
	return len(k) <= MaxIntervals
}

// state returns the state at a minute.
func (k Kind) state(minute int) State {
	for _, i := range k {
		if minute < i.End() {
			if minute < i.Start() {
				break
			}
			return i.State()
		}
	}
	return Closed
}

// next returns the first minute after one at which an interval begins or ends; 2880 if none does.
func (k Kind) next(minute int) int {
	for _, i := range k {
		switch {
		case minute < i.Start():
			return i.Start()
		case minute < i.End():
			return i.End()
		}
	}
	return 2 * dayMinutes
}

// nextOpen reports whether it is open at a minute, and the next one at which that changes, at most 2880. It drops the
// intervals that are not open, or over.
func (k *Kind) nextOpen(minute int) (open bool, until int) {
	for ; len(*k) > 0; *k = (*k)[1:] {
		if i := (*k)[0]; i.State() == Open && minute < i.End() {
			if minute < i.Start() {
				return false, i.Start()
			}
			return true, i.End()
		}
	}
	return false, 2 * dayMinutes
}

// AppendSpans appends the hours in order.
func (k Kind) AppendSpans(spans []Span) []Span {
	for n, i := range k {
		follows, last := n > 0 && k[n-1].End() == i.Start(), len(spans)-1
		switch {
		case i&followsOpenEnd == 0:
			spans = append(spans, Span{Start: i.Start(), End: i.End(), State: i.State()})
		case follows:
			spans[last].OpenEnd = true
		default:
			spans = append(spans, Span{Start: i.Start(), End: i.Start(), OpenEnd: true})
		}
	}
	return spans
}
