package response

import (
	"fmt"
	"math/bits"
	"slices"

	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/views"
	"pubd/index/schema"
)

// ChunkSize is how many bytes of an export are generated at a time: a chunk has at least as many, but for the last
// one, and less than twice as many.
const ChunkSize = 64 << 10

// Rows are the body of an export, in chunks. They hold a bitmap, and need the snapshot.
type Rows struct {
	params *query.Params
	hit    hit      // of the next pub, without its ordinal and the workspace
	found  []uint64 // pub n is bit n%64 of word n/64; nil stands for all pubs
	next   uint32   // the first pub that has not been considered
	opened bool     // what comes before the rows has been generated
	begun  bool     // a row has been generated
	ended  bool     // everything has been generated
}

// encodeExport encodes the response to an export, and appends the lines of its header.
func encodeExport(v *views.View, p *query.Params, r *Result, out *Response, lines []byte) []byte {
	// Members that the snapshot does not have are left out, so that it can be loaded again as it is.
	members := slices.DeleteFunc(slices.Clone(p.Members), func(member params.Member) bool {
		return member == params.MemberExtra && len(v.Extra) == 0 || member == schema.ColumnReviewCount && !v.CountsReviews ||
			member >= params.MemberFeatures && member.Column() >= 0 && !v.Snapshot.Has(member.Column())
	})
	rows := &Rows{params: p, hit: hit{view: v, members: members, whole: v.CountsReviews}, next: r.First}
	pubs := v.Snapshot.Len() - int(r.First)
	if !p.Everything {
		rows.found, pubs = make([]uint64, (v.Snapshot.Len()+63)/64), 0
		for _, pub := range r.Found.Pubs {
			if pub >= r.First {
				rows.found[pub/64] |= 1 << (pub % 64)
				pubs++
			}
		}
	}
	lines = AppendNumber(lines, "X-Total-Results", int64(pubs))
	if rows.isHeadless() {
		out.MediaType = headless
	}
	out.Rows = rows
	lines = fmt.Appendf(lines, "Content-Disposition: attachment; filename=\"pubs-%s.%s\"\r\n", v.ID, p.Format)
	return append(lines, ofExport...)
}

// isHeadless reports whether the export has no header line: CSV that continues after a pub.
func (r *Rows) isHeadless() bool { return r.params.After != nil && r.params.Format == params.CSV }

// Append appends the next chunk; nothing at the end.
func (r *Rows) Append(dst []byte, w *Workspace) []byte {
	chunk := dst
	if !r.opened && !r.isHeadless() {
		chunk = formats[r.params.Format].open(chunk, &r.hit)
	}
	r.opened = true
	for len(chunk)-len(dst) < ChunkSize && !r.ended {
		ordinal, ok := r.nextPub()
		if ok {
			chunk = r.appendRow(chunk, w, ordinal)
		} else if r.ended = true; r.params.Format == params.GeoJSON {
			chunk = append(chunk, "\n]}\n"...)
		}
	}
	return chunk
}

// appendRow appends a pub. Every format has a line for each pub, so that a reader finds the last complete one.
func (r *Rows) appendRow(dst []byte, w *Workspace, ordinal uint32) []byte {
	if r.params.Format == params.GeoJSON {
		if r.begun {
			dst = append(dst, ',')
		}
		dst = append(dst, '\n')
	}
	r.begun = true
	w.hit = r.hit
	h := &w.hit
	h.workspace, h.ordinal, h.prepared = w, ordinal, r.hit.view.Snapshot.Prepared(ordinal)
	w.details = appendDetails(w.details[:0], r.hit.view.Snapshot.Details(ordinal), extraDetails+len(r.hit.view.Extra))
	return formats[r.params.Format].append(dst, h)
}

// nextPub returns the next pub; ok is false at the end.
func (r *Rows) nextPub() (ordinal uint32, ok bool) {
	for last := uint32(r.hit.view.Snapshot.Len()); r.next < last; r.next = r.next&^63 + 64 {
		if r.found == nil {
			r.next++
			return r.next - 1, true
		}
		if rest := r.found[r.next/64] >> (r.next % 64); rest != 0 {
			ordinal = r.next + uint32(bits.TrailingZeros64(rest))
			r.next = ordinal + 1
			return ordinal, true
		}
	}
	return 0, false
}
