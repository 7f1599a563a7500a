// Package status has what a service says of itself, for operators: whether it is ready and why, how loading went, and the
// counts of what it has answered.
package status

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
	Error     string    `json:"error,omitempty"` // why it was not
}

// Loads says how data or keys were loaded. Its fields are those of feed.Loads of package pubd/loader/feed.
type Loads struct {
	Since                    time.Time // when the current load began; zero if none is running
	Error                    error     // why the last load failed; nil if it succeeded, or none has ended
	Succeeded, Failed        uint64    // loads since the start, those that found nothing new included
	LastSuccess, LastFailure time.Time // zero if there is none
	// When the source was last checked and reached, and why it was unreachable if it was; CheckedAt is zero if it was never
	// checked.
	CheckedAt, ReachedAt time.Time
	Unreachable          error
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

// add says how data or keys were loaded.
func (r *Readiness) add(what string, l Loads) {
	if since := l.Since; !since.IsZero() && (r.LoadingSince == nil || since.Before(*r.LoadingSince)) {
		r.LoadingSince = &since
	}
	if failed := l.LastFailure.UTC(); !failed.IsZero() && (r.LastFailure == nil || failed.After(*r.LastFailure)) {
		r.LastFailure = &failed
	}
	if l.CheckedAt.IsZero() {
		return
	}
	s := Source{Reachable: l.Unreachable == nil, CheckedAt: l.CheckedAt.UTC()}
	if !s.Reachable {
		s.Error = l.Unreachable.Error()
	}
	if r.Sources == nil {
		r.Sources = map[string]Source{}
	}
	r.Sources[what] = s
}

// Loaded completes r with how data and keys were loaded.
func (r Readiness) Loaded(data, keys Loads) Readiness {
	r.LastReload = "ok"
	if err := errors.Join(data.Error, keys.Error); err != nil {
		r.LastReload = err.Error()
	} else if data.Succeeded+data.Failed == 0 {
		r.LastReload = "none yet"
	}
	r.add("data", data)
	r.add("keys", keys)
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

// Traffic is what a server has taken on, for metrics.
type Traffic struct {
	InFlight, InFlightLimit int64  // bytes of large responses that are held for clients, and their limit
	Overloaded              uint64 // requests rejected because too many bytes or too much work were under way
	Connections             int
	ConnectionLimit         int
	Refused                 uint64 // connections closed at once, because there were too many
}
