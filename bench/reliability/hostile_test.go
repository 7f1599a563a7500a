package reliability

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pubd/bench/load"
	"pubd/bench/proof"
	"pubd/data/lane"
)

// pubd's timeouts for reading a header and for writing a response, and what a busy machine may add.
const (
	headerLimit  = 5 * time.Second
	writingLimit = 15 * time.Second
	allowance    = 2 * time.Second
)

// spareHandles is how many file descriptors a server may open or close for other reasons.
const spareHandles = 10

func TestH1(t *testing.T) {
	proof.Row(t, "2,000 connections that send a header byte by byte, and 2,000 that read their answers so or not at all", "closed 5 s and 15 s later; p99 of others at most twice that without")
	many := proof.Pick(200, 2000)
	needHandles(t, 2*many+500)
	s := usual(t).snapshots[0]
	r := serve(t, s)
	l := lasting(r.load(1000, s), proof.Pick(500*time.Millisecond, 2*time.Second))
	own, open := handlesOf(r.ID()), 2*many
	noFailure(t, l.Send(t.Context())) // warms up
	var header, answer time.Duration
	all, said := compare(t, 3, 2, func() (without, with *load.Tally) {
		without = l.Send(t.Context())
		begun := time.Now()
		end := openSlow(t, r.API, many)
		defer end()
		lasting(l, 500*time.Millisecond).Send(t.Context()) // until the socket buffers of clients that do not read are full
		open = min(open, handlesOf(r.ID())-own)
		with = l.Send(t.Context())
		header = max(header, r.closedAfter(own+many+spareHandles, begun, headerLimit))
		if proof.Full() {
			answer = max(answer, r.closedAfter(own+spareHandles, begun, writingLimit))
		}
		return without, with
	})
	failIf(t, open < 2*many-spareHandles, "%d connections were open, want %d", open, 2*many)
	failIf(t, header > headerLimit+allowance && proof.Full() || answer > writingLimit+allowance,
		"closed after %v (headers) and %v (answers), want %v and %v", header, answer, headerLimit, writingLimit)
	proof.Figure(t, fmt.Sprintf("%d connections, %d answers", 2*many, all.Sent()), "%d open; closed after at most %.1f s (headers) and %.1f s (answers); %s", open, header.Seconds(), answer.Seconds(), said)
}

// openSlow connects clients: many that send slowly, and as many that read slowly, half of which never read. end closes them.
func openSlow(t *testing.T, address string, many int) (end func()) {
	// More answers than fit into small socket buffers.
	asks := strings.Repeat(wire("GET", pubs+"?search=*&amount=100"), 20)
	dialer := net.Dialer{Timeout: proof.Patience, Control: smallBuffer(4096, 536)}
	ctx, stop := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for i := range 2 * many {
		c := must(dialer.DialContext(ctx, "tcp", address))(t)
		first := asks
		if i%2 == 0 {
			first = "GET " + pubs + " HTTP/1.1\r\nX: "
		}
		must(io.WriteString(c, first))(t)
		wait.Go(func() {
			defer c.Close()
			for {
				select {
				case <-ctx.Done():
					return
				case <-time.After(rand.N(2 * time.Second)): // one step per client and second, evenly spread
				}
				switch i % 4 {
				case 0, 2:
					_, _ = c.Write([]byte("x"))
				case 1:
					_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
					_, _ = c.Read(make([]byte, 1))
				}
			}
		})
	}
	return func() {
		stop()
		wait.Wait()
	}
}

// smallBuffer returns a net.Dialer's Control that sets the receive buffer, and the maximum segment size unless it is 0.
func smallBuffer(buffer, segment int) func(_, _ string, raw syscall.RawConn) error {
	return func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(handle uintptr) {
			failed = syscall.SetsockoptInt(int(handle), syscall.SOL_SOCKET, syscall.SO_RCVBUF, buffer)
			if failed == nil && segment > 0 {
				failed = syscall.SetsockoptInt(int(handle), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, segment)
			}
		})
		return errors.Join(err, failed)
	}
}

// closedAfter waits until a server has at most n open file descriptors, or it is too late, and returns the time since begun.
func (r *replica) closedAfter(n int, begun time.Time, within time.Duration) time.Duration {
	for handlesOf(r.ID()) > n && time.Since(begun) < within+2*allowance {
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(begun)
}

// handlesOf returns the number of a process's file descriptors.
func handlesOf(pid int) int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries)
}

// A demand is a request and the status of its response.
type demand struct {
	sent string
	want int
}

// demands returns unusual and invalid requests.
func demands(t testing.TB, uid string) (list []demand) {
	t.Helper()
	for _, row := range table(t, "demands.txt") {
		for i := range row {
			row[i] = fill(row[i], uid)
		}
		d := demand{row[2], must(strconv.Atoi(row[0]))(t)}
		if method, keyless := strings.CutPrefix(row[1], "-"); method != "" {
			d.sent = wire(method, row[2], row[3:]...)
			if keyless {
				d.sent = strings.Replace(d.sent, "x-api-key: "+demo+"\r\n", "", 1)
			}
		}
		list = append(list, d)
	}
	return list
}

const deep = 1000 // pipelined requests

func TestH3(t *testing.T) {
	quickRow(t, "odd headers, paths and methods, and 1,000 requests in one piece", "the statuses of the contract; memory at most doubles, as the collector lets it")
	d := usual(t)
	r := serve(t, d.snapshots[0], built()...)
	list := demands(t, d.pubs[0].UID)
	pipeline := strings.Repeat(lookup(d.pubs[0].UID), deep-1) + lookup(d.pubs[0].UID, "Connection: close")
	sent := 0
	var before, after int64
	for round := range lane.Pick(2, proof.Pick(3, 200)) {
		for _, d := range list {
			method, _, _ := strings.Cut(d.sent, " ")
			got, err := converse(r.API, d.sent+wire("GET", "/", "Connection: close"))
			statuses, broken := statusesOf(got, method)
			failIf(t, err != nil || broken != nil || len(statuses) == 0 || statuses[0] != d.want || len(statuses) > 2,
				"%.200q: got %v %v %v, want %d", d.sent, statuses, err, broken, d.want)
		}
		got, err := converse(r.API, pipeline)
		statuses, broken := statusesOf(got, http.MethodGet)
		failIf(t, err != nil || broken != nil || len(statuses) != deep || slices.ContainsFunc(statuses, func(status int) bool { return status != http.StatusOK }),
			"%d in one piece: %d answers, %v %v", deep, len(statuses), err, broken)
		sent += len(list) + deep
		if after, _ = r.memory(); round == 0 {
			before = after
		}
	}
	failIf(t, after > 2*before, "%d MB after the first round, %d MB at the end", before/1e6, after/1e6)
	proof.Figure(t, fmt.Sprintf("%d requests", sent), "all as in the contract; %d MB after the first round, %d MB at the end", before/1e6, after/1e6)
}

func lookup(uid string, lines ...string) string { return wire("GET", pubs+"?pubid="+uid, lines...) }

// statusesOf returns the statuses of all responses in a stream. The first answers a request of a method, the others GET requests.
func statusesOf(stream []byte, method string) (statuses []int, err error) {
	r := bufio.NewReader(bytes.NewReader(stream))
	for {
		if _, err := r.Peek(1); err == io.EOF {
			return statuses, nil
		}
		response, err := http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			return statuses, fmt.Errorf("answer %d: %w", len(statuses)+1, err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return statuses, fmt.Errorf("body of answer %d: %w", len(statuses)+1, err)
		}
		statuses = append(statuses, response.StatusCode)
		// A server that rejects a request before it has parsed the method HEAD sends a body.
		if next, _ := r.Peek(5); method == http.MethodHead && response.StatusCode >= 400 && len(next) > 0 && string(next) != "HTTP/" {
			return statuses, nil
		}
		if response.StatusCode != 100 {
			method = http.MethodGet
		}
	}
}

// converse sends bytes and returns what the server sends until it closes the connection.
func converse(address, sent string) ([]byte, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(load.Limit))
	_, _ = io.WriteString(c, sent) // fails if the server closes first
	got, err := io.ReadAll(c)
	if errors.Is(err, syscall.ECONNRESET) { // it closed with unread bytes
		err = nil
	}
	return got, err
}
