package reliability

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/bench/testkit"
)

// steady is a rate, in requests per second, that leaves most of two cores to reloads.
func steady() float64 { return pick(200.0, 5000.0) }

func TestR1(t *testing.T) {
	quickRow(t, "1,000 reloads that alternate two snapshots of 5,000 pubs, under load", "a million answers or more, 0 failed, 0 mixed: each is exactly the answer of the snapshot that it names")
	d := directoryOf(t, testkit.Pick(scantPubs, fewPubs))
	r := serve(t, d.snapshots[0], built()...)
	answers, rate, reloads := pick(1000, 1_000_000), pick(200.0, 3000.0), 0
	got := during(t, r.load(rate, d.snapshots[:]...), func() {
		long := time.Duration(1.01 * float64(answers) / rate * float64(time.Second))
		for begun := time.Now(); reloads < testkit.Pick(4, pick(10, 1000)) || time.Since(begun) < long; reloads++ {
			r.reload(d.snapshots[1-reloads%2])
		}
	})
	first, second := got.Served[d.snapshots[0].ID], got.Served[d.snapshots[1].ID]
	testkit.FailIf(t, got.Sent() < answers || first == 0 || second == 0, "%d answers, %d of one snapshot and %d of the other, want %d of both", got.Sent(), first, second, answers)
	figure(t, fmt.Sprintf("%d answers, %d reloads", got.Sent(), reloads), "%d of one snapshot, %d of the other, %d mixed; %v", first, second, got.Wrong, got)
}

func TestR2(t *testing.T) {
	timedRow(t, "p99 while reloading at half the capacity, of source files and of index files",
		"at most 3 times the p99 without, 1.8 times with index files; at most 0.1 s of the server's CPU a reload")
	d := usual(t)
	var indexed [2]*snapshot
	for i, s := range d.snapshots {
		file := filepath.Join(t.TempDir(), "pubs.idx")
		testkit.Must(stage.Output(exec.CommandContext(t.Context(), program, "build", s.file, file)))(t)
		indexed[i] = &snapshot{file, s.Snapshot, s.targets, s.bytes}
	}
	r := serve(t, d.snapshots[0])
	rate := capacity(t, r, d.snapshots[0]) / 2
	all, reloads := load.NewTally(), 0
	var figures []string
	for _, form := range []struct {
		name      string
		snapshots [2]*snapshot
		limit     float64
	}{{"source files", d.snapshots, 3}, {"index files", indexed, 1.8}} {
		cost := r.reloadCost(form.snapshots)
		testkit.FailIf(t, full() && cost > 100*time.Millisecond, "%s: a reload takes %v of CPU, want at most 100 ms", form.name, cost)
		l := lasting(r.load(rate, form.snapshots[:]...), pick(500*time.Millisecond, 4*time.Second))
		got, said := compare(t, 7, form.limit, func() (without, with *load.Tally) {
			without = l.Send(t.Context())
			sent := make(chan *load.Tally, 1)
			go func() { sent <- l.Send(t.Context()) }()
			for ; len(sent) == 0; reloads++ {
				r.reload(form.snapshots[1-reloads%2])
			}
			return without, <-sent
		})
		all.Add(got)
		figures = append(figures, fmt.Sprintf("%s: %s, %v of CPU a reload", form.name, said, cost.Round(time.Millisecond)))
	}
	figure(t, fmt.Sprintf("%d answers, %d reloads", all.Sent(), reloads), "%s; at %.0f requests a second", strings.Join(figures, "; "), rate)
}

// reloadCost returns the CPU time of a replica for a reload, while it does nothing else.
func (r *replica) reloadCost(snapshots [2]*snapshot) time.Duration {
	times := pick(2, 10)
	before := stage.ProcessorTime(r.ID())
	for i := range times {
		r.reload(snapshots[1-i%2])
	}
	return (stage.ProcessorTime(r.ID()) - before) / time.Duration(times)
}

func TestR3(t *testing.T) {
	row(t, "100 SIGHUPs in a second, a new file with every tenth", "at most 2 builds, and the newest file wins")
	const signals, files = 100, 10
	d := usual(t)
	content := testkit.Read(t, d.snapshots[0].file)
	dir := t.TempDir()
	next := func(file int) string { return filepath.Join(dir, fmt.Sprintf("%d.csv", file)) }
	rest := strings.Repeat(",", bytes.Count(content[:bytes.IndexByte(content, '\n')], []byte(","))-1)
	for file := range files {
		write(t, next(file), fmt.Appendf(bytes.Clone(content), "newest-%d,The Newest%s\n", file, rest))
	}
	log := filepath.Join(dir, "log")
	r := serveUnder(t, loggingTo(log), copied(t, d.snapshots[0].file))

	begun := time.Now()
	for i := range signals {
		// In the short form, builds are short, and so is the burst.
		time.Sleep(time.Until(begun.Add(time.Duration(i) * pick(0, 10*time.Millisecond))))
		if file := i / (signals / files); i%(signals/files) == 0 {
			testkit.OK(t, os.Rename(next(file), r.Data))
		}
		r.hangUp()
	}
	took := time.Since(begun)
	newest := fmt.Sprintf("http://%s%s?pubid=newest-%d", r.API, pubs, files-1)
	testkit.Eventually(t, "the newest file is served", func() bool {
		status, _, err := get(newest, demo)
		return err == nil && status == 200
	})
	// Later reloads read the same file, which is not built again.
	newestID := []byte(`"snapshot":"` + r.readiness().Snapshot + `"`)
	var logged []byte
	testkit.Eventually(t, "the newest file is in the log", func() bool {
		logged, _ = os.ReadFile(log)
		return bytes.Contains(logged, newestID)
	})
	builds := bytes.Count(logged, []byte(`"data loaded"`)) - 1 // except the one at the start
	testkit.FailIf(t, builds < 1 || full() && builds > 2, "%d builds in %v, want 1 or 2", builds, took)
	// On a slow machine the burst takes longer. Each second of it may cause two builds: one in progress, and one for
	// the signals since.
	most := 2 + int(took/time.Second)*2
	testkit.FailIf(t, builds > most, "%d builds in %v, want at most %d", builds, took, most)
	figure(t, fmt.Sprintf("%d signals and %d files in %v", signals, files, took.Round(time.Millisecond)), "%d builds, the newest file is served", builds)
}

// loggingTo returns a command that executes another one with its output redirected to a file.
func loggingTo(file string) []string {
	return []string{"sh", "-c", `log=$1; shift; exec "$@" >"$log" 2>&1`, "sh", file}
}

func TestR5(t *testing.T) {
	row(t, "the file replaced, truncated and overwritten while reloads read it", "a whole snapshot or a rejection, no crash, 0 failed")
	d := usual(t)
	text := testkit.Read(t, d.snapshots[0].file)
	// The snapshots have the same pubs in opposite orders, so that a mixture of them is never a snapshot.
	lines := bytes.SplitAfter(text, []byte("\n"))
	slices.Reverse(lines[1 : len(lines)-1]) // except the header, and the empty string after the last line
	contents := [2][]byte{text, bytes.Join(lines, nil)}
	file := filepath.Join(t.TempDir(), "reversed.csv")
	write(t, file, contents[1])
	snapshots := []*snapshot{d.snapshots[0], snapshotOf(t, file, d.targets)}
	r := serve(t, snapshots[0], "--max-shrink", "0")

	reloads, rejected := 0, 0
	got := during(t, r.load(steady(), snapshots...), func() {
		tearing, stop := context.WithCancel(t.Context())
		torn := make(chan error, 1)
		go func() { torn <- tear(tearing, r.Data, contents) }()
		begun := time.Now()
		end, limit := begun.Add(pick(time.Second, 2*time.Minute)), begun.Add(patience)
		for time.Now().Before(end) || (rejected == 0 || rejected == reloads) && time.Now().Before(limit) {
			if r.reloadAnything() {
				rejected++
			}
			reloads++
		}
		stop()
		testkit.OK(t, <-torn)
		r.reload(snapshots[1])
	})
	testkit.FailIf(t, rejected == 0 || rejected == reloads, "%d of %d reloads rejected, want some and not all", rejected, reloads)
	figure(t, fmt.Sprintf("%d reloads", reloads), "%d loaded a whole snapshot, %d rejected; %v", reloads-rejected, rejected, got)
}

// tear changes a file until ctx is done: it replaces it properly, overwrites it in place piece by piece, or truncates
// it and then overwrites it. The pauses between changes are sometimes long enough for a reload to read the file, and
// sometimes too short.
func tear(ctx context.Context, file string, contents [2][]byte) error {
	random := rand.New(rand.NewPCG(1, 1))
	for ctx.Err() == nil {
		content := contents[random.IntN(2)]
		var err error
		switch random.IntN(3) {
		case 0:
			err = errors.Join(os.WriteFile(file+".new", content, 0o600), os.Rename(file+".new", file))
		case 1:
			err = overwrite(ctx, file, content, random)
		case 2:
			// A file cut within its last row may still be a valid snapshot.
			err = os.Truncate(file, int64(random.IntN(len(content)-1000)))
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
			err = errors.Join(err, overwrite(ctx, file, content, random))
		}
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
	}
	return nil
}

// overwrite overwrites a file from its beginning, with pauses.
func overwrite(ctx context.Context, file string, content []byte, random *rand.Rand) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for piece := range slices.Chunk(content, (len(content)+7)/8) {
		if _, err := f.Write(piece); err != nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond)
	}
	return nil
}

func TestR6(t *testing.T) {
	row(t, "2,000 reloads of 5,000 pubs", "goroutines and file descriptors are back where they were, the heap to a tenth and 4 MiB")
	d := directoryOf(t, fewPubs)
	r := serve(t, d.snapshots[0])
	r.reload(d.snapshots[1])
	before := r.holding(nil)
	reloads := pick(10, 2000)
	for i := range reloads {
		r.reload(d.snapshots[i%2])
	}
	after := r.holding(before)
	testkit.FailIf(t, !after.within(before), "holds %+v after %d reloads, want no more than %+v before", *after, reloads, *before)
	const mib = 1 << 20
	figure(t, fmt.Sprintf("%d reloads", reloads), "goroutines %.0f before, %.0f after; file descriptors %.0f, %.0f; heap %.1f MiB, %.1f MiB",
		before.goroutines, after.goroutines, before.handles, after.handles, before.heap/mib, after.heap/mib)
}

// held is what a process must not accumulate.
type held struct{ goroutines, handles, heap float64 }

// within reports whether h is at most before. The heap may have grown by a tenth and 4 MiB, as buffers are kept for
// reuse.
func (h *held) within(before *held) bool {
	return h.goroutines <= before.goroutines && h.handles <= before.handles && h.heap <= 1.1*before.heap+4<<20
}

// holding waits until a replica holds no more than before, or has stopped growing if before is nil, for 20 s at most.
// It returns what the replica then holds.
func (r *replica) holding(before *held) *held {
	r.t.Helper()
	const rest = 20 * time.Second
	settles := before == nil
	for deadline := time.Now().Add(rest); ; time.Sleep(100 * time.Millisecond) {
		r.admin("/debug/pprof/heap?gc=1") // runs the garbage collector
		h := &held{handles: r.seriesSum("process_open_fds "), heap: r.seriesSum("go_memstats_heap_inuse_bytes ")}
		// The metric go_goroutines includes one to five goroutines that gather the metrics.
		testkit.Must(fmt.Sscanf(string(r.admin("/debug/pprof/goroutine?debug=1")), "goroutine profile: total %g\n", &h.goroutines))(r.t)
		if before != nil && h.within(before) || time.Now().After(deadline) {
			return h
		}
		if settles {
			before = h
		}
	}
}
