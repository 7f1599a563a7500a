package httpapi

import (
	"errors"
	"time"
)

// Readiness is the response body of /readyz.
type Readiness struct {
	Ready    bool   `json:"ready"`
	Snapshot string `json:"snapshot"`
	Pubs     int    `json:"pubs"`
	// LoadedAt is when the snapshot was loaded; nil before there is one.
	LoadedAt *time.Time `json:"loaded_at"`
	// LastReload is "ok", the reason why the last reload of data or keys failed, or "none yet".
	LastReload string `json:"last_reload"`
	// LastFailure is when a load of data or keys last failed; nil if none has.
	LastFailure *time.Time `json:"last_failure"`
	// LoadingSince is when the current load of data or keys began, the older one of two; nil if none is running.
	LoadingSince *time.Time `json:"loading_since"`
	// Sources describes the sources of "data" and "keys" at the last attempt to reach them.
	Sources map[string]Source `json:"sources,omitempty"`
	// Fleet is the state of a replica that follows a manifest; otherwise nil.
	Fleet *Fleet `json:"fleet,omitempty"`
}

// A Source says whether the source of data or keys was reachable.
type Source struct {
	Reachable bool      `json:"reachable"`
	CheckedAt time.Time `json:"checked_at"`
	ReachedAt time.Time `json:"-"`               // when it last was; zero if never
	Error     string    `json:"error,omitempty"` // why it was not
}

// A Fleet is the manifest that a replica follows, and the snapshots of it that are available.
type Fleet struct {
	Sequence    uint64    `json:"sequence"`
	PublishedAt time.Time `json:"published_at"`
	// The IDs of earlier snapshots that clients can still request, of those to be served, and of those not
	// available yet.
	Kept     []string `json:"kept"`
	Prepared []string `json:"prepared"`
	Pending  []string `json:"pending"`
	// Built are the IDs of those that this replica built from their source, because it could not use the published
	// index file.
	Built []string `json:"built"`
	// NextAt is when one of them will be served or dropped; nil if there is no such time.
	NextAt *time.Time `json:"next_at"`
}

// Readiness reports whether requests should be sent here: once there is data and until the service drains,
// regardless of load. A failed reload does not change it, because old data is worth serving.
func (s *Service) Readiness() Readiness {
	a := s.acquire()
	defer a.release()
	return s.readiness(a, s.keys.Load())
}

// readiness returns the Readiness of an arrangement, of which the caller is a reader, and of keys.
func (s *Service) readiness(a *arrangement, k *keyring) Readiness {
	data, keys := a.loads, k.loads
	r := Readiness{LastReload: "ok", Fleet: a.fleet}
	if v := a.served; v != nil {
		r.Ready, r.Snapshot, r.Pubs, r.LoadedAt = !s.draining.Load(), v.id, v.snapshot.Len(), &v.loadedAt
	}
	if err := errors.Join(data.Error, keys.Error); err != nil {
		r.LastReload = err.Error()
	} else if data.Succeeded+data.Failed == 0 {
		r.LastReload = "none yet"
	}
	for what, l := range map[string]Loads{"data": data, "keys": keys} {
		if since := l.Since; !since.IsZero() && (r.LoadingSince == nil || since.Before(*r.LoadingSince)) {
			r.LoadingSince = &since
		}
		if failed := l.LastFailure.UTC(); !failed.IsZero() && (r.LastFailure == nil || failed.After(*r.LastFailure)) {
			r.LastFailure = &failed
		}
		if !l.Source.CheckedAt.IsZero() {
			if r.Sources == nil {
				r.Sources = map[string]Source{}
			}
			l.Source.CheckedAt = l.Source.CheckedAt.UTC()
			r.Sources[what] = l.Source
		}
	}
	return r
}

// A Report is what a service serves and has done since its start, for metrics.
type Report struct {
	Readiness  Readiness
	Rated      int // rated pubs in the snapshot
	Data, Keys Loads
	KnownKeys  int               // including revoked and expired ones
	Requests   []Requests        // of each operation
	ByKey      map[string]uint64 // requests with a valid key, by the name of the key, or "other"
	Rejected   map[string]uint64 // requests rejected for their key, by reason
	Searches   map[string]uint64 // searches for a text, by the step that found pubs
	Cut        uint64            // exports that ended early, after the response had begun
}

// Requests are the requests of an operation that were answered.
type Requests struct {
	Operation string                   // "none" for those rejected before it was known
	Statuses  map[int]uint64           // by the status of the response; every status has a count, and 0 that of all others
	Within    map[time.Duration]uint64 // those whose response was ready within a time
	Count     uint64
	Took      time.Duration // the sum of the times
}

// Report returns a report. Requests that are answered meanwhile may be counted in a part of it.
func (s *Service) Report() Report {
	a, keys := s.acquire(), s.keys.Load()
	defer a.release()
	r := Report{Readiness: s.readiness(a, keys), Data: a.loads, Keys: keys.loads, KnownKeys: keys.Len(), Cut: s.cut.Load()}
	if a.served != nil {
		r.Rated = a.served.snapshot.Rated()
	}
	r.ByKey = s.answered.byLabel(keys.Labels())
	r.Requests, r.Rejected, r.Searches = s.answered.report()
	return r
}
