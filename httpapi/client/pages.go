package client

import (
	"context"
	"iter"
)

// maxAmount is the largest page.
const maxAmount = 100

// All returns the pubs of all pages of a query, from its page on, asking for each page when it is needed; of 100 pubs each
// where Amount is zero. All pages come from the snapshot of the first one, so that every pub comes exactly once, whatever
// the server publishes meanwhile. An error ends the sequence and comes last; it has the code [SnapshotGone] when the server
// no longer keeps the snapshot.
func (c *Client) All(ctx context.Context, q Query) iter.Seq2[Pub, error] {
	if q.Amount == 0 {
		q.Amount = maxAmount
	}
	if q.Page == 0 {
		q.Page = 1
	}
	return func(yield func(Pub, error) bool) {
		for q := q; ; q.Page++ {
			answer, err := c.Search(ctx, q)
			if err != nil {
				yield(Pub{}, err)
				return
			}
			for _, pub := range answer.Results {
				if !yield(pub, nil) {
					return
				}
			}
			if len(answer.Results) == 0 || q.Page >= answer.TotalPages {
				return
			}
			q.Snapshot = answer.Snapshot
		}
	}
}
