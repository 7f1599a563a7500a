package main

import (
	"fmt"
	"time"
)

// A load is requests that are due at a steady rate, whether those before are answered or not: a server that falls behind
// is not given time to catch up, and the wait counts.
type load struct {
	address     string
	rate        float64 // requests a second
	lasts       time.Duration
	connections int
	key         string
	once        bool // each connection serves one request
	queries     []string
	editions    []*edition
}

// answerLimit is how long an answer may take before it counts as failed.
const answerLimit = 20 * time.Second

// A tally is what came of a load.
type tally struct {
	took     time.Duration
	statuses map[int]int
	served   map[string]int // right answers, by the edition that they name
	// broken are requests that got no answer, wrong those whose answer is not that of the edition that it names.
	broken, wrong int
	firstProblem  string
	times         histogram
	// undisturbed is what came in windows in which the host of this machine kept nothing to itself. Only a load that is sent in
	// windows has it.
	undisturbed span
}

// A span is some time of a load, and the times of the answers that came in it.
type span struct {
	lasted time.Duration
	times  histogram
}

func (s *span) p99() time.Duration { return s.times.quantile(0.99) }

// rate is how many answers came a second.
func (s *span) rate() float64 { return float64(s.times.count) / s.lasted.Seconds() }

func (t *tally) add(a answer, err error, took time.Duration, editions []*edition, place int) {
	t.times.add(took)
	if t.statuses == nil {
		t.statuses, t.served = map[int]int{}, map[string]int{}
	}
	if err != nil {
		t.broken++
		t.problem(err.Error())
		return
	}
	t.statuses[a.status]++
	if a.status != 200 && a.snapshot == "" {
		return
	}
	for _, e := range editions {
		if e.id == a.snapshot {
			if want := e.answers[place]; want != (expected{a.status, a.digest}) {
				t.wrong++
				t.problem(fmt.Sprintf("request %d: the answer of snapshot %s is not what it was", place, a.snapshot))
			} else {
				t.served[e.id]++
			}
			return
		}
	}
	t.wrong++
	t.problem(fmt.Sprintf("request %d: names a snapshot %q that nobody installed", place, a.snapshot))
}

func (t *tally) problem(what string) {
	if t.firstProblem == "" {
		t.firstProblem = what
	}
}

// join adds what came of another load.
func (t *tally) join(other *tally) {
	if t.statuses == nil {
		t.statuses, t.served = map[int]int{}, map[string]int{}
	}
	for status, n := range other.statuses {
		t.statuses[status] += n
	}
	for id, n := range other.served {
		t.served[id] += n
	}
	t.broken += other.broken
	t.wrong += other.wrong
	if other.firstProblem != "" {
		t.problem(other.firstProblem)
	}
	t.times.merge(&other.times)
	t.took += other.took
	t.undisturbed.times.merge(&other.undisturbed.times)
	t.undisturbed.lasted += other.undisturbed.lasted
}

// sent is the number of requests.
func (t *tally) sent() int { return t.times.count }

// failed is the number of requests that were not answered as they should be; an answer 404 is right where it is the
// edition's.
func (t *tally) failed() int {
	failed := t.broken + t.wrong
	for status, n := range t.statuses {
		if status != 200 && status != 404 {
			failed += n
		}
	}
	return failed
}

// failures tells how many requests failed, and how the first did.
func (t *tally) failures() string {
	text := fmt.Sprintf("%d failed", t.failed())
	if t.firstProblem != "" {
		text += " (" + t.firstProblem + ")"
	}
	return text
}

// String is for a report.
func (t *tally) String() string { return grouped(t.sent()) + " answers, " + t.failures() }
