package index

import (
	"runtime"

	"pubd/index/features"
	"pubd/index/hours"
	"pubd/index/postings"
	"pubd/index/segment"
)

// Opening returns whether a pub is open at a moment. It takes some microseconds at most.
func (s *Snapshot) Opening(pub uint32, at *hours.Moment) hours.Opening {
	o := s.segment.Openings.Opening(pub, at)
	runtime.KeepAlive(s)
	return o
}

// Hours returns the hours of a pub, on no day any for one that has closed; nil if they are not known. They are valid as
// long as the snapshot.
func (s *Snapshot) Hours(pub uint32) hours.Calendar { return s.segment.Openings.Hours(pub) }

// IsDated reports whether the hours of a pub depend on the date.
func (s *Snapshot) IsDated(pub uint32) bool { return s.segment.Openings.IsDated(pub) }

// TellsHours reports whether it is known of any pub when it is open.
func (s *Snapshot) TellsHours() bool { return s.segment.Openings.Any() }

// keepOpen keeps the pubs that are open as the query wants, and returns of how many it is not known.
func (s search) keepOpen(m matches) (kept matches, unknown int) {
	m.set, unknown = s.open(m.set)
	if m.more != nil {
		m.how.Pubs, _ = s.open(m.how.Pubs)
		if m.more.Pubs, _ = s.open(m.more.Pubs); m.more.Pubs.Len() == 0 {
			m.more = nil
		}
	}
	return m, unknown
}

// open returns the pubs of a set that are open as the query wants, and of how many of the set it is not known.
func (s search) open(pubs postings.Set) (open postings.Set, unknown int) {
	pool, o, at := &s.w.sets, &s.segment.Openings, &s.query.At
	stateOf := func(pub uint32) hours.State { return o.State(pub, at) }
	isSome := pubs.Len() <= fewPubs
	if isFew := pubs.Len() < s.snapshot.Len()/4; !isSome && isFew && !s.w.open.Has[segment.Now] && o.IsNew(segment.Now, at, &s.w.open) {
		states := o.StatesAt(&s.w.open.States, at)
		stateOf = func(pub uint32) hours.State { return states[o.ByPub.At(pub)] }
		isSome = true
	}
	if isSome {
		open = pool.Filter(pubs, func(pub uint32) bool {
			state := stateOf(pub)
			if state == hours.Unknown {
				unknown++
			}
			return state == hours.Open || state == hours.Unknown && s.query.OpenUnknown
		})
		return open, unknown
	}
	found := s.segment.OpenAs(features.OpenNow, features.Time{}, at, &s.w.open)
	open = pool.Both(pubs, found.Open)
	unknown = pubs.Len() - open.Len() - found.Closed.Bitmap().CountCommon(pubs)
	if s.query.OpenUnknown {
		open = pool.Difference(pubs, pool.Both(pubs, found.Closed))
	}
	return open, unknown
}

// KnowsFeature reports whether a feature, given as folded text, is known to the snapshot or the vocabulary.
func (s *Snapshot) KnowsFeature(folded []byte, v *features.Vocabulary) bool {
	_, known := s.segment.Named(folded, v)
	runtime.KeepAlive(s)
	return known
}
