package httpapi

import "pubd/index"

// A result is what the index has for a call. It is valid until the workspace is used again, and while the snapshot is held.
type result struct {
	found       index.Result // pubs
	missing     [][]byte     // UIDs of a lookup that no pub has
	suggestions []index.Suggestion
}

// A workspace is the working memory of asking and encoding. It is reused, and keeps no snapshot in memory.
type workspace struct {
	search index.Workspace
	result result
	// pubs and missing are memory of the result of a lookup.
	pubs    []uint32
	missing [][]byte
	// Of the pub that is encoded: the JSON of the snapshot, the values in it, and its label.
	open   []byte
	values memberValues
	label  []byte
	// details are the address, the postcode, the area and the further columns of a pub, as JSON.
	details [][]byte
}

// ask returns the second stage of a request, the only one that searches. A client that has the response already needs no result, but an
// error of a pub that does not exist.
func (c *call) ask(w *workspace) (*result, fault) {
	s, p, r := c.view.snapshot, c.params, &w.result
	*r = result{}
	switch {
	case p.pubid != nil:
		ordinal, ok := s.Lookup(p.pubid)
		if !ok {
			return nil, fault{row: pubNotFound}
		}
		w.pubs = append(w.pubs[:0], ordinal)
		r.found.Pubs = w.pubs
	case c.unchanged || p.operation == opStats || p.operation == opPoints && p.everything:
	case p.operation == opLookup:
		w.pubs, w.missing = w.pubs[:0], w.missing[:0]
		for _, uid := range p.uids {
			if ordinal, ok := s.Lookup(uid); ok {
				w.pubs = append(w.pubs, ordinal)
			} else {
				w.missing = append(w.missing, uid)
			}
		}
		r.found.Pubs, r.missing = w.pubs, w.missing
	case p.operation == opSuggest:
		r.suggestions = s.Suggest(&w.search, &p.query)
	default:
		r.found = s.Search(&p.query, &w.search)
	}
	return r, fault{}
}
