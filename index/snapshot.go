package index

import (
	"encoding/hex"
	"runtime"
	"sync/atomic"

	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/ranking"
	"pubd/index/schema"
	"pubd/index/segment"
)

// Snapshot answers queries about one directory. It is immutable and safe for concurrent use.
//
// Each pub has an ordinal, its position from 0 in the default order: by folded name, then name, then UID. All sets,
// orders and results consist of ordinals.
//
// Its data is in a mapped index file, whose readers are counted: at first, whoever opened the snapshot;
// [Snapshot.Acquire] adds one. When the last one has called [Snapshot.Release], the memory is unmapped. Only readers
// may call methods and use what is in its memory (prepared pubs, the texts of counts and suggestions): later reads
// kill the process or return something else.
//
// If a snapshot is dropped without Release, the garbage collector unmaps it. Then the caller must keep it reachable
// until the last use of its memory, with [runtime.KeepAlive] if nothing else does.
type Snapshot struct {
	file     *indexfile.File
	segment  *segment.Segment
	most     [schema.FacetCount][]Count // of all pubs
	frequent frequent

	readers atomic.Int64
	mapping *indexfile.Mapping
	cleanup runtime.Cleanup // unmaps
}

// Acquire adds a reader, which must call Release. It reports false if the last reader has released the snapshot.
func (s *Snapshot) Acquire() bool {
	for {
		readers := s.readers.Load()
		if readers <= 0 {
			return false
		}
		if s.readers.CompareAndSwap(readers, readers+1) {
			return true
		}
	}
}

// Release removes a reader. The last one unmaps the memory.
func (s *Snapshot) Release() {
	switch readers := s.readers.Add(-1); {
	case readers == 0:
		s.cleanup.Stop()
		s.mapping.Unmap()
		runtime.KeepAlive(s) // or the cleanup could have begun
	case readers < 0:
		panic("index: snapshot released by more than its readers")
	}
}

// Section is a part of an index file.
type Section = indexfile.Section

// FormatVersion returns the version of index files that this program writes and reads.
func FormatVersion() int { return indexfile.Version }

// Len returns the number of pubs.
func (s *Snapshot) Len() int { return s.file.Pubs }

// Rated returns the number of rated pubs.
func (s *Snapshot) Rated() int { return s.segment.Rated.Len() }

// Source returns the SHA-256 of the file that the snapshot was built from.
func (s *Snapshot) Source() [32]byte { return s.file.Source }

// ID returns the first 8 bytes of Source in hexadecimal digits.
func (s *Snapshot) ID() string { return hex.EncodeToString(s.file.Source[:8]) }

// BuilderVersion returns the version of the program that built the index file.
func (s *Snapshot) BuilderVersion() string { return s.file.BuilderVersion }

// Sections returns the parts of the index file, in its order.
func (s *Snapshot) Sections() []Section { return s.file.Sections }

// Size is that of the index file in bytes.
func (s *Snapshot) Size() int64 { return s.file.Size() }

// Lookup returns the ordinal of a UID, compared byte for byte.
func (s *Snapshot) Lookup(uid []byte) (ordinal uint32, ok bool) {
	ordinal, ok = s.segment.Lookup(uid)
	runtime.KeepAlive(s)
	return ordinal, ok
}

// Prepared returns a pub as it was prepared for answers.
func (s *Snapshot) Prepared(ordinal uint32) segment.Prepared { return s.segment.Pubs.At(ordinal) }

// Texts returns the UID, the name and the location of a pub, in the memory of the snapshot; the location is empty if it
// is missing. Quotes and backslashes are escaped as in JSON (see [AppendUnescaped]), which does not affect the words.
func (s *Snapshot) Texts(ordinal uint32) (uid, name, location []byte) {
	return s.segment.Pubs.Texts(ordinal)
}

// Extra returns the extra columns, in the order of their values in Details.
func (s *Snapshot) Extra() []schema.ExtraColumn { return s.segment.Details.Extra }

// Has reports whether any pub has a column on request.
func (s *Snapshot) Has(column int) bool { return s.segment.Details.Has(column) }

// Details returns the columns on request and the extra columns of a pub, as [CutDetail] takes them one by one, in the
// memory of the snapshot.
func (s *Snapshot) Details(ordinal uint32) []byte { return s.segment.Details.At(ordinal) }

// Pub returns the pub with an ordinal. It decodes the pub, which takes some microseconds and allocates.
func (s *Snapshot) Pub(ordinal uint32) *schema.Pub {
	pub := s.segment.Pubs.Decode(ordinal)
	s.segment.Details.Decode(ordinal, pub)
	runtime.KeepAlive(s)
	return pub
}

// Point returns the position of a pub; both degrees are NaN if it is unknown.
func (s *Snapshot) Point(ordinal uint32) geo.Point {
	p := s.segment.Points.Point(ordinal)
	runtime.KeepAlive(s)
	return p
}

// CountWithin returns how many pubs are within a distance of a point.
func (s *Snapshot) CountWithin(at geo.Point, distance geo.Kilometres) int {
	circle := geo.NewCircle(at, distance)
	n := s.segment.Points.Count(&circle, false)
	runtime.KeepAlive(s)
	return n
}

// Bounds returns the smallest box that contains all pubs with coordinates, and does not cross the 180° meridian; false
// if none has any.
func (s *Snapshot) Bounds() (box geo.Box, ok bool) { return s.segment.Points.Bounds() }

// Ratings returns the ratings of a pub.
func (s *Snapshot) Ratings(ordinal uint32) (ratings schema.Ratings) {
	for metric := range schema.Metric(schema.MetricCount) {
		ratings[metric] = s.segment.Orders[metric.Sort()].Value(ordinal)
	}
	runtime.KeepAlive(s)
	return ratings
}

// Fair returns a pub's fair score; NaN if it has none.
func (s *Snapshot) Fair(ordinal uint32) float64 {
	score := s.segment.Orders[schema.SortFair].Value(ordinal)
	runtime.KeepAlive(s)
	return score
}

// FairScale returns the scale of the snapshot's fair scores.
func (s *Snapshot) FairScale() ranking.FairScale { return s.segment.FairScale }

// Rank returns a pub's rank in a metric among the rated pubs that have it, from 1 for the highest; equal ratings share
// the better rank. It is 0 if the pub has none.
func (s *Snapshot) Rank(ordinal uint32, metric schema.Metric) uint32 {
	rank := uint32(0)
	if s.segment.Rated.Has(ordinal) {
		rank = s.segment.Orders[metric.Sort()].Rank(ordinal)
	}
	runtime.KeepAlive(s)
	return rank
}

// LocalRank returns a pub's rank in a metric among the rated pubs of its location that have it, from 1 for the
// highest, and the number of those pubs. Equal ratings share the better rank. Both are 0 if the pub has no rank.
func (s *Snapshot) LocalRank(ordinal uint32, metric schema.Metric) (rank, among uint32) {
	location := s.segment.Facets[schema.Location].ByPub.At(ordinal)
	if group, ok := s.segment.Orders[metric.Sort()].Group(ordinal); ok && s.segment.Facets[schema.Location].Has(location) && s.segment.Rated.Has(ordinal) {
		rank, among = s.segment.LocalRanks[metric].Rank(location, group)
	}
	runtime.KeepAlive(s)
	return rank, among
}

// Namesakes returns the number of other pubs with the same folded name.
func (s *Snapshot) Namesakes(ordinal uint32) int {
	low, high := s.segment.Names.Around(ordinal)
	runtime.KeepAlive(s)
	return int(high-low) - 1
}

// AppendLabel appends a text that distinguishes a pub from all others of the snapshot: its name, with its location if
// it has namesakes, and its number or its UID if others have the same.
func (s *Snapshot) AppendLabel(dst []byte, ordinal uint32) []byte {
	dst = s.segment.AppendLabel(dst, ordinal)
	runtime.KeepAlive(s)
	return dst
}
