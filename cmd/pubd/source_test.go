package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
)

// kernelLog is a regular file; reading waits at its end.
const kernelLog = "/proc/kmsg"

func needKernelLog(t *testing.T) {
	t.Helper()
	file, err := os.OpenFile(kernelLog, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("nothing here that looks like a file and blocks: %v", err)
	}
	file.Close()
}

// linkTo replaces a file by a symbolic link.
func linkTo(t *testing.T, target, file string) {
	t.Helper()
	ok(t, os.Symlink(target, file+".new"))
	ok(t, os.Rename(file+".new", file))
}

// A read that blocks times out, operators see since when it has lasted, and the next reload works.
func TestReloadOfSourceThatBlocks(t *testing.T) {
	lane.Long(t, "waits for timeouts")
	t.Parallel()
	needKernelLog(t)
	const limit = 2 * time.Second // long enough to be met at by a busy machine
	data, keyFile := write(t, "pubs.csv", pubs(50, "a")), filepath.Join(t.TempDir(), "keys")
	key := addKey(t, keyFile, "app")
	p := serveWith(t, []string{timeoutVariable + "=" + limit.String()}, "--data", data, "--keys", keyFile)
	for _, c := range []struct{ what, file, restored string }{
		{"data", data, pubs(51, "b")}, {"data", data, pubs(52, "c")}, {"keys", keyFile, string(read(t, keyFile))},
	} {
		failed := p.reloads(c.what, "failed")
		linkTo(t, kernelLog, c.file)
		begun := time.Now()
		p.signal(syscall.SIGHUP)
		started := fmt.Sprintf(`pubd_load_started_timestamp_seconds{what=%q}`, c.what)
		eventually(t, "loading_since", func() bool { return p.readiness(200).LoadingSince != nil })
		eventually(t, started, func() bool { return strings.Contains(p.operate("/metrics").body, started) })
		equal(t, c.what+", meanwhile", p.search("pubid=u1", key).status, 200)
		eventually(t, c.what+" given up", func() bool { return p.reloads(c.what, "failed") > failed })
		took := time.Since(begun)
		failIf(t, took < limit, "%s: given up after %v", c.what, took)
		eventually(t, "reason", func() bool { return strings.Contains(p.readiness(200).LastReload, ": no answer within 2s") })
		replace(t, c.file, c.restored)
		p.reload()
		eventually(t, c.what+" reloaded", func() bool {
			r := p.readiness(200)
			return r.LastReload == "ok" && r.LoadingSince == nil
		})
	}
	equal(t, "generation", generation(p, key), "c")
}

// A server whose first snapshot or keys cannot be read ends and says so.
func TestStartWithSourceThatBlocks(t *testing.T) {
	t.Parallel()
	needKernelLog(t)
	for _, flag := range []string{"--data", "--keys"} {
		link := filepath.Join(t.TempDir(), "pubs.csv")
		linkTo(t, kernelLog, link)
		command := pubd(anywhere(flag, link)...)
		command.Env = append(command.Env, timeoutVariable+"=200ms")
		p := start(t, command)
		p.exit(testPatience, exitError)
		contains(t, flag, p.stderr.String(), "pubs.csv: no answer within 200ms")
	}
}

// manyPubs writes rows to a csv.gz file.
func manyPubs(t *testing.T, path string, rows, blankLines int) {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	ok(t, err)
	text := []byte("UID,name\n")
	for i := range rows {
		text = append(strconv.AppendInt(text, int64(i), 10), ",A\n"...)
		if len(text) > 1<<20 || i == rows-1 {
			w.Write(text)
			text = text[:0]
		}
	}
	w.Write(bytes.Repeat([]byte("\n"), blankLines))
	ok(t, w.Close())
	replace(t, path, b.String())
}

// inCgroup returns the command of a process in a new memory cgroup, and a function that returns its peak memory.
// Without the permission to create a cgroup, the limit is set with GOMEMLIMIT, and the peak is that of the resident
// memory.
func inCgroup(t *testing.T, limit int64, command *exec.Cmd) (limited *exec.Cmd, isReal bool) {
	t.Helper()
	for _, c := range []struct{ root, file string }{{"/sys/fs/cgroup", "memory.max"}, {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}} {
		dir, err := os.MkdirTemp(c.root, "pubd-test-")
		if err != nil {
			continue
		}
		file, err := os.OpenFile(filepath.Join(dir, c.file), os.O_WRONLY, 0) // exists in every cgroup
		if err == nil {
			_, err = fmt.Fprint(file, limit)
			file.Close()
		}
		if err != nil {
			os.Remove(dir)
			continue
		}
		t.Cleanup(func() {
			within(t, testPatience, "removal of the cgroup", func() bool { return os.Remove(dir) == nil })
		})
		return inShell(command, "echo $$ > "+dir+`/cgroup.procs && exec "$0" "$@"`), true
	}
	command.Env = append(command.Env, fmt.Sprint("GOMEMLIMIT=", limit/100*85))
	return command, false
}

// A snapshot that needs more memory than is available is rejected with both figures, at a reload and at the start.
func TestSourceLargerThanMemory(t *testing.T) {
	lane.Long(t, "compresses five million pubs three times")
	if raceDetector {
		t.Skip("the race detector takes several times the memory that the limit is for")
	}
	t.Parallel()
	const limit = 521 << 20
	const rows = 5_000_000
	file := filepath.Join(t.TempDir(), "pubs.csv.gz")
	manyPubs(t, file, 20_000, 0)
	command, isReal := inCgroup(t, limit, pubd(anywhere("--data", file)...))
	p := start(t, command)
	p.await()
	before := p.readiness(200)
	for _, blankLines := range []int{0, 100 << 20} {
		manyPubs(t, file, rows, blankLines)
		p.reload()
		after := p.readiness(200)
		equal(t, fmt.Sprint(blankLines, " blank lines: snapshot"), after.Snapshot, before.Snapshot)
		contains(t, fmt.Sprint(blankLines, " blank lines: refusal"), after.LastReload, " MiB of memory with ", " MiB are free of ")
		equal(t, "the old snapshot", p.search("pubid=7", "demo").status, 200)
	}
	ok(t, os.Truncate(file, 2<<30))
	p.reload()
	contains(t, "a sparse file of 2 GiB", p.readiness(200).LastReload, "has 2048 MiB, and ")
	manyPubs(t, file, 20_001, 0)
	p.reload()
	eventually(t, "a good file is served", func() bool { return p.readiness(200).Pubs == 20_001 })
	peak := resident(t, p.command.Process.Pid)
	failIf(t, peak > limit, "most resident: got %d MiB, limit %d MiB (a real cgroup: %v)", peak>>20, limit>>20, isReal)

	manyPubs(t, file, rows, 0)
	first, _ := inCgroup(t, limit, pubd(anywhere("--data", file)...))
	q := start(t, first)
	q.exit(testPatience, exitError)
	contains(t, "at the start", q.stderr.String(), " MiB of memory with ")
}

// resident returns the peak resident memory of a process in bytes.
func resident(t *testing.T, process int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if err != nil {
		t.Skipf("the system does not tell: %v", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.ParseInt(strings.Fields(rest + " -")[0], 10, 64)
	ok(t, err)
	return kilobytes << 10
}
