package reliability

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"pubd/bench"
	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/bench/testkit"
)

var measured float64 // the capacity, once a row has measured it

// capacity returns the capacity of pubd.
func capacity(t *testing.T, r *replica, s *snapshot) float64 {
	t.Helper()
	if measured == 0 {
		measured = capacityFor(t, r.load(0, s))
	}
	return measured
}

// capacityFor returns the highest steady rate of a load with a 99th percentile of at most 50 ms, to within 5 %. It
// doubles the rate until that is exceeded, then bisects. The result must hold twice for longer. The short form, which
// checks no times, returns a low rate.
func capacityFor(t *testing.T, l *load.Load) float64 {
	t.Helper()
	if !full() {
		return 2000
	}
	holds := func(rate float64, duration time.Duration) bool {
		during, cancel := context.WithTimeout(t.Context(), duration+duration/2) // requests that are late by then are not sent
		defer cancel()
		steady := lasting(l, duration)
		steady.Rate = rate
		got := steady.Send(during)
		noFailure(t, got)
		t.Logf("at %.0f requests a second for %v: %.0f answers a second, p99 %v", rate, duration, got.Rate(), got.P99())
		return got.P99() <= 50*time.Millisecond && got.Rate() >= 0.95*rate
	}
	low, high := 500.0, 0.0
	for (high == 0 || high-low > low/20) && !t.Failed() {
		rate := (low + high) / 2
		if high == 0 {
			rate = 2 * low
		}
		held := holds(rate, 3*time.Second)
		if held || holds(rate, 3*time.Second) { // the machine may have been busy
			low = rate
		} else {
			high = rate
		}
	}
	for times := 0; times < 2; times++ {
		if !holds(low, 15*time.Second) {
			low, times = 0.95*low, -1
		}
	}
	return low
}

// control starts nginx, which sends a file as long as a snapshot's mean answer, and returns a load for it.
func control(t *testing.T, s *snapshot) *load.Load {
	t.Helper()
	dir := t.TempDir()
	answer := bytes.Repeat([]byte{'a'}, s.bytes/len(s.Answers))
	write(t, filepath.Join(dir, "answer"), answer)
	const config = "server { listen {address}; root %s; location / { add_header X-Snapshot control; try_files /answer =404; } }"
	address := startProxy(t, "nginx", stage.NginxConfig(2, 0, fmt.Sprintf(config, dir)))
	same := &load.Snapshot{ID: "control"}
	for range s.Answers {
		same.Answers = append(same.Answers, load.Answer{Status: http.StatusOK, Digest: xxhash.Sum64(answer)})
	}
	return &load.Load{Address: address, Key: demo, Targets: s.targets, Snapshots: []*load.Snapshot{same}}
}

func TestL1(t *testing.T) {
	timedRow(t, "open loop for 10 minutes at 0.7 of the capacity of nginx, which sends a file as long as the mean answer, in turn with it at the same rate",
		"0 failed; p99 at most 3 times that of nginx; memory at the end at most a tenth above that after a tenth of the time")
	s := usual(t).snapshots[0]
	other := control(t, s)
	r := serve(t, s)
	rate := 0.7 * capacityFor(t, other) // not of pubd's, which rises as it gets faster
	other.Rate = rate
	duration := pick(200*time.Millisecond, testkit.Must(time.ParseDuration(cmp.Or(os.Getenv("PUBD_STEADY"), "10m")))(t)/10)
	var early, late int64
	all, said := compare(t, 10, 3, func() (without, with *load.Tally) {
		with = lasting(r.load(rate, s), duration).Send(t.Context())
		without = lasting(other, duration/6).Send(t.Context())
		if late, _ = r.memory(); early == 0 {
			early = late
		}
		return without, with
	})
	testkit.FailIf(t, late > early+early/10, "%d MB resident after a tenth of the time, %d MB at the end", early/1e6, late/1e6)
	figure(t, fmt.Sprintf("%d answers", all.Sent()), "at %.0f requests a second for %v: %s; nginx sends %d bytes; %d MB after a tenth, %d MB at the end",
		rate, time.Duration(pick(1, 10))*duration, said, s.bytes/len(s.Answers), early/1e6, late/1e6)
}

// overloadSteps are multiples of the capacity, each with the minimum goodput: relative to the capacity for the first
// step, and to the first step's goodput in the same round for the others.
var overloadSteps = []struct{ times, least float64 }{{1, 0.7}, {2, 0.95}, {5, 0.7}, {10, 0.7}}

func TestL2(t *testing.T) {
	timedRow(t, "1, 2, 5 and 10 times the capacity C", "goodput, of that at 1 C in the same round, at least 0.95 at 2 C and 0.7 beyond; within 5 s p99 at 0.5 C at most twice what it was")
	s := usual(t).snapshots[0]
	r := serve(t, s)
	c := capacity(t, r, s)
	half := lasting(r.load(c/2, s), pick(300*time.Millisecond, time.Second))
	all := lasting(half, pick(300*time.Millisecond, 5*time.Second)).Send(t.Context())
	normal := all.P99()
	goodput := make([][]float64, len(overloadSteps))
	for range pick(1, 5) {
		reached := c
		for i, step := range overloadSteps {
			// A connection waits for its answer before the next request, so higher rates need more connections.
			l := lasting(r.load(step.times*c, s), pick(300*time.Millisecond, 3*time.Second))
			l.Connections = int(256 * step.times)
			during, cancel := context.WithTimeout(t.Context(), l.Duration)
			got := l.Send(during)
			cancel()
			goodput[i] = append(goodput[i], got.Rate()/reached)
			all.Add(got)
			if i == 0 {
				reached = got.Rate()
			}
		}
	}
	ended, recovery := time.Now(), time.Duration(0)
	var p99s []string
	for recovery <= 5*time.Second {
		recovery = time.Since(ended)
		got := half.Send(t.Context())
		all.Add(got)
		p99s = append(p99s, milliseconds(got.P99()))
		if got.P99() <= 2*normal || !full() {
			break
		}
	}
	noFailure(t, all)
	said := fmt.Sprintf("C = %.0f requests a second", c)
	for i, step := range overloadSteps {
		median := bench.Median(goodput[i])
		said += fmt.Sprintf("; at %v C %.2f to %.2f, median %.2f", step.times, slices.Min(goodput[i]), slices.Max(goodput[i]), median)
		testkit.FailIf(t, full() && median < step.least, "goodput at %v C is %.2f, want %v or more", step.times, median, step.least)
	}
	testkit.FailIf(t, full() && recovery > 5*time.Second, "p99 at 0.5 C is not back at twice %v after %v", normal, recovery)
	figure(t, fmt.Sprintf("%d answers", all.Sent()), "%s; p99 at 0.5 C %s ms before, %s ms after it, so normal after %.1f s", said, milliseconds(normal), strings.Join(p99s, " "), recovery.Seconds())
}

func TestL3(t *testing.T) {
	timedRow(t, "10,000 idle connections beside 0.5 of the capacity, in turn with a replica without them", "at most 200 MB more; p99 within 20 %; all still open")
	connections := pick(1000, 10_000)
	needHandles(t, connections+500)
	s := usual(t).snapshots[0]
	crowded, plain := serve(t, s), serve(t, s)
	rate := capacity(t, crowded, s) / 2
	send := func(r *replica) *load.Tally {
		return lasting(r.load(rate, s), pick(300*time.Millisecond, 3*time.Second)).Send(t.Context())
	}
	noFailure(t, send(plain)) // warms up
	noFailure(t, send(crowded))
	before, _ := crowded.memory()
	idle := make([]load.Conn, connections)
	for i := range idle {
		idle[i].Address = crowded.API
		defer idle[i].Close()
	}
	fetchAll := func() {
		for i := range idle {
			target := i % len(s.targets)
			got, err := idle[i].Send(request(s.targets[target]))
			testkit.StopIf(t, err != nil || got != s.Answers[target], "connection %d: got %v, %v, want %v", i, got, err, s.Answers[target])
		}
	}
	fetchAll()
	requested, round := time.Now(), 0
	all, said := compare(t, 9, 1.2, func() (without, with *load.Tally) {
		if time.Since(requested) > 30*time.Second { // pubd closes them after 75 s
			fetchAll()
			requested = time.Now()
		}
		if round++; round%2 == 0 { // neither is always first
			without = send(plain)
			return without, send(crowded)
		}
		with = send(crowded)
		return send(plain), with
	})
	after, _ := crowded.memory()
	testkit.FailIf(t, after-before > 200e6, "%d MB before, %d MB with them, want at most 200 MB more", before/1e6, after/1e6)
	fetchAll()
	figure(t, fmt.Sprintf("%d connections, %d answers", connections, all.Sent()), "%d MB before, %d MB with them: %.1f kB each; %s; at %.0f requests a second; all still open",
		before/1e6, after/1e6, float64(after-before)/1e3/float64(connections), said, rate)
}

func TestL4(t *testing.T) {
	const rate, others = 100, 50 // of each key, in requests a second
	row(t, "one key at 20 times its rate beside 50 others", "it gets its rate and 429; the others get all they ask for")
	s := usual(t).snapshots[0]
	file := filepath.Join(t.TempDir(), "keys")
	// Each lookup counts as one request; a response of more than 16 KiB would count as several.
	lookups := s.only(func(target string) bool { return strings.Contains(target, "pubid=") })
	var keys []string
	for i := range 1 + others {
		keys = append(keys, addKey(t, file, fmt.Sprint("key-", i), "--rate", fmt.Sprint(rate)))
	}
	r := serve(t, s, "--keys", file)
	duration := pick(2*time.Second, 30*time.Second)
	tallies := make([]*load.Tally, len(keys))
	for attempt := 1; ; attempt++ {
		var wait sync.WaitGroup
		for i, key := range keys {
			l := r.load(rate/4, s) // a quarter of the rate, so that a stall of seconds does not exceed it
			l.Connections = 2
			if i == 0 {
				l = r.load(20*rate, lookups)
			}
			l.Key, l.Duration = key, duration
			wait.Go(func() { tallies[i] = l.Send(t.Context()) })
		}
		wait.Wait()
		greedy, modest := tallies[0], load.NewTally().Add(tallies[1:]...)
		noFailure(t, modest)
		rejected, answered := greedy.Statuses[http.StatusTooManyRequests], greedy.Sent()-greedy.Failed()
		least, most := rate*duration.Seconds(), rate*(greedy.Took.Seconds()+1)+1 // the rate, and saved-up requests
		figure(t, fmt.Sprintf("%d answers", greedy.Sent()+modest.Sent()), "the key with a rate of %d got %d answers and %d times 429 in %.1f s; the others: %v, p99 %v; attempt %d",
			rate, answered, rejected, greedy.Took.Seconds(), modest, modest.P99(), attempt)
		// A key can save up requests for one second. If the machine stalls for longer, it gets less than its rate.
		if float64(answered) < least && attempt < attempts && full() {
			continue
		}
		testkit.FailIf(t, answered+rejected != greedy.Sent() || float64(answered) < least || float64(answered) > most,
			"the greedy key: %d answers and %d times 429 of %v, want %.0f to %.0f answers", answered, rejected, greedy, least, most)
		return
	}
}

func TestL5(t *testing.T) {
	timedRow(t, "every request is logged, and standard error is a pipe that nobody reads, or a full disk",
		"0 failed; each line is written or counted as dropped; p99 at most twice that of a log that is taken")
	s := usual(t).snapshots[0]
	// logTo sends a load to a replica that logs to a file, and then calls check.
	logTo := func(file string, check func(r *replica, sent int)) *load.Tally {
		r := serveUnder(t, loggingTo(file), s.file, "--access-log", "all")
		defer r.Stop()
		limited, cancel := context.WithTimeout(t.Context(), patience) // a server that waits for its log would never finish
		defer cancel()
		got := lasting(r.load(5000, s), pick(1200*time.Millisecond, 8*time.Second)).Send(limited)
		check(r, got.Sent())
		return got
	}
	dropped := func(r *replica) int { return int(r.seriesSum("pubd_log_lines_dropped_total ")) }
	pipe := filepath.Join(t.TempDir(), "pipe")
	testkit.OK(t, syscall.Mkfifo(pipe, 0o600))
	unread := testkit.Must(os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0))(t) // without waiting for a writer
	defer unread.Close()
	var lines string
	all, said := compare(t, 3, 2, func() (without, with *load.Tally) {
		without = logTo(os.DevNull, func(*replica, int) {})
		written, lost := 0, 0
		blocked := logTo(pipe, func(r *replica, sent int) {
			lost = dropped(r)
			written = readLog(t, unread, r, sent-lost)
		})
		testkit.FailIf(t, lost == 0 || written+lost != blocked.Sent(),
			"a pipe that nobody reads: %d lines written, %d dropped of %d, want all of them, some dropped", written, lost, blocked.Sent())
		fullDisk := logTo("/dev/full", func(r *replica, sent int) {
			testkit.Eventually(t, "each line is counted as dropped", func() bool { return dropped(r) >= sent })
		})
		lines = fmt.Sprintf("blocked: %d lines written and %d dropped of %d; full: all of %d dropped", written, lost, blocked.Sent(), fullDisk.Sent())
		if blocked.P99() > fullDisk.P99() {
			blocked, fullDisk = fullDisk, blocked
		}
		noFailure(t, blocked)
		return without, fullDisk // the slower of them
	})
	figure(t, fmt.Sprintf("%d requests", all.Sent()), "%s; the slower of both in turn with a log that is taken: %s", lines, said)
}

// readLog counts the request lines in a log. It stops the replica after the expected number and reads on, as there
// must be no more. If there are fewer, it returns their number after patience.
func readLog(t *testing.T, log *os.File, r *replica, expected int) (written int) {
	testkit.OK(t, log.SetReadDeadline(time.Now().Add(patience)))
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if bytes.Contains(lines.Bytes(), []byte(`"message":"request"`)) {
			if written++; written == expected {
				testkit.OK(t, r.Signal(syscall.SIGTERM))
			}
		}
	}
	if err := lines.Err(); !errors.Is(err, os.ErrDeadlineExceeded) {
		testkit.OK(t, err)
	}
	return written
}
