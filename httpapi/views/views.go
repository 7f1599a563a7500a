package views

import (
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"pubd/index"
)

// Views are the generations of a service, one after the other.
type Views struct {
	current     atomic.Pointer[Generation]
	replaced    []*View         // in no generation any more, and perhaps exported, oldest first; only Publish uses it
	unusable    *index.Snapshot // the last one that Next could not prepare, so that it is logged once
	maxExported int64
	logUnusable func(snapshot *index.Snapshot, cause any)
}

// NewViews returns views with an empty generation. Exports alone keep at most maxExported bytes of snapshots in memory.
// logUnusable is called while a panic is being recovered that its cause ended.
func NewViews(maxExported int64, logUnusable func(snapshot *index.Snapshot, cause any)) *Views {
	s := &Views{maxExported: maxExported, logUnusable: logUnusable}
	empty := new(Generation)
	empty.readers.Store(1)
	s.current.Store(empty)
	return s
}

// Next prepares a generation, which Publish must make the current one. A snapshot that the current one has keeps its view.
func (s *Views) Next(a Arrangement) *Generation {
	before, next := s.current.Load(), &Generation{pending: a.Pending, Fleet: a.Fleet, Loads: a.Loads}
	next.readers.Store(1)
	for _, snapshot := range a.Others {
		s.add(next, snapshot, before)
	}
	if a.Served != nil {
		if next.Served = s.add(next, a.Served, before); next.Served == nil && before.Served != nil {
			next.Served = s.add(next, before.Served.Snapshot, before)
		}
	}
	return next
}

// add returns the view of a snapshot in a generation: the one it has, that of the generation before, or a new one. It
// returns nil if the snapshot proves unusable, as when its file was cut short while it was mapped.
func (s *Views) add(g *Generation, snapshot *index.Snapshot, before *Generation) (v *View) {
	if v := g.viewOf(snapshot); v != nil || s.unusable == snapshot {
		return v
	}
	if !snapshot.Acquire() {
		panic("views: arranged a snapshot that was released")
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			s.logUnusable(snapshot, cause)
			snapshot.Release()
			v, s.unusable = nil, snapshot
		}
	}()
	if v = before.viewOf(snapshot); v == nil {
		v = New(snapshot, time.Now())
	}
	g.views = append(g.views, v)
	v.lease.arranged.Add(1)
	return v
}

// Publish makes a generation that Next prepared the current one.
func (s *Views) Publish(next *Generation) {
	before := s.current.Swap(next)
	for _, v := range before.views {
		if !slices.Contains(next.views, v) {
			now := time.Now()
			v.lease.replaced.Store(&now)
			s.replaced = append(s.replaced, v)
		}
	}
	before.Release()
	s.endExports()
}

// Acquire makes the caller a reader of the current generation, which it must release.
func (s *Views) Acquire() *Generation {
	for {
		g := s.current.Load()
		if readers := g.readers.Load(); readers > 0 && g.readers.CompareAndSwap(readers, readers+1) {
			return g
		}
	}
}

// A lease is how long a view may be exported.
type lease struct {
	// replaced is when a generation without the view replaced one with it; nil before.
	replaced atomic.Pointer[time.Time]
	// arranged is how many generations with the view have readers, which may begin to export it.
	arranged atomic.Int64
	exports  atomic.Int64 // that are being sent
	ended    atomic.Bool  // exports must end, because memory is needed
}

// BeginExport makes the caller, who is a reader of a generation with the view, one of its snapshot until EndExport.
func (v *View) BeginExport() {
	v.Snapshot.Acquire() // succeeds, because the generation is a reader
	v.lease.exports.Add(1)
}

// EndExport ends what BeginExport began.
func (v *View) EndExport() {
	v.lease.exports.Add(-1)
	v.Snapshot.Release()
}

// MayExport reports whether an export may go on: keepFor is how long after the view was replaced.
func (v *View) MayExport(now time.Time, keepFor time.Duration) bool {
	at := v.lease.replaced.Load()
	return !v.lease.ended.Load() && (at == nil || now.Sub(*at) <= keepFor)
}

// endExports ends the exports of views that were replaced, the oldest first, so that those that exports keep in memory
// take no more than maxExported.
func (s *Views) endExports() {
	held, kept := int64(0), []*View(nil)
	for _, v := range slices.Backward(s.replaced) {
		switch mayBegin := v.lease.arranged.Load() > 0; { // asked first: a request under way counts its export before it ends
		case v.lease.exports.Load() == 0:
			if mayBegin {
				kept = append(kept, v)
			}
		case held+v.size > s.maxExported:
			v.lease.ended.Store(true)
		default:
			held, kept = held+v.size, append(kept, v)
		}
	}
	slices.Reverse(kept)
	s.replaced = kept
}
