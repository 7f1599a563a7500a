package httpapi

import (
	"sync"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/response"
	"pubd/httpapi/status"
)

// A workspace is the working memory of asking and encoding. It is reused, and keeps no snapshot alive.
type workspace struct {
	pool     *sync.Pool
	encoding response.Workspace
	result   response.Result
	body     []byte // of the response
	// pubs and missing are memory for the result of a lookup.
	pubs    []uint32
	missing [][]byte
	values  query.Folded // of filters
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
	w.encoding.Forget()
	w.pool.Put(w)
}

// outcome returns what became of the text of a call.
func (c *call) outcome(r *response.Result) status.Outcome {
	p := c.params
	switch searches := p.Operation == params.Search || p.Operation == params.Distance; {
	case !searches || p.Query.All || c.skipsBody():
		return status.NotSearched
	case r.Found.Total == 0:
		return status.NothingFound
	}
	return status.Found + status.Outcome(r.Found.Step)
}

// ask is the second stage of a request, and the only one that searches. A client that already has the response needs
// no result, but still gets an error for a pub that does not exist.
func (c *call) ask(w *workspace) (*response.Result, fault.Fault) {
	s, p, r := c.view.Snapshot, c.params, &w.result
	*r = response.Result{}
	if p.Operation == params.Export && p.After != nil {
		ordinal, ok := s.Lookup(p.After)
		if !ok {
			return nil, fault.Fault{Row: fault.PubNotFound}
		}
		r.First = ordinal + 1
	}
	switch {
	case p.Pubid != nil:
		ordinal, ok := s.Lookup(p.Pubid)
		if !ok {
			return nil, fault.Fault{Row: fault.PubNotFound}
		}
		w.pubs = append(w.pubs[:0], ordinal)
		r.Found.Pubs = w.pubs
	case c.skipsBody() || p.Operation.IsPrepared() || p.Everything:
	case p.Operation == params.Lookup:
		w.pubs, w.missing = w.pubs[:0], w.missing[:0]
		for _, uid := range p.UIDs {
			if ordinal, ok := s.Lookup(uid); ok {
				w.pubs = append(w.pubs, ordinal)
			} else {
				w.missing = append(w.missing, uid)
			}
		}
		r.Found.Pubs, r.Missing = w.pubs, w.missing
	case p.Operation == params.Suggest:
		r.Suggestions = s.Suggest(&w.encoding.Search, &p.Query)
	default:
		p.FoldValues(&w.values)
		r.Found = s.Search(&p.Query, &w.encoding.Search)
	}
	return r, fault.Fault{}
}
