package reliability

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/bench/testkit"
)

// onceEach uses a new connection for each request, with a short timeout.
var onceEach = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 2 * time.Second}

// alive reports whether the admin address responds on a new connection.
func (r *replica) alive() bool {
	answer, err := onceEach.Get("http://" + r.Admin + "/readyz")
	return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
}

func TestX1(t *testing.T) {
	row(t, "500 connections held open, by one address and by 250, where pubd may have 128 file descriptors", "it answers within 2 s of their release; another address, and the admin address, are answered all the while")
	s := usual(t).snapshots[0]
	prlimit := testkit.Must(stage.Tool("prlimit", "util-linux"))(t)
	r := serveUnder(t, []string{prlimit, "--nofile=128:128"}, s.file)
	var held []net.Conn
	release := func() {
		for _, c := range held {
			_ = c.Close()
		}
	}
	defer release()
	const connections = 500
	sent, slowest := 0, time.Duration(0)
	for _, addresses := range []int{1, 250} {
		for i := range connections {
			dialer := net.Dialer{Timeout: patience, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(i%addresses))}}
			c := testkit.Must(dialer.Dial("tcp", r.API))(t)
			held = append(held, c)
			_, _ = c.Write(request(s.targets[0])) // which may get no response
		}
		time.Sleep(200 * time.Millisecond) // until they count as idle
		for until := time.Now().Add(pick(time.Second, 10*time.Second)); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
			sent++
			testkit.FailIf(t, !r.alive(), "the admin address did not respond")
			answer, err := converse(r.API, lookup("none", "Connection: close"))
			testkit.FailIf(t, err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 404")), "beside %d addresses, another one got %.100q, %v", addresses, answer, err)
		}
		release()
		held = nil
		begun := time.Now()
		testkit.Eventually(t, "an answer after the release", func() bool {
			return lasting(r.load(100, s), 10*time.Millisecond).Send(t.Context()).Failed() == 0
		})
		recovered := time.Since(begun)
		testkit.FailIf(t, full() && recovered > 2*time.Second, "answered %v after the release, want 2 s at most", recovered)
		slowest = max(slowest, recovered)
	}
	got := lasting(r.load(pick(200.0, 1000), s), pick(time.Second, 10*time.Second)).Send(t.Context())
	noFailure(t, got)
	figure(t, fmt.Sprintf("%d connections, %d answers after them", 2*connections, got.Sent()), "answers %v after the release; another address and the admin address were answered %d of %d times; afterwards %v",
		slowest.Round(time.Millisecond), sent, sent, got)
}

func TestH5(t *testing.T) {
	row(t, "300 idle and slow connections to the admin address where pubd may have 128 file descriptors",
		"the API answers and reloads, the admin address answers, and they are closed by the timeouts")
	const connections, reloads = 300, 4
	d := usual(t)
	prlimit := testkit.Must(stage.Tool("prlimit", "util-linux"))(t)
	r := serveUnder(t, []string{prlimit, "--nofile=128:128"}, copied(t, d.snapshots[0].file))
	var held []net.Conn
	for i := range connections {
		c := testkit.Must(net.Dial("tcp", r.Admin))(t)
		defer c.Close()
		held = append(held, c)
		_, _ = io.WriteString(c, []string{"", "GET /livez HTTP/1.1\r\nHost: local", wire("GET", "/livez")}[i%3])
	}
	api := load.Conn{Address: r.API}
	defer api.Close()
	for i := range reloads {
		s := d.snapshots[1-i%2]
		install(t, s.file, r.Data)
		r.hangUp()
		testkit.Eventually(t, "snapshot "+s.ID+" is served", func() bool {
			testkit.Must(api.Send(request(d.targets[0])))(t)
			return api.Snapshot() == s.ID
		})
	}
	// The admin address serves 16 at a time. Those without a complete request are closed after 5 s, idle ones after 10
	// s: all take two minutes.
	seen := pick(16, connections)
	for i, c := range held {
		if i < seen {
			testkit.OK(t, c.SetReadDeadline(time.Now().Add(patience)))
			_, err := io.Copy(io.Discard, c)
			testkit.StopIf(t, errors.Is(err, os.ErrDeadlineExceeded), "connection %d: not closed within %v", i, patience)
		}
		_ = c.Close()
	}
	testkit.Equal(t, "last reload", r.readiness().LastReload, "ok")
	figure(t, fmt.Sprintf("%d connections, %d reloads", connections, reloads), "the API answered from each snapshot, the admin address once they were closed")
}

// limited sets a memory limit for pubd in the way that a cgroup's limit does: 85 % of it is for Go. A cgroup kills a
// process whose resident memory exceeds the limit, so that the peak is compared with it.
func limited(limit int64) []string {
	return []string{"env", fmt.Sprintf("GOMEMLIMIT=%d", limit/100*85)}
}

func TestX2(t *testing.T) {
	row(t, "reloading under load where memory is limited to 3.2 times what a replica of one snapshot takes", "never more resident than that, and no failed request")
	d := directoryOf(t, manyPubs) // few pubs would take less memory than the program itself
	alone := serve(t, d.snapshots[0])
	size := alone.seriesSum("process_resident_memory_bytes ")
	alone.Stop()
	limit := int64(3.2 * size)
	r := serveUnder(t, limited(limit), copied(t, d.snapshots[0].file))
	reloads := pick(2, 100)
	got := during(t, r.load(pick(200.0, 1000), d.snapshots[:]...), func() {
		for i := range reloads {
			r.reload(d.snapshots[1-i%2])
		}
	})
	_, peak := r.memory()
	testkit.FailIf(t, peak > limit, "%d MiB resident at most, the limit is %d MiB", peak>>20, limit>>20)
	figure(t, fmt.Sprintf("%d reloads, %d answers", reloads, got.Sent()), "replica of one snapshot %.0f MiB, limit %d MiB (by GOMEMLIMIT, without a cgroup), most resident %d MiB; %v",
		size/(1<<20), limit>>20, peak>>20, got)
}

func TestX3(t *testing.T) {
	row(t, "the file becomes one whose read blocks, and then a good one, under load", "given up in time with its reason in /readyz, the next reload works, 0 failed")
	const blocking, limit = "/proc/kmsg", stage.FileTimeout // reading it waits for the kernel's next message
	if file, err := os.Open(blocking); err != nil {
		t.Skip(err)
	} else {
		file.Close()
	}
	d := usual(t)
	r := serve(t, d.snapshots[0])
	rounds, longest := pick(1, 20), time.Duration(0)
	got := during(t, r.load(pick(200.0, 1000), d.snapshots[:]...), func() {
		for i := range rounds {
			link := r.Data + ".link"
			testkit.OK(t, errors.Join(os.RemoveAll(link), os.Symlink(blocking, link), os.Rename(link, r.Data)))
			begun := time.Now()
			r.reloadAnything()
			longest = max(longest, time.Since(begun))
			status, said := r.ready()
			testkit.FailIf(t, status != 200 || !strings.Contains(said.LastReload, "no answer within"), "/readyz %d says %.200q, want 200 and the reason", status, said.LastReload)
			r.reload(d.snapshots[1-i%2])
		}
	})
	testkit.FailIf(t, longest > limit+checkTime, "given up after %v, want %v", longest, limit)
	figure(t, fmt.Sprintf("%d reads of %s, %d answers", rounds, blocking, got.Sent()), "all given up with their reason, after %v at most where %v is allowed; each reload after them was good; %v",
		longest.Round(time.Millisecond), limit, got)
}

func TestX4(t *testing.T) {
	timedRow(t, "the file becomes one of five million pubs, under load and at the start, in a memory cgroup of 521 MiB",
		"rejected in 5 s with what it took and what there is, the replica never killed, 0 failed")
	const limit = 521 << 20
	s := usual(t).snapshots[0]
	text := testkit.Read(t, s.file)
	whole := filepath.Join(t.TempDir(), "pubs.csv.gz")
	write(t, whole, []byte(pack("gzip", string(text))))
	inCgroup := []string{"sh", "-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, memoryCgroup(t, limit)}
	r := serveUnder(t, inCgroup, copied(t, whole))
	served := r.serving(whole, s)
	files := tooLarge()
	tried, longest := 0, time.Duration(0)
	got := during(t, r.load(pick(200.0, 1000), served), func() {
		for range pick(1, 5) {
			for _, f := range files {
				begun := time.Now()
				r.rejects(f, served)
				longest = max(longest, time.Since(begun))
				tried++
			}
		}
		r.reload(served)
	})
	_, peak := r.memory()
	testkit.FailIf(t, peak > limit || full() && longest > checkTime, "%d MiB resident at most, rejected after %v at most; want %d MiB, %v", peak>>20, longest, limit>>20, checkTime)
	testkit.OK(t, files[0].write(r.Data))
	patient, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// It ends with an error, as its first snapshot does not fit into memory.
	last, _ := stage.Command(patient, append(inCgroup, program, "serve", "--data", r.Data, "--listen=127.0.0.1:0", "--admin=")...).CombinedOutput()
	testkit.FailIf(t, !bytes.Contains(last, []byte(files[0].want)), "at the start: %s, want %q", stage.LastLines(string(last)), files[0].want)
	figure(t, fmt.Sprintf("%d reloads, a start, %d answers", tried, got.Sent()), "all rejected with their figures, after %v at most, the writing of the file included; most resident %d of %d MiB; %v",
		longest.Round(time.Millisecond), peak>>20, limit>>20, got)
}

// tooLarge returns snapshots that need too much memory.
func tooLarge() []badFile {
	const want = " MiB are free of "
	packed := pack("gzip", numbered("UID,name\n", "%d,A\n", 5_000_000))
	blank := pack("gzip", strings.Repeat("\n", 100<<20))
	return []badFile{
		{"five-million.csv.gz", want, content(packed)},
		{"five-million-blank.csv.gz", want, content(packed + blank)},
		{"sparse.csv.gz", "has 2048 MiB, and ", func(path string) error { return errors.Join(content("")(path), os.Truncate(path, 2<<30)) }},
	}
}

// memoryCgroup creates a cgroup (version 1 or 2) with a memory limit, which needs root.
func memoryCgroup(t *testing.T, limit int64) (dir string) {
	var err error
	for _, version := range []struct{ root, file string }{{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"}} {
		if dir, err = os.MkdirTemp(version.root, "pubd-"); err != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(dir) })
		if err = os.Truncate(filepath.Join(dir, version.file), 0); err == nil { // a folder of another file system has no such file
			testkit.OK(t, os.WriteFile(filepath.Join(dir, version.file), []byte(strconv.FormatInt(limit, 10)), 0))
			return dir
		}
	}
	t.Skip("cannot create a memory cgroup, which needs root:", err)
	return ""
}
