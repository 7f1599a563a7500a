package httpapi

import (
	"time"

	"pubd/index"
)

// An Arrangement is which snapshots a replica of a fleet answers from.
type Arrangement struct {
	// Served answers requests that name no snapshot; nil leaves the one that is served.
	Served *index.Snapshot
	// Others answer requests that name them: prepared ones and kept ones.
	Others []*index.Snapshot
	// Pending are the ids of snapshots that will be here soon: requests that name them are told to try again.
	Pending []string
}

// Arrange makes an arrangement the one by which requests from now on are answered. At no moment is a snapshot missing that the one before
// and this one have. One goroutine at a time arranges or publishes snapshots.
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
		// What is replaced is kept before it is, so that no request looks for it in vain.
		s.history.set(others{append(append(before.views[:len(before.views):len(before.views)], after.views...), keptOf(served, next)...), a.Pending})
		s.view.Store(next)
	}
	s.history.set(after)
}

func keptOf(views ...*view) (list []kept) {
	for _, v := range views {
		if v != nil {
			list = append(list, kept{view: v})
		}
	}
	return list
}
