package reliability

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aclements/go-moremath/stats"

	"pubd/bench/testkit"
)

func TestK1(t *testing.T) {
	row(t, "a key revoked under load, then SIGHUP, half of the times while a snapshot is being built", "rejected within 1 s and from then on; another key loses nothing")
	d := usual(t)
	file := filepath.Join(t.TempDir(), "keys")
	stays := addKey(t, file, "stays")
	r := serve(t, d.snapshots[0], "--keys", file)
	l := r.load(pick(200.0, 1000), d.snapshots[:]...)
	l.Key = stays
	count, slowest := pick(2, 100), time.Duration(0)
	got := during(t, l, func() {
		for i := range count {
			if i%2 == 1 {
				install(t, d.snapshots[1-i/2%2].file, r.Data)
			}
			slowest = max(slowest, r.revoke(file, fmt.Sprint("leaves-", i), d.targets[0]))
		}
	})
	testkit.FailIf(t, full() && slowest > time.Second, "rejected after %v, want 1 s at most", slowest)
	figure(t, fmt.Sprintf("%d keys", count), "rejected within %v and from then on; the other key: %v", slowest.Round(time.Millisecond), got)
}

// revoke adds a key, waits until it is accepted, and revokes it. It returns the time from SIGHUP to the first
// rejection, after which no request may be accepted.
func (r *replica) revoke(file, name, target string) time.Duration {
	secret := addKey(r.t, file, name)
	rejected := func() bool {
		status, _, err := get("http://"+r.API+target, secret)
		testkit.OK(r.t, err)
		return status == http.StatusForbidden
	}
	r.hangUp()
	testkit.Eventually(r.t, "key "+name+" is accepted", func() bool { return !rejected() })
	keys(r.t, "revoke", "--file", file, "--name", name)
	begun := time.Now()
	r.hangUp()
	testkit.Eventually(r.t, "key "+name+" is rejected", rejected)
	took := time.Since(begun)
	for range 100 {
		testkit.FailIf(r.t, !rejected(), "key %s was accepted after it was rejected", name)
	}
	return took
}

// tooDifferent is the |t| from which the times of two kinds of keys differ.
const tooDifferent = 4.5

// A refusal is a request that is rejected.
type refusal struct {
	kind, key string
	request   []byte
}

func TestK2(t *testing.T) {
	timedRow(t, "unknown, revoked, expired and malformed keys, one connection, in random order, no sample left out", "all rejected alike, and Welch's |t| < 4.5 between any two")
	file := filepath.Join(t.TempDir(), "keys")
	refusals := makeRefusals(t, file)
	r := serve(t, usual(t).snapshots[0], "--keys", file, "--access-log", "off")
	n := pick(2000, 100_000)
	for attempt := 1; ; attempt++ {
		times := timeRefusals(t, r.API, refusals, n)
		worst, pair, smallest := 0.0, "", 0.0
		for i := range refusals {
			for j := range i {
				a, b := &times[i], &times[j]
				welch := testkit.Must(stats.TwoSampleWelchTTest(a, b, stats.LocationDiffers))(t)
				if math.Abs(welch.T) >= worst {
					worst, pair = math.Abs(welch.T), refusals[i].kind+" and "+refusals[j].kind
				}
				smallest = max(smallest, tooDifferent*math.Sqrt(a.Variance()/a.Weight()+b.Variance()/b.Weight()))
			}
		}
		said := fmt.Sprintf("largest |t| %.2f, of %s; a difference of %.0f ns in %.0f ns would have been found (attempt %d)", worst, pair, smallest, times[0].Mean(), attempt)
		t.Log(said)
		if worst < tooDifferent || attempt == attempts {
			testkit.FailIf(t, worst >= tooDifferent, "%s, want less than %v", said, tooDifferent)
			figure(t, fmt.Sprintf("%d samples of each of %d keys", n, len(refusals)), "%s", said)
			return
		}
	}
}

// makeRefusals creates a key file, and requests of equal length with invalid keys.
func makeRefusals(t *testing.T, file string) []refusal {
	unknown := addKey(t, file+".other", "unknown")
	addKey(t, file, "good")
	revoked := addKey(t, file, "revoked")
	keys(t, "revoke", "--file", file, "--name", "revoked")
	expires := time.Now().Add(3 * time.Second).Truncate(time.Second)
	expired := addKey(t, file, "expired", "--expires", expires.Format(time.RFC3339))
	time.Sleep(time.Until(expires))
	refusals := []refusal{{kind: "unknown", key: unknown}, {kind: "revoked", key: revoked}, {kind: "expired", key: expired},
		{kind: "malformed", key: strings.Repeat("!", len(unknown))}, {kind: "one character", key: "x"}}
	for i := range refusals {
		f := &refusals[i]
		f.request = fmt.Appendf(nil, "GET %s?pubid=x HTTP/1.1\r\nHost: localhost\r\nx-api-key: %s\r\nx-filler: %s\r\n\r\n", pubs, f.key, strings.Repeat("f", 1+len(unknown)-len(f.key)))
	}
	return refusals
}

// timeRefusals sends each request n times, and measures from writing it to the end of the response, in nanoseconds.
// Responses may differ only in their date.
func timeRefusals(t *testing.T, address string, refusals []refusal, n int) []stats.StreamStats {
	c := testkit.Must(net.Dial("tcp", address))(t)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Minute))
	testkit.Must(c.Write(refusals[0].request))(t)
	var first []byte
	for part := make([]byte, 4096); !bytes.HasSuffix(first, []byte("}")); {
		first = append(first, part[:testkit.Must(c.Read(part))(t)]...)
	}
	testkit.StopIf(t, !bytes.HasPrefix(withoutDate(first), []byte("HTTP/1.1 403 ")), "an invalid key: got %.200q, want 403", first)
	times, answer := make([]stats.StreamStats, len(refusals)), make([]byte, len(first))
	for _, i := range rand.Perm(n * len(refusals)) {
		which := i % len(refusals)
		begun := time.Now()
		testkit.Must(c.Write(refusals[which].request))(t)
		testkit.Must(io.ReadFull(c, answer))(t)
		times[which].Add(float64(time.Since(begun)))
		testkit.StopIf(t, !bytes.Equal(withoutDate(answer), first), "%s key: got %q, want %q", refusals[which].kind, answer, first)
	}
	return times
}

// withoutDate blanks out the date of a response, in place.
func withoutDate(answer []byte) []byte {
	if _, rest, found := bytes.Cut(answer, []byte("\r\nDate: ")); found {
		for i := range bytes.IndexByte(rest, '\r') {
			rest[i] = '-'
		}
	}
	return answer
}

func TestK3(t *testing.T) {
	row(t, "a planted key, searched for in all that a run says", "0 finds")
	s := usual(t).snapshots[0]
	dir := t.TempDir()
	file, log := filepath.Join(dir, "keys"), filepath.Join(dir, "log")
	secret, wrong := addKey(t, file, "known"), addKey(t, file+".other", "other")
	r := serveUnder(t, loggingTo(log), s.file, "--keys", file, "--access-log", "all")
	l := r.load(pick(200.0, 1000), s)
	l.Key = secret
	sent := 0
	var said map[string][]byte
	got := during(t, l, func() {
		for range pick(1, 50) {
			for _, text := range []string{secret, wrong} {
				for _, row := range table(t, "planted.txt") {
					for _, address := range []string{r.API, r.Admin} {
						sendRaw(t, address, fmt.Sprintf(fill(row[0], nil), text, secret))
						sent++
					}
				}
			}
		}
		said = r.says(secret)
	})
	testkit.OK(t, r.Signal(syscall.SIGQUIT))
	<-r.Ended()
	said[file], said[log] = testkit.Read(t, file), testkit.Read(t, log)
	for _, place := range slices.Sorted(maps.Keys(said)) {
		for _, part := range []string{secret[5:21], secret[21:], wrong[5:21], wrong[21:]} { // the halves of their random digits
			n := bytes.Count(said[place], []byte(part))
			testkit.FailIf(t, n > 0, "%s contains half of a secret %d times", place, n)
		}
	}
	lines := bytes.Count(said[log], []byte(`"key":"known"`))
	testkit.FailIf(t, lines == 0 || !bytes.Contains(said[log], []byte("SIGQUIT")), "the log has %d lines of the key's requests, want some, and the dump after SIGQUIT", lines)
	figure(t, fmt.Sprintf("%d requests with a key in the wrong place, %d with the right one", sent, got.Sent()), "0 finds in %d places, %d lines of the log of the key's requests among them; %v", len(said), lines, got)
}

// sendRaw sends text, which need not be a request, and waits for a response, the end of the connection or a second.
func sendRaw(t *testing.T, address, request string) {
	c := testkit.Must(net.Dial("tcp", address))(t)
	defer c.Close()
	testkit.OK(t, c.SetDeadline(time.Now().Add(pick(100*time.Millisecond, time.Second))))
	_, _ = io.WriteString(c, request)
	_, _ = c.Read(make([]byte, 1))
}

// says returns, by place, all that the admin address and /proc reveal while the replica is reading two incomplete
// requests with a secret. It omits the heap dump, which contains everything that pubd has just read.
func (r *replica) says(secret string) map[string][]byte {
	for _, address := range []string{r.API, r.Admin} {
		c := testkit.Must(net.Dial("tcp", address))(r.t)
		defer c.Close()
		testkit.Must(fmt.Fprintf(c, "GET /?%s HTTP/1.1\r\nx-api-key: %s\r\n", secret, secret))(r.t)
	}
	said := map[string][]byte{}
	for _, path := range []string{"/metrics", "/readyz", "/livez", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=1",
		"/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1", "/debug/pprof/allocs?debug=1", "/debug/pprof/block?debug=1",
		"/debug/pprof/mutex?debug=1", "/debug/pprof/threadcreate?debug=1", "/debug/pprof/trace?seconds=0.2"} {
		said[path] = r.admin(path)
	}
	for _, name := range []string{"cmdline", "environ"} {
		path := fmt.Sprintf("/proc/%d/%s", r.ID(), name)
		said[path] = testkit.Read(r.t, path)
	}
	return said
}
