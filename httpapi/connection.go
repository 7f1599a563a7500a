package httpapi

import (
	"bytes"
	"cmp"
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A listener accepts connections, up to its number of slots. When all slots are taken, it closes connections that wait for a request, so
// that idle clients do not keep others out.
type listener struct {
	net.Listener
	slots chan struct{} // one taken by each open connection

	mu     sync.Mutex
	open   map[*connection]struct{} // guarded by mu
	closed uint64                   // guarded by mu: connections closed to make room
}

// newListener allows as many connections as there are file descriptors, minus spare ones, and at most most unless that is 0.
func newListener(l net.Listener, most, spare int) *listener {
	limit := 1 << 20
	var handles syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &handles); err == nil {
		limit = int(min(uint64(limit), max(handles.Cur, uint64(spare)+1)-uint64(spare)))
	}
	if most > 0 {
		limit = min(limit, most)
	}
	return &listener{Listener: l, slots: make(chan struct{}, limit), open: map[*connection]struct{}{}}
}

// Accept implements net.Listener. Running out of descriptors or memory is temporary: Accept waits.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err == nil {
			if c := l.admit(accepted); c != nil {
				return c, nil
			}
			continue
		}
		if lack, ok := err.(interface{ Temporary() bool }); !ok || !lack.Temporary() {
			return nil, err
		}
		l.evict(time.Now(), netip.Prefix{})
		time.Sleep(admitInterval)
	}
}

// admitInterval is how often a connection without a slot looks for idle ones to close.
const admitInterval = 10 * time.Millisecond

// admit assigns a slot to an accepted connection, or closes it and returns nil. Meanwhile others wait in the kernel's queue.
func (l *listener) admit(accepted net.Conn) *connection {
	peer := addressOf(accepted.RemoteAddr())
	address := shareOf(peer)
	for taken := false; !taken; {
		select {
		case l.slots <- struct{}{}:
			taken = true
		default:
			if !l.evict(time.Now(), address) {
				_ = accepted.Close()
				return nil
			}
			select {
			case l.slots <- struct{}{}:
				taken = true
			case <-time.After(admitInterval):
			}
		}
	}
	limitKernelMemory(accepted)
	c := &connection{Conn: accepted, listener: l, peer: peer, address: address}
	c.wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[c] = struct{}{}
	return c
}

// leave frees the slot of a connection.
func (l *listener) leave(c *connection) {
	l.mu.Lock()
	delete(l.open, c)
	l.mu.Unlock()
	<-l.slots
}

const (
	// idleGrace is how long a connection may wait for a request before it can be closed in favour of another one, if its client has the
	// most connections; idleLong is the time for other clients.
	idleGrace = 100 * time.Millisecond
	idleLong  = 10 * time.Second
	// evictShare is the fraction of connections to close at once: one in 32, so that selecting them is rare.
	evictShare = 32
	// crowd is the minimum number of connections of a client before a busy one is closed for another client's.
	crowd = 4
)

// evict closes connections that have waited for a complete request for some time or read a response too slowly: those of the clients with
// the most connections first, and of each client those that have waited or stalled longest. If there are none, busy connections have taken all
// slots: then it closes some of the client with the most, provided that the newcomer's client has at most half as many. Otherwise it returns
// false, and the newcomer should be closed: clients behind it in the kernel's queue must not wait until a busy connection ends.
func (l *listener) evict(now time.Time, newcomer netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	connections, most := map[netip.Prefix]int{}, 0
	for c := range l.open {
		connections[c.address]++
		most = max(most, connections[c.address])
	}
	type candidate struct {
		*connection
		since int64
	}
	makesRoom := most >= crowd && 2*connections[newcomer] <= most && newcomer.IsValid()
	var idle, busy []candidate
	batch := 1 + cap(l.slots)/evictShare
	closing, soon := 0, 0 // closed but not left yet, and possibly idle soon
	for c := range l.open {
		if c.evicted {
			closing++ // a busy one leaves when its request ends
			continue
		}
		grace := idleLong
		if connections[c.address] == most {
			grace = idleGrace
		}
		switch since := c.waiting.Load(); {
		case since != 0 && clock(now)-since > int64(grace):
			idle = append(idle, candidate{c, since})
		case c.isSlow(now):
			idle = append(idle, candidate{c, c.stalled.Load()})
		case since != 0:
			soon++
		case connections[c.address] == most && makesRoom:
			busy = append(busy, candidate{c, 0})
		}
	}
	if len(idle) == 0 {
		if soon < batch && most >= crowd && !makesRoom && newcomer.IsValid() {
			l.closed++
			return false
		}
		idle = busy[:min(len(busy), max(batch-closing, 0))]
	}
	slices.SortFunc(idle, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(connections[y.address], connections[x.address]), cmp.Compare(x.since, y.since))
	})
	for _, c := range idle[:min(len(idle), batch)] {
		c.abort() // its reader or writer fails, and it leaves
		c.evicted = true
		l.closed++
	}
	return true
}

// report returns the number of open connections, and of those closed to make room for others.
func (l *listener) report() (open int, closed uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open), l.closed
}

// addressOf returns the IP address of a TCP address; it is invalid for any other.
func addressOf(address net.Addr) netip.Addr {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap().WithZone("")
}

// A connection is a client connection, read and written by one goroutine. While it waits for a request, it holds no buffer: the library
// waits for the first byte, and borrows buffers only then.
type connection struct {
	net.Conn
	listener *listener    // nil in tests
	peer     netip.Addr   // the other end
	address  netip.Prefix // that stands for the peer in shares
	closed   sync.Once
	evicted  bool // guarded by the listener's mu
	// waiting is since when the connection has waited for a complete request, by clock; 0 while a request is handled.
	waiting atomic.Int64
	wasRead bool
	head    [1 << 10]byte // what arrived with the first byte: usually the whole request
	ahead   []byte        // part of head that has not been read yet
	// tail is sent after the next write, by the same system call.
	tail    *delivery
	writeBy time.Time // deadline for writing the response
	pieces  [2][]byte
	out     net.Buffers // of pieces
	// stalled is when the client first failed to read a response, by clock, or 0; taken is how many bytes it has read since.
	stalled, taken atomic.Int64
}

// Close implements net.Conn.
func (c *connection) Close() error {
	err := c.Conn.Close()
	if c.listener != nil {
		c.closed.Do(func() { c.listener.leave(c) })
	}
	return err
}

// abort closes the connection immediately and discards what the kernel holds for the client. It may be called during a write.
func (c *connection) abort() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Conn.Close()
}

const (
	// minRate is the rate, in bytes per second, below which a reading client counts as slow.
	minRate = 16 << 10
	// stallGrace is how long a client may stall before its rate matters.
	stallGrace = time.Second
)

// isSlow reports whether the client reads a response more slowly than minRate.
func (c *connection) isSlow(now time.Time) bool {
	stalled := c.stalled.Load()
	if stalled == 0 {
		return false
	}
	since := time.Duration(clock(now) - stalled)
	return since > stallGrace && float64(c.taken.Load()) < minRate*since.Seconds()
}

// began is when the clock was 1.
var began = time.Now()

// clock returns a time in nanoseconds, never 0, which setting the system's clock does not change.
func clock(t time.Time) int64 { return 1 + int64(t.Sub(began)) }

// wait marks the connection as waiting for a request, answer as handling one.
func (c *connection) wait()   { c.waiting.Store(clock(time.Now())) }
func (c *connection) answer() { c.waiting.Store(0) }

// Read yields to other goroutines first, except the first time: meanwhile the next request arrives, and the read succeeds at once.
// Otherwise, under load, every response is followed by a failed read, a sleep and a wake-up, a twelfth of the time of a small request.
func (c *connection) Read(p []byte) (int, error) {
	if len(c.ahead) > 0 {
		return copy(p, c.next(len(p))), nil
	}
	if c.wasRead {
		runtime.Gosched()
	}
	c.wasRead = true
	if c.waiting.Load() == 0 {
		c.wait()
	}
	if len(p) != 1 {
		return c.Conn.Read(p)
	}
	n, err := c.Conn.Read(c.head[:])
	c.ahead = c.head[:n]
	return copy(p, c.next(1)), err
}

// next takes up to n bytes that were read ahead.
func (c *connection) next(n int) []byte {
	n = min(n, len(c.ahead))
	taken := c.ahead[:n]
	c.ahead = c.ahead[n:]
	return taken
}

// hasPreface reports whether the last read begins with the HTTP/2 preface (RFC 9113, section 3.4), which the library rejects because of its
// target.
func (c *connection) hasPreface() bool {
	return bytes.HasPrefix(c.head[:], []byte("PRI * HTTP/2.0\r\n"))
}

// SetWriteDeadline implements net.Conn for Write, which sets the deadlines of its system calls.
func (c *connection) SetWriteDeadline(t time.Time) error {
	c.writeBy = t
	return nil
}

// progressInterval is how often the progress of a stalling client is recorded.
const progressInterval = 250 * time.Millisecond

// Write writes p, and the tail.
func (c *connection) Write(p []byte) (int, error) {
	d := c.tail
	c.pieces[0], c.out = p, c.pieces[:1]
	if d != nil {
		c.pieces[1], c.out, c.tail = d.content, c.pieces[:2], nil
	}
	err := c.flush(d)
	clear(c.pieces[:])
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes out, which ends with a delivery unless d is nil, and records the progress of a stalling client.
func (c *connection) flush(d *delivery) error {
	for {
		step := time.Now().Add(progressInterval)
		if !c.writeBy.IsZero() && c.writeBy.Before(step) {
			step = c.writeBy
		}
		if err := c.Conn.SetWriteDeadline(step); err != nil {
			return err
		}
		taken, err := c.writeOut()
		if !errors.Is(err, os.ErrDeadlineExceeded) || step.Equal(c.writeBy) {
			c.stalled.Store(0)
			c.taken.Store(0)
			return err
		}
		if !c.stalled.CompareAndSwap(0, clock(time.Now())) {
			c.taken.Add(taken)
		} else if d != nil && d.budget != nil {
			d.budget.stall(d)
		}
	}
}

// writeOut writes as much of out as possible, with the cheaper system call for a single piece.
func (c *connection) writeOut() (int64, error) {
	if len(c.out) > 1 {
		return c.out.WriteTo(c.Conn)
	}
	n, err := c.Conn.Write(c.out[0])
	c.out[0] = c.out[0][n:]
	return int64(n), err
}
