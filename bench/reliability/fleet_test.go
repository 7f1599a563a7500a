package reliability

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/bench/testkit"
	"pubd/loader/manifest"
)

const (
	region, user = "us-east-1", "fleet"
	bucket       = "snapshots"
)

// A gateway is versitygw with a bucket.
type gateway struct {
	*stage.Process
	address, program, dir string
}

// startStorage starts versitygw with an empty bucket, and sets the environment of this process to use it. It is
// stopped when the test ends.
func startStorage(t *testing.T) *gateway {
	t.Helper()
	path, err := exec.LookPath(cmp.Or(os.Getenv("VERSITYGW"), "versitygw"))
	if err != nil {
		t.Skip("versitygw is not installed: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0, and put it into PATH or VERSITYGW")
	}
	address := testkit.Must(stage.FreeAddress())(t)
	g := &gateway{address: address, program: path, dir: t.TempDir()}
	testkit.OK(t, os.Mkdir(filepath.Join(g.dir, bucket), 0o755))
	t.Setenv("AWS_ENDPOINT_URL", "http://"+address)
	t.Setenv("AWS_REGION", region)
	g.start(t, "secret-of-the-fleet")
	t.Cleanup(func() { g.Stop() })
	return g
}

// start starts versitygw with a secret, and sets the environment of this process to use it.
func (g *gateway) start(t *testing.T, secret string) {
	t.Helper()
	var err error
	g.Process, err = stage.Start(t.Context(), stage.Command(t.Context(), g.program, "--quiet", "--port", g.address, "--access", user, "--secret", secret,
		"--region", region, "posix", g.dir), syscall.SIGTERM, stage.Listening(g.address))
	testkit.OK(t, err)
	t.Setenv("AWS_ACCESS_KEY_ID", user)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
}

const allPubs = 2000

// makeEditions creates snapshots whose targets are the pages of all pubs. Each has one pub less than the previous one.
func makeEditions(t *testing.T, n int) (list []*snapshot) {
	t.Helper()
	for i, file := range makeFiles(t, t.TempDir(), allPubs, n) {
		var pages []string
		for len(pages)*pageSize < allPubs-i {
			pages = append(pages, fmt.Sprintf("%s&page=%d", firstPage, len(pages)+1))
		}
		list = append(list, snapshotOf(t, file, pages))
	}
	return list
}

// A follower is a replica that follows the manifest.
type follower struct {
	*replica
	log      string // its file
	endpoint string
	secrets  string // its credentials file
	flags    []string
}

// newFollowers starts three replicas that use an S3 server, each with its own cache.
func newFollowers(t *testing.T, endpoint string, flags ...string) (list []*follower) {
	t.Helper()
	for range 3 {
		server := testkit.Must(stage.NewServer("s3://" + bucket + "/pubs/" + manifest.Name))(t)
		dir := t.TempDir()
		r := &follower{&replica{server, t}, filepath.Join(dir, "log"), endpoint, filepath.Join(dir, "credentials"), append([]string{"--refresh", "200ms", "--cache", filepath.Join(dir, "cache")}, flags...)}
		r.giveSecret()
		testkit.OK(t, r.start())
		t.Cleanup(func() {
			if r.Process != nil {
				r.Stop()
			}
		})
		list = append(list, r)
	}
	return list
}

func (r *follower) start() error {
	before := []string{"env", "-u", "AWS_ACCESS_KEY_ID", "-u", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL=http://" + r.endpoint, "AWS_SHARED_CREDENTIALS_FILE=" + r.secrets,
		"sh", "-c", `exec "$@" 2>>"$0"`, r.log}
	return r.Start(r.t.Context(), before, program, r.flags...)
}

// giveSecret writes the credentials of this process to the replica's file.
func (r *follower) giveSecret() {
	r.t.Helper()
	content := fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n", os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"))
	testkit.OK(r.t, os.WriteFile(r.secrets, []byte(content), 0o600))
}

// logged returns the replica's log.
func (r *follower) logged() string {
	content, _ := os.ReadFile(r.log)
	return string(content)
}

// startFleet starts storage, with the first of a number of snapshots, and replicas that serve it, or soon will. There
// may be a fault between them.
func startFleet(t *testing.T, snapshots int, between *atomic.Pointer[fault], flags ...string) (*gateway, []*snapshot, []*follower) {
	t.Helper()
	storage, editions := startStorage(t), makeEditions(t, snapshots)
	editions[0].publish(t, 0)
	endpoint := storage.address
	if between != nil {
		endpoint = startFaulty(t, endpoint, between)
	}
	return storage, editions, newFollowers(t, endpoint, flags...)
}

// allServe waits until all replicas serve a snapshot.
func allServe(t *testing.T, replicas []*follower, s *snapshot) {
	t.Helper()
	for i, r := range replicas {
		testkit.Eventually(t, fmt.Sprintf("replica %d serves %s", i, s.ID), func() bool { return r.readiness().Snapshot == s.ID })
	}
}

// front starts HAProxy or nginx in front of replicas, with the configuration in deploy.
func front(t *testing.T, name string, followers []*follower) (address string) {
	t.Helper()
	var servers []*stage.Server
	for _, r := range followers {
		servers = append(servers, r.Server)
	}
	address = startDeployed(t, name, servers)
	testkit.Eventually(t, name+" answers", func() bool {
		status, _, err := get("http://"+address+firstPage, demo)
		return err == nil && status == http.StatusOK
	})
	return address
}

// ahead is the time from publishing a snapshot to its activation: enough for several refreshes and a download.
const ahead = 3 * time.Second

func TestD1(t *testing.T) {
	timedRow(t, "publishes to 3 replicas, while clients page along Link through HAProxy, and as many through nginx, as in deploy",
		"at least 1,000,000 answers, 0 failed, 0 mixed; every paging is exactly one snapshot's set and none begins again")
	publishes := pick(2, 20)
	_, snapshots, replicas := startFleet(t, publishes+1, nil)
	c := new(crowd).start(t, snapshots, front(t, "haproxy.cfg", replicas), front(t, "nginx.conf", replicas))
	begun, most := time.Now(), 6*time.Minute
	await := func(answers int, most time.Duration) {
		for c.answered() < answers && time.Since(begun) < most {
			time.Sleep(10 * time.Millisecond)
		}
	}
	for i, s := range snapshots[1:] {
		await(i*pick(0, 1_000_000)/publishes, most*time.Duration(i)/time.Duration(publishes))
		s.publish(t, ahead)
		allServe(t, replicas, s)
	}
	await(pick(0, 1_010_000), most)
	c.right(t)
	testkit.FailIf(t, full() && c.answers < 1_000_000, "%d answers in %v, want 1,000,000", c.answers, most)
	figure(t, fmt.Sprintf("%d answers, %d pagings, %d publishes", c.answers, c.pagings(), publishes), "%d failed, where a mixed answer and a paging that cannot go on count, in %v", c.failed, time.Since(begun).Round(time.Second))
}

func TestD2(t *testing.T) {
	timedRow(t, "activate_at, with 3 replicas that are asked all the time", "all replicas answer from the new snapshot within 1 s of it, none before")
	publishes := pick(2, 20)
	_, snapshots, replicas := startFleet(t, publishes+1, nil)
	var late []time.Duration
	for _, s := range snapshots[1:] {
		at := s.publish(t, ahead)
		switched := make([]time.Time, len(replicas))
		for _, r := range replicas {
			testkit.Eventually(t, "prepared", func() bool {
				f := r.readiness().Fleet
				return f != nil && slices.Contains(f.Prepared, s.ID) || time.Now().After(at)
			})
		}
		for deadline := at.Add(patience); time.Now().Before(deadline) && slices.ContainsFunc(switched, time.Time.IsZero); time.Sleep(2 * time.Millisecond) {
			for i, r := range replicas {
				c := load.Conn{Address: r.API}
				requested := time.Now()
				testkit.Must(c.Send(request(firstPage)))(t)
				is, answered := c.Snapshot() == s.ID, time.Now()
				c.Close()
				testkit.FailIf(t, is && answered.Before(at), "replica %d answers from %s %v before activate_at", i, s.ID, at.Sub(answered))
				testkit.FailIf(t, !is && requested.After(at.Add(time.Second)), "replica %d still answers from %s %v after activate_at", i, c.Snapshot(), requested.Sub(at))
				if is && switched[i].IsZero() {
					switched[i] = answered
					late = append(late, answered.Sub(at))
				}
			}
		}
	}
	testkit.StopIf(t, len(late) != len(replicas)*publishes, "%d of %d switches seen", len(late), len(replicas)*publishes)
	figure(t, fmt.Sprintf("%d times, 3 replicas", publishes), "none before; the last %v after activate_at, as it was seen by asking every few ms", slices.Max(late).Round(time.Millisecond))
}

func TestD7(t *testing.T) {
	timedRow(t, "rolling restart of all 3 replicas behind HAProxy and nginx, as in deploy, while clients page", "0 failed, none begins again")
	_, snapshots, replicas := startFleet(t, 2, nil, "--drain-delay", pick("4s", "10s"))
	c := new(crowd).start(t, snapshots, front(t, "haproxy.cfg", replicas), front(t, "nginx.conf", replicas))
	snapshots[1].publish(t, ahead) // clients that began earlier continue with the kept snapshot
	allServe(t, replicas, snapshots[1])
	rounds := pick(1, 3)
	for range rounds {
		for _, r := range replicas {
			testkit.OK(t, r.Signal(syscall.SIGTERM))
			<-r.Ended()
			testkit.OK(t, r.start())
			time.Sleep(2 * time.Second) // as operators wait between restarts; HAProxy checks once a second
		}
	}
	c.right(t)
	figure(t, fmt.Sprintf("%d answers, %d pagings, %d restarts", c.answers, c.pagings(), 3*rounds), "%d failed, where a paging that cannot go on counts", c.failed)
}

// A fault is an error between storage and replicas.
type fault struct {
	name   string
	reason string // in /readyz and the log
	status int    // of all responses, with an error code of S3; 0 forwards requests, -1 closes connections
	code   string
	// change changes files whose names end in suffix, by default indexes and what they were built from. Content-Length
	// stays as it was. nil changes nothing.
	change func(body []byte) []byte
	suffix string
	stalls bool // after the bytes that change returns
}

var faults = []fault{
	{name: "gone", reason: "Connection closed", status: -1},
	{name: "500", reason: "500", status: 500, code: "InternalError"},
	{name: "credentials expired", reason: "ExpiredToken", status: 400, code: "ExpiredToken"},
	{name: "slow", reason: "sent nothing for " + stage.FileTimeout.String(), stalls: true, change: func(body []byte) []byte { return body[:len(body)/2] }},
	{name: "damaged manifest", reason: "sequenza: is not known", suffix: manifest.Name, change: func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"sequence"`), []byte(`"sequenza"`), 1)
	}},
	{name: "cut short", reason: "unexpected EOF", change: func(body []byte) []byte { return body[:len(body)/2] }},
	{name: "bits turned", reason: "SHA-256", change: func(body []byte) []byte {
		turned := bytes.Clone(body)
		turned[len(turned)/2] ^= 1
		return turned
	}},
	{name: "another object", reason: "SHA-256", change: func(body []byte) []byte { return bytes.Repeat([]byte("x"), len(body)) }},
}

// isOf reports whether a fault is one of a file: by default, of indexes and of what they were built from.
func (f *fault) isOf(path string) bool {
	if f.suffix == "" {
		return strings.HasSuffix(path, manifest.Extension) || strings.HasSuffix(path, manifest.OriginExtension)
	}
	return strings.HasSuffix(path, f.suffix)
}

// startFaulty starts a proxy in front of the storage with a fault, or none if it is nil.
func startFaulty(t *testing.T, storage string, set *atomic.Pointer[fault]) (address string) {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: storage})
	proxy.ModifyResponse = func(answer *http.Response) error {
		f := set.Load()
		if f == nil || f.change == nil || answer.StatusCode >= 300 || !f.isOf(answer.Request.URL.Path) {
			return nil
		}
		body, err := io.ReadAll(answer.Body)
		changed := io.Reader(bytes.NewReader(f.change(body)))
		if f.stalls {
			stalled, end := io.Pipe()
			context.AfterFunc(answer.Request.Context(), func() { end.Close() }) // once the client closes the connection
			changed = io.MultiReader(changed, stalled)
		}
		answer.Body = io.NopCloser(changed)
		return err
	}
	proxy.FlushInterval = -1
	proxy.ErrorLog = nil
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch f := set.Load(); {
		case f != nil && f.status < 0:
			panic(http.ErrAbortHandler)
		case f != nil && f.status > 0:
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(f.status)
			fmt.Fprintf(w, "<Error><Code>%s</Code><Message>injected</Message></Error>", f.code)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func TestD3(t *testing.T) {
	timedRow(t, "storage ends connections, stalls, answers 500 or that credentials expired; index files are cut short, changed or exchanged; a manifest is damaged",
		"0 failed requests, the reason in /readyz and the log, recovery without help")
	var set atomic.Pointer[fault]
	storage, snapshots, replicas := startFleet(t, len(faults)+2, &set)
	c := new(crowd).start(t, snapshots, front(t, "haproxy.cfg", replicas))
	complain := func(name, reason string) {
		t.Helper()
		for n, r := range replicas {
			testkit.Eventually(t, fmt.Sprintf("%s: replica %d says %q", name, n, reason), func() bool {
				said := r.readiness()
				return strings.Contains(said.LastReload+said.Sources["data"].Error, reason) && strings.Contains(r.logged(), reason)
			})
		}
	}
	for i := range faults {
		f, s := &faults[i], snapshots[i+1]
		lead := ahead
		if f.stalls { // each of the four tries of a download; then all must have time to prepare the snapshot
			lead = 4*stage.FileTimeout + 4*ahead
		}
		set.Store(f)
		s.publish(t, lead)
		complain(f.name, f.reason)
		set.Store(nil)
		allServe(t, replicas, s)
	}
	storage.Stop()
	storage.start(t, "another-secret-of-the-fleet")
	newest := snapshots[len(faults)+1]
	newest.publish(t, ahead)
	complain("credentials rotated", "SignatureDoesNotMatch")
	for _, r := range replicas {
		r.giveSecret()
	}
	allServe(t, replicas, newest)
	c.right(t)
	figure(t, fmt.Sprintf("%d faults, %d answers, 3 replicas", len(faults)+1, c.answers), "%d failed; each fault has its reason in /readyz and the log of each replica, and each recovered", c.failed)
}

func TestD6(t *testing.T) {
	timedRow(t, "start with the storage gone", "ready from the cache; without a cache a clear error")
	var set atomic.Pointer[fault]
	_, snapshots, replicas := startFleet(t, 1, &set)
	allServe(t, replicas, snapshots[0])
	set.Store(&fault{status: -1})
	begun := time.Now()
	for i, r := range replicas {
		r.Stop()
		if i == 0 {
			r.flags = append(r.flags, "--cache", "")
			err := r.start()
			testkit.FailIf(t, err == nil || !strings.Contains(r.logged(), "there is no --cache to start from"), "without a cache: got %v and %q, want an error that names --cache", err, r.logged())
			continue
		}
		testkit.OK(t, r.start())
	}
	took := time.Since(begun)
	allServe(t, replicas[1:], snapshots[0])
	figure(t, "2 starts with a cache, 1 without", "ready from the cache, all in %v; without one it names --cache", took.Round(time.Millisecond))
}
