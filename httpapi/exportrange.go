package httpapi

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// A span is the part of a body to send: size bytes from start, of all.
type span struct{ start, size, all int64 }

// export responds with an export. Its rate is charged for what it has to send, before it is sent.
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
	pubs, cost, f := s.begin(e, x, &r, first)
	if f.isSet() {
		return f
	}
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

// begin returns how many pubs an export has and the size of its body in bytes, and sets up the export and the response. It ends the turn of
// the request, even if it panics.
func (s *Service) begin(e *export, x *exchange, r *response, first int) (pubs int, cost int64, f fault) {
	defer s.queue.leave()
	p, v := e.params, e.view
	pubs = v.snapshot.Len() - first
	if p.everything && v.snapshot.Len() < manyPubs { // measuring more would take seconds
		part, f := s.measure(e, x, first)
		if f.isSet() {
			x.headers.contentRange = strconv.AppendInt(append(x.headers.contentRange[:0], "bytes */"...), part.all, 10)
			return 0, 0, f
		}
		r.size, r.ranges = part.size, true
		if part.size < part.all {
			r.status = 206
			x.headers.contentRange = fmt.Appendf(x.headers.contentRange[:0], "bytes %d-%d/%d", part.start, part.start+part.size-1, part.all)
			r.contentRange = x.headers.contentRange
		}
		return pubs, part.size, fault{}
	}
	r.size = -1
	if !p.everything {
		e.page = 1
		w := s.workspaces.Get().(*workspace)
		pubs = e.load(w, 1)
		s.workspaces.Put(w)
	}
	return pubs, int64(pubs) * exportRow, fault{}
}

// measure computes which part to send of the export of all pubs from first on, and sets the export to it.
func (s *Service) measure(e *export, x *exchange, first int) (span, fault) {
	p, v := e.params, e.view
	l, w := v.layout(p), s.workspaces.Get().(*workspace)
	defer s.workspaces.Put(w)
	opening := int64(len(p.appendOpening(nil, v)))
	base := int64(0) // offset of the first row among all, without its separator
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
	if start >= opening { // begin at the last row before it with a known offset
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

// rowStart returns the offset of a row among all.
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

// isInRange reports whether the parts that the client has belong to the response with an entity tag, if it asks (If-Range; RFC 9110,
// section 13.1.5). Weak tags and dates never match.
func (r *request) isInRange(etag []byte) bool {
	return len(r.ifRange) == 0 || len(r.ifRange) == 1 && bytes.Equal(bytes.TrimSpace(r.ifRange[0]), etag)
}

// parseRange parses a Range header with one byte range (RFC 9110, section 14.1.2). ok is false for malformed and multiple ranges, for which
// everything is sent; size is 0 for a range past the end.
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

// parseOffset parses digits, of which there may be none. A number that does not fit into 63 bits becomes the largest one.
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
