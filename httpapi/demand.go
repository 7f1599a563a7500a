package httpapi

import (
	"net/netip"

	"pubd/httpapi/params"
)

// A Demand is what a request asks of the server.
type Demand struct {
	// Key and Address are of who asks. Visitor is set if the key is public: then each address stands for somebody.
	Key     string
	Address netip.Prefix
	Visitor bool
	// Bytes is the size of the response, or of what it holds while it is sent: an estimate before, its size once it is
	// there.
	Bytes int64
	// Work is set if it takes more than a fraction of a millisecond, or more memory than a page.
	Work bool
}

// An Admission decides which requests are answered. It is asked once for each, before anything is searched or encoded
// for it, and may make it wait.
type Admission interface {
	Admit(Demand) bool
}

// manyPubs is the number of pubs from which on every search is expensive: its sets take megabytes, and its data may
// have to be read from disk, so that many concurrent searches would take more memory than the index.
const manyPubs = 2_000_000

// fullSize is how many times as long as a plain pub one with all members is, as GeoJSON.
const fullSize = 3

// demand returns what a call takes. Its size is that of as many pubs of mean size as the response may have.
func (c *call) demand(r *Request) Demand {
	switch c.operation {
	case params.Page:
		return c.demandPage(r)
	case params.Document:
		return c.demandPart(r)
	}
	d := Demand{Key: c.key.Name(), Address: r.address, Visitor: c.key.IsPublic()}
	p, v := c.params, c.view
	if c.isSettled() {
		return d
	}
	all, size := v.snapshot.Len(), v.pubSize
	if !p.Plain {
		size *= fullSize
	}
	d.Work = p.Work
	switch p.Operation {
	case params.Lookup:
		d.Bytes = int64(max(1, len(p.UIDs)) * size)
	case params.Search, params.Distance:
		d.Work = d.Work || all >= manyPubs
		pubs := p.Query.Amount
		if pubs == 0 || pubs > all {
			pubs = all
		}
		d.Bytes = int64(pubs * size)
	case params.Points:
		d.Bytes = int64(min(all, params.MaxHitPoints) * pointSize)
		if p.Everything {
			d.Bytes = int64(min(all, maxPoints) * pointSize)
		}
	case params.Export:
		d.Bytes = exportSize(v, p)
	}
	if string(r.Method) == "HEAD" {
		d.Bytes = 0
	}
	return d
}
