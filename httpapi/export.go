package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"pubd/index"
)

const (
	// exportChunk is how many bytes of an export are made at once, and held until the client has taken them.
	exportChunk = 64 << 10
	// exportPage is how many hits of a search an export asks for at once.
	exportPage = 512
	// exportStride is the number of pubs between two places of which a layout knows where they are.
	exportStride = 1024
	// exportRow is the size that a row is taken to have where that of the whole is not known.
	exportRow = 128
)

// exportMembers are what each pub of an export has: all that a snapshot file can have.
const exportMembers = (1<<memberDistance - 1) | addressMembers | 1<<memberExtra

// A layout is where the rows of an export of a whole snapshot are, in one format.
type layout struct {
	starts []int64 // of each row whose number is a multiple of exportStride, among the rows
	size   int64   // of all rows
}

// newLayout measures all rows, which takes half a microsecond each.
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

// layout returns that of a format, which is made when it is first asked for.
func (v *view) layout(p *params) *layout {
	once := &v.layouts[p.format]
	once.Do(func() { once.made = newLayout(v, p) })
	return once.made
}

// countsReviews reports whether the file of the snapshot had review counts: no pub then has ratings and no reviews.
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
	first  uint32 // the number of the first row, which nothing separates from one before it
}

func newRows(v *view, p *params, first uint32) *rows { return &rows{v, p, first} }

// append appends a pub, and what separates it from the one before. The result is nil.
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

// An export is pubs on their way to a client, made as the client takes them: it holds a chunk, and the snapshot. It may only be used by one goroutine.
type export struct {
	service  *Service
	view     *view
	params   *params
	client   client
	rows     *rows
	delivery *delivery // that stands for the chunk in the budget of bytes in flight
	id       []byte    // of the request

	next  int      // the number of the pub, or of the hit among those of the page, that comes next
	page  int64    // of the search; 0 where all pubs are exported
	hits  []uint32 // of the page
	ended bool     // the tail is in the chunk
	chunk []byte   // what was made and not taken
	skip  int64    // bytes to be made and left out
	left  int64    // bytes to be sent; negative for all there are

	started time.Time
	sent    int64
}

var (
	errExportSlow = errors.New("export: the client takes less than 16 KiB a second")
	errExportBusy = errors.New("export: no turn came")
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

// SupportsBodyWriteTo tells the HTTP library to use WriteTo.
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

// take returns the next chunk, which is valid until the next call; it is empty at the end. The client must keep up a mean of minRate.
func (e *export) take() (chunk []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil { // an index file was cut short while it is mapped
			e.service.config.Log.Error().Bytes("request_id", e.id).Str("panic", fmt.Sprint(cause)).Bytes("stack", debug.Stack()).Msg("request failed")
			chunk, err = nil, fmt.Errorf("export: %v", cause)
		}
	}()
	now := time.Now()
	by := e.started.Add(writeTimeout + time.Duration(float64(e.sent)/minRate*float64(time.Second)))
	if now.After(by) {
		return nil, errExportSlow
	}
	if soon := now.Add(writeTimeout); soon.Before(by) { // whoever was fast may not stall for long either
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

// fill makes a chunk, in turn with the expensive requests of others. It waits for its turn until some time.
func (e *export) fill(by time.Time) error {
	for !e.service.queue.wait(e.client) {
		if time.Now().After(by) {
			return errExportBusy
		}
	}
	defer e.service.queue.leave()
	w := e.service.workspaces.Get().(*workspace)
	defer e.service.workspaces.Put(w)
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
	e.delivery.buffer = out
	return nil
}

// open appends what comes before the rows, and finds the first of a search.
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

// findPage finds the page of the search on which the first hit after a pub is: hits are in the order of ordinals.
func (e *export) findPage(w *workspace) {
	after := uint32(e.next)
	if after == 0 {
		e.load(w, 1)
		return
	}
	pages := int64(e.load(w, 1)+exportPage-1) / exportPage
	low, high := int64(1), max(pages, 1) // the page is one of low…high
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

// load asks for a page of the search, and returns how many hits there are in all.
func (e *export) load(w *workspace, page int64) int {
	e.params.query.Page, e.params.query.Amount = page, exportPage
	found := e.view.snapshot.Search(&e.params.query, &w.search)
	e.hits = append(e.hits[:0], found.Pubs...)
	return found.Total
}

// nextPub returns the pub that comes next; ok is false at the end.
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
		p.fields = ownMembers // so that none comes as it was prepared
	}
}

// length makes the export without sending it, and returns its size: HTTP/1.0 has no chunks. It is -1 if no turn comes.
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

// A span is the part of a body that is sent: from start, size bytes of all.
type span struct{ start, size, all int64 }

// export responds with an export. Its rate is paid by what it has to send, before it is sent.
func (s *Service) export(x *exchange, c *call) fault {
	p, v := c.params, c.view
	r := response{status: 200, etag: c.etag, snapshot: v.idBytes, format: p.format, headless: p.after != nil && p.format == formatCSV}
	if c.unchanged {
		r.status = 304
		x.response = r
		return fault{}
	}
	p.fitExport(v)
	first := 0
	if p.after != nil {
		ordinal, ok := v.snapshot.Lookup(p.after)
		if !ok {
			return fault{row: pubNotFound}
		}
		first = int(ordinal) + 1
	}
	e := &export{service: s, view: v, params: p, client: x.client(), next: first, left: -1, started: x.request.received, id: bytes.Clone(x.headers.id)}
	if !s.queue.wait(e.client) {
		return fault{row: overloaded}
	}
	pubs, cost := v.snapshot.Len()-first, int64(0)
	if p.everything && v.snapshot.Len() < manyPubs { // of more, measuring would take seconds
		part, f := s.measure(e, x, first)
		if f.isSet() {
			s.queue.leave()
			x.headers.contentRange = strconv.AppendInt(append(x.headers.contentRange[:0], "bytes */"...), part.all, 10)
			return f
		}
		cost, r.size, r.ranges = part.size, part.size, true
		if part.size < part.all {
			r.status = 206
			x.headers.contentRange = fmt.Appendf(x.headers.contentRange[:0], "bytes %d-%d/%d", part.start, part.start+part.size-1, part.all)
			r.contentRange = x.headers.contentRange
		}
	} else if r.size = -1; p.everything {
		cost = int64(pubs) * exportRow
	} else {
		e.page = 1
		w := s.workspaces.Get().(*workspace)
		pubs = e.load(w, 1)
		s.workspaces.Put(w)
		cost = int64(pubs) * exportRow
	}
	s.queue.leave()
	if r.size < 0 && !x.request.chunks {
		if r.size = e.length(); r.size < 0 {
			return fault{row: overloaded}
		}
	}
	x.headers.ignored = p.values.appendIgnored(x.headers.ignored[:0])
	x.headers.total = strconv.AppendInt(x.headers.total[:0], int64(pubs), 10)
	x.headers.disposition = fmt.Appendf(x.headers.disposition[:0], `attachment; filename="pubs-%s.%s"`, v.id, formats[p.format].name)
	r.ignored, r.total, r.disposition, r.stream = x.headers.ignored, x.headers.total, x.headers.disposition, e
	c.key.Charge(x.request.received, x.request.address, int(cost/requestSize))
	x.response = r
	return fault{}
}

// measure finds what part of the export of all pubs from a first one on is sent, and sets the export to it.
func (s *Service) measure(e *export, x *exchange, first int) (span, fault) {
	p, v := e.params, e.view
	l, w := v.layout(p), s.workspaces.Get().(*workspace)
	defer s.workspaces.Put(w)
	opening := int64(len(p.appendOpening(nil, v)))
	base := int64(0) // where the first row is among all, without what separates it from the one before
	if first > 0 {
		base = v.rowStart(l, p, w, first)
		if first < v.snapshot.Len() {
			base += int64(len(formats[p.format].between))
		}
	}
	part := span{size: opening + l.size - base + int64(len(exportTail[p.format]))}
	part.all = part.size
	if len(x.request.ranges) != 1 || string(x.request.method) != "GET" || !x.request.isInRange(x.headers.etag) {
		return part, fault{}
	}
	start, size, ok := parseRange(x.request.ranges[0], part.all)
	switch {
	case !ok:
		return part, fault{}
	case size == 0:
		return part, fault{row: rangeNotSatisfiable}
	}
	part.start, part.size = start, size
	e.skip, e.left = start, size
	if start >= opening { // begin at the last row before it of which is known where it is
		e.skip -= opening
		e.rows = newRows(v, p, uint32(first))
		at, _ := slices.BinarySearch(l.starts, base+e.skip+1)
		if at--; at*exportStride > first {
			e.skip += base - l.starts[at]
			e.next = at * exportStride
		}
	}
	return part, fault{}
}

// rowStart returns where a row is among all.
func (v *view) rowStart(l *layout, p *params, w *workspace, number int) int64 {
	at := min(number/exportStride, len(l.starts)-1)
	start, rows := l.starts[at], newRows(v, p, 0)
	var row []byte
	for before := at * exportStride; before < number; before++ {
		row = rows.append(row[:0], w, uint32(before))
		start += int64(len(row))
	}
	return start
}

// isInRange reports whether the parts that the client has are of the response with an entity tag, if it asks (If-Range; RFC 9110, section 13.1.5): a
// weak tag or a date is not taken for it.
func (r *request) isInRange(etag []byte) bool {
	return len(r.ifRange) == 0 || len(r.ifRange) == 1 && bytes.Equal(bytes.TrimSpace(r.ifRange[0]), etag)
}

// parseRange parses a header Range with one range of bytes (RFC 9110, section 14.1.2). ok is false for what is none, or several, and the whole is sent
// then; size is 0 for one that is past the end.
func parseRange(value []byte, all int64) (start, size int64, ok bool) {
	unit, text, found := bytes.Cut(bytes.TrimSpace(value), []byte("="))
	if !found || !equalLower(unit, "bytes") || bytes.IndexByte(text, ',') >= 0 {
		return 0, 0, false
	}
	from, to, found := bytes.Cut(bytes.TrimSpace(text), []byte("-"))
	if !found {
		return 0, 0, false
	}
	first, hasFirst, ok1 := parseOffset(from)
	last, hasLast, ok2 := parseOffset(to)
	switch {
	case !ok1 || !ok2 || !hasFirst && !hasLast || hasFirst && hasLast && last < first:
		return 0, 0, false
	case !hasFirst: // the last bytes
		start = max(0, all-last)
		return start, all - start, true
	case first >= all:
		return 0, 0, true
	case !hasLast || last >= all:
		last = all - 1
	}
	return first, last - first + 1, true
}

// parseOffset parses digits, of which there may be none. A number that is too large for 63 bits is the largest.
func parseOffset(text []byte) (n int64, given, ok bool) {
	const most = 1<<63 - 1
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false, false
		}
		if n > (most-9)/10 {
			n = most
		} else {
			n = n*10 + int64(c-'0')
		}
	}
	return n, len(text) > 0, true
}
