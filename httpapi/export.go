package httpapi

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"pubd/index"
)

const (
	// exportChunk is how many bytes of an export are generated at a time, and held until the client has read them.
	exportChunk = 64 << 10
	// exportPage is how many hits of a search an export requests at a time.
	exportPage = 512
	// exportStride is the number of pubs between two recorded offsets of a layout.
	exportStride = 1024
	// exportRow is the assumed size of a row if the size of the export is unknown.
	exportRow = 128
)

// exportMembers are the members of each pub in an export: all columns of a snapshot file.
const exportMembers = (1<<memberDistance - 1) | addressMembers | 1<<memberExtra

// A layout has the offsets of rows in an export of a whole snapshot, in one format.
type layout struct {
	starts []int64 // offset, among the rows, of each row whose number is a multiple of exportStride
	size   int64   // of all rows
}

// newLayout measures all rows, at half a microsecond each.
func newLayout(v *view, p *params) *layout {
	l, rows := new(layout), newRows(v, p, 0)
	w := new(workspace)
	var row []byte
	for number := range v.snapshot.Len() {
		if number%exportStride == 0 {
			l.starts = append(l.starts, l.size)
		}
		row = rows.append(row[:0], w, uint32(number))
		l.size += int64(len(row))
	}
	return l
}

// layout returns the layout of a format, which is computed on first use.
func (v *view) layout(p *params) *layout {
	once := &v.layouts[p.format]
	once.Do(func() { once.made = newLayout(v, p) })
	return once.made
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

// rows writes the pubs of an export.
type rows struct {
	view   *view
	params *params
	first  uint32 // number of the first row, which has no separator before it
}

func newRows(v *view, p *params, first uint32) *rows { return &rows{v, p, first} }

// append appends a pub, preceded by a separator if it is not the first. The result is nil.
func (r *rows) append(dst []byte, w *workspace, ordinal uint32) []byte {
	f := &formats[r.params.format]
	if ordinal != r.first {
		dst = append(dst, f.between...)
	}
	h := hit{view: r.view, params: r.params, workspace: w, ordinal: ordinal}
	w.open = r.view.appendOpen(w.open[:0], ordinal)
	w.values.read(w.open)
	w.details = appendDetails(w.details[:0], r.view.snapshot.Details(ordinal), extraDetails+len(r.view.extra))
	return f.hit(dst, h)
}

// exportTail ends an export, by format.
var exportTail = [formatCount]string{formatGeoJSON: "]}\n"}

// An export is a stream of pubs, generated as the client reads: it holds a chunk, and the snapshot. Only one goroutine may use it.
type export struct {
	service  *Service
	view     *view
	params   *params
	client   client
	rows     *rows
	delivery *delivery // accounts for the chunk in the budget of bytes in flight
	id       []byte    // of the request

	next  int      // number of the next pub, or of the next hit on the page
	page  int64    // of the search; 0 if all pubs are exported
	hits  []uint32 // of the page
	ended bool     // the tail is in the chunk
	chunk []byte   // generated but not read yet
	skip  int64    // bytes to generate and skip
	left  int64    // bytes left to send; negative means everything

	started time.Time
	sent    int64
}

var (
	errExportSlow = errors.New("export: the client reads less than 16 KiB a second")
	errExportBusy = errors.New("export: timed out waiting for a turn")
)

// WriteTo implements io.WriterTo.
func (e *export) WriteTo(w io.Writer) (written int64, err error) {
	for {
		chunk, err := e.take()
		if err != nil {
			return written, err
		}
		if len(chunk) == 0 {
			return written, nil
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

// Read implements io.Reader.
func (e *export) Read(p []byte) (int, error) {
	if len(e.chunk) == 0 {
		chunk, err := e.take()
		if err == nil && len(chunk) == 0 {
			err = io.EOF
		}
		if err != nil {
			return 0, err
		}
		e.chunk = chunk
	}
	n := copy(p, e.chunk)
	e.chunk, e.sent = e.chunk[n:], e.sent+int64(n)
	return n, nil
}

// Close implements io.Closer: all has been sent, or never will be.
func (e *export) Close() error {
	if e.delivery != nil {
		_ = e.delivery.Close()
		e.delivery = nil
	}
	return nil
}

// take returns the next chunk, which is valid until the next call; it is empty at the end. The client must read minRate on average.
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
	if soon := now.Add(writeTimeout); soon.Before(by) { // a client that was fast must not stall for long either
		by = soon
	}
	if c := e.delivery.connection; c != nil {
		_ = c.SetWriteDeadline(by) // never fails
	}
	for e.left != 0 && !e.ended {
		if err := e.fill(by); err != nil {
			return nil, err
		}
		made := e.delivery.buffer
		dropped := min(e.skip, int64(len(made)))
		made, e.skip = made[dropped:], e.skip-dropped
		if e.left >= 0 {
			made = made[:min(int64(len(made)), e.left)]
			e.left -= int64(len(made))
		}
		if len(made) > 0 {
			return made, nil
		}
	}
	return nil, nil
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
	if e.rows == nil {
		out = e.open(out, w)
	}
	for len(out) < exportChunk && !e.ended {
		ordinal, ok := e.nextPub(w)
		if !ok {
			out, e.ended = append(out, exportTail[e.params.format]...), true
			break
		}
		out = e.rows.append(out, w, ordinal)
	}
	e.service.workspaces.Put(w) // not after a panic, which leaves it in an unknown state
	e.delivery.buffer = out
	return nil
}

// open appends what comes before the rows, and finds the first row of a search.
func (e *export) open(out []byte, w *workspace) []byte {
	e.rows = newRows(e.view, e.params, uint32(e.next))
	if e.page > 0 {
		e.findPage(w)
		if e.next < len(e.hits) {
			e.rows.first = e.hits[e.next]
		}
	}
	return e.params.appendOpening(out, e.view)
}

// appendOpening appends what comes before the rows of an export. CSV that continues after a pub has no header line.
func (p *params) appendOpening(dst []byte, v *view) []byte {
	if p.after != nil && p.format == formatCSV {
		return dst
	}
	return formats[p.format].open(dst, v, p)
}

// findPage finds the page of the search with the first hit after a pub; hits are ordered by ordinal.
func (e *export) findPage(w *workspace) {
	after := uint32(e.next)
	if after == 0 {
		e.load(w, 1)
		return
	}
	pages := int64(e.load(w, 1)+exportPage-1) / exportPage
	low, high := int64(1), max(pages, 1) // the page is in low…high
	for low < high {
		middle := (low + high) / 2
		e.load(w, middle)
		if len(e.hits) > 0 && e.hits[len(e.hits)-1] >= after {
			high = middle
		} else {
			low = middle + 1
		}
	}
	e.load(w, low)
	e.page = low
	e.next, _ = slices.BinarySearch(e.hits, after)
}

// load fetches a page of the search, and returns the total number of hits.
func (e *export) load(w *workspace, page int64) int {
	e.params.query.Page, e.params.query.Amount = page, exportPage
	found := e.view.snapshot.Search(&e.params.query, &w.search)
	e.hits = append(e.hits[:0], found.Pubs...)
	return found.Total
}

// nextPub returns the next pub; ok is false at the end.
func (e *export) nextPub(w *workspace) (ordinal uint32, ok bool) {
	if e.page == 0 {
		if e.next >= e.view.snapshot.Len() {
			return 0, false
		}
		e.next++
		return uint32(e.next - 1), true
	}
	if e.next >= len(e.hits) {
		if len(e.hits) < exportPage {
			return 0, false
		}
		e.page++
		e.next = 0
		if e.load(w, e.page); len(e.hits) == 0 {
			return 0, false
		}
	}
	e.next++
	return e.hits[e.next-1], true
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

// length generates the export without sending it, and returns its size, because HTTP/1.0 has no chunked encoding. It is -1 if the export does
// not get its turn in time.
func (e *export) length() (size int64) {
	made := *e
	made.delivery, made.hits = new(delivery), nil
	for {
		chunk, err := made.take()
		if err != nil {
			return -1
		}
		if len(chunk) == 0 {
			return size
		}
		size += int64(len(chunk))
	}
}
