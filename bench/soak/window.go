package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"pubd/bench/stage"
)

// windowLength is how long a window is. A host that keeps a fiftieth of the cores to itself disturbs every 5 seconds, but not
// every half second.
const windowLength = 500 * time.Millisecond

// A window is a part of a load. The times of its answers are the server's own where the host of this machine has kept nothing
// of the cores' time to itself meanwhile, to a hundredth of a second. An answer belongs to the window in which it came.
//
// So what the server itself held up is not seen where the host disturbs before it is answered; and the host disturbs most when
// the server works most. Where it keeps nothing at all, every answer counts.
type window struct {
	opened    time.Time
	kept      func() float64
	times     histogram
	disturbed bool // and shut
}

func openWindow(now time.Time) *window { return &window{opened: now, kept: stage.KeptByHost()} }

// shut counts what is in a window, unless the host disturbed it.
func (w *window) shut(now time.Time, t *tally) {
	if w.disturbed = w.kept() > 0; w.disturbed {
		return
	}
	t.undisturbed.times.merge(&w.times)
	t.undisturbed.lasted += now.Sub(w.opened)
}

// turnWindow ends a window that is as long as it may be, or the last one, and opens the next. After a disturbed one the load
// stands still until no answer is awaited; again tells that this is so, and a new schedule begins.
func (s *sender) turnWindow(now time.Time, idle, over bool) (again bool) {
	if s.window == nil {
		return false
	}
	if !s.window.disturbed && (now.Sub(s.window.opened) >= windowLength || idle && over) {
		if s.window.shut(now, &s.tally); !s.window.disturbed {
			s.window = openWindow(now)
		}
	}
	if again = s.window.disturbed && idle; again {
		s.window = openWindow(now)
	}
	return again
}

func (s *sender) standsStill() bool { return s.window != nil && s.window.disturbed }

// errUntold is for figures that are not the server's own.
var errUntold = errors.New("cannot be told, since the host of this machine kept cores to itself in nearly every half second: run it again in a quieter hour")

// own is that of a load's time which is held against the server: what the host of this machine did not disturb. In the short
// form, whose figures are not held against pubd, it is all of it.
func (b *bed) own(t *tally) *span {
	if b.short {
		return &span{t.took, t.times}
	}
	return &t.undisturbed
}

// enough is own, or errUntold where that is less than least, and then says what failed, if anything did.
func (b *bed) enough(t *tally, least time.Duration) (*span, error) {
	own := b.own(t)
	switch {
	case own.times.count > 0 && (b.short || own.lasted >= least):
		return own, nil
	case t.failed() > 0:
		return nil, fmt.Errorf("%s; the rest %w", t.failures(), errUntold)
	}
	return nil, errUntold
}

// hostPatience is how long something is tried again that the host of this machine does not let be told.
const hostPatience = 10 * time.Minute

// untilTold sends a load again and again until it has enough, and gives what came of all. It ends at the first failure.
func (b *bed) untilTold(ctx context.Context, least time.Duration, send func() *tally) (sum *tally, own *span, err error) {
	sum = &tally{}
	for begun := time.Now(); ; {
		sum.join(send())
		own, err = b.enough(sum, least)
		if err == nil || ctx.Err() != nil || sum.failed() > 0 || time.Since(begun) > hostPatience {
			return sum, own, cmp.Or(ctx.Err(), err)
		}
	}
}

// inRounds lets two loads be compared, in rounds of which the median counts, until so many are told; loads sends both once.
// It tells what came of each. It ends at the first round with an answer that failed. A round is told if each load has
// at least so much time that the host did not disturb.
func (b *bed) inRounds(ctx context.Context, rounds int, least time.Duration, loads func() (without, with *tally, err error)) (without, with tally, told ratios, err error) {
	for begun := time.Now(); time.Since(begun) < hostPatience; {
		one, other, err := loads()
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return without, with, nil, err
		}
		without.join(one)
		with.join(other)
		if failed := one.failed() + other.failed(); failed > 0 {
			return without, with, nil, fmt.Errorf("without: %s; with: %s", one.failures(), other.failures())
		}
		usual, err := b.enough(one, least)
		own, failed := b.enough(other, least)
		if err != nil || failed != nil {
			continue
		}
		if told.add(float64(own.p99()) / float64(usual.p99())); len(told) == rounds {
			return without, with, told, nil
		}
	}
	return without, with, nil, errUntold
}
