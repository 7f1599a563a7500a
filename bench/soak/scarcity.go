package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"pubd/bench/stage"
)

// scarcityRows are about a system that gives less than is asked for.
var scarcityRows = []row{
	{"X1", "500 connections held open where pubd may have 128 file handles", "it answers within 2 s of their release; the admin address answers all the while", false, fewHandles},
	{"X2", "reloading under load where memory is limited to 3.2 times what a replica of one snapshot takes", "never more resident than that, and no failed request", false, littleMemory},
	{"X3", "the file becomes one whose read blocks, and then a good one, under load", "given up in time with its reason in /readyz, the next reload works, 0 failed", false, blockedSource},
	{"X4", "the file becomes one of five million pubs, whole and with blank lines behind, under load, where memory is limited to 521 MiB; and at the start",
		"refused in 5 s with what it takes and what there is, never more resident than that, 0 failed", true, largerThanMemory},
}

// serveUnder is serve for a program that another sets limits for and then becomes.
func (b *bed) serveUnder(ctx context.Context, limiter []string, name, snapshot string, flags ...string) (*replica, error) {
	r, err := b.prepare(name, snapshot)
	if err != nil {
		return nil, err
	}
	return r, b.startUnder(ctx, limiter, r, flags...)
}

// onceEach asks on a connection of its own each time, and not for long.
var onceEach = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 2 * time.Second}

// alive tells whether the admin address answers a new connection.
func (r *replica) alive() bool {
	answer, err := onceEach.Get("http://" + r.admin + "/readyz")
	return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
}

// fewHandles holds more connections than a replica may have, each of them after a request.
func fewHandles(ctx context.Context, b *bed) (outcome, error) {
	prlimit, err := stage.Tool("prlimit", "util-linux")
	if err != nil {
		return outcome{}, err
	}
	e, err := b.edition(ctx, b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serveUnder(ctx, []string{prlimit, "--nofile=128:128"}, "x1", e.file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()

	const held = 500
	release, err := hold(r.api, held, b.queries[0])
	defer release()
	if err != nil {
		return outcome{figure: err.Error()}, nil
	}
	asked, silent := 0, 0
	for until := time.Now().Add(b.lasting(20*time.Second, time.Second)); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if asked++; !r.alive() {
			silent++
		}
	}
	release()
	begun := time.Now()
	if err := eventually(ctx, "an answer after the release", func() (bool, error) {
		return b.load(r, 100, 10*time.Millisecond, e).send(ctx).failed() == 0, nil
	}); err != nil {
		return outcome{figure: fmt.Sprintf("the admin address did not answer %d of %d times; %v", silent, asked, err)}, nil
	}
	recovered := time.Since(begun)
	t := b.load(r, 1000, b.lasting(10*time.Second, time.Second), e).send(ctx)
	return outcome{
		n:      fmt.Sprintf("%d connections, %s answers after them", held, grouped(t.sent())),
		figure: fmt.Sprintf("answers %v after the release; the admin address did not answer %d of %d times; afterwards %v", recovered.Round(time.Millisecond), silent, asked, t),
		passed: recovered <= 2*time.Second && silent == 0 && t.failed() == 0,
	}, nil
}

// hold makes connections and sends a request on each, which may never be answered.
func hold(address string, connections int, query string) (release func(), err error) {
	var held []net.Conn
	release = func() {
		for _, c := range held {
			_ = c.Close()
		}
	}
	for i := range connections {
		c, err := net.DialTimeout("tcp", address, patience)
		if err != nil {
			return release, fmt.Errorf("after %d connections: %w", i, err)
		}
		held = append(held, c)
		if _, err := fmt.Fprintf(c, "GET %s?%s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %s\r\n\r\n", resource, query, demo); err != nil {
			return release, fmt.Errorf("on connection %d: %w", i+1, err)
		}
	}
	return release, nil
}

// littleMemory tells pubd a limit, as it takes one from its cgroup, and reads the most that the kernel counted for it: a
// cgroup of this limit would have had to kill it above.
func littleMemory(ctx context.Context, b *bed) (outcome, error) {
	reloads := b.times(200, 2)
	if b.short { // of few pubs, what every program needs is more than they take
		full, err := b.sized("full", pubsInBed)
		if err != nil {
			return outcome{}, err
		}
		b = full
	}
	pair, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	size, err := b.sizeOf(ctx, pair[0])
	if err != nil {
		return outcome{}, err
	}
	limit := int64(3.2 * size)
	const told = 0.85 // of its cgroup's limit pubd keeps this for Go
	r, err := b.serveUnder(ctx, []string{"env", fmt.Sprintf("GOMEMLIMIT=%d", int64(told*float64(limit)))}, "x2", pair[0].file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	stop := b.load(r, 1000, untilStopped, pair[:]...).background(ctx)
	defer stop()
	for i := range reloads {
		if err := r.reload(ctx, pair[1-i%2]); err != nil {
			return outcome{}, err
		}
	}
	t := stop()
	peak, err := mostResident(r.ID())
	if err != nil {
		return outcome{}, err
	}
	const mib = 1 << 20
	return outcome{
		n: fmt.Sprintf("%d reloads, %s answers", reloads, grouped(t.sent())),
		figure: fmt.Sprintf("replica of one snapshot %.0f MiB, limit %d MiB (by GOMEMLIMIT, without a cgroup), most resident %d MiB; %v",
			size/mib, limit/mib, peak/mib, t),
		passed: peak <= limit && t.failed() == 0,
	}, nil
}

// sizeOf is what is resident of a replica that serves an edition, its index included, in bytes.
func (b *bed) sizeOf(ctx context.Context, e *edition) (float64, error) {
	r, err := b.serve(ctx, "size", e.file)
	if err != nil {
		return 0, err
	}
	defer r.Stop()
	return r.metric(ctx, "process_resident_memory_bytes ")
}

// blockedSource puts a link to the kernel's log, whose read waits for the next message, in the place of the data file.
func blockedSource(ctx context.Context, b *bed) (outcome, error) {
	const blocking, limit = "/proc/kmsg", time.Second
	pair, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serve(ctx, "x3", pair[0].file, "--file-timeout", limit.String())
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	rounds, wrong, longest := b.times(50, 2), []string{}, time.Duration(0)
	t, err := during(ctx, b.load(r, 1000, untilStopped, pair[:]...), func() error {
		for i := range rounds {
			if err := errors.Join(os.RemoveAll(r.data+".link"), os.Symlink(blocking, r.data+".link"), os.Rename(r.data+".link", r.data)); err != nil {
				return err
			}
			begun := time.Now()
			if _, err := r.tryReload(ctx); err != nil {
				return err
			}
			longest = max(longest, time.Since(begun))
			if status, said, err := r.ready(ctx); err != nil || status != 200 || !strings.Contains(said.LastReload, "--file-timeout") {
				wrong = append(wrong, fmt.Sprintf("/readyz %d says %.200q (%v)", status, said.LastReload, err))
			}
			if err := r.reload(ctx, pair[1-i%2]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return outcome{}, err
	}
	figure := fmt.Sprintf("%d of %d given up with their reason, after %v at most where %v is allowed; each reload after them was good; %v",
		rounds-len(wrong), rounds, longest.Round(time.Millisecond), limit, t)
	if len(wrong) > 0 {
		figure += ": " + wrong[0]
	}
	return outcome{
		n:      fmt.Sprintf("%d reads of %s, %s answers", rounds, blocking, grouped(t.sent())),
		figure: figure,
		passed: len(wrong) == 0 && t.failed() == 0 && longest <= limit+checkTime,
		sound:  len(wrong) == 0 && t.failed() == 0,
	}, nil
}

// largerThanMemory tells pubd a limit as littleMemory does.
func largerThanMemory(ctx context.Context, b *bed) (outcome, error) {
	const limit = 521 << 20
	under := []string{"env", fmt.Sprintf("GOMEMLIMIT=%d", limit/100*85)}
	good, err := b.edition(ctx, b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	text, err := os.ReadFile(good.file)
	if err != nil {
		return outcome{}, err
	}
	whole, place := b.path("x4-whole.csv.gz"), b.path("x4.csv.gz")
	if err := errors.Join(os.WriteFile(whole, pack("gzip", string(text)), 0o600), os.WriteFile(place, pack("gzip", string(text)), 0o600)); err != nil {
		return outcome{}, err
	}
	r, err := b.serveUnder(ctx, under, "x4-unused", good.file, "--data", place)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	r.data = place
	_, said, err := r.ready(ctx)
	if err != nil {
		return outcome{}, err
	}
	served := &edition{file: whole, id: said.Snapshot, answers: good.answers}
	rounds, wrong, longest := b.times(10, 1), []string{}, time.Duration(0)
	files := tooLarge()
	t, err := during(ctx, b.load(r, 1000, untilStopped, served), func() error {
		for range rounds {
			for _, f := range files {
				begun := time.Now()
				problem, err := r.refuses(ctx, f, served.id)
				if err != nil {
					return err
				}
				longest = max(longest, time.Since(begun))
				if problem != "" {
					wrong = append(wrong, f.name+": "+problem)
				}
			}
		}
		return r.reload(ctx, served)
	})
	if err != nil {
		return outcome{}, err
	}
	peak, err := mostResident(r.ID())
	if err != nil {
		return outcome{}, err
	}
	if err := files[0].write(place); err != nil {
		return outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// It ends with an error, as its first snapshot does not fit.
	last, _ := stage.Command(limited, nil, append(under, b.program, "serve", "--data", place, "--listen=127.0.0.1:0", "--admin=")...).CombinedOutput()
	if !bytes.Contains(last, []byte(files[0].want)) {
		wrong = append(wrong, "at the start: "+stage.LastLines(string(last)))
	}
	figure := fmt.Sprintf("%d of %d refused with their figures, after %v at most, the writing of the file included; most resident %d of %d MiB; %v",
		rounds*len(files)+1-len(wrong), rounds*len(files)+1, longest.Round(time.Millisecond), peak>>20, limit>>20, t)
	if len(wrong) > 0 {
		figure += ": " + wrong[0]
	}
	sound := len(wrong) == 0 && t.failed() == 0 && peak <= limit
	return outcome{
		n:      fmt.Sprintf("%d reloads, a start, %s answers", rounds*len(files), grouped(t.sent())),
		figure: figure,
		passed: sound && longest <= checkTime,
		sound:  sound,
	}, nil
}

// tooLarge are snapshots of five million pubs, good but for the memory that they take.
func tooLarge() []badFile {
	const want = " pubs would take about "
	text := []byte(named)
	for i := range 5_000_000 {
		text = append(strconv.AppendInt(text, int64(i), 10), ",A\n"...)
	}
	packed := pack("gzip", string(text))
	blank := pack("gzip", strings.Repeat("\n", 100<<20))
	return []badFile{
		{"five-million.csv.gz", want, content(string(packed))},
		{"five-million-blank.csv.gz", want, content(string(packed) + string(blank))},
		{"sparse.csv.gz", "the file would take about 2048 MiB", func(path string) error { return errors.Join(content("")(path), os.Truncate(path, 2<<30)) }},
	}
}
