package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/bench/testkit"
	"pubd/httpapi/status"
)

// A replica is a pubd process.
type replica struct {
	*stage.Server
	t testing.TB
}

// serve starts a replica that reads a copy of a snapshot, with more flags.
func serve(t testing.TB, s *snapshot, flags ...string) *replica {
	t.Helper()
	return serveUnder(t, nil, copied(t, s.file), flags...)
}

// copied copies a file to a new directory and returns its path.
func copied(t testing.TB, file string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(file))
	content := testkit.Read(t, file)
	write(t, path, content)
	return path
}

// serveUnder starts a replica that reads the file itself, and stops it when the test ends. The command before sets
// limits and then executes pubd.
func serveUnder(t testing.TB, before []string, file string, flags ...string) *replica {
	t.Helper()
	server := testkit.Must(stage.NewServer(file))(t)
	r := &replica{server, t}
	r.start(before, flags...)
	t.Cleanup(func() {
		if r.Process != nil { // nil if it could not be restarted
			r.Stop()
		}
	})
	return r
}

func (r *replica) start(before []string, flags ...string) {
	r.t.Helper()
	testkit.OK(r.t, r.Start(r.t.Context(), before, program, flags...))
}

// install replaces the file at a path as operators do: atomically, by renaming. It links the new one, because copying
// takes CPU time from the load.
func install(t testing.TB, file, path string) {
	t.Helper()
	_ = os.Remove(path + ".new") // left by a rename onto a link to the same file
	testkit.OK(t, errors.Join(os.Link(file, path+".new"), os.Rename(path+".new", path)))
}

func (r *replica) hangUp() {
	r.t.Helper()
	testkit.OK(r.t, r.Signal(syscall.SIGHUP))
}

// reload installs a snapshot, sends SIGHUP and waits until the replica serves it and has ended the load.
func (r *replica) reload(s *snapshot) {
	r.t.Helper()
	install(r.t, s.file, r.Data)
	r.hangUp()
	testkit.Eventually(r.t, "snapshot "+s.ID+" is served", func() bool {
		said := r.readiness()
		return said.Snapshot == s.ID && said.LoadingSince == nil
	})
}

// reloadAnything sends SIGHUP and waits until the data is loaded or rejected. Unchanged data counts as loaded.
func (r *replica) reloadAnything() (rejected bool) {
	r.t.Helper()
	const failed, good = `pubd_reloads_total{result="failed",what="data"}`, `pubd_reloads_total{result="ok",what="data"}`
	failures, successes := r.seriesSum(failed), r.seriesSum(good)
	r.hangUp()
	testkit.Eventually(r.t, "the reload has ended", func() bool {
		rejected = r.seriesSum(failed) > failures
		return rejected || r.seriesSum(good) > successes
	})
	return rejected
}

// ready requests /readyz.
func (r *replica) ready() (status int, said status.Readiness) {
	r.t.Helper()
	status, body, err := get("http://"+r.Admin+"/readyz", "")
	testkit.OK(r.t, err)
	testkit.OK(r.t, json.Unmarshal(body, &said))
	return status, said
}

// readiness returns what /readyz says.
func (r *replica) readiness() status.Readiness {
	r.t.Helper()
	_, said := r.ready()
	return said
}

// admin requests a path of the admin address, which must exist.
func (r *replica) admin(path string) []byte {
	r.t.Helper()
	status, body, err := get("http://"+r.Admin+path, "")
	testkit.OK(r.t, err)
	testkit.StopIf(r.t, status != http.StatusOK, "%s: status %d", path, status)
	return body
}

// seriesSum returns the sum of the series that begin with a prefix, such as "process_open_fds " or
// "pubd_reloads_total{".
func (r *replica) seriesSum(prefix string) float64 {
	r.t.Helper()
	return testkit.Must(seriesSumIn(r.admin("/metrics"), prefix))(r.t)
}

func seriesSumIn(exported []byte, prefix string) (sum float64, err error) {
	err = fmt.Errorf("/metrics has no line that begins with %q", prefix)
	for line := range strings.Lines(string(exported)) {
		if strings.HasPrefix(line, prefix) {
			var value float64
			if _, err = fmt.Sscan(line[strings.LastIndexByte(line, ' '):], &value); err != nil {
				return 0, fmt.Errorf("metric %q: %w", line, err)
			}
			sum += value
		}
	}
	return sum, err
}

// memory returns the resident memory of the process and its highest value so far, in bytes.
func (r *replica) memory() (resident, peak int64) {
	r.t.Helper()
	resident, peak, err := stage.Memory(r.ID())
	testkit.OK(r.t, err)
	return resident, peak
}

// load returns a load on the replica that lasts until it is stopped. Each answer must be that of one of the snapshots.
func (r *replica) load(rate float64, snapshots ...*snapshot) *load.Load {
	l := &load.Load{Address: r.API, Rate: rate, Key: demo, Targets: snapshots[0].targets}
	for _, s := range snapshots {
		l.Snapshots = append(l.Snapshots, &s.Snapshot)
	}
	return l
}

// only returns a snapshot with some of the targets.
func (s *snapshot) only(keep func(target string) bool) *snapshot {
	part := &snapshot{file: s.file, Snapshot: load.Snapshot{ID: s.ID}}
	for i, target := range s.targets {
		if keep(target) {
			part.targets, part.Answers = append(part.targets, target), append(part.Answers, s.Answers[i])
		}
	}
	return part
}

// lasting returns a load that ends after a time.
func lasting(l *load.Load, duration time.Duration) *load.Load {
	shorter := *l
	shorter.Duration = duration
	return &shorter
}

// keys runs pubd keys and returns what it prints.
func keys(t testing.TB, arguments ...string) string {
	t.Helper()
	said := testkit.Must(stage.Output(exec.CommandContext(t.Context(), program, append([]string{"keys"}, arguments...)...)))(t)
	return strings.TrimSpace(said)
}

// addKey adds a key and returns its secret.
func addKey(t testing.TB, file, name string, flags ...string) string {
	t.Helper()
	return keys(t, append([]string{"add", "--file", file, "--name", name}, flags...)...)
}
