package httpapi

import (
	"pubd/httpapi/status"
	"pubd/httpapi/views"
)

// Readiness reports whether requests should be sent here: once there is data and until the service drains,
// regardless of load. A failed reload does not change it, because old data is worth serving.
func (s *Service) Readiness() status.Readiness {
	g := s.views.Acquire()
	defer g.Release()
	return s.readiness(g, s.keys.Load())
}

// readiness returns the Readiness of a generation, of which the caller is a reader, and of keys.
func (s *Service) readiness(g *views.Generation, k *keyring) status.Readiness {
	r := status.Readiness{Fleet: g.Fleet}
	if v := g.Served; v != nil {
		r.Ready, r.Snapshot, r.Pubs, r.LoadedAt = !s.draining.Load(), v.ID, v.Snapshot.Len(), &v.LoadedAt
	}
	return r.Loaded(g.Loads, k.loads)
}

// Report returns a report. Requests that are answered meanwhile may be counted in a part of it.
func (s *Service) Report() status.Report {
	g, keys := s.views.Acquire(), s.keys.Load()
	defer g.Release()
	r := status.Report{Readiness: s.readiness(g, keys), Data: g.Loads, Keys: keys.loads, KnownKeys: keys.Len(), Cut: s.cut.Load()}
	if g.Served != nil {
		r.Rated = g.Served.Snapshot.Rated()
	}
	s.answered.Report(&r, keys.Labels())
	return r
}
