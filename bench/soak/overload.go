package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"pubd/bench/stage"
)

// overloadRows are about load: steady, too much, beside idle connections, of one greedy key, and with a log that takes nothing.
var overloadRows = slices.Concat([]row{
	{"L1", "open loop at 0.7 of the capacity", "0 failed; p99 at most 5 ms, of what the host of the machine did not disturb, a tenth of it at least; memory at the end at most a tenth above that after a tenth of the time", true, steadyLoad},
	{"L2", "1, 2, 5 and 10 times the capacity C", "goodput, held against that at 1 C in turn with it, at least 0.95 at 2 C and 0.7 beyond, and 0.7 C at 1 C; within 5 s p99 at 0.5 C at most twice what it was", true, overload},
	{"L4", "one key at 20 times its rate beside 50 others", "it gets its rate and 429; the others get all they ask for", true, greedyKey},
}, idleRows, logRows)

// residentMemory is how many bytes of a process are in memory, mostResident how many were at most.
func residentMemory(pid int) (int64, error) { return memory(pid, "VmRSS") }

func mostResident(pid int) (int64, error) { return memory(pid, "VmHWM") }

// memory reads a line of what proc(5) tells of a process, in bytes.
func memory(pid int, name string) (int64, error) {
	file := fmt.Sprintf("/proc/%d/status", pid)
	status, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kibibytes int64
		if _, err := fmt.Sscanf(line, name+": %d kB", &kibibytes); err == nil {
			return kibibytes << 10, nil
		}
	}
	return 0, fmt.Errorf("%s: has no line %s, the process has ended", file, name)
}

// serveMeasured starts a replica of the first edition and measures its capacity.
func (b *bed) serveMeasured(ctx context.Context, name string) (r *replica, e *edition, capacity float64, err error) {
	if e, err = b.edition(ctx, b.editions[0]); err != nil {
		return nil, nil, 0, err
	}
	if r, err = b.serve(ctx, name, e.file); err != nil {
		return nil, nil, 0, err
	}
	if capacity, err = b.measureCapacity(ctx, r, e); err != nil {
		r.Stop()
		return nil, nil, 0, err
	}
	return r, e, capacity, nil
}

func steadyLoad(ctx context.Context, b *bed) (outcome, error) {
	r, e, capacity, err := b.serveMeasured(ctx, "l1")
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	c, err := b.startControl(ctx, r, e)
	if err != nil {
		return outcome{}, err
	}
	defer c.Stop()
	lasts := b.lasting(time.Minute, 100*time.Millisecond)
	rate := 0.7 * capacity
	var all, beside tally
	var early, late int64
	rounds := 0
	for ; rounds < 10 || rounds < 20 && b.own(&all).lasted < lasts; rounds++ {
		all.join(b.load(r, rate, lasts, e).sendInWindows(ctx))
		beside.join(c.load(b, rate, lasts/6).sendInWindows(ctx))
		if late, err = residentMemory(r.ID()); err != nil {
			return outcome{}, err
		}
		if early == 0 {
			early = late
		}
	}
	own, err := b.enough(&all, lasts)
	if err != nil {
		return outcome{}, err
	}
	sound := all.failed() == 0 && beside.failed() == 0 && late <= early+early/10
	return outcome{
		n: grouped(all.sent()) + " answers",
		figure: fmt.Sprintf("at %.0f requests a second for %v p99 %v; in the %v of it that the host did not disturb %v; nginx in turn with it, sending a file of %d bytes, %v, undisturbed %v; %d MB after a tenth, %d MB at the end; %s",
			rate, time.Duration(rounds)*lasts, all.times.quantile(0.99), own.lasted.Round(time.Second), own.p99(), e.bytes/len(e.answers), beside.times.quantile(0.99), b.own(&beside).p99(), early/1e6, late/1e6, all.failures()),
		passed: sound && own.p99() <= 5*time.Millisecond,
		sound:  sound && b.short,
	}, nil
}

// overloadSteps are multiples of the capacity, each with the share that must be answered right: at the first a share of the
// capacity, at the others of what was answered at the first. The cores of a shared host may be a third faster in one minute
// than in another, without a word of it from the host; what is answered at 1 C is the capacity of the moment.
var overloadSteps = []struct{ times, floor float64 }{{1, 0.7}, {2, 0.95}, {5, 0.7}, {10, 0.7}}

// overload offers more and more, then looks how long the replica takes to be as fast as before.
func overload(ctx context.Context, b *bed) (outcome, error) {
	r, e, capacity, err := b.serveMeasured(ctx, "l2")
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	sum, before, err := b.untilTold(ctx, 2*time.Second, func() *tally {
		return b.load(r, capacity/2, b.lasting(10*time.Second, 500*time.Millisecond), e).sendInWindows(ctx)
	})
	if err != nil {
		return outcome{}, err
	}
	usual := before.p99()
	goodputs, ofCapacity := make([]ratios, len(overloadSteps)), make([]ratios, len(overloadSteps))
	for range b.times(9, 1) {
		of := capacity
		for i, step := range overloadSteps {
			t, own, err := b.untilTold(ctx, time.Second, func() *tally { return b.press(ctx, r, step.times, capacity, e) })
			if err != nil {
				return outcome{}, fmt.Errorf("the goodput at %v C: %w", step.times, err)
			}
			sum.join(t)
			goodputs[i].add(own.rate() / of) // if none failed, or the row does
			ofCapacity[i].add(own.rate() / capacity)
			if i == 0 {
				of = own.rate()
			}
		}
	}
	told, held := "", true
	for i, step := range overloadSteps {
		told += fmt.Sprintf("answered at %v C %.2f C", step.times, ofCapacity[i].median())
		if i > 0 {
			told += fmt.Sprintf(", of that at 1 C %v", goodputs[i])
		}
		told += "; "
		held = held && goodputs[i].median() >= step.floor
	}
	recovery, p99s, after, err := b.recover(ctx, r, capacity/2, 2*usual, e)
	for begun := time.Now(); errors.Is(err, errUntold) && time.Since(begun) < hostPatience; {
		sum.join(b.press(ctx, r, overloadSteps[len(overloadSteps)-1].times, capacity, e))
		recovery, p99s, after, err = b.recover(ctx, r, capacity/2, 2*usual, e)
	}
	if err != nil {
		return outcome{}, err
	}
	sum.join(after)
	return outcome{
		n: grouped(sum.sent()) + " answers",
		figure: fmt.Sprintf("C = %.0f requests a second; %sp99 at 0.5 C %v before, after it %v, in turn, so %.1f s until it is normal; %s",
			capacity, told, usual, p99s, recovery.Seconds(), sum.failures()),
		passed: held && recovery <= normalAgain && sum.failed() == 0,
		sound:  sum.failed() == 0 && b.short,
	}, nil
}

// normalAgain is when a replica is to be as fast as before what was too much for it.
const normalAgain = 5 * time.Second

// recover sends a steady load for a second, and again until a 99th percentile is at most normal. It gives when that began,
// the 99th percentiles of all that are told, and what came of them; it does not look longer than it may take.
func (b *bed) recover(ctx context.Context, r *replica, rate float64, normal time.Duration, e *edition) (recovery time.Duration, p99s []time.Duration, sum *tally, err error) {
	ended, sum := time.Now(), &tally{}
	for untold := false; ; {
		begun := time.Since(ended)
		t := b.load(r, rate, b.lasting(time.Second, 200*time.Millisecond), e).sendInWindows(ctx)
		sum.join(t)
		own, err := b.enough(t, windowLength/2)
		untold = untold || err != nil
		switch {
		case ctx.Err() != nil:
			return 0, nil, nil, ctx.Err()
		case untold && begun > normalAgain:
			return 0, nil, nil, fmt.Errorf("the time until it is normal: %w", errUntold)
		case err != nil:
			continue
		}
		if p99s = append(p99s, own.p99()); own.p99() <= normal || begun > normalAgain {
			return begun, p99s, sum, nil
		}
	}
}

// press offers a multiple of the capacity. A connection asks again when it has its answer, so there are more of them the
// more is offered. What is still due when the time is up is not sent.
func (b *bed) press(ctx context.Context, r *replica, times, capacity float64, e *edition) *tally {
	l := b.load(r, times*capacity, b.lasting(4*time.Second, 400*time.Millisecond), e)
	l.connections = int(256 * times)
	during, cancel := context.WithTimeout(ctx, l.lasts)
	defer cancel()
	return l.sendInWindows(during)
}

// keyRate is how many requests a second each key of L4 may make, otherKeys how many there are beside the greedy one.
const (
	keyRate   = 100
	otherKeys = 50
)

// greedyKey has one key ask for 20 times its rate and the others for a quarter of theirs. A key may save up a second's
// worth of requests, so theirs pass even where the machine stalls for seconds and they come late and together.
func greedyKey(ctx context.Context, b *bed) (outcome, error) {
	e, err := b.edition(ctx, b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	file := b.path("l4.keys")
	secrets, err := b.ratedKeys(ctx, file)
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serve(ctx, "l4", e.file, "--keys", file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	lasts := b.lasting(time.Minute, 2*time.Second)
	tallies := make([]*tally, len(secrets))
	var wait sync.WaitGroup
	for i, secret := range secrets {
		l := b.load(r, keyRate/4, lasts, e)
		l.key, l.connections = secret, 2
		if i == 0 {
			l.rate, l.connections = 20*keyRate, connections
		}
		wait.Go(func() { tallies[i] = l.send(ctx) })
	}
	wait.Wait()
	greedy, modest := tallies[0], &tally{}
	for _, t := range tallies[1:] {
		modest.join(t)
	}
	refused, answered := greedy.statuses[429], greedy.sent()-greedy.failed()
	// The rate, and what was saved up.
	least, most := keyRate*lasts.Seconds(), keyRate*(greedy.took.Seconds()+1)+1
	return outcome{
		n: grouped(greedy.sent()+modest.sent()) + " answers",
		figure: fmt.Sprintf("the key with a rate of %d got %s answers and %s times 429 in %.1f s; of %s requests with the others %d failed, p99 %v",
			keyRate, grouped(answered), grouped(refused), greedy.took.Seconds(), grouped(modest.sent()), modest.failed(), modest.times.quantile(0.99)),
		passed: modest.failed() == 0 && answered+refused == greedy.sent() && least <= float64(answered) && float64(answered) <= most,
	}, nil
}

// ratedKeys makes a key file and gives the secrets.
func (b *bed) ratedKeys(ctx context.Context, file string) (secrets []string, err error) {
	for i := range 1 + otherKeys {
		secret, err := stage.Output(stage.Command(ctx, nil, b.program, "keys", "add", "--file", file,
			"--name", fmt.Sprintf("key-%d", i), "--rate", fmt.Sprint(keyRate)))
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, strings.TrimSpace(secret))
	}
	return secrets, nil
}
