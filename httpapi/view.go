package httpapi

import (
	"bytes"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"pubd/index"
)

// answerFormat is part of every ETag. It goes up with each change of the bytes of any answer, so that no client takes
// the answer of an older program for that of this one.
const answerFormat = 3

// A view is all that must agree within one answer: the snapshot, its prepared bytes, its name and the seed of its
// ETags. It is immutable; a request loads it once, and it dies with the last request that holds it.
type view struct {
	snapshot *index.Snapshot
	id       string
	idBytes  []byte // of id
	seed     uint64
	loadedAt time.Time
	number   uint64 // of the views that were published, from 1
	// pubs holds each pub as JSON, followed by a comma, in the order of ordinals: pub i is pubs[starts[i]:starts[i+1]].
	pubs   []byte
	starts []uint64
	// near holds those with coordinates once more, up to the value of their distance, in an order in which pubs near one another on the
	// ground are near one another: an answer about a circle copies from few places of memory.
	near  []byte
	spans []span
	// tails is what ends a pub of near, by its span: what all unrated pubs have in common is there once, so that an
	// answer about a circle reads less memory.
	tails [2][]byte
	stats []byte // the answer of stats
}

// A span is where in near a pub is, and which of the tails ends it.
type span struct {
	start  uint64
	length uint32
	tail   uint32
}

func (s span) end() uint64 { return s.start + uint64(s.length) }

// newView prepares a snapshot to be served; source names the bytes that it was made of.
func newView(snapshot *index.Snapshot, source [32]byte, maxUnpaged int, loadedAt time.Time) *view {
	v := &view{
		snapshot: snapshot,
		id:       hex.EncodeToString(source[:8]),
		loadedAt: loadedAt,
		starts:   make([]uint64, 1, snapshot.Len()+1),
	}
	v.idBytes = []byte(v.id)
	var seed []byte
	for _, number := range []int{answerFormat, maxUnpaged, snapshot.Len()} {
		seed = strconv.AppendInt(append(seed, ' '), int64(number), 10)
	}
	v.seed = xxhash.Sum64(seed)
	var pubs []byte
	for ordinal := range uint32(snapshot.Len()) {
		pubs = appendPub(pubs, snapshot.Pub(ordinal))
		pubs = append(pubs, ',')
		v.starts = append(v.starts, uint64(len(pubs)))
	}
	v.pubs = slices.Clone(pubs)
	none := index.Ratings{}
	for metric := range none {
		none[metric] = math.NaN()
	}
	unrated := appendRatings(nil, &none, 0)
	v.tails = [2][]byte{[]byte(`,"distance":`), append(slices.Clone(unrated), `,"distance":`...)}
	near := pubs[:0]
	v.spans = make([]span, snapshot.Len())
	for _, ordinal := range snapshot.Neighbours() {
		start, tail := len(near), uint32(0)
		head, found := bytes.CutSuffix(v.open(ordinal), unrated)
		if found {
			tail = 1
		}
		near = append(near, head...)
		v.spans[ordinal] = span{uint64(start), uint32(len(head)), tail}
	}
	v.near = slices.Clone(near)
	v.stats = v.appendStats(nil)
	return v
}

// variant tells apart the answers to one query string: by format, and stats by when this server loaded the snapshot, which is in it.
func (v *view) variant(a *arguments) uint64 {
	if a.operation == opStats {
		return uint64(v.loadedAt.Unix())
	}
	return uint64(a.format)
}

// appendETag appends the entity tag of a variant of the answer to a raw query string.
func (v *view) appendETag(dst, query []byte, variant uint64) []byte {
	dst = append(dst, '"')
	dst = append(dst, v.id...)
	dst = append(dst, '-')
	hash := v.seed + variant ^ xxhash.Sum64(query)
	for shift := 60; shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[hash>>shift&15])
	}
	return append(dst, '"')
}

// appendPub appends a pub as JSON.
func appendPub(dst []byte, pub *index.Pub) []byte {
	dst = appendString(append(dst, `{"UID":`...), pub.UID)
	dst = appendString(append(dst, `,"name":`...), pub.Name)
	dst = appendOptional(append(dst, `,"location":`...), pub.Location)
	dst = appendOptional(append(dst, `,"trading":`...), pub.Trading)
	dst = appendNumber(append(dst, `,"latitude":`...), pub.Latitude)
	dst = appendNumber(append(dst, `,"longitude":`...), pub.Longitude)
	dst = appendOptional(append(dst, `,"common_category":`...), pub.Category)
	return append(appendRatings(dst, &pub.Ratings, pub.ReviewCount), '}')
}

// appendRatings appends what ends a pub.
func appendRatings(dst []byte, ratings *index.Ratings, reviews int64) []byte {
	for metric, rating := range ratings {
		dst = append(dst, `,"`...)
		dst = append(dst, index.Metric(metric).String()...)
		dst = appendNumber(append(dst, `":`...), rating)
	}
	return strconv.AppendInt(append(dst, `,"review_count":`...), reviews, 10)
}

// appendNumber appends a number, or null for NaN.
func appendNumber(dst []byte, value float64) []byte {
	if value != value {
		return append(dst, "null"...)
	}
	return index.AppendNumber(dst, value)
}

// appendOptional appends a string, or null for the empty one.
func appendOptional(dst []byte, text string) []byte {
	if text == "" {
		return append(dst, "null"...)
	}
	return appendString(dst, text)
}

// appendText appends a string of valid UTF-8 as a client gave it, which may have control characters.
func appendText(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20:
			dst = append(dst, `\u00`...)
			dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// appendString appends a string of valid UTF-8 without control characters, byte for byte but for what JSON escapes.
func appendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		if text[i] == '"' || text[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}
