package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDrain(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			const delay = 3 * time.Second // long enough for requests on a busy machine
			p := serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--drain-delay", delay.String())
			equal(t, "closed before the signal", p.search("pubid=u1", "demo").closed, false)
			defer idle(t, p).Close() // an idle connection does not delay the shutdown
			ready := p.readiness(200)
			begun := time.Now()
			p.signal(signal)
			within(t, delay/2, "/readyz 503", func() bool { return p.operate("/readyz").status == 503 })
			ready.Ready = false
			equal(t, "/readyz", p.readiness(503), ready)
			equal(t, "/livez", p.operate("/livez").status, 200)
			p.signal(syscall.SIGHUP) // too late for a reload, and must not end the process
			for i := 0; time.Since(begun) < delay*3/4; i++ {
				got := p.search("pubid=u1", "demo")
				stopIf(t, got.status != 200 || !got.closed, "request %d of the drain: got %d, closed %v, want 200 with Connection: close", i, got.status, got.closed)
				time.Sleep(10 * time.Millisecond)
			}
			p.exit(testPatience, exitOK)
			took := time.Since(begun)
			failIf(t, took < delay || took > delay+testPatience, "--drain-delay %v: ended after %v", delay, took)
			_, err := p.try("http://"+p.api+"/", "")
			failIf(t, err == nil, "after the end: got an answer, want none")
		})
	}
}

// idle returns an idle keep-alive connection.
func idle(t *testing.T, p *process) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", p.api)
	ok(t, err)
	fmt.Fprint(connection, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	ok(t, err)
	response.Body.Close()
	return connection
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	for _, signals := range [][2]os.Signal{{syscall.SIGTERM, syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGINT}, {syscall.SIGTERM, syscall.SIGINT}} {
		p := serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--drain-delay=1h")
		p.signal(signals[0])
		eventually(t, "draining", func() bool { return p.stderr.count("draining") == 1 })
		failIf(t, p.over(), "%v: ended at the first", signals)
		p.signal(signals[1])
		p.exit(testPatience/2, exitError)
	}
}

// Without data, no load balancer sends requests: there is nothing to drain.
func TestSignalDuringFirstLoad(t *testing.T) {
	t.Parallel()
	file := write(t, "pubs.csv", generated(t, 60_000, 1))
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := start(t, pubd(anywhere("--data", file, "--drain-delay=1m")...))
		eventually(t, "first log line", func() bool { return p.stderr.count("keys loaded") == 1 })
		p.signal(signal)
		p.exit(testPatience/2, exitOK)
		failIf(t, p.stderr.count("serving") != 0 || p.stdout.String() != "", "%v: got %q and %q, want no word of serving", signal, p.stdout, p.stderr)
	}
}

// A response in progress to a slow client arrives completely after the listener is closed.
func TestDrainCompletesAnswers(t *testing.T) {
	t.Parallel()
	const count = 30_000
	p := serve(t, "--data", write(t, "pubs.csv", pubs(count, "a")), "--max-unpaged=0")
	connection, err := (&net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) // far too small for the response
		})
	}}).Dial("tcp", p.api)
	ok(t, err)
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(testPatience))
	fmt.Fprint(connection, "GET /api/v1/pubs/?search=*&lat=52&lng=-1&distance=1 HTTP/1.1\r\nHost: localhost\r\nx-api-key: demo\r\n\r\n")
	reader := bufio.NewReader(connection)
	_, err = reader.Peek(1)
	ok(t, err)
	p.signal(syscall.SIGTERM)
	eventually(t, "it stops listening", func() bool {
		other, err := net.Dial("tcp", p.api)
		if err == nil {
			other.Close()
		}
		return err != nil
	})
	stopIf(t, p.over(), "ended before the answer was read")
	response, err := http.ReadResponse(reader, nil)
	ok(t, err)
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	got := strings.Count(string(body), `"UID":`)
	failIf(t, got != count || err != nil, "slow answer: got %d pubs of %d bytes (%v), want %d", got, len(body), err, count)
	p.exit(testPatience, exitOK)
}
