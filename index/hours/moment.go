package hours

import (
	"cmp"
	"time"
)

// A Moment is when pubs are to be open: an instant, or a wall time that counts wherever a pub is.
type Moment struct {
	// Instant counts unless IsWall is set, in the time zone of a pub or, if it has none, in Zone; nil means UTC.
	Instant time.Time
	Zone    *time.Location
	Wall    Local
	IsWall  bool
	IsNow   bool // the time of a request, which its client did not name
	// Minutes is how long it lasts, at some time of which pubs are to be open: at most MaxMinutes; 0 is a minute. Always
	// means all week instead, whatever the date.
	Minutes int
	Always  bool
}

// MaxMinutes is how long a moment lasts at most.
const MaxMinutes = 8 * 24 * 60

// In returns the wall time in a time zone; nil means that of pubs without one.
func (m *Moment) In(zone *time.Location) Local {
	switch {
	case m.IsWall:
		return m.Wall
	case zone != nil:
		return LocalOf(m.Instant.In(zone))
	case m.Zone != nil:
		return LocalOf(m.Instant.In(m.Zone))
	}
	return LocalOf(m.Instant.UTC())
}

// DaySpan is a moment in a time zone: its days, after the one before them, and from which minute of the first to before
// which it lasts, where an hour may be left out.
type DaySpan struct {
	Dates    [MaxMinutes/(24*60) + 3]Date
	From, To int
}

// DaysIn returns the moment in a time zone.
func (m *Moment) DaysIn(zone *time.Location) (span DaySpan) {
	const day = 24 * 60
	from, until := m.In(zone), *m
	until.Wall += Local(m.Minutes)
	until.Instant = m.Instant.Add(time.Duration(m.Minutes) * time.Minute)
	midnight := from.Midnight()
	span.From = int(from - midnight)
	span.To = max(span.From+1, int(until.In(zone)-midnight))
	for i := 0; (i-1)*day < span.To && i < len(span.Dates); i++ {
		span.Dates[i] = (midnight + Local((i-1)*day)).Date()
	}
	return span
}

// Late returns the moment of 0:30 in the night that follows, or of the same day before 6:00.
func (m Moment) Late() Moment {
	const day, morning, late = 24 * 60, 6 * 60, 30
	wall := m.In(nil)
	midnight := wall.Midnight()
	if wall-midnight >= morning {
		midnight += day
	}
	return Moment{Wall: midnight + late, IsWall: true, IsNow: m.IsNow}
}

// MomentKey identifies a moment to the minute.
type MomentKey struct {
	minute, minutes int64
	zone            string // empty of a wall time
	always          bool
}

func (m *Moment) Key() MomentKey {
	switch {
	case m.Always:
		return MomentKey{always: true}
	case m.IsWall:
		return MomentKey{minute: int64(m.Wall), minutes: int64(m.Minutes)}
	}
	return MomentKey{m.Instant.Unix() / 60, int64(m.Minutes), cmp.Or(m.Zone, time.UTC).String(), false}
}

// Slot returns one of some numbers, from 0 on, by which to keep what is known of a moment.
func (k MomentKey) Slot(slots int) int { return int(uint64(k.minute+k.minutes) % uint64(slots)) }
