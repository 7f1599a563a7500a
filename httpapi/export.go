package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"runtime/debug"
	"slices"
	"time"

	"pubd/httpapi/keys"
	"pubd/httpapi/params"
	"pubd/index"
	"pubd/index/schema"
)

// ChunkSize is how many bytes of an export are generated at a time: a chunk has at least as many, but for the last
// one, and less than twice as many.
const ChunkSize = 64 << 10

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

// An Export is a body in chunks, generated as the client reads: it holds a bitmap, and is a reader of the snapshot
// until it is closed. One goroutine may use it.
type Export struct {
	view   *view
	params *params.Params
	hit    hit      // of the next pub, without its ordinal and the workspace
	found  []uint64 // pub n is bit n%64 of word n/64; nil stands for all pubs
	next   uint32   // the first pub that has not been considered
	opened bool     // what comes before the rows has been generated
	begun  bool     // a row has been generated
	ended  bool     // everything has been generated

	service *Service
	key     *keys.Key
	client  keys.Client
	id      []byte // of the request
}

// encodeExport encodes the response to an export, and appends the lines of its header.
func (c *call) encodeExport(r *result, out *Response, lines []byte) []byte {
	p, v := c.params, c.view
	// Members that the snapshot does not have are left out, so that it can be loaded again as it is.
	members := slices.DeleteFunc(slices.Clone(p.Members), func(member params.Member) bool {
		return member == params.MemberExtra && len(v.extra) == 0 || member == schema.ColumnReviewCount && !v.countsReviews ||
			member >= params.MemberFeatures && member.Column() >= 0 && !v.snapshot.Has(member.Column())
	})
	e := &Export{view: v, params: p, hit: hit{view: v, members: members, whole: v.countsReviews}, next: r.first}
	pubs := v.snapshot.Len() - int(r.first)
	if !p.Everything {
		e.found, pubs = make([]uint64, (v.snapshot.Len()+63)/64), 0
		for _, pub := range r.found.Pubs {
			if pub >= r.first {
				e.found[pub/64] |= 1 << (pub % 64)
				pubs++
			}
		}
	}
	lines = appendNumber(lines, "X-Total-Results", int64(pubs))
	if e.isHeadless() {
		out.mediaType = headless
	}
	out.Export = e
	lines = fmt.Appendf(lines, "Content-Disposition: attachment; filename=\"pubs-%s.%s\"\r\n", v.id, p.Format)
	return append(lines, headersOfExport...)
}

// serve makes an export independent of its exchange.
func (e *Export) serve(x *Exchange) {
	e.service, e.key, e.client, e.id = x.service, x.summary.key, x.Request.client, bytes.Clone(x.id)
	e.view.snapshot.Acquire() // succeeds, because the arrangement is a reader
	e.view.exports.Add(1)
}

// isHeadless reports whether the export has no header line: CSV that continues after a pub.
func (e *Export) isHeadless() bool { return e.params.After != nil && e.params.Format == params.CSV }

var (
	errExportGone   = errors.New("export: its snapshot was replaced too long ago, or memory is needed")
	errExportFailed = errors.New("export")
)

// RecordCut counts and logs that an export ended early, after that many bytes of its body, and why.
func (e *Export) RecordCut(sent int64, err error) {
	s := e.service
	s.cut.Add(1)
	if s.config.AccessLog != LogOff && s.config.AccessLog != "" {
		s.requestLine(false).Bytes("request_id", e.id).Str("key", e.key.Name()).Int64("bytes", sent).Err(err).Msg("export cut short")
	}
}

// Close ends an export: all has been sent, or never will be. Closing twice is closing once.
func (e *Export) Close() error {
	if e.view != nil {
		e.view.exports.Add(-1)
		e.view.snapshot.Release()
		e.view = nil
	}
	return nil
}

// Next appends the next chunk; nothing at the end. The caller must have a long turn. An export of a replaced snapshot
// ends with an error after Config.KeepFor, or when memory is needed. After an error of the first chunk, FailExport
// responds with it.
func (e *Export) Next(dst []byte) (chunk []byte, err error) {
	debug.SetPanicOnFault(true) // an index file may be truncated while it is mapped
	defer func() {
		if cause := recover(); cause != nil {
			e.service.RecordPanic(e.id, cause)
			chunk, err = nil, fmt.Errorf("%w: %v", errExportFailed, cause)
		}
	}()
	now := time.Now()
	if at := e.view.replaced.Load(); e.view.ended.Load() || at != nil && now.Sub(*at) > e.service.config.KeepFor {
		return nil, errExportGone
	}
	w := e.service.workspaces[LongTurn].Get().(*workspace)
	if chunk = dst; !e.opened && !e.isHeadless() {
		chunk = formats[e.params.Format].open(chunk, &e.hit)
	}
	e.opened = true
	for len(chunk)-len(dst) < ChunkSize && !e.ended {
		ordinal, ok := e.nextPub()
		if ok {
			chunk = e.appendRow(chunk, w, ordinal)
		} else if e.ended = true; e.params.Format == params.GeoJSON {
			chunk = append(chunk, "\n]}\n"...)
		}
	}
	w.release()
	if e.view.snapshot.IsOverwritten() {
		return nil, errExportGone
	}
	e.key.Charge(now, e.client, (len(chunk)-len(dst))/requestSize)
	return chunk, nil
}

// appendRow appends a pub. Every format has a line for each pub, so that a reader finds the last complete one.
func (e *Export) appendRow(dst []byte, w *workspace, ordinal uint32) []byte {
	if e.params.Format == params.GeoJSON {
		if e.begun {
			dst = append(dst, ',')
		}
		dst = append(dst, '\n')
	}
	e.begun = true
	w.hit = e.hit
	h := &w.hit
	h.workspace, h.ordinal, h.prepared = w, ordinal, e.view.snapshot.Prepared(ordinal)
	w.details = appendDetails(w.details[:0], e.view.snapshot.Details(ordinal), extraDetails+len(e.view.extra))
	return formats[e.params.Format].append(dst, h)
}

// nextPub returns the next pub; ok is false at the end.
func (e *Export) nextPub() (ordinal uint32, ok bool) {
	for last := uint32(e.view.snapshot.Len()); e.next < last; e.next = e.next&^63 + 64 {
		if e.found == nil {
			e.next++
			return e.next - 1, true
		}
		if rest := e.found[e.next/64] >> (e.next % 64); rest != 0 {
			ordinal = e.next + uint32(bits.TrailingZeros64(rest))
			e.next = ordinal + 1
			return ordinal, true
		}
	}
	return 0, false
}
