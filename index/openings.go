package index

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"pubd/index/hours"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/spool"
)

// A Moment is when pubs are to be open: an instant, or a wall time that counts wherever a pub is.
type Moment struct {
	// Instant counts unless IsWall is set, in the time zone of a pub or, if it has none, in Zone; nil means UTC.
	Instant time.Time
	Zone    *time.Location
	Wall    hours.Local
	IsWall  bool
}

// In returns the wall time in a time zone; nil means that of pubs without one.
func (m *Moment) In(zone *time.Location) hours.Local {
	switch {
	case m.IsWall:
		return m.Wall
	case zone != nil:
		return hours.LocalOf(m.Instant.In(zone))
	case m.Zone != nil:
		return hours.LocalOf(m.Instant.In(m.Zone))
	}
	return hours.LocalOf(m.Instant.UTC())
}

// Late returns the moment of 0:30 in the night that follows, or of the same day before 6:00.
func (m Moment) Late() Moment {
	const day, morning, late = 24 * 60, 6 * 60, 30
	wall := m.In(nil)
	midnight := wall - (wall%day+day)%day
	if wall-midnight >= morning {
		midnight += day
	}
	return Moment{Wall: midnight + late, IsWall: true}
}

// openings say when pubs are open. Each distinct week or set of dated rules, with its time zone, is a schedule.
type openings struct {
	byPub  ranking.Numbers // by ordinal, the number of the schedule, counted from firstSchedule
	zoneOf []uint32        // by schedule
	// The week of schedule i is weeks[starts[i]:starts[i+1]]. Of one that depends on dates, its rules are
	// rules[ruleStarts[i]:ruleStarts[i+1]].
	starts, ruleStarts []uint32
	weeks              []hours.Interval
	rules              []byte
	zoneNames          []byte // separated by line feeds; the first is empty

	dated map[uint32]*hours.Schedule
	zones []*time.Location // the first, nil, is that of pubs without one

	mu     sync.Mutex
	recent [4]*openPubs // used last first
}

// openPubs are the pubs that are known to be open at a moment, and those that are known to be closed.
type openPubs struct {
	at           momentKey
	open, closed postings.Set
}

// momentKey identifies a moment to the minute.
type momentKey struct {
	minute int64
	zone   string
}

func (m *Moment) key() momentKey {
	if m.IsWall {
		return momentKey{int64(m.Wall), "wall"}
	}
	zone := cmp.Or(m.Zone, time.UTC)
	return momentKey{m.Instant.Unix() / 60, "in " + zone.String()}
}

// IsTimeZone reports whether a text names a time zone, such as Europe/London, or is empty. It may read a file.
func IsTimeZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

// maxDated is the maximum number of schedules that depend on dates; of others it is not known when pubs are open. Each
// takes about a microsecond whenever all pubs are looked at.
const maxDated = 10_000

// The numbers of pubs without hours that can be read, and of those that have closed and so are never open. Schedules
// follow.
const (
	noSchedule = iota
	closedSchedule
	firstSchedule
)

// newOpenings returns when pubs are open.
func newOpenings(pubs *Rows) *openings {
	o := &openings{starts: []uint32{0}, ruleStarts: []uint32{0}}
	zones, weeks, dated := map[string]uint32{"": 0}, map[string]uint32{}, 0
	add := func(pub *Pub) (number uint32) {
		schedule, err := hours.Parse(pub.OpeningHours)
		week, isWeek := schedule.Week()
		zone, ok := zones[pub.TimeZone]
		if err != nil || !isWeek && dated == maxDated || !ok && !IsTimeZone(pub.TimeZone) {
			return noSchedule
		}
		if !ok {
			zone = uint32(len(zones))
			zones[pub.TimeZone] = zone
			o.zoneNames = append(append(o.zoneNames, '\n'), pub.TimeZone...)
		}
		number = uint32(len(o.zoneOf) + firstSchedule)
		if isWeek {
			content := fmt.Sprint(zone, week)
			if known, ok := weeks[content]; ok {
				return known
			}
			weeks[content] = number
			o.weeks = append(o.weeks, week...)
		} else {
			dated++
			o.rules = append(o.rules, pub.OpeningHours...)
		}
		o.zoneOf = append(o.zoneOf, zone)
		o.starts = append(o.starts, spool.Uint32(len(o.weeks)))
		o.ruleStarts = append(o.ruleStarts, spool.Uint32(len(o.rules)))
		return number
	}
	numbers, values := make([]uint32, pubs.Len()), map[[2]string]uint32{}
	var pub Pub
	for i := range numbers {
		if pubs.Get(i, &pub); HasClosed(pub.Trading) {
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
	indexfile.ArrayN(f, "hours.starts", &o.starts, schedules+1)
	indexfile.ArrayN(f, "hours.rules.starts", &o.ruleStarts, schedules+1)
	indexfile.Array(f, "hours.weeks", &o.weeks)
	indexfile.Array(f, "hours.rules", &o.rules)
	indexfile.Array(f, "hours.zones.names", &o.zoneNames)
}

// read reads when a number of pubs are open, and checks it.
func (o *openings) read(r *indexfile.Reader, size int) {
	o.code(indexfile.Reading(r), size)
	o.zones = []*time.Location{nil}
	for _, name := range strings.Split(string(o.zoneNames), "\n")[1:] {
		zone, err := time.LoadLocation(name)
		reason := fmt.Sprintf("it has the time zone %q, which this system does not know", name)
		if !r.Check(err == nil, "hours.zones.names", reason) {
			return
		}
		o.zones = append(o.zones, zone)
	}
	if !indexfile.CheckOffsets(r, "hours.starts", o.starts, len(o.weeks)) ||
		!indexfile.CheckOffsets(r, "hours.rules.starts", o.ruleStarts, len(o.rules)) ||
		!indexfile.CheckBelow(r, "hours.zones", o.zoneOf, len(o.zones)) {
		return
	}
	o.dated = map[uint32]*hours.Schedule{}
	for i := range uint32(len(o.zoneOf)) {
		r.Check(o.week(i).IsValid(), "hours.weeks", "it has a week that is out of order")
		if rules := o.rules[o.ruleStarts[i]:o.ruleStarts[i+1]]; len(rules) > 0 {
			schedule, err := hours.Parse(string(rules))
			r.Check(err == nil, "hours.rules", "it has rules that cannot be read")
			o.dated[i] = &schedule
		}
	}
}

// any reports whether the hours of any pub that has not closed are known.
func (o *openings) any() bool { return len(o.zoneOf) > 0 }

func (o *openings) week(schedule uint32) hours.Week {
	return o.weeks[o.starts[schedule]:o.starts[schedule+1]]
}

// schedule returns a schedule by its number in byPub, and its time zone, nil for that of the server.
func (o *openings) schedule(number uint32) (hours.Schedule, *time.Location) {
	switch number {
	case noSchedule:
		return hours.Schedule{}, nil
	case closedSchedule:
		return hours.Week{}.Schedule(), nil
	}
	i := number - firstSchedule
	zone := o.zones[o.zoneOf[i]]
	if dated := o.dated[i]; dated != nil {
		return *dated, zone
	}
	return o.week(i).Schedule(), zone
}

// state returns the state of a pub at a moment.
func (o *openings) state(pub uint32, at *Moment) hours.State {
	schedule, zone := o.schedule(o.byPub.At(pub))
	return schedule.State(at.In(zone))
}

// at returns the pubs that are known to be open at a moment, and those that are known to be closed. Those of the moments
// that were used last are kept; to find others takes some nanoseconds a pub and allocates.
func (o *openings) at(m *Moment, pubs int) *openPubs {
	if found := o.use(m.key(), nil); found != nil {
		return found
	}
	states := make([]hours.State, len(o.zoneOf)+firstSchedule)
	states[closedSchedule] = hours.Closed
	locals := make([]hours.Local, len(o.zones))
	for i, zone := range o.zones {
		locals[i] = m.In(zone)
	}
	for i, zone := range o.zoneOf {
		schedule, _ := o.schedule(uint32(i) + firstSchedule)
		states[i+firstSchedule] = schedule.State(locals[zone])
	}
	open, closed := postings.NewBitmap(pubs), postings.NewBitmap(pubs)
	for pub := range uint32(pubs) {
		switch states[o.byPub.At(pub)] {
		case hours.Open:
			open.Add(pub)
		case hours.Closed:
			closed.Add(pub)
		}
	}
	return o.use(m.key(), &openPubs{m.key(), postings.OfBitmap(open, open.Count()), postings.OfBitmap(closed, closed.Count())})
}

// use returns the pubs of a moment that are kept or, unless they are nil, those that were found for it, which it keeps.
func (o *openings) use(key momentKey, found *openPubs) *openPubs {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := slices.IndexFunc(o.recent[:], func(recent *openPubs) bool { return recent != nil && recent.at == key })
	switch {
	case at >= 0:
		found = o.recent[at]
	case found == nil:
		return nil
	default:
		at = len(o.recent) - 1
	}
	copy(o.recent[1:at+1], o.recent[:at])
	o.recent[0] = found
	return found
}

// Opening is whether a pub is open at a moment, and when that changes, in its wall time.
type Opening struct {
	At    hours.Local
	State hours.State
	// Closes is the first minute that it is not known to be open, if it is open; Opens the next that it is, if it is not.
	// Either is 0 if it does not change within 8 days.
	Closes, Opens hours.Local
	HasClosed     bool // for good or for some time
}

// Opening returns whether a pub is open at a moment. It takes some microseconds at most.
func (s *Snapshot) Opening(pub uint32, at *Moment) Opening {
	number := s.openings.byPub.At(pub)
	schedule, zone := s.openings.schedule(number)
	o := Opening{At: at.In(zone), HasClosed: number == closedSchedule}
	o.State = schedule.State(o.At)
	if at, ok := schedule.Closes(o.At); ok {
		o.Closes = at
	}
	if at, ok := schedule.Opens(o.At); ok {
		o.Opens = at
	}
	runtime.KeepAlive(s)
	return o
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
	if pubs.Len() <= fewPubs {
		open = pool.Filter(pubs, func(pub uint32) bool {
			state := o.state(pub, at)
			if state == hours.Unknown {
				unknown++
			}
			return state == hours.Open || state == hours.Unknown && s.query.OpenUnknown
		})
		return open, unknown
	}
	found := o.at(at, s.snapshot.Len())
	open = pool.Both(pubs, found.open)
	unknown = pubs.Len() - open.Len() - found.closed.Bitmap().CountCommon(pubs)
	if s.query.OpenUnknown {
		open = pool.Difference(pubs, pool.Both(pubs, found.closed))
	}
	return open, unknown
}
