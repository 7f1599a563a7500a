package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// maxAmount is the largest page.
const maxAmount = 100

// ErrBeganAgain means that the pubs that follow come from another snapshot, starting with its first page: discard the
// earlier ones.
var ErrBeganAgain = errors.New("the server no longer keeps the snapshot, the sequence restarts")

// All returns the pubs of all pages of a query, starting at its page, and fetches each page when it is needed, with
// 100 pubs if Amount is zero. All pages come from the snapshot of the first one, so that every pub occurs exactly
// once, whatever the server publishes meanwhile.
//
// If no server keeps that snapshot any more, the sequence yields an error that is [ErrBeganAgain] and, if the loop
// continues, restarts with the current snapshot; once, and not if the query names a snapshot. Any other error comes
// last and ends the sequence; it has the code [SnapshotGone] if the second snapshot is gone, too.
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
