package httpapi

import (
	"fmt"
	"runtime/debug"
	"time"

	"pubd/httpapi/keys"
	"pubd/httpapi/status"
	"pubd/index"
)

// Arrange replaces what the service answers from, for requests from now on; those under way finish with the generation
// that they began with. A snapshot in both the old and the new one is available at every moment. The caller must be a
// reader of the snapshots during the call, may release them afterwards, and must not change what the arrangement refers
// to. Arrange must not be called concurrently.
func (s *Service) Arrange(a Arrangement) {
	next := s.views.Next(a)
	s.arranging.Lock()
	defer s.arranging.Unlock()
	s.site.Follow(s.keys.Load().offered, next.Served)
	s.views.Publish(next)
}

// logUnusable logs the cause of a panic, which is being recovered.
func (s *Service) logUnusable(snapshot *index.Snapshot, cause any) {
	s.config.Log.Error().Str("snapshot", snapshot.ID()).Str("panic", fmt.Sprint(cause)).Bytes("stack", debug.Stack()).Msg("snapshot unusable")
}

// A keyring is what authenticates requests, and what is reported of it. It is immutable; the next one replaces it
// whole.
type keyring struct {
	*keys.Set
	offered string // the public key, which pages offer; empty without one
	loads   status.Loads
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
	s.offer(next, time.Now())
}

// withdrawKey takes the public key off the pages if it has expired.
func (s *Service) withdrawKey(now time.Time) {
	if k := s.keys.Load(); k.offered == "" || k.Offered(now) != "" {
		return
	}
	s.arranging.Lock()
	defer s.arranging.Unlock()
	s.offer(*s.keys.Load(), now)
}

// offer replaces the keyring, and the key that pages offer. The caller holds s.arranging.
func (s *Service) offer(next keyring, now time.Time) {
	g := s.views.Acquire()
	defer g.Release()
	next.offered = next.Offered(now)
	s.site.Follow(next.offered, g.Served)
	s.keys.Store(&next)
}
