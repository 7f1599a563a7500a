package httpapi

import (
	"sync"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index"
	"pubd/index/hours"
)

// A result is what the index returns for a call. It is valid until the workspace is reused, and while the snapshot is
// held.
type result struct {
	found       index.Result // pubs
	missing     [][]byte     // UIDs of a lookup that no pub has
	first       uint32       // the first pub of an export
	suggestions []index.Suggestion
}

// A workspace is the working memory of asking and encoding. It is reused, and keeps no snapshot alive.
type workspace struct {
	pool   *sync.Pool
	search index.Workspace
	result result
	body   []byte // of the response
	// pubs and missing are memory for the result of a lookup.
	pubs    []uint32
	missing [][]byte
	values  params.Folded // of filters
	hit     hit           // the pub being encoded
	label   []byte        // of it
	// details are the address, the postcode, the area, the other names and the extra columns of a pub, as JSON.
	details [][]byte
	spans   []hours.Span // of a day
}

// keptBody is the largest body whose memory a workspace keeps, in bytes.
const keptBody = 2 << 20

// initWorkspaces makes pools of workspaces that know where they belong.
func initWorkspaces(pools *[TurnCount]sync.Pool) {
	for turn := range pools {
		pools[turn].New = func() any { return &workspace{pool: &pools[turn]} }
	}
}

// release returns a workspace to its pool. One in an unknown state is left to the garbage collector instead.
func (w *workspace) release() {
	if cap(w.body) > keptBody {
		w.body = nil
	}
	w.hit = hit{} // which keeps a snapshot
	w.pool.Put(w)
}

// An outcome is what became of a text that was searched for.
type outcome uint8

const (
	notSearched outcome = iota
	nothingFound
	found // by a strict query; each step of a relaxed one follows
)

const outcomeCount = found + outcome(index.StepCount)

// String returns the outcome as a metric label: the step that found pubs, such as "strict" or "typo", or "none".
func (o outcome) String() string {
	if o < found {
		return "none"
	}
	return index.Step(o - found).String()
}

// outcome returns what became of the text of a call.
func (c *call) outcome(r *result) outcome {
	p := c.params
	switch searches := p.Operation == params.Search || p.Operation == params.Distance; {
	case !searches || p.Query.All || c.skipsBody():
		return notSearched
	case r.found.Total == 0:
		return nothingFound
	}
	return found + outcome(r.found.Step)
}

// ask is the second stage of a request, and the only one that searches. A client that already has the response needs
// no result, but still gets an error for a pub that does not exist.
func (c *call) ask(w *workspace) (*result, fault.Fault) {
	s, p, r := c.view.snapshot, c.params, &w.result
	*r = result{}
	if p.Operation == params.Export && p.After != nil {
		ordinal, ok := s.Lookup(p.After)
		if !ok {
			return nil, fault.Fault{Row: fault.PubNotFound}
		}
		r.first = ordinal + 1
	}
	switch {
	case p.Pubid != nil:
		ordinal, ok := s.Lookup(p.Pubid)
		if !ok {
			return nil, fault.Fault{Row: fault.PubNotFound}
		}
		w.pubs = append(w.pubs[:0], ordinal)
		r.found.Pubs = w.pubs
	case c.skipsBody() || p.Operation == params.Stats || p.Everything:
	case p.Operation == params.Lookup:
		w.pubs, w.missing = w.pubs[:0], w.missing[:0]
		for _, uid := range p.UIDs {
			if ordinal, ok := s.Lookup(uid); ok {
				w.pubs = append(w.pubs, ordinal)
			} else {
				w.missing = append(w.missing, uid)
			}
		}
		r.found.Pubs, r.missing = w.pubs, w.missing
	case p.Operation == params.Suggest:
		r.suggestions = s.Suggest(&w.search, &p.Query)
	default:
		p.FoldValues(&w.values)
		r.found = s.Search(&p.Query, &w.search)
	}
	return r, fault.Fault{}
}
