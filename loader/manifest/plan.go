package manifest

import "time"

// A Plan says what a replica does with the snapshots of a manifest at a time.
type Plan struct {
	// Serve is the snapshot to serve; nil before the time of the first one.
	Serve *Snapshot
	// Upcoming are the snapshots to prepare, newest first.
	Upcoming []Snapshot
	// Kept are the earlier snapshots that clients may still request, and Earlier all that were served before, newest
	// first.
	Kept, Earlier []Snapshot
	// Change is when the plan will change; the zero time means never.
	Change time.Time
}

// Plan returns what to do at a time. A snapshot stays available for keepFor after it was replaced, and at most keep of
// them.
func (m *Manifest) Plan(now time.Time, keepFor time.Duration, keep int) Plan {
	var p Plan
	change := func(at time.Time) {
		if p.Change.IsZero() || at.Before(p.Change) {
			p.Change = at
		}
	}
	var replaced time.Time // when the previous one of the list became active
	for i := range m.Snapshots {
		s := &m.Snapshots[i]
		switch {
		case p.Serve == nil && s.ActivateAt.After(now):
			p.Upcoming = append(p.Upcoming, *s)
			change(s.ActivateAt)
		case p.Serve == nil:
			p.Serve, replaced = s, s.ActivateAt
		// One that was due only after a newer one was never served.
		case s.ActivateAt.Before(replaced):
			p.Earlier = append(p.Earlier, *s)
			if until := replaced.Add(keepFor); until.After(now) && len(p.Kept) < keep && s.Source != p.Serve.Source {
				p.Kept = append(p.Kept, *s)
				change(until)
			}
			replaced = s.ActivateAt
		}
	}
	return p
}
