package reliability

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/bench/load"
	"pubd/bench/proof"
	"pubd/bench/stage"
)

// A replica is a pubd that reads a file of its own.
type replica struct {
	*stage.Server
	t testing.TB
}

// serve starts a replica of a copy of a snapshot, with flags after its own.
func serve(t testing.TB, s *snapshot, flags ...string) *replica {
	t.Helper()
	return serveUnder(t, nil, copied(t, s.file), flags...)
}

// copied returns the place of a copy of a file.
func copied(t testing.TB, file string) string {
	t.Helper()
	place := filepath.Join(t.TempDir(), "pubs"+filepath.Ext(file))
	install(t, file, place)
	return place
}

// serveUnder starts a replica of the file itself, by a program that sets limits and then becomes pubd.
func serveUnder(t testing.TB, before []string, file string, flags ...string) *replica {
	t.Helper()
	r := prepare(t, file)
	r.start(before, flags...)
	return r
}

// prepare returns a replica that is not started. It ends with the test.
func prepare(t testing.TB, file string) *replica {
	t.Helper()
	server, err := stage.NewServer(file)
	ok(t, err)
	r := &replica{server, t}
	t.Cleanup(func() {
		if r.Process != nil {
			r.Stop()
		}
	})
	return r
}

func (r *replica) start(before []string, flags ...string) {
	r.t.Helper()
	ok(r.t, r.Start(r.t.Context(), before, program, flags...))
}

// install puts a file in a place as operators do: whole, by a rename.
func install(t testing.TB, file, place string) {
	t.Helper()
	content, err := os.ReadFile(file)
	ok(t, err)
	write(t, place+".new", content)
	ok(t, os.Rename(place+".new", place))
}

func (r *replica) hangUp() {
	r.t.Helper()
	ok(r.t, r.Signal(syscall.SIGHUP))
}

// reload installs a snapshot, signals and waits until the replica serves it.
func (r *replica) reload(s *snapshot) {
	r.t.Helper()
	install(r.t, s.file, r.Data)
	r.hangUp()
	proof.Eventually(r.t, "snapshot "+s.ID+" is served", func() bool {
		_, said := r.ready()
		return said.Snapshot == s.ID
	})
}

// reloadAnything signals and waits until the data was loaded or rejected. Data that is not new counts as loaded.
func (r *replica) reloadAnything() (rejected bool) {
	r.t.Helper()
	count := func() (counts [2]float64) {
		for i, result := range []string{"failed", "ok"} {
			counts[i] = r.metric(`pubd_reloads_total{result="` + result + `",what="data"}`)
		}
		return counts
	}
	before := count()
	r.hangUp()
	now := before
	proof.Eventually(r.t, "the reload has ended", func() bool {
		now = count()
		return now != before
	})
	return now[0] > before[0]
}

// readiness is what /readyz says.
type readiness struct {
	status     int
	Snapshot   string
	LastReload string `json:"last_reload"`
}

func (r *replica) tryReady() (said readiness, err error) {
	status, body, err := get("http://"+r.Admin+"/readyz", "")
	if err != nil {
		return said, err
	}
	said.status = status
	return said, json.Unmarshal(body, &said)
}

func (r *replica) ready() (status int, said readiness) {
	r.t.Helper()
	said, err := r.tryReady()
	ok(r.t, err)
	return said.status, said
}

// admin gets a page of the admin address.
func (r *replica) admin(path string) []byte {
	r.t.Helper()
	status, body, err := get("http://"+r.Admin+path, "")
	ok(r.t, err)
	if status != http.StatusOK {
		r.t.Fatalf("%s: status %d", path, status)
	}
	return body
}

// metric returns the sum of the metrics whose lines begin with a prefix, such as "process_open_fds " or "pubd_reloads_total{".
func (r *replica) metric(prefix string) (sum float64) {
	r.t.Helper()
	sum, err := metricIn(r.admin("/metrics"), prefix)
	ok(r.t, err)
	return sum
}

func metricIn(metrics []byte, prefix string) (sum float64, err error) {
	found := false
	for line := range strings.Lines(string(metrics)) {
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

// memory returns the resident memory of the process and its highest value so far, in bytes.
func (r *replica) memory() (resident, peak int64) {
	r.t.Helper()
	resident, peak, err := stage.Memory(r.ID())
	ok(r.t, err)
	return resident, peak
}

// load returns a load on a replica that checks its answers against snapshots. It goes on until it is stopped.
func (r *replica) load(rate float64, snapshots ...*snapshot) *load.Load {
	l := &load.Load{Address: r.API, Rate: rate, Key: demo, Targets: snapshots[0].targets}
	for _, s := range snapshots {
		l.Snapshots = append(l.Snapshots, &s.Snapshot)
	}
	return l
}

// lasting returns a load that ends by itself.
func lasting(l *load.Load, duration time.Duration) *load.Load {
	shorter := *l
	shorter.Duration = duration
	return &shorter
}

// keys runs pubd keys and returns what it prints.
func keys(t testing.TB, arguments ...string) string {
	t.Helper()
	said, err := stage.Output(exec.CommandContext(t.Context(), program, append([]string{"keys"}, arguments...)...))
	ok(t, err)
	return strings.TrimSpace(said)
}

// addKey makes a key, with more flags, and returns its secret.
func addKey(t testing.TB, file, name string, flags ...string) string {
	t.Helper()
	return keys(t, append([]string{"add", "--file", file, "--name", name}, flags...)...)
}
