package httpapi

import (
	"bytes"
	"math"
	"runtime"
	"slices"
	"strconv"

	"pubd/geo"
	"pubd/index"
)

// answerLookup writes the answer to a lookup of one pub, or of several.
func (v *view) answerLookup(x *exchange) {
	a := &x.arguments
	x.missing = x.missing[:0]
	for _, uid := range a.uids {
		if ordinal, ok := v.snapshot.Lookup(uid); ok {
			x.ordinals = append(x.ordinals, ordinal)
		} else {
			x.missing = append(x.missing, uid)
		}
	}
	x.result = index.Result{Pubs: x.ordinals}
	x.body = v.appendHits(x.body, x)
	if !x.envelop(len(x.result.Pubs)) {
		return
	}
	x.body = appendInteger(append(x.body, `,"page":1,"total_pages":1`...), `,"total_results":`, len(x.result.Pubs))
	x.body = appendInteger(x.body, `,"total_pubs":`, v.snapshot.Len())
	if a.uids != nil && a.pubid == nil {
		x.body = append(x.body, `,"missing":[`...)
		for i, uid := range x.missing {
			if i > 0 {
				x.body = append(x.body, ',')
			}
			x.body = appendText(x.body, uid)
		}
		x.body = append(x.body, ']')
	}
	x.body = append(x.body, '}')
}

// envelop settles the format of the response and tells whether an envelope follows the hits; where none does, a header says
// how many results there are.
func (x *exchange) envelop(results int) bool {
	x.format = x.arguments.format
	if formats[x.format].enveloped {
		return true
	}
	x.totals = strconv.AppendInt(x.totals[:0], int64(results), 10)
	x.total = x.totals
	return false
}

// answerSearch writes the answer to a search.
func (v *view) answerSearch(x *exchange) {
	a, answer := &x.arguments, &x.result
	switch {
	case !a.plain:
		x.body = v.appendHits(x.body, x)
	case a.query.Circle == nil:
		x.body = append(v.appendPubs(append(x.body, `{"results":[`...), answer.Pubs), ']')
	default:
		x.body = append(v.appendNear(append(x.body, `{"results":[`...), answer.Pubs, answer.Distances), ']')
	}
	if pages := a.pages(answer.Total); pages > 1 && (a.operation == opSearch || a.paged) {
		x.linked = appendLinks(x.linked[:0], x.query, a.query.Page, pages, v.idBytes)
		x.links = x.linked
	}
	if !x.envelop(answer.Total) {
		return
	}
	x.body = v.appendEnvelope(x.body, a, answer)
	for i, column := range a.facets {
		opening := `,"`
		if i == 0 {
			opening = `,"facets":{"`
		}
		x.body = append(append(append(x.body, opening...), column.String()...), `":`...)
		x.body = appendCounts(x.body, answer.Counts[column])
	}
	if len(a.facets) > 0 {
		x.body = append(x.body, '}')
	}
	x.body = append(x.body, '}')
}

// appendOpen appends a pub without its closing brace.
func (v *view) appendOpen(dst []byte, ordinal uint32) []byte {
	head, tail := v.snapshot.JSON(ordinal)
	return append(append(dst, head...), tail...)
}

// appendEnvelope appends what follows the results.
func (v *view) appendEnvelope(dst []byte, a *arguments, answer *index.Result) []byte {
	standard := a.operation == opSearch
	if standard || a.paged {
		dst = appendInteger(dst, `,"page":`, int(a.query.Page))
	}
	if standard {
		dst = appendInteger(dst, `,"total_pages":`, a.pages(answer.Total))
		dst = appendInteger(dst, `,"total_results":`, answer.Total)
		dst = appendInteger(dst, `,"total_pubs":`, v.snapshot.Len())
	} else {
		dst = appendInteger(dst, `,"total_results":`, answer.Total)
		dst = appendInteger(dst, `,"total_pubs":`, v.snapshot.Len())
		dst = appendInteger(dst, `,"total_pages":`, a.pages(answer.Total))
	}
	dst = append(append(dst, `,"sort":"`...), a.query.Sort.String()...)
	if a.query.Descending {
		dst = append(dst, `","order":"DESC"`...)
	} else {
		dst = append(dst, `","order":"ASC"`...)
	}
	dst = strconv.AppendBool(append(dst, `,"only_rated":`...), a.query.Rated)
	if !standard {
		dst = index.AppendNumber(append(dst, `,"distance":`...), a.radius)
	}
	if a.query.Circle != nil {
		dst = index.AppendNumber(append(dst, `,"lat":`...), a.lat)
		dst = index.AppendNumber(append(dst, `,"lng":`...), a.lng)
	}
	if answer.Step != index.NotRelaxed {
		dst = append(append(dst, `,"relaxed":{"step":"`...), answer.Step.String()...)
		dst = append(dst, `","query":"`...)
		for i, word := range answer.Words {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = append(dst, word...)
		}
		dst = append(dst, `"}`...)
	}
	if a.query.Sort == index.SortFair {
		scale := v.snapshot.FairScale()
		dst = index.AppendNumber(append(dst, `,"fair":{"mean":`...), scale.Mean)
		dst = append(index.AppendNumber(append(dst, `,"reviews":`...), scale.Reviews), '}')
	}
	return dst
}

// pages is the number of pages that results fill.
func (a *arguments) pages(results int) int {
	size := a.query.Amount
	if size == 0 {
		size = max(1, results)
	}
	return (results + size - 1) / size
}

// A batch of pubs is looked up before it is copied: a byte is read of the cache lines of each, of the first three and the last, which
// most have no more than. None of these reads waits for another, as copies do: pubs that are far apart in memory come in half the time.
type batch [16]struct{ head, tail []byte }

// fetch looks up as many of some pubs as fit, and returns their number.
func (b *batch) fetch(s *index.Snapshot, pubs []uint32) (n int) {
	n = min(len(b), len(pubs))
	for i, pub := range pubs[:n] {
		b[i].head, b[i].tail = s.JSON(pub)
	}
	const cacheLine = 64
	var seen byte
	for i := range b[:n] {
		head := b[i].head
		last := len(head) - 1
		seen |= head[0] | head[min(cacheLine, last)] | head[min(2*cacheLine, last)] | head[last]
	}
	runtime.KeepAlive(seen)
	return n
}

// appendPubs appends pubs as they were prepared.
func (v *view) appendPubs(dst []byte, pubs []uint32) []byte {
	var b batch
	for len(pubs) > 0 {
		n := b.fetch(v.snapshot, pubs)
		dst = slices.Grow(dst, b.size(n))
		for i := range b[:n] {
			dst = append(dst, b[i].head...)
			if len(b[i].tail) > 0 {
				dst = append(dst, b[i].tail...)
			}
			dst = append(dst, '}', ',')
		}
		pubs = pubs[n:]
	}
	return bytes.TrimSuffix(dst, []byte(","))
}

// size is enough for the first n pubs of a batch with their distances.
func (b *batch) size(n int) (size int) {
	const rest = len(`,"distance":20016.123},`)
	for i := range b[:n] {
		size += len(b[i].head) + len(b[i].tail) + rest
	}
	return size
}

// appendNear appends pubs with their distances.
func (v *view) appendNear(dst []byte, pubs []uint32, distances []geo.Kilometres) []byte {
	var b batch
	for len(pubs) > 0 {
		n := b.fetch(v.snapshot, pubs)
		dst = slices.Grow(dst, b.size(n))
		for i := range b[:n] {
			dst = append(append(append(dst, b[i].head...), b[i].tail...), `,"distance":`...)
			dst = append(appendMetres(dst, distances[i]), '}', ',')
		}
		pubs, distances = pubs[n:], distances[n:]
	}
	return bytes.TrimSuffix(dst, []byte(","))
}

// appendMetres appends a distance in kilometres rounded to 3 decimals, without trailing zeros.
func appendMetres(dst []byte, distance geo.Kilometres) []byte {
	metres := uint64(math.Round(float64(distance) * 1000))
	dst = strconv.AppendUint(dst, metres/1000, 10)
	if metres %= 1000; metres > 0 {
		dst = append(dst, '.', byte('0'+metres/100), byte('0'+metres/10%10), byte('0'+metres%10))
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}

func appendInteger(dst []byte, name string, value int) []byte {
	return strconv.AppendInt(append(dst, name...), int64(value), 10)
}
