package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// maxAmount is the largest page.
const maxAmount = 100

// ErrBeganAgain says that the pubs that follow are those of another snapshot, from the first page on: those before it are to be forgotten.
var ErrBeganAgain = errors.New("the server no longer keeps the snapshot, the sequence restarts")

// All returns the pubs of all pages of a query, from its page on, asking for each page when it is needed; of 100 pubs each
// where Amount is zero. All pages come from the snapshot of the first one, so that every pub comes exactly once, whatever
// the server publishes meanwhile.
//
// When no server keeps that snapshot any more, the sequence yields an error that is [ErrBeganAgain] and, if the loop goes on, begins
// again with the snapshot that is served; once, and not if the query names a snapshot. Any other error ends the sequence and comes last; it
// has the code [SnapshotGone] when the second snapshot has gone, too.
func (c *Client) All(ctx context.Context, q Query) iter.Seq2[Pub, error] {
	if q.Amount == 0 {
		q.Amount = maxAmount
	}
	if q.Page == 0 {
		q.Page = 1
	}
	return func(yield func(Pub, error) bool) {
		first := q
		again := first.Snapshot == ""
		for q := q; ; q.Page++ {
			answer, err := c.Search(ctx, q)
			if refused := new(Error); again && q.Snapshot != "" && errors.As(err, &refused) && refused.Code == SnapshotGone {
				if !yield(Pub{}, fmt.Errorf("%w: %w", ErrBeganAgain, err)) {
					return
				}
				again, q = false, first
				answer, err = c.Search(ctx, q)
			}
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
