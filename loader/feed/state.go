package feed

import (
	"maps"
	"slices"
	"time"

	"pubd/loader/fetch"
	"pubd/loader/manifest"
)

// A State is all that a feed has at a moment. It is immutable, and replaced whole.
type State struct {
	// Serve is the version to serve; nil before the first, and from when it was damaged until it is opened again.
	Serve *fetch.Version
	// Kept and Prepared are other versions that clients may request: earlier ones, and those to be served; newest
	// first.
	Kept, Prepared []*fetch.Version // without Serve
	// Pending are the IDs of those that are to be served or requested, and not available yet.
	Pending []string
	// Manifest names all of them; nil before the first. That of a file that is no manifest is the feed's own: each
	// version of the file is one more publication, from the moment it was opened.
	Manifest *manifest.Manifest
	// Published is set if the manifest comes from the source.
	Published bool
	// Change is when one of the versions will be served or dropped; the zero time means never.
	Change time.Time
	Loads

	serves  manifest.Snapshot            // the publication that Serve is of
	older   map[publicationID]bool       // the publications before that one
	content []byte                       // of the manifest
	version string                       // of the source, as it was last loaded or rejected
	opened  map[contentID]*fetch.Version // those needed, and the one served
	fates   fates                        // of what could not be opened
}

// Loads says how the versions were loaded.
type Loads struct {
	Since                    time.Time // when the current load began; zero if none is running
	Error                    error     // why the last load failed; nil if it succeeded, or none has ended
	Succeeded, Failed        uint64    // loads since the start, those that found nothing new included
	LastSuccess, LastFailure time.Time // zero if there is none
	// When the source was last checked and reached, and why it was unreachable if it was. CheckedAt is zero for a
	// local file that is read only on request.
	CheckedAt, ReachedAt time.Time
	Unreachable          error
}

// A contentID identifies the index of a publication: one that is open serves all publications of it.
type contentID struct {
	source, index string // SHA-256
	pubs          int
}

func contentOf(s manifest.Snapshot) contentID {
	return contentID{s.Source, s.Index.ExpandedSHA256, s.Pubs}
}

// A publicationID identifies a publication: a snapshot may be published again.
type publicationID struct {
	source       string
	at, activeAt time.Time
}

func publicationOf(s manifest.Snapshot) publicationID {
	return publicationID{s.Source, s.PublishedAt.UTC(), s.ActivateAt.UTC()}
}

// current returns what a source must know of the state.
func (s State) current() fetch.Current {
	c := fetch.Current{Version: s.version, Serve: s.Serve, Pubs: s.serves.Pubs, Opened: slices.Collect(maps.Keys(s.live()))}
	if s.Published {
		c.Manifest, c.Content = s.Manifest, s.content
	}
	return c
}

// at returns the state at a time: which of the opened versions are then served, kept and prepared. A publication that
// was served is never replaced by one from before it, wherever the clock goes.
func (s State) at(now time.Time, keepFor time.Duration, keep int) State {
	if s.Manifest == nil {
		return s
	}
	if newest := s.Manifest.Snapshots[0].ActivateAt; !s.Published && now.Before(newest) {
		now = newest
	}
	plan := s.Manifest.Plan(now, keepFor, keep)
	for _, p := range s.servable(plan) {
		if v := s.opened[contentOf(p)]; v != nil {
			s.Serve, s.serves = v, p
			break
		}
	}
	isServed := func(p manifest.Snapshot) bool { return publicationOf(p) == publicationOf(s.serves) }
	if i := slices.IndexFunc(s.Manifest.Snapshots, isServed); i >= 0 {
		s.older = map[publicationID]bool{}
		for _, p := range s.Manifest.Snapshots[i+1:] {
			s.older[publicationOf(p)] = true
		}
	}
	s.Kept, s.Prepared, s.Pending, s.Change = nil, nil, nil, plan.Change
	needed := map[contentID]bool{}
	available := func(list ...manifest.Snapshot) (versions []*fetch.Version) {
		for _, p := range list {
			switch v := s.opened[contentOf(p)]; {
			case v == nil:
				s.Pending = append(s.Pending, p.ID)
			case v != s.Serve && !needed[contentOf(p)]:
				versions = append(versions, v)
			}
			needed[contentOf(p)] = true
		}
		return versions
	}
	if plan.Serve != nil && (!s.older[publicationOf(*plan.Serve)] || s.opened[contentOf(*plan.Serve)] != nil) {
		s.Kept = available(*plan.Serve) // if it is older than what is served
	}
	s.Prepared, s.Kept = available(plan.Upcoming...), append(s.Kept, available(plan.Kept...)...)
	s.opened = maps.Clone(s.opened)
	maps.DeleteFunc(s.opened, func(i contentID, v *fetch.Version) bool { return !needed[i] && v != s.Serve })
	return s
}

// maxEarlier is the maximum number of publications to be tried in place of the one whose time it is.
const maxEarlier = 3

// servable returns the publications that may be served, the best first: the one whose time it is and, should that be
// missing, those before it, but none from before the one that is served, and no snapshot that was withdrawn by
// publishing an earlier one again.
func (s State) servable(plan manifest.Plan) (list []manifest.Snapshot) {
	if plan.Serve == nil {
		return nil
	}
	all := append([]manifest.Snapshot{*plan.Serve}, plan.Earlier...)
	isWithdrawn, until := map[string]bool{}, 0 // by source, as its newest publication is
	for i, p := range all {
		if _, known := isWithdrawn[p.Source]; !known {
			isWithdrawn[p.Source] = i < until
		}
		if isWithdrawn[p.Source] {
			continue
		}
		if again := slices.IndexFunc(all[i+1:], func(earlier manifest.Snapshot) bool { return earlier.Source == p.Source }); again >= 0 {
			until = max(until, i+1+again)
		}
		if !s.older[publicationOf(p)] && len(list) <= maxEarlier {
			list = append(list, p)
		}
	}
	return list
}

// nextMissing returns the most urgent publication that is needed, not opened and not yet tried; nil if there is none.
// It is urgent if it is or will be served.
func (s State) nextMissing(plan manifest.Plan, tried map[string]bool) (p *manifest.Snapshot, isUrgent bool) {
	first := func(list []manifest.Snapshot) *manifest.Snapshot {
		for i := range list {
			if s.opened[contentOf(list[i])] == nil && !tried[fileOfPublication(list[i])] {
				return &list[i]
			}
		}
		return nil
	}
	servable := s.servable(plan)
	isOpened := func(p manifest.Snapshot) bool { return s.opened[contentOf(p)] != nil }
	if i := slices.IndexFunc(servable, isOpened); i >= 0 {
		servable = servable[:i]
	}
	slices.Reverse(plan.Upcoming) // the next one first
	if p = first(append(servable, plan.Upcoming...)); p != nil {
		return p, true
	}
	return first(plan.Kept), false
}

// with returns the state with one more opened version.
func (s State) with(v *fetch.Version) State {
	s.opened = maps.Clone(s.opened)
	if s.opened == nil {
		s.opened = map[contentID]*fetch.Version{}
	}
	s.opened[contentOf(v.Publication)] = v
	return s
}

// without returns the state without damaged versions, so that they are opened again.
func (s State) without(damaged map[*fetch.Version]error) State {
	s.opened = maps.Clone(s.opened)
	maps.DeleteFunc(s.opened, func(_ contentID, v *fetch.Version) bool { return damaged[v] != nil })
	if err := damaged[s.Serve]; err != nil {
		s.Serve, s.version, s.Error = nil, "", err
	}
	return s
}

// isLost reports whether nothing is served because it was damaged.
func (s State) isLost() bool { return s.Serve == nil && s.serves.ID != "" }

// accepting returns the state with the version of a file that is no manifest as the one to serve from now on, wherever
// the clock went.
func (s State) accepting(v *fetch.Version, now time.Time, keep int) State {
	if s.Manifest != nil && !now.After(s.Manifest.Snapshots[0].ActivateAt) {
		now = s.Manifest.Snapshots[0].ActivateAt.Add(1)
	}
	v.Publication.PublishedAt, v.Publication.ActivateAt = now, now
	s.Manifest = s.Manifest.Next(v.Publication, keep)
	return s.with(v)
}

// live returns the versions that are in use.
func (s State) live() map[*fetch.Version]bool {
	live := map[*fetch.Version]bool{}
	for _, v := range s.opened {
		live[v] = true
	}
	if s.Serve != nil {
		live[s.Serve] = true
	}
	return live
}
