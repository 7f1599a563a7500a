package manifest

import "time"

// A Plan is what a replica does with the snapshots of a manifest at some time.
type Plan struct {
	// Serve is the one to serve; nil before the time of the first has come.
	Serve *Snapshot
	// Upcoming are those to be prepared, the newest first.
	Upcoming []Snapshot
	// Kept are those that were served and may still be asked for, the newest first.
	Kept []Snapshot
	// Change is when the plan will be another one; the zero time is never.
	Change time.Time
}

// Plan returns what to do at a time. A snapshot may be asked for until keepFor after it was replaced, and at most keep of them.
func (m *Manifest) Plan(now time.Time, keepFor time.Duration, keep int) Plan {
	var p Plan
	change := func(at time.Time) {
		if p.Change.IsZero() || at.Before(p.Change) {
			p.Change = at
		}
	}
	var replaced time.Time // when the first of the list before this one became active
	for i := range m.Snapshots {
		s := &m.Snapshots[i]
		switch {
		case p.Serve == nil && s.ActivateAt.After(now):
			p.Upcoming = append(p.Upcoming, *s)
			change(s.ActivateAt)
		case p.Serve == nil:
			p.Serve, replaced = s, s.ActivateAt
		// One whose time would have come after that of a newer one was never served.
		case s.ActivateAt.Before(replaced):
			if until := replaced.Add(keepFor); until.After(now) && len(p.Kept) < keep && s.Source != p.Serve.Source {
				p.Kept = append(p.Kept, *s)
				change(until)
			}
			replaced = s.ActivateAt
		}
	}
	return p
}
