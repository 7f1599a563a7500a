package httpapi

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"pubd/httpapi/keys"
	"pubd/index"
)

// exportChunk is how many bytes of an export are generated at a time, and held until the client has read them.
const exportChunk = 64 << 10

// exportMembers are the members of each pub in an export: all columns of a snapshot file.
const exportMembers = (1<<memberDistance - 1) | addressMembers | 1<<memberExtra

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

// An export is a stream of pubs, generated as the client reads: it holds a chunk and a bitmap, and is a reader of the snapshot until it is
// closed. One goroutine may use it.
type export struct {
	view   *view
	params *params
	found  []uint64 // pub n is bit n%64 of word n/64; nil stands for all pubs
	next   uint32   // the first pub that has not been considered
	opened bool     // what comes before the rows has been generated
	begun  bool     // a row has been generated
	ended  bool     // everything has been generated

	// Set before it is read.
	service  *Service
	key      *keys.Key
	client   client
	id       []byte // of the request
	started  time.Time
	delivery *delivery // accounts for the chunk, which is its buffer, in the budget of bytes in flight
	sent     int64     // bytes
}

// encodeExport encodes the response to an export, except for what depends on the connection.
func (c *call) encodeExport(r *result, headers *headerMemory, out response) response {
	p, v := c.params, c.view
	p.fitExport(v)
	e := &export{view: v, params: p, next: r.first}
	pubs := v.snapshot.Len() - int(r.first)
	if !p.everything {
		e.found, pubs = make([]uint64, (v.snapshot.Len()+63)/64), 0
		for _, pub := range r.found.Pubs {
			if pub >= r.first {
				e.found[pub/64] |= 1 << (pub % 64)
				pubs++
			}
		}
	}
	headers.total = strconv.AppendInt(headers.total[:0], int64(pubs), 10)
	headers.disposition = fmt.Appendf(headers.disposition[:0], `attachment; filename="pubs-%s.%s"`, v.id, formats[p.format].name)
	out.format, out.headless = p.format, p.after != nil && p.format == formatCSV
	out.total, out.disposition, out.stream = headers.total, headers.disposition, e
	v.snapshot.Acquire() // succeeds, because the arrangement is a reader
	v.exports.Add(1)
	return out
}

// fitExport leaves out members that the snapshot does not have, so that it can be loaded again as it is.
func (p *params) fitExport(v *view) {
	p.members = slices.DeleteFunc(p.members, func(member uint8) bool {
		return member == memberExtra && len(v.extra) == 0 || member == memberReviewCount && !v.countsReviews()
	})
	if !v.countsReviews() {
		p.fields = ownMembers // so that no pub is copied as it was prepared
	}
}

// size returns how many bytes an export holds: two chunks, as the next one is generated into the buffer of the last, and its bitmap.
func (e *export) size() int64 { return 2*exportChunk + int64(8*len(e.found)) }

var (
	errExportSlow = errors.New("export: the client reads less than 16 KiB a second")
	errExportGone = errors.New("export: its snapshot was replaced too long ago, or memory is needed")
	errExportBusy = errors.New("export: timed out waiting for a turn")
)

// WriteTo implements io.WriterTo.
func (e *export) WriteTo(w io.Writer) (written int64, err error) {
	for {
		chunk, err := e.take()
		if err != nil || len(chunk) == 0 {
			return written, err
		}
		n, err := w.Write(chunk)
		written += int64(n)
		e.sent += int64(n)
		if err != nil {
			return written, err
		}
	}
}

// SupportsBodyWriteTo makes the HTTP library use WriteTo.
func (e *export) SupportsBodyWriteTo() bool { return true }

// Read implements io.Reader, which the HTTP library requires but does not use.
func (e *export) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Close implements io.Closer: all has been sent, or never will be.
func (e *export) Close() error {
	if e.delivery != nil {
		_ = e.delivery.Close()
		e.delivery = nil
	}
	if e.view != nil {
		e.view.exports.Add(-1)
		e.view.snapshot.Release()
		e.view = nil
	}
	return nil
}

// take returns the next chunk, which is valid until the next call; it is empty at the end. The client must read minRate on average, and an export
// of a replaced snapshot ends after Config.KeepFor, or when memory is needed.
func (e *export) take() (chunk []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil { // an index file was truncated while it was mapped
			e.service.config.Log.Error().Bytes("request_id", e.id).Str("panic", fmt.Sprint(cause)).Bytes("stack", debug.Stack()).Msg("request failed")
			chunk, err = nil, fmt.Errorf("export: %v", cause)
		}
	}()
	now := time.Now()
	by := e.started.Add(writeTimeout + time.Duration(float64(e.sent)/minRate*float64(time.Second)))
	if now.After(by) {
		return nil, errExportSlow
	}
	if at := e.view.replaced.Load(); e.view.ended.Load() || at != nil && now.Sub(*at) > e.service.config.KeepFor {
		return nil, errExportGone
	}
	if soon := now.Add(writeTimeout); soon.Before(by) { // a client that was fast must not stall for long either
		by = soon
	}
	if c := e.delivery.connection; c != nil {
		_ = c.SetWriteDeadline(by) // never fails
	}
	if e.ended {
		return nil, nil
	}
	if err := e.fill(by); err != nil {
		return nil, err
	}
	e.key.Charge(now, e.client.address, len(e.delivery.buffer)/requestSize)
	return e.delivery.buffer, nil
}

// fill generates a chunk, taking turns with the expensive requests of others. It waits for its turn until a deadline.
func (e *export) fill(by time.Time) error {
	for !e.service.queue.wait(e.client) {
		if time.Now().After(by) {
			return errExportBusy
		}
	}
	defer e.service.queue.leave()
	w := e.service.workspaces.Get().(*workspace)
	out := e.delivery.buffer[:0]
	if !e.opened {
		out, e.opened = e.appendOpening(out), true
	}
	for len(out) < exportChunk && !e.ended {
		ordinal, ok := e.nextPub()
		if ok {
			out = e.appendRow(out, w, ordinal)
		} else {
			out, e.ended = e.appendEnding(out), true
		}
	}
	e.service.workspaces.Put(w) // not after a panic, which leaves it in an unknown state
	e.delivery.buffer = out
	return nil
}

// appendOpening appends what comes before the rows. CSV that continues after a pub has no header line.
func (e *export) appendOpening(dst []byte) []byte {
	if e.params.after != nil && e.params.format == formatCSV {
		return dst
	}
	return formats[e.params.format].open(dst, e.view, e.params)
}

// appendRow appends a pub. Every format has a line for each pub, so that a reader finds the last complete one.
func (e *export) appendRow(dst []byte, w *workspace, ordinal uint32) []byte {
	if e.params.format == formatGeoJSON {
		if e.begun {
			dst = append(dst, ',')
		}
		dst = append(dst, '\n')
	}
	e.begun = true
	h := hit{view: e.view, params: e.params, workspace: w, ordinal: ordinal}
	w.open = e.view.appendOpen(w.open[:0], ordinal)
	w.values.read(w.open)
	w.details = appendDetails(w.details[:0], e.view.snapshot.Details(ordinal), extraDetails+len(e.view.extra))
	return formats[e.params.format].hit(dst, h)
}

// appendEnding appends what follows the rows.
func (e *export) appendEnding(dst []byte) []byte {
	if e.params.format == formatGeoJSON {
		dst = append(dst, "\n]}\n"...)
	}
	return dst
}

// nextPub returns the next pub; ok is false at the end.
func (e *export) nextPub() (ordinal uint32, ok bool) {
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
