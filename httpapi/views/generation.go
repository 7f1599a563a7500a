package views

import (
	"slices"
	"sync/atomic"

	"pubd/httpapi/fault"
	"pubd/httpapi/query"
	"pubd/httpapi/status"
	"pubd/index"
)

// An Arrangement is the snapshots that a service answers from, with its report of them; the next one replaces it whole.
type Arrangement struct {
	// Served answers requests that name no snapshot; nil before the first.
	Served *index.Snapshot
	// Others answer requests that name them: snapshots kept or prepared, perhaps Served, too. Of several with an ID,
	// Served comes first, then the last one.
	Others []*index.Snapshot
	// Pending are the IDs of snapshots that will be available soon: requests that name them are told to try again.
	Pending []string
	// Fleet is the state of a replica that follows a manifest; otherwise nil.
	Fleet *status.Fleet
	Loads status.Loads
}

// A Generation is an Arrangement in use. It is immutable, except for its readers: the service, until the next one
// replaces it, and each request from its start until its answer has been copied. While it has readers, it is a reader
// of the snapshots of its views.
type Generation struct {
	Served *View // nil before the first
	Fleet  *status.Fleet
	Loads  status.Loads

	readers atomic.Int64
	views   []*View // all, each once
	pending []string
}

// viewOf returns the view of a snapshot, or nil.
func (g *Generation) viewOf(snapshot *index.Snapshot) *View {
	if i := slices.IndexFunc(g.views, func(v *View) bool { return v.Snapshot == snapshot }); i >= 0 {
		return g.views[i]
	}
	return nil
}

// Find returns the view of the snapshot with an ID, or the one being served if the ID is nil. It is a fault if the
// snapshot is not available.
func (g *Generation) Find(id []byte) (*View, fault.Fault) {
	if id == nil || string(id) == g.Served.ID {
		return g.Served, fault.Fault{}
	}
	for _, v := range slices.Backward(g.views) {
		if v.ID == string(id) {
			return v, fault.Fault{}
		}
	}
	if slices.Contains(g.pending, string(id)) {
		return nil, fault.Fault{Row: fault.SnapshotPending}
	}
	return nil, fault.Fault{Row: fault.SnapshotGone}
}

// Of implements query.Columns.
func (g *Generation) Of(snapshot []byte) ([]query.Column, fault.Fault) {
	v, f := g.Find(snapshot)
	if f.IsSet() {
		return nil, f
	}
	return v.Columns, f
}

// Release ends what Acquire began. The last reader releases the snapshots.
func (g *Generation) Release() {
	if g.readers.Add(-1) == 0 {
		for _, v := range g.views {
			v.lease.arranged.Add(-1)
			v.Snapshot.Release()
		}
	}
}
