package httpapi

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"pubd/httpapi/params"
	"pubd/index"
)

// answerFormat is part of every ETag. Increment it with each change to the bytes of any response, so that no client
// mistakes the response of an older program for the current one.
const answerFormat = 8

// A view is everything that must be consistent within a response: the snapshot, its ID and the seed of its ETags. It
// is immutable, except for replaced, arranged, exports and ended. Whoever uses its snapshot must be a reader of
// that, or of an arrangement with the view.
type view struct {
	snapshot      *index.Snapshot
	id            string
	seed          uint64
	loadedAt      time.Time
	stats         []byte        // the body of stats
	points        func() []byte // the body of points without a query, computed on first use
	extra         [][]byte      // names of the extra columns
	columns       []params.Column
	countsReviews bool
	// Sizes of pubs as they are prepared, of pubs with their details, of their texts that may match, of their opening hours,
	// and of the values of facets, as JSON.
	prepared, whole, texts, hours, values sizes
	// replaced is when an arrangement without the view replaced one with it; nil before.
	replaced atomic.Pointer[time.Time]
	// arranged is how many arrangements with the view have readers, which may begin to export it.
	arranged atomic.Int64
	// exports is how many exports of the view are being sent, and size that of its snapshot in bytes. ended is set
	// when they must end, because memory is needed.
	exports atomic.Int64
	size    int64
	ended   atomic.Bool
}

// newView prepares a snapshot to be served.
func newView(snapshot *index.Snapshot, loadedAt time.Time) *view {
	v := &view{snapshot: snapshot, id: snapshot.ID(), loadedAt: loadedAt, size: snapshot.Size()}
	var seed []byte
	for _, number := range []int{answerFormat, snapshot.Len()} {
		seed = strconv.AppendInt(append(seed, ' '), int64(number), 10)
	}
	for _, name := range snapshot.Extra() {
		v.extra = append(v.extra, []byte(name.Name()))
		seed = append(append(seed, '\n'), name...)
	}
	for i, name := range snapshot.ExtraFacets() {
		column := params.Column{IsNumber: snapshot.IsNumber(i)}
		if params.CheckColumn(name) == nil {
			column.Name = name
		}
		v.columns = append(v.columns, column)
	}
	v.seed = xxhash.Sum64(seed)
	v.stats = v.appendStats(nil)
	v.measure(snapshot)
	v.values = valueSizes(snapshot)
	v.countsReviews = countsReviews(snapshot)
	v.points = sync.OnceValue(func() []byte { return mapOf(snapshot, maxPoints) })
	return v
}

// seedOf returns what distinguishes the responses of services with different settings, besides their time zone.
func seedOf(c Config) uint64 {
	return xxhash.Sum64String(fmt.Sprint(c.MaxUnpaged, c.Features))
}

// variant distinguishes the responses to one query string: by format and, if they may depend on when pubs are open, by the
// minute, as an instant and as the server's wall time; those of stats by when this server loaded the snapshot, which
// they contain.
func (v *view) variant(p *params.Params) uint64 {
	if p.Operation == params.Stats {
		return uint64(v.loadedAt.Unix())
	}
	variant := uint64(p.Format)
	q := &p.Query
	// Words may ask for open pubs, also those of the search of a suggestion; what time they mean is told in any order.
	isTimed := q.Open && !q.At.Always || p.Timed || p.RanksWishes()
	if !q.At.IsWall && v.snapshot.TellsHours() && (isTimed || p.MayAskForTime()) {
		variant += uint64(q.At.Instant.Unix()/60)<<8 + uint64(q.At.In(nil))<<40
	}
	return variant
}

// idLength is the length of the ID of a snapshot.
const idLength = 16

// An etag is an entity tag: in quotes, the ID of the snapshot, a dash and 16 hexadecimal digits.
type etag [2 + idLength + 1 + 16]byte

// etag returns the entity tag of a variant of a response, by the raw query string, or by the bytes of a page.
func (v *view) etag(of []byte, variant uint64) (tag etag) {
	var hash [8]byte
	binary.BigEndian.PutUint64(hash[:], v.seed+variant^xxhash.Sum64(of))
	hex.AppendEncode(append(append(append(tag[:0], '"'), v.id...), '-'), hash[:])
	tag[len(tag)-1] = '"'
	return tag
}
