package index

import (
	"runtime"

	"pubd/geo"
	"pubd/index/match"
	"pubd/index/postings"
	"pubd/index/schema"
	"pubd/index/segment"
)

// Search answers a query in three stages: compile looks up its values and names in the snapshot, match finds the pubs,
// and page sorts those that are on the page. Without relaxing, it does not allocate once the workspace has grown,
// unless it keeps a frequent text. Its cost depends on the number of pubs found, not on the depth of the page.
func (s *Snapshot) Search(q *Query, w *Workspace) Result {
	w.begin(s.Len())
	compiled := s.compile(q, w)
	found, unknown := compiled.match(), 0
	if q.Open {
		found, unknown = compiled.keepOpen(found)
	}
	p := compiled.page(found)
	result := Result{Unknown: unknown, Pubs: p.pubs, Distances: p.distances, Total: p.total, how: found.how, more: found.more}
	if found.how != nil && (found.how.Step != NotRelaxed || len(found.how.Denied().Words) > 0) {
		result.Relaxed = w.relaxedBy(found.how)
		result.Denied, result.Best, result.Here = found.how.Denied().Words, found.how.Best(), found.how.Here() && q.Circle == nil
		if result.Alone = len(found.how.Place.Words) > 0 && len(found.how.Words)+len(found.how.Direction)+len(found.how.Larger) == 0; result.Alone {
			result.Inside = w.sets.Both(found.set, found.how.Inside).Len()
		}
	}
	if found.more != nil {
		result.More, result.Added = w.relaxedBy(found.more), found.more.Pubs.Len()
	}
	if q.wantsCounts() {
		result.Counts, result.Spreads = compiled.count(found.set), compiled.spreads(found.set)
	}
	w.pubs, w.distances = p.pubs, p.distances
	runtime.KeepAlive(s)
	return result
}

// search is a compiled query with the working memory of the stages that follow. They do not change the query.
type search struct {
	snapshot *Snapshot
	segment  *segment.Segment
	query    *Query
	filter   *filter
	w        *Workspace
}

// matches is the result of matching a query.
type matches struct {
	// everything is set if all pubs match, or all in the circle that are not left out: then prepared data answers.
	everything bool
	set        postings.Set
	// how is how the words of the query matched; nil if it has none. more are pubs of the set that were added to a few, and
	// how they matched; nil if there are none.
	how, more *match.Answer
}

// relaxedBy returns how pubs were found.
func (w *Workspace) relaxedBy(a *match.Answer) Relaxed {
	r := Relaxed{Step: a.Step, Words: a.Words, Corrected: a.Corrected, Place: a.Place.Words, Larger: a.Larger, Unused: a.Unused, Features: a.Features, Time: a.Time()}
	if len(a.Misspelt) > 0 {
		r.Words, r.Corrected = a.Misspelt, a.Place.Words
	}
	if len(a.Direction) > 0 {
		w.matching.place = append(append(w.matching.place[:0], a.Direction...), a.Place.Words...)
		r.Place = w.matching.place
	}
	return r
}

// match finds the pubs that match the query.
func (s search) match() matches {
	switch {
	case !s.query.All:
		return s.matchText()
	case s.filter.isOpen() && s.query.isPrepared() && s.mayLeaveOut():
		return matches{everything: true}
	default:
		return matches{set: s.collect()}
	}
}

// isPrepared reports whether prepared data answers a query for all pubs, provided that it has no filter but a circle.
func (q *Query) isPrepared() bool {
	return q.All && !q.wantsCounts() && !q.Open && (q.bySpace() || q.Sort.Order() != schema.NoOrder)
}

// bySpace reports whether all pubs are sorted by their distance from the query's point.
func (q *Query) bySpace() bool {
	return q.Sort == schema.SortDistance || q.Sort == schema.SortRelevance && q.Circle != nil
}

// mayLeaveOut reports whether prepared data allows for the number of pubs that are left out.
func (s search) mayLeaveOut() bool {
	out := s.filter.high - s.filter.low
	return out == 0 || s.query.Sort == schema.SortDistance && out <= fewPubs || !s.query.bySpace()
}

// page has the pubs of a page, in order, their distances if there is a circle, and the number of pubs on all pages.
type page struct {
	pubs      []uint32
	distances []geo.Kilometres
	total     int
}

// page returns the pubs of the page, in order.
func (s search) page(m matches) page {
	if m.everything {
		return s.pageOfEverything()
	}
	p := page{pubs: s.w.pubs, distances: s.w.distances, total: m.set.Len()}
	if first, n := s.query.window(p.total); n > 0 {
		rank := rankers[s.query.Sort]
		if rank == nil {
			rank = search.byOrder
		}
		p = rank(s, m, p, first, n)
	}
	return s.withDistances(p)
}

// A ranker appends the pubs at ranks first to first+n-1 of matches to a page. The caller ensures that there are n from
// first on.
type ranker func(s search, m matches, p page, first, n int) page

// withDistances adds the distances of the pubs of a page in a circle.
func (s search) withDistances(p page) page {
	if circle := s.query.Circle; circle != nil && len(p.distances) == 0 && !s.query.NoDistances {
		for _, pub := range p.pubs {
			p.distances = append(p.distances, circle.Distance(s.segment.Points.Vector(pub)))
		}
	}
	return p
}
