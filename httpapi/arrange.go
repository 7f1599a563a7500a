package httpapi

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"pubd/httpapi/fault"
	"pubd/httpapi/keys"
	"pubd/httpapi/params"
	"pubd/index"
)

// An Arrangement is what a service answers from, and what it reports of it; the next one replaces it whole.
type Arrangement struct {
	// Served answers requests that name no snapshot; nil before the first.
	Served *index.Snapshot
	// Others answer requests that name them: snapshots kept or prepared, perhaps Served, too. Of several with an ID,
	// Served comes first, then the last one.
	Others []*index.Snapshot
	// Pending are the IDs of snapshots that will be available soon: requests that name them are told to try again.
	Pending []string
	// Fleet is the state of a replica that follows a manifest; otherwise nil.
	Fleet *Fleet
	Loads Loads
}

// Loads says how data or keys were loaded, for readiness and metrics.
type Loads struct {
	Since                    time.Time // when the current load began; zero if none is running
	Error                    error     // why the last load failed; nil if it succeeded, or none has ended
	Succeeded, Failed        uint64    // loads since the start, those that found nothing new included
	LastSuccess, LastFailure time.Time // zero if there is none
	Source                   Source    // CheckedAt is zero if it was never checked
}

// An arrangement is an Arrangement in use. It is immutable, except for its readers: the service, until the next one
// replaces it, and each request from its start until its answer has been copied. While it has readers, it is a reader
// of the snapshots of its views.
type arrangement struct {
	readers atomic.Int64
	served  *view   // nil before the first
	views   []*view // all, each once
	pending []string
	fleet   *Fleet
	loads   Loads
}

// Arrange replaces the arrangement for requests from now on; those under way finish with theirs. A snapshot in both
// the old and the new one is available at every moment. The caller must be a reader of the snapshots during the call,
// may release them afterwards, and must not change what the arrangement refers to. Arrange must not be called
// concurrently.
func (s *Service) Arrange(a Arrangement) {
	before := s.arrangement.Load()
	next := &arrangement{pending: a.Pending, fleet: a.Fleet, loads: a.Loads}
	next.readers.Store(1)
	for _, snapshot := range a.Others {
		s.add(next, snapshot, before)
	}
	if a.Served != nil {
		if next.served = s.add(next, a.Served, before); next.served == nil && before.served != nil {
			next.served = s.add(next, before.served.snapshot, before)
		}
	}
	s.arrangeServed(next, before)
	for _, v := range before.views {
		if !slices.Contains(next.views, v) {
			now := time.Now()
			v.replaced.Store(&now)
			s.departed = append(s.departed, v)
		}
	}
	before.release()
	s.endExports()
}

// arrangeServed puts an arrangement in the place of the one before, with the documents for the snapshot being served.
func (s *Service) arrangeServed(next, before *arrangement) {
	s.arranging.Lock()
	defer s.arranging.Unlock()
	if next.served != before.served {
		s.arrangeDocuments(s.keys.Load().offered, next.served)
	}
	s.arrangement.Store(next)
}

// arrangeDocuments replaces the documents. The caller holds s.arranging, and is a reader of the snapshot being served.
func (s *Service) arrangeDocuments(key string, served *view) {
	documents := s.documentsOf(*s.documents.Load(), key, served)
	s.documents.Store(&documents)
}

// endExports ends the exports of snapshots that are no longer arranged, the oldest first, so that those that exports
// keep in memory take no more than Config.MaxExported.
func (s *Service) endExports() {
	held, kept := int64(0), []*view(nil)
	for _, v := range slices.Backward(s.departed) {
		switch mayBegin := v.arranged.Load() > 0; { // asked first: a request under way counts its export before it ends
		case v.exports.Load() == 0:
			if mayBegin {
				kept = append(kept, v)
			}
		case held+v.size > s.config.MaxExported:
			v.ended.Store(true)
		default:
			held, kept = held+v.size, append(kept, v)
		}
	}
	slices.Reverse(kept)
	s.departed = kept
}

// add returns the view of a snapshot in an arrangement: the one it has, that of the arrangement before, or a new one.
// It returns nil if the snapshot proves unusable, as when its file was cut short while it was mapped.
func (s *Service) add(a *arrangement, snapshot *index.Snapshot, before *arrangement) (v *view) {
	if v := a.viewOf(snapshot); v != nil || s.unusable == snapshot {
		return v
	}
	if !snapshot.Acquire() {
		panic("httpapi: arranged a snapshot that was released")
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
		v = newView(snapshot, time.Now())
	}
	a.views = append(a.views, v)
	v.arranged.Add(1)
	return v
}

// logUnusable logs the cause of a panic, which is being recovered.
func (s *Service) logUnusable(snapshot *index.Snapshot, cause any) {
	s.config.Log.Error().Str("snapshot", snapshot.ID()).Str("panic", fmt.Sprint(cause)).Bytes("stack", debug.Stack()).Msg("snapshot unusable")
}

// viewOf returns the view of a snapshot, or nil.
func (a *arrangement) viewOf(snapshot *index.Snapshot) *view {
	if i := slices.IndexFunc(a.views, func(v *view) bool { return v.snapshot == snapshot }); i >= 0 {
		return a.views[i]
	}
	return nil
}

// find returns the view of the snapshot with an ID, or the one being served if the ID is nil. It is a fault if the
// snapshot is not available.
func (a *arrangement) find(id []byte) (*view, fault.Fault) {
	if id == nil || string(id) == a.served.id {
		return a.served, fault.Fault{}
	}
	for _, v := range slices.Backward(a.views) {
		if v.id == string(id) {
			return v, fault.Fault{}
		}
	}
	if slices.Contains(a.pending, string(id)) {
		return nil, fault.Fault{Row: fault.SnapshotPending}
	}
	return nil, fault.Fault{Row: fault.SnapshotGone}
}

// Of implements params.Columns.
func (a *arrangement) Of(snapshot []byte) ([]params.Column, fault.Fault) {
	v, f := a.find(snapshot)
	if f.IsSet() {
		return nil, f
	}
	return v.columns, f
}

// acquire makes the caller a reader of the current arrangement, which it must release.
func (s *Service) acquire() *arrangement {
	for {
		a := s.arrangement.Load()
		if readers := a.readers.Load(); readers > 0 && a.readers.CompareAndSwap(readers, readers+1) {
			return a
		}
	}
}

// release ends what acquire began. The last reader releases the snapshots.
func (a *arrangement) release() {
	if a.readers.Add(-1) == 0 {
		for _, v := range a.views {
			v.arranged.Add(-1)
			v.snapshot.Release()
		}
	}
}

// A keyring is what authenticates requests, and what is reported of it. It is immutable; the next one replaces it
// whole.
type keyring struct {
	*keys.Set
	offered string // the public key, which pages offer; empty without one
	loads   Loads
}

// ArrangeKeys sets the keys that requests are checked against from now on, and what is reported of them. If set is nil
// or the current one, the keys stay. Keys in both the old and the new set keep the state of their rate. Pages offer
// visitors the public key of the set, if there is one, until it expires.
func (s *Service) ArrangeKeys(set *keys.Set, l Loads) {
	s.arranging.Lock()
	defer s.arranging.Unlock()
	next := *s.keys.Load()
	next.loads = l
	if set != nil && set != next.Set {
		set.Inherit(next.Set)
		next.Set = set
	}
	s.arrangeKeyring(next, time.Now())
}

// withdrawKey takes the public key off the pages if it has expired.
func (s *Service) withdrawKey(now time.Time) {
	if k := s.keys.Load(); k.offered == "" || k.Offered(now) != "" {
		return
	}
	s.arranging.Lock()
	defer s.arranging.Unlock()
	s.arrangeKeyring(*s.keys.Load(), now)
}

// arrangeKeyring replaces the keyring, and the documents if they offer another key. The caller holds s.arranging.
func (s *Service) arrangeKeyring(next keyring, now time.Time) {
	if next.offered = next.Offered(now); next.offered != s.keys.Load().offered {
		a := s.acquire()
		defer a.release()
		s.arrangeDocuments(next.offered, a.served)
	}
	s.keys.Store(&next)
}
