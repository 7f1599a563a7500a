package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pubd/bench/stage"
)

// A row is a promise: what is done, what must come of it, and how to see.
type row struct {
	name, stimulus, passes string
	// A timed row runs alone: it has a figure that the machine decides, and says whether all else was as it should be.
	timed bool
	// run does it; the short form is the same with less of it. Its error says why the row could not be run to its end.
	run func(ctx context.Context, b *bed) (outcome, error)
}

// An outcome is what a row printed and whether that is what was promised.
type outcome struct {
	n      string // how much was tried, such as "1,000,000 answers"
	figure string
	passed bool
	// sound says, of a timed row, that what was missed, if anything, is a figure that the machine decides.
	sound bool
	// kept is the share of the cores' time that the host of this machine kept to itself meanwhile.
	kept float64
}

// rows are all of them, in the order in which they are run.
var rows = slices.Concat(overloadRows, swapRows, reloadRows, badFileRows, processRows, scarcityRows, mappedRows, hostileRows, floodRows, secretRows, timingRows,
	frontRows, modelRows, proofRows)

// attempt runs a row in a folder of its own.
func (r row) attempt(ctx context.Context, b *bed) (outcome, error) {
	own, err := b.in(r.name)
	if err != nil {
		return outcome{}, err
	}
	kept := stage.KeptByHost()
	o, err := r.run(ctx, own)
	o.kept = kept()
	return o, err
}

// choose gives the rows with these names, in any case, or all.
func choose(names []string) (chosen []row, err error) {
	if len(names) == 0 {
		return rows, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(rows, func(r row) bool { return strings.EqualFold(r.name, name) })
		if i < 0 {
			return nil, fmt.Errorf("%q: no row has this name", name)
		}
		chosen = append(chosen, rows[i])
	}
	return chosen, nil
}
