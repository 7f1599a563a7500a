package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// swapRows are about reloads that succeed, however many and however fast.
var swapRows = []row{
	{"R1", "1,000 reloads that alternate two snapshots of 5,000 pubs, under load", "at least a million answers, 0 failed, 0 mixed: each is exactly the answer of the snapshot that it names", false, alternate},
	{"R3", "100 SIGHUPs in a second, a new file with every tenth", "at most 2 builds, and the newest file wins", false, burst},
	{"R6", "2,000 reloads of 5,000 pubs", "goroutines and file handles are back where they were, the heap to a tenth and 4 MiB", false, manyReloads},
}

// steady is a load in requests a second that leaves most of two cores to reloads.
const steady = 5000

// during sends a load from before something is done until after it.
func during(ctx context.Context, l *load, do func() error) (*tally, error) {
	sending, stop := context.WithCancel(ctx)
	defer stop()
	var t *tally
	var wait sync.WaitGroup
	wait.Go(func() { t = l.send(sending) })
	err := do()
	stop()
	wait.Wait()
	return t, errors.Join(err, ctx.Err())
}

func alternate(ctx context.Context, b *bed) (outcome, error) {
	b, err := b.sized("few", fewPubs)
	if err != nil {
		return outcome{}, err
	}
	pair, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serve(ctx, "r1", pair[0].file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	answers := b.times(1_000_000, 1000)
	long := time.Duration(1.01 * float64(answers) / steady * float64(time.Second))
	reloads := 0
	t, err := during(ctx, b.load(r, steady, untilStopped, pair[:]...), func() error {
		for begun := time.Now(); reloads < b.times(1000, 10) || time.Since(begun) < long; reloads++ {
			if err := r.reload(ctx, pair[1-reloads%2]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return outcome{}, err
	}
	first, second := t.served[pair[0].id], t.served[pair[1].id]
	return outcome{
		n:      fmt.Sprintf("%s answers, %s reloads", grouped(t.sent()), grouped(reloads)),
		figure: fmt.Sprintf("%s of one snapshot, %s of the other, %d mixed; %v", grouped(first), grouped(second), t.wrong, t),
		passed: t.failed() == 0 && t.sent() >= answers && first > 0 && second > 0,
	}, nil
}

// burst sends signals and puts a new file in place before every tenth. The short form has no pauses, since its builds are
// short.
func burst(ctx context.Context, b *bed) (outcome, error) {
	const signals, files = 100, 10
	content, err := os.ReadFile(b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	next := func(file int) string { return b.path(fmt.Sprintf("r3-%d.csv", file)) }
	rest := strings.Repeat(",", bytes.Count(content[:bytes.IndexByte(content, '\n')], []byte(","))-1)
	for file := range files {
		changed := fmt.Appendf(content[:len(content):len(content)], "newest-%d,The Newest%s\n", file, rest)
		if err := os.WriteFile(next(file), changed, 0o600); err != nil {
			return outcome{}, err
		}
	}
	log := b.path("r3.log")
	logging, err := b.logging("r3", log)
	if err != nil {
		return outcome{}, err
	}
	r, err := logging.serve(ctx, "r3", b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()

	begun := time.Now()
	for i := range signals {
		time.Sleep(time.Until(begun.Add(time.Duration(i) * b.lasting(10*time.Millisecond, 0))))
		if file := i / (signals / files); i%(signals/files) == 0 {
			if err := os.Rename(next(file), r.data); err != nil {
				return outcome{}, err
			}
		}
		if err := r.Signal(syscall.SIGHUP); err != nil {
			return outcome{}, err
		}
	}
	took := time.Since(begun)
	newest := fmt.Sprintf("http://%s%s?pubid=newest-%d", r.api, resource, files-1)
	err = eventually(ctx, "the newest file is served", func() (bool, error) {
		status, _, err := get(ctx, newest, demo)
		return status == http.StatusOK, err
	})
	if err != nil {
		return outcome{}, err
	}
	// What is loaded after the newest file is the same file, which is not built again.
	_, said, err := r.ready(ctx)
	if err != nil {
		return outcome{}, err
	}
	var logged []byte
	err = eventually(ctx, "the newest file is in the log", func() (found bool, err error) {
		logged, err = os.ReadFile(log)
		return bytes.Contains(logged, []byte(`"snapshot":"`+said.Snapshot+`"`)), err
	})
	if err != nil {
		return outcome{}, err
	}
	builds := bytes.Count(logged, []byte(`"data loaded"`)) - 1 // the first is that of the start
	return outcome{
		n:      fmt.Sprintf("%d signals and %d files in %v", signals, files, took.Round(time.Millisecond)),
		figure: fmt.Sprintf("%d builds, the newest file is served", builds),
		passed: 1 <= builds && builds <= 2,
	}, nil
}

// logging is a bed whose replicas write their log to a file; name is that of what starts them.
func (b *bed) logging(name, file string) (*bed, error) {
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\" 2>'%s'\n", b.program, file)
	logging := *b
	logging.program = b.path(name + ".sh")
	return &logging, os.WriteFile(logging.program, []byte(script), 0o700)
}

// eventually waits until something is so.
func eventually(ctx context.Context, what string, isSo func() (bool, error)) error {
	for deadline := time.Now().Add(patience); ; {
		so, err := isSo()
		switch {
		case err != nil || so:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Now().After(deadline):
			return fmt.Errorf("not so after %v: %s", patience, what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// manyReloads compares what a replica holds after many reloads with what it held after one, both of the same snapshot.
func manyReloads(ctx context.Context, b *bed) (outcome, error) {
	b, err := b.sized("few", fewPubs)
	if err != nil {
		return outcome{}, err
	}
	pair, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serve(ctx, "r6", pair[0].file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	if err := r.reload(ctx, pair[1]); err != nil {
		return outcome{}, err
	}
	before, err := r.holding(ctx, nil)
	if err != nil {
		return outcome{}, err
	}
	reloads := b.times(2000, 10)
	for i := range reloads {
		if err := r.reload(ctx, pair[i%2]); err != nil {
			return outcome{}, err
		}
	}
	after, err := r.holding(ctx, before)
	if err != nil {
		return outcome{}, err
	}
	return outcome{
		n: grouped(reloads) + " reloads",
		figure: fmt.Sprintf("goroutines %.0f before, %.0f after; file handles %.0f, %.0f; heap %.1f MiB, %.1f MiB",
			before.goroutines, after.goroutines, before.handles, after.handles, before.heap/(1<<20), after.heap/(1<<20)),
		passed: after.within(before),
	}, nil
}

// held is what a process must give back.
type held struct{ goroutines, handles, heap float64 }

// within tells whether this is no more than something before; the heap may have grown by a tenth and 4 MiB, for what is
// kept to be used again.
func (h *held) within(before *held) bool {
	return h.goroutines <= before.goroutines && h.handles <= before.handles && h.heap <= 1.1*before.heap+4<<20
}

// holding is what a replica holds once it has rested: no more than before, or for lack of that than a moment ago. It
// does not wait for this forever.
func (r *replica) holding(ctx context.Context, before *held) (*held, error) {
	const rest = 10 * time.Second
	for deadline := time.Now().Add(rest); ; {
		// The profile is not needed: making it collects the garbage.
		if _, _, err := get(ctx, "http://"+r.admin+"/debug/pprof/heap?gc=1", ""); err != nil {
			return nil, err
		}
		// The metric go_goroutines also counts those that gather the metrics, from one to five of them by chance.
		_, profile, err := get(ctx, "http://"+r.admin+"/debug/pprof/goroutine?debug=1", "")
		if err != nil {
			return nil, err
		}
		var h held
		if _, err := fmt.Sscanf(string(profile), "goroutine profile: total %g\n", &h.goroutines); err != nil {
			return nil, fmt.Errorf("profile of goroutines: %w", err)
		}
		for prefix, value := range map[string]*float64{"process_open_fds ": &h.handles, "go_memstats_heap_inuse_bytes ": &h.heap} {
			var err error
			if *value, err = r.metric(ctx, prefix); err != nil {
				return nil, err
			}
		}
		if before != nil && h.within(before) || time.Now().After(deadline) {
			return &h, nil
		}
		if before == nil {
			before = &h
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// metric is the sum of the metrics whose lines begin with a prefix, such as "go_goroutines " or "pubd_reloads_total{".
func (r *replica) metric(ctx context.Context, prefix string) (sum float64, err error) {
	_, body, err := get(ctx, "http://"+r.admin+"/metrics", "")
	if err != nil {
		return 0, err
	}
	found := false
	for line := range strings.Lines(string(body)) {
		if !strings.HasPrefix(line, prefix) {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]), 64)
		if err != nil {
			return 0, fmt.Errorf("metric %q: %w", line, err)
		}
		sum, found = sum+value, true
	}
	if !found {
		return 0, fmt.Errorf("/metrics has no line that begins with %q", prefix)
	}
	return sum, nil
}
