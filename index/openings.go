package index

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"pubd/index/corpus"
	"pubd/index/features"
	"pubd/index/hours"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/schema"
	"pubd/index/spool"
)

// openings say when pubs are open. Each distinct year of hours, with its time zone, is a schedule.
type openings struct {
	byPub ranking.Numbers // by ordinal, the number of the schedule, counted from firstSchedule
	// Schedule i has the seasons firstSeasons[i] to firstSeasons[i+1]-1. Season s begins on the day seasons[s] of the year;
	// days[7*s+w] is the kind of day of its weekday w. Kind k has the intervals kinds[k] to kinds[k+1]-1.
	zoneOf, firstSeasons []uint32
	seasons              []uint16
	days, kinds          []uint32
	intervals            []hours.Interval
	zoneNames            []byte // separated by line feeds; the first is empty

	zones []*time.Location // the first, nil, is that of pubs without one
	// now and late are the pubs that are open at the time of the last request, and in the night that follows.
	// always are those that always are.
	now, late, always atomic.Pointer[openPubs]
}

// openPubs are the pubs that are known to be open at a moment, and those that are known to be closed.
type openPubs struct {
	at           hours.MomentKey
	open, closed postings.Set
}

// The numbers of pubs without hours that can be read, and of those that have closed and so are never open. Schedules
// follow.
const (
	noSchedule = iota
	closedSchedule
	firstSchedule
)

// newOpenings returns when pubs are open.
func newOpenings(pubs *corpus.Rows) *openings {
	o := &openings{firstSeasons: []uint32{0}, kinds: []uint32{0}}
	zones, schedules, kinds := map[string]uint32{"": 0}, map[string]uint32{}, map[string]uint32{}
	kindOf := func(kind hours.Kind) uint32 {
		number, known := kinds[fmt.Sprint(kind)]
		if !known {
			number = uint32(len(kinds))
			kinds[fmt.Sprint(kind)] = number
			o.intervals = append(o.intervals, kind...)
			o.kinds = append(o.kinds, spool.Uint32(len(o.intervals)))
		}
		return number
	}
	add := func(pub *schema.Pub) (number uint32) {
		schedule, err := hours.Parse(pub.OpeningHours)
		zone, ok := zones[pub.TimeZone]
		if err != nil || !ok && !hours.IsZone(pub.TimeZone) {
			return noSchedule
		}
		if !ok {
			zone = uint32(len(zones))
			zones[pub.TimeZone] = zone
			o.zoneNames = append(append(o.zoneNames, '\n'), pub.TimeZone...)
		}
		before := len(o.seasons)
		for _, season := range schedule {
			o.seasons = append(o.seasons, season.From)
			for _, kind := range season.Days {
				o.days = append(o.days, kindOf(kind))
			}
		}
		content := fmt.Sprint(zone, o.seasons[before:], o.days[7*before:])
		if known, ok := schedules[content]; ok {
			o.seasons, o.days = o.seasons[:before], o.days[:7*before]
			return known
		}
		number = uint32(len(o.zoneOf) + firstSchedule)
		schedules[content] = number
		o.zoneOf = append(o.zoneOf, zone)
		o.firstSeasons = append(o.firstSeasons, spool.Uint32(len(o.seasons)))
		return number
	}
	numbers, values := make([]uint32, pubs.Len()), map[[2]string]uint32{}
	var pub schema.Pub
	for i := range numbers {
		if pubs.Get(i, &pub); schema.HasClosed(pub.Trading) {
			numbers[i] = closedSchedule
			continue
		}
		if pub.OpeningHours == "" {
			continue
		}
		written := [...]string{pub.TimeZone, pub.OpeningHours}
		number, known := values[written]
		if !known {
			number = add(&pub)
			values[written] = number
		}
		numbers[i] = number
	}
	o.byPub = ranking.NewNumbers(numbers, uint32(len(o.zoneOf)+closedSchedule))
	return o
}

// code writes or reads when a number of pubs are open.
func (o *openings) code(f indexfile.Codec, size int) {
	indexfile.Array(f, "hours.zones", &o.zoneOf)
	schedules := len(o.zoneOf)
	o.byPub.Code(f, "hours.numbers", size, uint32(schedules+closedSchedule))
	indexfile.ArrayN(f, "hours.seasons.starts", &o.firstSeasons, schedules+1)
	indexfile.Array(f, "hours.seasons", &o.seasons)
	indexfile.ArrayN(f, "hours.days", &o.days, 7*len(o.seasons))
	indexfile.Array(f, "hours.kinds.starts", &o.kinds)
	indexfile.Array(f, "hours.kinds", &o.intervals)
	indexfile.Array(f, "hours.zones.names", &o.zoneNames)
}

// read reads when a number of pubs are open, and checks it.
func (o *openings) read(r *indexfile.Reader, size int) {
	o.code(indexfile.Reading(r), size)
	o.zones = []*time.Location{nil}
	for _, name := range strings.Split(string(o.zoneNames), "\n")[1:] {
		zone, err := hours.Zone(name)
		reason := fmt.Sprintf("it has the time zone %q, which this program does not know", name)
		if !r.Check(err == nil, "hours.zones.names", reason) {
			return
		}
		o.zones = append(o.zones, zone)
	}
	if !indexfile.CheckOffsets(r, "hours.seasons.starts", o.firstSeasons, len(o.seasons)) ||
		!r.Check(len(o.kinds) > 0, "hours.kinds.starts", "it is empty") ||
		!indexfile.CheckOffsets(r, "hours.kinds.starts", o.kinds, len(o.intervals)) ||
		!indexfile.CheckBelow(r, "hours.days", o.days, len(o.kinds)-1) ||
		!indexfile.CheckBelow(r, "hours.zones", o.zoneOf, len(o.zones)) {
		return
	}
	for i := range o.zoneOf {
		r.Check(o.firstSeasons[i] < o.firstSeasons[i+1], "hours.seasons.starts", "it has a schedule without seasons")
	}
	for k := range len(o.kinds) - 1 {
		r.Check(hours.Kind(o.intervals[o.kinds[k]:o.kinds[k+1]]).IsValid(), "hours.kinds", "it has a day that is out of order")
	}
}

// any reports whether the hours of any pub that has not closed are known.
func (o *openings) any() bool { return len(o.zoneOf) > 0 }

// kind returns the kind of a day of a schedule.
func (o *openings) kind(number uint32, date hours.Date) hours.Kind {
	if number < firstSchedule {
		return nil
	}
	season, next := o.firstSeasons[number-firstSchedule], o.firstSeasons[number-firstSchedule+1]
	if season+1 < next {
		later, begins := slices.BinarySearch(o.seasons[season+1:next], date.Day)
		if season += uint32(later); begins {
			season++
		}
	}
	return o.kindOf(o.days[7*season+uint32(date.Weekday)])
}

func (o *openings) kindOf(k uint32) hours.Kind { return o.intervals[o.kinds[k]:o.kinds[k+1]] }

// calendar returns the calendar of a schedule.
func (o *openings) calendar(number uint32) hours.Calendar {
	return func(midnight hours.Local) hours.Kind { return o.kind(number, midnight.Date()) }
}

// local returns the wall time of a moment where a schedule is.
func (o *openings) local(number uint32, at *hours.Moment) hours.Local {
	if number < firstSchedule {
		return at.In(nil)
	}
	return at.In(o.zones[o.zoneOf[number-firstSchedule]])
}

// state returns the state of a pub at a moment.
func (o *openings) state(pub uint32, at *hours.Moment) hours.State {
	number := o.byPub.At(pub)
	if number < firstSchedule {
		return stateWithout[number]
	}
	if at.Always {
		return o.alwaysOf(number)
	}
	span := at.DaysIn(o.zones[o.zoneOf[number-firstSchedule]])
	return o.stateOf(number, &span)
}

// stateWithout are the states of pubs without a schedule, by number.
var stateWithout = [firstSchedule]hours.State{noSchedule: hours.Unknown, closedSchedule: hours.Closed}

// stateOf returns the state of a schedule at some time of a span.
func (o *openings) stateOf(number uint32, span *hours.DaySpan) hours.State {
	const day = 24 * 60
	before := o.kind(number, span.Dates[0])
	if span.To == span.From+1 { // as most
		return hours.StateOf(before, o.kind(number, span.Dates[1]), span.From)
	}
	state := hours.Closed
	for i := 0; i*day < span.To && state != hours.Open; i++ {
		today := o.kind(number, span.Dates[i+1])
		if found := hours.Sometime(before, today, max(span.From-i*day, 0), min(span.To-i*day, day)); found != hours.Closed {
			state = found
		}
		before = today
	}
	return state
}

// alwaysOf returns the state of a schedule throughout the weeks of all its seasons.
func (o *openings) alwaysOf(number uint32) hours.State {
	state, end := hours.Open, 7*o.firstSeasons[number-firstSchedule+1]
	for week := 7 * o.firstSeasons[number-firstSchedule]; week < end; week += 7 {
		for day := range uint32(7) {
			switch hours.Throughout(o.kindOf(o.days[week+(day+6)%7]), o.kindOf(o.days[week+day])) {
			case hours.Closed:
				return hours.Closed
			case hours.Unknown:
				state = hours.Unknown
			}
		}
	}
	return state
}

// openMemory is the working memory of finding the pubs that are open: at the moment of a query, in the night that
// follows, and at the time that its words ask for.
type openMemory struct {
	found  [3]openPubs
	has    [3]bool // found, since the search began
	states []hours.State
}

// openAt returns the pubs that are known to be open as a feature asks: [features.OpenLate], [features.OpenAt], which is a
// time, or, for any other, at the moment of the query; and those that are known to be closed. Those of now are kept for a minute, or, if no
// hours are known, for all moments, and those that always are open; nothing that a client may name replaces them. To find
// others takes some nanoseconds a pub, and some ten a schedule and day.
func (s search) openAt(feature string, time features.Time) *openPubs {
	o, w, at, kept, i := &s.snapshot.openings, &s.w.open, s.query.At, &s.snapshot.openings.now, 0
	switch feature {
	case features.OpenLate:
		at, kept, i = at.Late(), &o.late, 1
	case features.OpenAt:
		at, i = momentOf(time), 2
	}
	if at.Always {
		kept = &o.always
	}
	last := kept.Load()
	switch {
	case w.has[i]:
	case !at.IsNow && !at.Always && o.any():
		o.find(&w.found[i], &w.states, &at, s.snapshot.Len())
		w.has[i] = true
	case last == nil || o.any() && last.at != at.Key():
		last = new(openPubs)
		o.find(last, &w.states, &at, s.snapshot.Len())
		kept.Store(last)
		fallthrough
	default:
		return last
	}
	return &w.found[i]
}

// momentOf returns the moment for which words ask.
func momentOf(t features.Time) hours.Moment {
	return hours.Moment{Wall: t.From, IsWall: true, Minutes: int(t.To - t.From), Always: t.Always}
}

// statesAt returns the states of all schedules at a moment, in the memory of others.
func (o *openings) statesAt(memory *[]hours.State, at *hours.Moment) []hours.State {
	states := append((*memory)[:0], stateWithout[:]...)
	var spans []hours.DaySpan
	for _, zone := range o.zones {
		spans = append(spans, at.DaysIn(zone))
	}
	for i, zone := range o.zoneOf {
		number := uint32(i + firstSchedule)
		if at.Always {
			states = append(states, o.alwaysOf(number))
		} else {
			states = append(states, o.stateOf(number, &spans[zone]))
		}
	}
	*memory = states
	return states
}

// find finds the pubs that are open at a moment, in the memory of others.
func (o *openings) find(into *openPubs, memory *[]hours.State, at *hours.Moment, pubs int) {
	states := o.statesAt(memory, at)
	words := (pubs + 63) / 64
	open, closed := postings.Bitmap(slices.Grow(into.open.Bitmap()[:0], words)[:words]), postings.Bitmap(slices.Grow(into.closed.Bitmap()[:0], words)[:words])
	for word := range words {
		isOpen, isClosed := uint64(0), uint64(0)
		for bit := range min(64, pubs-64*word) {
			state := states[o.byPub.At(uint32(64*word+bit))]
			isOpen |= uint64(state) >> 1 << bit
			isClosed |= uint64(state) & 1 << bit
		}
		open[word], closed[word] = isOpen, isClosed
	}
	*into = openPubs{at.Key(), postings.OfBitmap(open, open.Count()), postings.OfBitmap(closed, closed.Count())}
}

// Opening is whether a pub is open at a moment, and when that changes, in its wall time.
type Opening struct {
	At    hours.Local
	State hours.State
	// Closes is the first minute that it is not known to be open, if it is open; Opens the next that it is, if it is not.
	// Either is 0 if it does not change within 8 days.
	Closes, Opens hours.Local
}

// Opening returns whether a pub is open at a moment. It takes some microseconds at most.
func (s *Snapshot) Opening(pub uint32, at *hours.Moment) Opening {
	number := s.openings.byPub.At(pub)
	o := Opening{At: s.openings.local(number, at)}
	if number != noSchedule {
		calendar := s.openings.calendar(number)
		o.State = calendar.State(o.At)
		o.Closes, _ = calendar.Closes(o.At)
		o.Opens, _ = calendar.Opens(o.At)
	}
	runtime.KeepAlive(s)
	return o
}

// Hours returns the hours of a pub, on no day any for one that has closed; nil if they are not known. They are valid as
// long as the snapshot.
func (s *Snapshot) Hours(pub uint32) hours.Calendar {
	number := s.openings.byPub.At(pub)
	if number == noSchedule {
		return nil
	}
	return s.openings.calendar(number)
}

// IsDated reports whether the hours of a pub depend on the date.
func (s *Snapshot) IsDated(pub uint32) bool {
	number := s.openings.byPub.At(pub)
	return number >= firstSchedule && s.openings.firstSeasons[number-firstSchedule+1]-s.openings.firstSeasons[number-firstSchedule] > 1
}

// TellsHours reports whether it is known of any pub when it is open.
func (s *Snapshot) TellsHours() bool { return s.openings.any() }

// keepOpen keeps the pubs that are open as the query wants, and returns of how many it is not known.
func (s search) keepOpen(m matches) (kept matches, unknown int) {
	m.set, unknown = s.open(m.set)
	if m.more != nil {
		m.how.Pubs, _ = s.open(m.how.Pubs)
		if m.more.Pubs, _ = s.open(m.more.Pubs); m.more.Pubs.Len() == 0 {
			m.more = nil
		}
	}
	return m, unknown
}

// open returns the pubs of a set that are open as the query wants, and of how many of the set it is not known.
func (s search) open(pubs postings.Set) (open postings.Set, unknown int) {
	pool, o, at := &s.w.sets, &s.snapshot.openings, &s.query.At
	stateOf := func(pub uint32) hours.State { return o.state(pub, at) }
	isSome := pubs.Len() <= fewPubs
	if isFew := pubs.Len() < s.snapshot.Len()/4; !isSome && isFew && !at.IsNow && o.any() && !s.w.open.has[0] {
		states := o.statesAt(&s.w.open.states, at)
		stateOf = func(pub uint32) hours.State { return states[o.byPub.At(pub)] }
		isSome = true
	}
	if isSome {
		open = pool.Filter(pubs, func(pub uint32) bool {
			state := stateOf(pub)
			if state == hours.Unknown {
				unknown++
			}
			return state == hours.Open || state == hours.Unknown && s.query.OpenUnknown
		})
		return open, unknown
	}
	found := s.openAt(features.OpenNow, features.Time{})
	open = pool.Both(pubs, found.open)
	unknown = pubs.Len() - open.Len() - found.closed.Bitmap().CountCommon(pubs)
	if s.query.OpenUnknown {
		open = pool.Difference(pubs, pool.Both(pubs, found.closed))
	}
	return open, unknown
}
