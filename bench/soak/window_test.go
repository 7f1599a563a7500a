package main

import (
	"testing"
	"time"
)

// TestWindows lets a load go on window by window, with an answer before each step.
func TestWindows(t *testing.T) {
	begun := time.Now()
	s := &sender{window: openWindow(begun)}
	for _, step := range []struct {
		at                 time.Duration
		kept               float64 // by the host, since the window was opened
		idle, over         bool
		again, standsStill bool
		undisturbed        time.Duration
		answersUndisturbed int
	}{
		{at: 400 * time.Millisecond, idle: true},
		{at: 500 * time.Millisecond, undisturbed: 500 * time.Millisecond, answersUndisturbed: 2},
		{at: 1000 * time.Millisecond, kept: 0.01, standsStill: true, undisturbed: 500 * time.Millisecond, answersUndisturbed: 2},
		{at: 1900 * time.Millisecond, standsStill: true, undisturbed: 500 * time.Millisecond, answersUndisturbed: 2},
		{at: 2000 * time.Millisecond, idle: true, again: true, undisturbed: 500 * time.Millisecond, answersUndisturbed: 2},
		{at: 2300 * time.Millisecond, idle: true, over: true, undisturbed: 800 * time.Millisecond, answersUndisturbed: 3},
	} {
		s.window.times.add(time.Millisecond)
		s.window.kept = func() float64 { return step.kept }
		again := s.turnWindow(begun.Add(step.at), step.idle, step.over)
		got := &s.tally.undisturbed
		if again != step.again || s.standsStill() != step.standsStill || got.lasted != step.undisturbed || got.times.count != step.answersUndisturbed {
			t.Errorf("after %v: again %v, stands still %v, %v with %d answers undisturbed; want %+v",
				step.at, again, s.standsStill(), got.lasted, got.times.count, step)
		}
	}
}

func TestEnough(t *testing.T) {
	var sum tally
	sum.took = time.Minute
	sum.times.add(time.Second)
	sum.undisturbed.lasted = 10 * time.Second
	sum.undisturbed.times.add(time.Millisecond)
	for _, c := range []struct {
		short bool
		least time.Duration
		want  time.Duration // that is held against the server, 0 for errUntold
	}{
		{false, 10 * time.Second, 10 * time.Second},
		{false, 11 * time.Second, 0},
		{true, 2 * time.Minute, time.Minute},
	} {
		b := &bed{short: c.short}
		switch own, err := b.enough(&sum, c.least); {
		case c.want == 0 && err != errUntold:
			t.Errorf("%+v: error %v, want %v", c, err, errUntold)
		case c.want > 0 && (err != nil || own.lasted != c.want):
			t.Errorf("%+v: got %v, %v", c, own, err)
		}
	}
}
