// Package views has what requests are answered from: a View of each snapshot, with what is prepared of it, and the
// Generation of views that serves until the next one replaces it whole.
package views

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"pubd/httpapi/params"
	"pubd/httpapi/points"
	"pubd/httpapi/query"
	"pubd/index"
)

// answerFormat is part of every ETag. Increment it with each change to the bytes of any response, so that no client
// mistakes the response of an older program for the current one.
const answerFormat = 8

// A View is everything that must be consistent within a response: the snapshot, its ID and the seed of its ETags. It
// is immutable, except for its lease. Whoever uses its snapshot must be a reader of that, or of a Generation with the
// view.
type View struct {
	Snapshot      *index.Snapshot
	ID            string
	LoadedAt      time.Time
	Bodies        [params.OperationCount][]byte // of operations that are prepared
	Points        func() []byte                 // the body of points without a query, computed on first use
	Extra         [][]byte                      // names of the extra columns
	Columns       []query.Column
	CountsReviews bool
	// Sizes of pubs as they are prepared, of pubs with their details, of their texts that may match, of their opening hours,
	// and of the values of facets, as JSON.
	Prepared, Whole, Texts, Hours, Values Sizes

	seed  uint64
	size  int64 // of the snapshot
	lease lease
}

// New prepares a snapshot to be served.
func New(snapshot *index.Snapshot, loadedAt time.Time) *View {
	v := &View{Snapshot: snapshot, ID: snapshot.ID(), LoadedAt: loadedAt, size: snapshot.Size()}
	var seed []byte
	for _, number := range []int{answerFormat, snapshot.Len()} {
		seed = strconv.AppendInt(append(seed, ' '), int64(number), 10)
	}
	for _, name := range snapshot.Extra() {
		v.Extra = append(v.Extra, []byte(name.Name()))
		seed = append(append(seed, '\n'), name...)
	}
	for i, name := range snapshot.ExtraFacets() {
		column := query.Column{IsNumber: snapshot.IsNumber(i)}
		if query.CheckColumn(name) == nil {
			column.Name = name
		}
		v.Columns = append(v.Columns, column)
	}
	v.seed = xxhash.Sum64(seed)
	v.Bodies[params.Stats] = v.appendStats(nil)
	v.measure(snapshot)
	v.Values = valueSizes(snapshot)
	v.CountsReviews = countsReviews(snapshot)
	v.Points = sync.OnceValue(func() []byte { return points.All(snapshot, points.Most) })
	return v
}

// Variant distinguishes the responses to one query string: by format and, if they may depend on when pubs are open, by the
// minute, as an instant and as the server's wall time; those of stats by when this server loaded the snapshot, which
// they contain.
func (v *View) Variant(p *query.Params) uint64 {
	if p.Operation == params.Stats {
		return uint64(v.LoadedAt.Unix())
	}
	variant := uint64(p.Format)
	q := &p.Query
	// Words may ask for open pubs, also those of the search of a suggestion; what time they mean is told in any order.
	isTimed := q.Open && !q.At.Always || p.Timed || p.RanksWishes()
	if !q.At.IsWall && v.Snapshot.TellsHours() && (isTimed || p.MayAskForTime()) {
		variant += uint64(q.At.Instant.Unix()/60)<<8 + uint64(q.At.In(nil))<<40
	}
	return variant
}

// idLength is the length of the ID of a snapshot.
const idLength = 16

// An ETag is an entity tag: in quotes, the ID of the snapshot, a dash and 16 hexadecimal digits.
type ETag [2 + idLength + 1 + 16]byte

// ETag returns the entity tag of a variant of a response, by the raw query string, or by the bytes of a page.
func (v *View) ETag(of []byte, variant uint64) (tag ETag) {
	var hash [8]byte
	binary.BigEndian.PutUint64(hash[:], v.seed+variant^xxhash.Sum64(of))
	hex.AppendEncode(append(append(append(tag[:0], '"'), v.ID...), '-'), hash[:])
	tag[len(tag)-1] = '"'
	return tag
}

// countsReviews reports whether the file of the snapshot had review counts: then no pub has ratings but no reviews.
func countsReviews(s *index.Snapshot) bool {
	for ordinal := range uint32(s.Len()) {
		ratings := s.Ratings(ordinal)
		if slices.ContainsFunc(ratings[:], func(rating float64) bool { return rating == rating }) {
			return s.Pub(ordinal).ReviewCount > 0
		}
	}
	return true
}
