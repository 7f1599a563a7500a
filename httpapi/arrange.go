package httpapi

import (
	"time"

	"pubd/index"
)

// An Arrangement is the set of snapshots that a replica of a fleet answers from.
type Arrangement struct {
	// Served answers requests that name no snapshot; nil keeps the current one.
	Served *index.Snapshot
	// Others answer requests that name them: snapshots kept or prepared.
	Others []*index.Snapshot
	// Pending are the IDs of snapshots that will be available soon: requests that name them are told to try again.
	Pending []string
}

// Arrange replaces the arrangement for requests from now on. A snapshot in both the old and the new arrangement is available at every
// moment. Arrange and Publish must not be called concurrently.
func (s *Service) Arrange(a Arrangement) {
	served, before := s.view.Load(), s.history.load()
	prepare := func(snapshot *index.Snapshot) *view {
		if v := viewOf(snapshot, served, before.views); v != nil {
			return v
		}
		return newView(snapshot, s.config.MaxUnpaged, time.Now())
	}
	after := others{pending: a.Pending}
	for _, snapshot := range a.Others {
		after.views = append(after.views, kept{view: prepare(snapshot)})
	}
	next := served
	if a.Served != nil {
		next = prepare(a.Served)
	}
	if next != served {
		// A view is kept before it is replaced, so that requests always find it.
		s.history.set(others{append(append(before.views[:len(before.views):len(before.views)], after.views...), keptOf(served, next)...), a.Pending})
		s.view.Store(next)
	}
	s.history.set(after)
	for _, was := range append(keptOf(served), before.views...) {
		if viewOf(was.snapshot, next, after.views) == nil {
			was.replace()
		}
	}
}

func keptOf(views ...*view) (list []kept) {
	for _, v := range views {
		if v != nil {
			list = append(list, kept{view: v})
		}
	}
	return list
}
