package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The time that pubd gives to a header and to an answer, and what a machine with much to do may add.
const (
	headerLimit  = 5 * time.Second
	writingLimit = 15 * time.Second
	allowance    = 2 * time.Second
)

// spareHandles are those that a server may open or close for something else meanwhile.
const spareHandles = 10

// A slowClient does one thing, a byte at a time.
type slowClient struct {
	c    net.Conn
	step func(c net.Conn) error
}

// everyByte is the time between two bytes of a slow client.
const everyByte = time.Second

// slowClients looks how long the server keeps connections with slow clients, and what becomes of the others meanwhile.
func slowClients(ctx context.Context, b *bed) (outcome, error) {
	many := b.times(2000, 200)
	if err := needHandles(2*many + 500); err != nil {
		return outcome{}, err
	}
	e, err := b.edition(ctx, b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serve(ctx, "h1", e.file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	const rate = 1000
	lasts, filling := b.lasting(headerLimit-3*time.Second, time.Second), 500*time.Millisecond
	own, open := handlesOf(r.ID()), 2*many
	sum := b.load(r, rate, lasts, e).send(ctx) // as warm as it will be
	var header, answer time.Duration
	quiet, busy, rounds, err := b.inRounds(ctx, b.times(5, 1), windowLength, func() (without, with *tally, err error) {
		without = b.load(r, rate, lasts, e).sendInWindows(ctx)
		begun := time.Now()
		slow, err := openSlow(ctx, r, many)
		if err != nil {
			return nil, nil, err
		}
		defer slow.end()
		sum.join(b.load(r, rate, filling, e).send(ctx)) // until the kernel has no more room for what is not read
		open = min(open, handlesOf(r.ID())-own)
		with = b.load(r, rate, lasts, e).sendInWindows(ctx)
		header = max(header, closedAfter(ctx, r, own+many+spareHandles, begun, headerLimit))
		if !b.short {
			answer = max(answer, closedAfter(ctx, r, own+spareHandles, begun, writingLimit))
		}
		return without, with, nil
	})
	if err != nil {
		return outcome{}, err
	}
	sum.join(&quiet)
	sum.join(&busy)
	figure := fmt.Sprintf("%s open; closed after at most %.1f s (headers) and %.1f s (answers)", grouped(open), header.Seconds(), answer.Seconds())
	if b.short {
		figure = fmt.Sprintf("%d open; closed after %.1f s (headers; answers are not awaited)", open, header.Seconds())
	}
	sound := sum.failed() == 0 && open >= 2*many-spareHandles
	return outcome{
		n:      fmt.Sprintf("%s connections, %s answers", grouped(2*many), grouped(sum.sent())),
		figure: fmt.Sprintf("%s; p99 %v without, %v beside them, %v, at %d requests a second; %d failed", figure, b.own(&quiet).p99(), b.own(&busy).p99(), rounds, rate, sum.failed()),
		passed: sound && rounds.median() <= 2 && header <= headerLimit+allowance && answer <= writingLimit+allowance,
		sound:  sound && (b.short || rounds.median() <= 2),
	}, nil
}

// crowd is slow clients at work.
type crowd struct {
	clients []slowClient
	stop    context.CancelFunc
	wait    sync.WaitGroup
}

// openSlow connects as many clients that send slowly as that read slowly, of which every second does not read at all.
func openSlow(ctx context.Context, r *replica, many int) (*crowd, error) {
	ctx, stop := context.WithCancel(ctx)
	s := &crowd{stop: stop}
	// Answers as much as do not fit between two kernels that have little room.
	asks := []byte(strings.Repeat(wire("GET", resource+"?search=*&amount=100"), 20))
	dialer := net.Dialer{Timeout: patience, Control: littleRoom}
	for i := range 2 * many {
		c, err := dialer.DialContext(ctx, "tcp", r.api)
		if err != nil {
			s.end()
			return nil, err
		}
		client := slowClient{c, sendByte}
		if i%2 == 1 {
			client.step = func(net.Conn) error { return nil }
			if i%4 == 1 {
				client.step = readByte
			}
			_, err = c.Write(asks)
		} else {
			_, err = c.Write([]byte("GET " + resource + " HTTP/1.1\r\nX: "))
		}
		s.clients = append(s.clients, client)
		if err != nil {
			s.end()
			return nil, err
		}
	}
	s.wait.Go(func() { s.work(ctx) })
	return s, nil
}

// littleRoom keeps the kernel from taking in what a client does not read.
func littleRoom(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(handle uintptr) {
		failed = syscall.SetsockoptInt(int(handle), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		if failed == nil {
			failed = syscall.SetsockoptInt(int(handle), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 536)
		}
	})
	if err != nil {
		return err
	}
	return failed
}

func sendByte(c net.Conn) error { _, err := c.Write([]byte("x")); return err }

func readByte(c net.Conn) error {
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return err
}

// work lets all clients take a step, spread over the time between two bytes. What they meet with after the server closed is
// not looked at: the server's own handles tell when that is.
func (s *crowd) work(ctx context.Context) {
	tick := time.NewTicker(everyByte / 100)
	defer tick.Stop()
	for at := 0; ; at++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for i := at % 100; i < len(s.clients); i += 100 {
			_ = s.clients[i].step(s.clients[i].c)
		}
	}
}

// closedAfter waits until a server has no more than so many open handles, and gives the time since then, or until it is too
// late.
func closedAfter(ctx context.Context, r *replica, handles int, begun time.Time, within time.Duration) time.Duration {
	for ctx.Err() == nil && handlesOf(r.ID()) > handles && time.Since(begun) < within+2*allowance {
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(begun)
}

// end closes all connections.
func (s *crowd) end() {
	s.stop()
	s.wait.Wait()
	for _, client := range s.clients {
		_ = client.c.Close()
	}
}

// handlesOf is how many files a process has open.
func handlesOf(pid int) int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries)
}
