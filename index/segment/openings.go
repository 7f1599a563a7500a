package segment

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"pubd/index/corpus"
	"pubd/index/hours"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/schema"
	"pubd/index/spool"
)

// Openings say when pubs are open. Each distinct year of hours, with its time zone, is a schedule.
type Openings struct {
	ByPub ranking.Numbers // by ordinal, the number of the schedule, counted from firstSchedule
	// Schedule i has the seasons firstSeasons[i] to firstSeasons[i+1]-1. Season s begins on the day seasons[s] of the year;
	// days[7*s+w] is the kind of day of its weekday w. Kind k has the intervals kinds[k] to kinds[k+1]-1.
	zoneOf, firstSeasons []uint32
	seasons              []uint16
	days, kinds          []uint32
	intervals            []hours.Interval
	zoneNames            []byte // separated by line feeds; the first is empty

	zones []*time.Location // the first, nil, is that of pubs without one
	// now and late are the pubs that are open at the time of the last request, and in the night that follows.
	// always are those that always are. named are those of moments that clients name; without sets, of one named once.
	now, late, always atomic.Pointer[OpenPubs]
	named             [namedSlots]atomic.Pointer[OpenPubs]
}

// namedSlots is the number of named moments for which open pubs are kept, two bits a pub each: a prime, as most are whole
// hours.
const namedSlots = 7

// OpenPubs are the pubs that are known to be open at a moment, and those that are known to be closed.
type OpenPubs struct {
	at           hours.MomentKey
	Open, Closed postings.Set
}

// The numbers of pubs without hours that can be read, and of those that have closed and so are never open. Schedules
// follow.
const (
	noSchedule = iota
	closedSchedule
	firstSchedule
)

// NewOpenings returns when pubs are open.
func NewOpenings(pubs *corpus.Rows) *Openings {
	o := &Openings{firstSeasons: []uint32{0}, kinds: []uint32{0}}
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
	o.ByPub = ranking.NewNumbers(numbers, uint32(len(o.zoneOf)+closedSchedule))
	return o
}

// Code writes or reads when a number of pubs are open.
func (o *Openings) Code(f indexfile.Codec, size int) {
	indexfile.Array(f, "hours.zones", &o.zoneOf)
	schedules := len(o.zoneOf)
	o.ByPub.Code(f, "hours.numbers", size, uint32(schedules+closedSchedule))
	indexfile.ArrayN(f, "hours.seasons.starts", &o.firstSeasons, schedules+1)
	indexfile.Array(f, "hours.seasons", &o.seasons)
	indexfile.ArrayN(f, "hours.days", &o.days, 7*len(o.seasons))
	indexfile.Array(f, "hours.kinds.starts", &o.kinds)
	indexfile.Array(f, "hours.kinds", &o.intervals)
	indexfile.Array(f, "hours.zones.names", &o.zoneNames)
}

// read reads when a number of pubs are open, and checks it.
func (o *Openings) read(r *indexfile.Reader, size int) {
	o.Code(indexfile.Reading(r), size)
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

// Any reports whether the hours of any pub that has not closed are known.
func (o *Openings) Any() bool { return len(o.zoneOf) > 0 }

// kind returns the kind of a day of a schedule.
func (o *Openings) kind(number uint32, date hours.Date) hours.Kind {
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

func (o *Openings) kindOf(k uint32) hours.Kind { return o.intervals[o.kinds[k]:o.kinds[k+1]] }

// calendar returns the calendar of a schedule.
func (o *Openings) calendar(number uint32) hours.Calendar {
	return func(midnight hours.Local) hours.Kind { return o.kind(number, midnight.Date()) }
}

// local returns the wall time of a moment where a schedule is.
func (o *Openings) local(number uint32, at *hours.Moment) hours.Local {
	if number < firstSchedule {
		return at.In(nil)
	}
	return at.In(o.zones[o.zoneOf[number-firstSchedule]])
}

// State returns the state of a pub at a moment.
func (o *Openings) State(pub uint32, at *hours.Moment) hours.State {
	number := o.ByPub.At(pub)
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
func (o *Openings) stateOf(number uint32, span *hours.DaySpan) hours.State {
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
func (o *Openings) alwaysOf(number uint32) hours.State {
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

// The moments of a query: its own, that of the night that follows, and the one for which its words ask.
const (
	Now = iota
	Late
	Asked
	moments
)

// OpenMemory is the working memory of finding the pubs that are open at the moments of a query.
type OpenMemory struct {
	found  [moments]OpenPubs
	Has    [moments]bool // found, since the search began
	isNew  [moments]bool // as IsNew told
	States []hours.State
}

// Reset forgets what was found, as another search begins.
func (m *OpenMemory) Reset() { m.Has, m.isNew = [moments]bool{}, [moments]bool{} }

// OpenAt returns the pubs that are known to be open at a moment of a query, and those that are known to be closed. They are
// kept: of now for a minute, or, if no hours are known, for all moments; of always; and of the last moments that more than
// one query named, which never replace others. To find them takes some nanoseconds a pub, and some ten a schedule and day.
func (o *Openings) OpenAt(moment int, at *hours.Moment, m *OpenMemory, pubs int) *OpenPubs {
	if !m.Has[moment] && o.IsNew(moment, at, m) {
		o.find(&m.found[moment], &m.States, at, pubs)
		m.Has[moment] = true
	}
	if m.Has[moment] {
		return &m.found[moment]
	}
	kept := o.keeper(moment, at)
	last := kept.Load()
	if last == nil || last.Open.Bitmap() == nil || o.Any() && last.at != at.Key() {
		last = new(OpenPubs)
		o.find(last, &m.States, at, pubs)
		kept.Store(last)
	}
	return last
}

// IsNew reports whether a moment of a query is one that a client names, and that the last query for one of its slot did not:
// whose open pubs are not worth keeping. It notes the moment, which is new for no later query until another takes its slot.
func (o *Openings) IsNew(moment int, at *hours.Moment, m *OpenMemory) bool {
	if m.isNew[moment] || at.IsNow || at.Always || !o.Any() {
		return m.isNew[moment]
	}
	kept, key := o.keeper(moment, at), at.Key()
	last := kept.Load()
	if m.isNew[moment] = last == nil || last.at != key; m.isNew[moment] {
		kept.Store(&OpenPubs{at: key})
	}
	return m.isNew[moment]
}

// keeper returns where the pubs are kept that are open at a moment of a query.
func (o *Openings) keeper(moment int, at *hours.Moment) *atomic.Pointer[OpenPubs] {
	switch {
	case at.Always:
		return &o.always
	case !at.IsNow && o.Any():
		return &o.named[at.Key().Slot(namedSlots)]
	case moment == Late:
		return &o.late
	}
	return &o.now
}

// Opening returns whether a pub is open at a moment.
func (o *Openings) Opening(pub uint32, at *hours.Moment) hours.Opening {
	number := o.ByPub.At(pub)
	if number == noSchedule {
		return hours.Opening{At: o.local(number, at)}
	}
	return o.calendar(number).Opening(o.local(number, at))
}

// Hours returns the hours of a pub, nil if they are not known.
func (o *Openings) Hours(pub uint32) hours.Calendar {
	number := o.ByPub.At(pub)
	if number == noSchedule {
		return nil
	}
	return o.calendar(number)
}

// IsDated reports whether the hours of a pub depend on the date.
func (o *Openings) IsDated(pub uint32) bool {
	number := o.ByPub.At(pub)
	return number >= firstSchedule && o.firstSeasons[number-firstSchedule+1]-o.firstSeasons[number-firstSchedule] > 1
}

// StatesAt returns the states of all schedules at a moment, in the memory of others.
func (o *Openings) StatesAt(memory *[]hours.State, at *hours.Moment) []hours.State {
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
func (o *Openings) find(into *OpenPubs, memory *[]hours.State, at *hours.Moment, pubs int) {
	states := o.StatesAt(memory, at)
	words := (pubs + 63) / 64
	open, closed := postings.Bitmap(slices.Grow(into.Open.Bitmap()[:0], words)[:words]), postings.Bitmap(slices.Grow(into.Closed.Bitmap()[:0], words)[:words])
	for word := range words {
		isOpen, isClosed := uint64(0), uint64(0)
		for bit := range min(64, pubs-64*word) {
			state := states[o.ByPub.At(uint32(64*word+bit))]
			isOpen |= uint64(state) >> 1 << bit
			isClosed |= uint64(state) & 1 << bit
		}
		open[word], closed[word] = isOpen, isClosed
	}
	*into = OpenPubs{at.Key(), postings.OfBitmap(open, open.Count()), postings.OfBitmap(closed, closed.Count())}
}
