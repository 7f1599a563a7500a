package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"pubd/bench/stage"
)

// secretRows are about keys.
var secretRows = []row{
	{"K1", "a key revoked under load, then SIGHUP, half of the times while a snapshot is being built", "refused within 1 s and from then on; another key loses nothing", true, revocation},
	{"K3", "a planted key, searched for in all that a run says", "0 finds", false, plantedKey},
}

// addKey makes a key, with more flags of the command, and gives its secret.
func (b *bed) addKey(ctx context.Context, file, name string, flags ...string) (secret string, err error) {
	secret, err = stage.Output(exec.CommandContext(ctx, b.program, append([]string{"keys", "add", "--file", file, "--name", name}, flags...)...))
	return strings.TrimSpace(secret), err
}

// revocation revokes one key after the other while another is in use. Every second time the signal that makes the key known
// has found another snapshot too.
func revocation(ctx context.Context, b *bed) (outcome, error) {
	pair, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	file := b.path("k1.keys")
	stays, err := b.addKey(ctx, file, "stays")
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serve(ctx, "k1", pair[0].file, "--keys", file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	l := b.load(r, 1000, untilStopped, pair[:]...)
	l.key = stays
	stop := l.background(ctx)
	defer stop()

	keys := b.times(100, 4)
	var slowest time.Duration
	passedLater := 0
	for i := range keys {
		if i%2 == 1 {
			if err := install(pair[1-i/2%2].file, r.data); err != nil {
				return outcome{}, err
			}
		}
		took, later, err := b.revoke(ctx, r, file, fmt.Sprint("leaves-", i+1))
		if err != nil {
			return outcome{}, err
		}
		slowest = max(slowest, took)
		passedLater += later
	}
	t := stop()
	return outcome{
		n: fmt.Sprintf("%d keys", keys),
		figure: fmt.Sprintf("refused within %v, passed %d times after that; the other key: %v",
			slowest.Round(time.Millisecond), passedLater, t),
		passed: slowest <= time.Second && passedLater == 0 && t.failed() == 0,
		sound:  passedLater == 0 && t.failed() == 0,
	}, nil
}

// revoke makes a key, revokes it once it passes, and gives the time from the signal to the first refusal and how many of
// the requests after that passed.
func (b *bed) revoke(ctx context.Context, r *replica, file, name string) (took time.Duration, passed int, err error) {
	secret, err := b.addKey(ctx, file, name)
	if err != nil {
		return 0, 0, err
	}
	refused := func() (bool, error) {
		status, _, err := get(ctx, "http://"+r.api+resource+"?"+b.queries[0], secret)
		return status == http.StatusForbidden, err
	}
	passes := func() (bool, error) {
		no, err := refused()
		return !no, err
	}
	if err := r.Signal(syscall.SIGHUP); err != nil {
		return 0, 0, err
	}
	if err := eventually(ctx, "key "+name+" passes", passes); err != nil {
		return 0, 0, err
	}
	if _, err := stage.Output(exec.CommandContext(ctx, b.program, "keys", "revoke", "--file", file, "--name", name)); err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	if err := r.Signal(syscall.SIGHUP); err != nil {
		return 0, 0, err
	}
	if err := eventually(ctx, "key "+name+" is refused", refused); err != nil {
		return 0, 0, err
	}
	took = time.Since(begun)
	for range 100 {
		no, err := refused()
		if err != nil {
			return 0, 0, err
		}
		if !no {
			passed++
		}
	}
	return took, passed, nil
}

// planted are requests that hold a secret where it belongs and where it does not, as %[1]s; %[2]s is a key that passes.
var planted = []string{
	"GET /api/v1/pubs/?search=inn HTTP/1.1\r\nHost: localhost\r\nx-api-key: %[1]s\r\n\r\n",
	"GET /api/v1/pubs/?search=inn HTTP/1.1\r\nHost: localhost\r\nx-api-key: Bearer %[1]s\r\n\r\n",
	"GET /api/v1/pubs/?search=inn HTTP/1.1\r\nHost: localhost\r\nx-api-key: %[1]s\r\nx-api-key: %[1]s\r\n\r\n",
	"GET /api/v1/pubs/?search=inn HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic %[1]s\r\nCookie: key=%[1]s\r\nReferer: http://pubd/?%[1]s\r\nUser-Agent: %[1]s\r\n\r\n",
	"GET /api/v1/pubs/?search=inn&x-api-key=%[1]s HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET /api/v1/pubs/?search=inn&x-api-key=%[1]s&%[1]s=1 HTTP/1.1\r\nHost: localhost\r\nx-api-key: %[2]s\r\n\r\n",
	"GET /api/v1/pubs/?search=%[1]s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %[2]s\r\n\r\n",
	"GET /api/v1/pubs/?pubid=%[1]s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %[2]s\r\nIf-None-Match: \"%[1]s\"\r\n\r\n",
	"GET /api/v1/pubs/?search=inn&sort=%[1]s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %[2]s\r\n\r\n",
	"GET /api/v1/pubs/?%%zz%[1]s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %[2]s\r\n\r\n",
	"GET /api/v1/pubs/%[1]s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %[2]s\r\n\r\n",
	"GET http://%[1]s@%[1]s/%[1]s?%[1]s#%[1]s HTTP/1.1\r\nHost: %[1]s\r\nx-api-key: %[2]s\r\n\r\n",
	"GET /metrics?key=%[1]s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %[1]s\r\n\r\n",
	"POST /api/v1/pubs/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 37\r\n\r\n%[1]s",
	"%[1]s /api/v1/pubs/ HTTP/1.1\r\nHost: localhost\r\nx-api-key: %[1]s\r\n\r\n",
	"GET /api/v1/pubs/ %[1]s\r\nHost: localhost\r\n\r\n",
	"GET /api/v1/pubs/ HTTP/1.1\r\nHost: localhost\r\nx-api-key %[1]s\r\n\r\n",
	"GET /api/v1/pubs/ HTTP/1.1\r\nHost: localhost\r\nx-api-key: \x00%[1]s\r\n\r\n",
	"GET /api/v1/pubs/ HTTP/1.1\r\nHost: localhost\r\n%[1]s: %[1]s\r\n %[1]s\r\n\r\n",
	"%[1]s\r\n\r\n",
}

// plantedKey searches the log, what the admin address says, dumps of goroutines with requests under way and the one of
// SIGQUIT, and what /proc tells other users. A dump of the heap is left out: it holds what pubd has just read.
func plantedKey(ctx context.Context, b *bed) (outcome, error) {
	e, err := b.edition(ctx, b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	file, log := b.path("k3.keys"), b.path("k3.log")
	secret, err := b.addKey(ctx, file, "known")
	if err != nil {
		return outcome{}, err
	}
	wrong, err := b.addKey(ctx, b.path("k3-other.keys"), "other")
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serveUnder(ctx, []string{"sh", "-c", `log=$1; shift; exec "$@" >"$log" 2>&1`, "sh", log}, "k3", e.file,
		"--keys", file, "--access-log", "all")
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	l := b.load(r, 1000, untilStopped, e)
	l.key = secret
	stop := l.background(ctx)
	defer stop()

	sent := 0
	for range b.times(100, 2) {
		for _, text := range []string{secret, wrong} {
			for _, request := range append(planted, "GET / HTTP/1.1\r\nx-api-key: "+strings.Repeat("%[1]s", 1000)+"\r\n\r\n") {
				for _, address := range []string{r.api, r.admin} {
					if err := sendRaw(address, fmt.Sprintf(request, text, secret)); err != nil {
						return outcome{}, err
					}
					sent++
				}
			}
		}
	}
	said, err := r.says(ctx, secret)
	if err != nil {
		return outcome{}, err
	}
	t := stop()
	if err := r.Signal(syscall.SIGQUIT); err != nil {
		return outcome{}, err
	}
	<-r.Ended()
	for _, written := range []string{file, log} {
		if said[written], err = os.ReadFile(written); err != nil {
			return outcome{}, err
		}
	}
	finds := 0
	where := ""
	for _, place := range slices.Sorted(maps.Keys(said)) {
		for _, text := range []string{secret, wrong} {
			for _, part := range []string{text[5:21], text[21:]} { // its random digits, in two halves
				if n := bytes.Count(said[place], []byte(part)); n > 0 {
					finds += n
					where = ", such as in " + place
				}
			}
		}
	}
	lines := bytes.Count(said[log], []byte(`"key":"known"`))
	return outcome{
		n:      fmt.Sprintf("%s requests with a key in the wrong place, %s with the right one", grouped(sent), grouped(t.sent())),
		figure: fmt.Sprintf("%d finds%s in %d places, %s lines of the log of the key's requests among them; %v", finds, where, len(said), grouped(lines), t),
		passed: finds == 0 && lines > 0 && bytes.Contains(said[log], []byte("SIGQUIT")) && t.failed() == 0,
	}, nil
}

// sendRaw sends what need not be a request and waits until there is an answer, the connection ends or a second has passed.
func sendRaw(address, request string) error {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	_, _ = io.WriteString(c, request)
	_, _ = c.Read(make([]byte, 1))
	return nil
}

// says is all that a replica tells those who ask, by place, while it reads two requests that hold a secret and do not end.
func (r *replica) says(ctx context.Context, secret string) (map[string][]byte, error) {
	for _, address := range []string{r.api, r.admin} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		if _, err := fmt.Fprintf(c, "GET /?%s HTTP/1.1\r\nx-api-key: %s\r\n", secret, secret); err != nil {
			return nil, err
		}
	}
	said := map[string][]byte{}
	for _, path := range []string{"metrics", "readyz", "livez", "debug/pprof/", "debug/pprof/cmdline", "debug/pprof/goroutine?debug=1",
		"debug/pprof/goroutine?debug=2", "debug/pprof/heap?debug=1", "debug/pprof/allocs?debug=1", "debug/pprof/block?debug=1",
		"debug/pprof/mutex?debug=1", "debug/pprof/threadcreate?debug=1", "debug/pprof/trace?seconds=0.2"} {
		status, body, err := get(ctx, "http://"+r.admin+"/"+path, "")
		if err != nil {
			return nil, err
		}
		if status != http.StatusOK {
			return nil, fmt.Errorf("/%s: status %d", path, status)
		}
		said[path] = body
	}
	for _, name := range []string{"cmdline", "environ"} {
		path := fmt.Sprintf("/proc/%d/%s", r.ID(), name)
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		said[path] = content
	}
	return said, nil
}
