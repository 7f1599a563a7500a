package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"
)

// A load is requests that are due at a steady rate, whether those before are answered or not: a server that falls behind
// is not given time to catch up, and the wait counts.
type load struct {
	address     string
	rate        float64 // requests a second
	lasts       time.Duration
	connections int
	key         string
	queries     []string
	editions    []*edition
}

// answerLimit is how long an answer may take before it counts as failed.
const answerLimit = 20 * time.Second

// send sends the requests and checks each answer against the edition that it names. It ends by itself.
func (l *load) send(ctx context.Context) *tally {
	requests := make([][]byte, len(l.queries))
	for i, query := range l.queries {
		requests[i] = fmt.Appendf(nil, "GET %s?%s HTTP/1.1\r\nHost: pubd\r\nx-api-key: %s\r\n\r\n", resource, query, l.key)
	}
	total := int64(l.rate * l.lasts.Seconds())
	interval := float64(time.Second) / l.rate
	begun := time.Now()
	var next atomic.Int64
	var wait sync.WaitGroup
	tallies := make([]tally, l.connections)
	for i := range tallies {
		t := &tallies[i]
		wait.Go(func() {
			c := caller{address: l.address}
			defer c.close()
			for {
				number := next.Add(1) - 1
				if number >= total || ctx.Err() != nil {
					return
				}
				due := begun.Add(time.Duration(float64(number) * interval))
				if early := time.Until(due); early > 0 {
					time.Sleep(early)
				}
				place := int(number) % len(requests)
				a, err := c.ask(requests[place])
				t.add(a, err, time.Since(due), l.editions, place)
			}
		})
	}
	wait.Wait()
	sum := &tally{took: time.Since(begun)}
	for i := range tallies {
		sum.join(&tallies[i])
	}
	return sum
}

// A tally is what came of a load.
type tally struct {
	took     time.Duration
	statuses map[int]int
	served   map[string]int // right answers, by the edition that they name
	// broken are requests that got no answer, wrong those whose answer is not that of the edition that it names.
	broken, wrong int
	firstProblem  string
	times         histogram
}

func (t *tally) add(a answer, err error, took time.Duration, editions []*edition, place int) {
	t.times.add(took)
	if t.statuses == nil {
		t.statuses, t.served = map[int]int{}, map[string]int{}
	}
	if err != nil {
		t.broken++
		t.problem(err.Error())
		return
	}
	t.statuses[a.status]++
	if a.status != 200 && a.snapshot == "" {
		return
	}
	for _, e := range editions {
		if e.id == a.snapshot {
			if want := e.answers[place]; want != (expected{a.status, a.digest}) {
				t.wrong++
				t.problem(fmt.Sprintf("request %d: the answer of snapshot %s is not what it was", place, a.snapshot))
			} else {
				t.served[e.id]++
			}
			return
		}
	}
	t.wrong++
	t.problem(fmt.Sprintf("request %d: names a snapshot %q that nobody installed", place, a.snapshot))
}

func (t *tally) problem(what string) {
	if t.firstProblem == "" {
		t.firstProblem = what
	}
}

// join adds what came of another load.
func (t *tally) join(other *tally) {
	if t.statuses == nil {
		t.statuses, t.served = map[int]int{}, map[string]int{}
	}
	for status, n := range other.statuses {
		t.statuses[status] += n
	}
	for id, n := range other.served {
		t.served[id] += n
	}
	t.broken += other.broken
	t.wrong += other.wrong
	if other.firstProblem != "" {
		t.problem(other.firstProblem)
	}
	t.times.merge(&other.times)
}

// sent is the number of requests.
func (t *tally) sent() int { return t.times.count }

// failed is the number of requests that were not answered as they should be; an answer 404 is right where it is the
// edition's.
func (t *tally) failed() int {
	failed := t.broken + t.wrong
	for status, n := range t.statuses {
		if status != 200 && status != 404 {
			failed += n
		}
	}
	return failed
}

// String is for a report.
func (t *tally) String() string {
	text := fmt.Sprintf("%s answers, %d failed", grouped(t.sent()), t.failed())
	if t.firstProblem != "" {
		text += " (" + t.firstProblem + ")"
	}
	return text
}

// A caller is a connection that is made again when it ends.
type caller struct {
	address string
	c       net.Conn
	r       *bufio.Reader
	body    []byte
}

// An answer is what a caller got.
type answer struct {
	status   int
	snapshot string
	digest   uint64
}

func (c *caller) close() {
	if c.c != nil {
		_ = c.c.Close()
		c.c = nil
	}
}

// ask sends a request and reads its answer.
func (c *caller) ask(request []byte) (a answer, err error) {
	if c.c == nil {
		if c.c, err = net.DialTimeout("tcp", c.address, answerLimit); err != nil {
			c.c = nil
			return answer{}, err
		}
		if c.r == nil {
			c.r = bufio.NewReaderSize(c.c, 16<<10)
		}
		c.r.Reset(c.c)
	}
	a, closes, err := c.exchange(request)
	if err != nil || closes {
		c.close()
	}
	return a, err
}

func (c *caller) exchange(request []byte) (a answer, closes bool, err error) {
	if err := c.c.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return answer{}, false, err
	}
	if _, err := c.c.Write(request); err != nil {
		return answer{}, false, err
	}
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return answer{}, false, fmt.Errorf("reading the status: %w", err)
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return answer{}, false, fmt.Errorf("not a status: %q", line)
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return answer{}, false, fmt.Errorf("not a status: %q", line)
	}
	length := -1
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return answer{}, false, fmt.Errorf("reading a header: %w", err)
		}
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
		switch string(name) {
		case "":
			if length < 0 {
				return answer{}, false, errors.New("an answer without a length")
			}
			if cap(c.body) < length {
				c.body = make([]byte, length)
			}
			if _, err := io.ReadFull(c.r, c.body[:length]); err != nil {
				return answer{}, false, fmt.Errorf("reading the body: %w", err)
			}
			a.digest = xxhash.Sum64(c.body[:length])
			return a, closes, nil
		case "Content-Length":
			if length, err = strconv.Atoi(string(value)); err != nil {
				return answer{}, false, fmt.Errorf("not a length: %q", line)
			}
		case "X-Snapshot":
			a.snapshot = string(value)
		case "Connection":
			closes = string(value) == "close"
		}
	}
}
