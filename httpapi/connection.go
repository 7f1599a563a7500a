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

// A listener accepts connections, at most as many as it has slots. When they are all taken, it closes connections that
// wait for a request, so that clients who hold idle connections do not keep others out.
type listener struct {
	net.Listener
	slots chan struct{} // one taken by each open connection

	mu     sync.Mutex
	open   map[*connection]struct{} // guarded by mu
	closed uint64                   // guarded by mu: connections closed to make room
}

// newListener allows as many connections as there are file descriptors, but for spareHandles, and no more than most, where
// that is not 0.
func newListener(l net.Listener, most int) *listener {
	limit := 1 << 20
	var handles syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &handles); err == nil {
		limit = int(min(uint64(limit), max(handles.Cur, spareHandles+1)-spareHandles))
	}
	if most > 0 {
		limit = min(limit, most)
	}
	return &listener{Listener: l, slots: make(chan struct{}, limit), open: map[*connection]struct{}{}}
}

// Accept implements net.Listener. A lack of handles or memory passes: it is waited for.
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

// admitInterval is how often a connection that has no slot looks for idle ones to close.
const admitInterval = 10 * time.Millisecond

// admit assigns an accepted connection a slot, or closes it and returns nil. Others wait in the kernel's queue meanwhile.
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
	// idleGrace is how long a connection can wait for a request before it may have to make room for another, if its client
	// has most connections, and idleLong if not.
	idleGrace = 100 * time.Millisecond
	idleLong  = 10 * time.Second
	// evictShare is the part of all connections that make room at once: one in 32, so that choosing them is rare.
	evictShare = 32
	// crowd is how many connections a client has at least when one that is being answered is closed for another client's.
	crowd = 4
)

// evict closes connections that have waited for a whole request for some time or take an answer too slowly, those of the
// clients that have most connections first, and of one client those that have waited or stalled longest. If none has,
// clients whose requests never end have taken all slots: it closes some of the client that has most, for a newcomer that has
// at most half as many. It reports false for another newcomer, which should be closed: who waits in the kernel's queue behind it
// must not wait for the end of their requests.
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
	closing, soon := 0, 0 // those that were closed but have not left, and those that may become idle
	for c := range l.open {
		if c.evicted {
			closing++ // a busy one does when its request ends
			continue
		}
		grace := idleLong
		if connections[c.address] == most {
			grace = idleGrace
		}
		switch since := c.waiting.Load(); {
		case since != 0 && now.UnixNano()-since > int64(grace):
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
		c.abort() // its reader or writer ends, and leaves
		c.evicted = true
		l.closed++
	}
	return true
}

// report returns how many connections are open, and how many were closed to make room for others.
func (l *listener) report() (open int, closed uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open), l.closed
}

// addressOf returns the IP address in an address of TCP; it is not valid for any other.
func addressOf(address net.Addr) netip.Addr {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap().WithZone("")
}

// A connection is one with a client. One goroutine reads and writes it. While it waits for a request it holds no memory
// but its own: the library asks for the first byte, and borrows buffers only when that has come.
type connection struct {
	net.Conn
	listener *listener    // nil in tests
	peer     netip.Addr   // the other end
	address  netip.Prefix // that stands for it
	closed   sync.Once
	evicted  bool // guarded by the listener's mu
	// waiting is since when the connection has waited for a whole request, in nanoseconds since 1970; 0 while one is
	// answered.
	waiting atomic.Int64
	wasRead bool
	head    [1 << 10]byte // what came with the first byte: most requests, whole
	ahead   []byte        // of head, what nobody has read yet
	// tail goes out behind what is written next, by the same system call.
	tail    *delivery
	writeBy time.Time // when the answer must be written
	pieces  [2][]byte
	out     net.Buffers // of pieces
	// stalled is when the client first failed to take what there was of an answer, in nanoseconds since 1970, and 0 where it
	// did not; taken is how many bytes it has taken since.
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

// abort closes the connection at once: what the kernel holds for the client is given up with it. It is safe to call
// while the connection is written.
func (c *connection) abort() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Conn.Close()
}

const (
	// minRate is the rate, in bytes a second, below which a client that takes an answer counts as slow.
	minRate = 16 << 10
	// stallGrace is how long a client may stall before its rate counts.
	stallGrace = time.Second
)

// isSlow reports whether the client takes an answer more slowly than minRate.
func (c *connection) isSlow(now time.Time) bool {
	stalled := c.stalled.Load()
	if stalled == 0 {
		return false
	}
	since := time.Duration(now.UnixNano() - stalled)
	return since > stallGrace && float64(c.taken.Load()) < minRate*since.Seconds()
}

// wait marks the connection as one that waits for a request, answer as one whose request is answered.
func (c *connection) wait()   { c.waiting.Store(time.Now().UnixNano()) }
func (c *connection) answer() { c.waiting.Store(0) }

// Read lets other connections go first, all but the first time: meanwhile the next request arrives, and is there at the
// first look. Without, every answer under load is followed by a read in vain, a sleep and a wake-up, a twelfth of the
// time that a small request takes.
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

// next takes up to n bytes of what was read ahead.
func (c *connection) next(n int) []byte {
	n = min(n, len(c.ahead))
	taken := c.ahead[:n]
	c.ahead = c.ahead[n:]
	return taken
}

// hasPreface reports whether what was read last begins as the preface of HTTP/2 does (RFC 9113, section 3.4), which the library
// rejects for its target.
func (c *connection) hasPreface() bool {
	return bytes.HasPrefix(c.head[:], []byte("PRI * HTTP/2.0\r\n"))
}

// SetWriteDeadline implements net.Conn for Write, which sets the deadlines of its system calls.
func (c *connection) SetWriteDeadline(t time.Time) error {
	c.writeBy = t
	return nil
}

// progressInterval is how often the progress of a client that stalls is recorded.
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

// flush writes what is out, which ends with a delivery unless that is nil, and records the progress of a client that stalls.
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
		if !c.stalled.CompareAndSwap(0, time.Now().UnixNano()) {
			c.taken.Add(taken)
		} else if d != nil && d.budget != nil {
			d.budget.stall(d)
		}
	}
}

// writeOut writes as much as it can of what is out, a single piece with the cheaper system call.
func (c *connection) writeOut() (int64, error) {
	if len(c.out) > 1 {
		return c.out.WriteTo(c.Conn)
	}
	n, err := c.Conn.Write(c.out[0])
	c.out[0] = c.out[0][n:]
	return int64(n), err
}
