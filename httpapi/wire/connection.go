package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"pubd/httpapi"
	"pubd/httpapi/keys"
)

// connect takes on an accepted connection, or closes it and returns nil. Load balancers stand for many clients: they
// have no share of their own.
func (s *Server) connect(accepted net.Conn) *connection {
	c := &connection{Conn: accepted, server: s}
	defer c.recoverPanic()
	c.peer = addressOf(accepted.RemoteAddr())
	if c.isProxy = s.service.TrustsProxy(c.peer); !c.isProxy && c.peer.IsValid() {
		c.shares = clientShares(nil, "", keys.ClientAt(c.peer), 1)
	}
	c.wait(time.Now())
	limitKernelMemory(accepted)
	if !s.admission.connect(c) {
		_ = accepted.Close()
		return nil
	}
	return c
}

// addressOf returns the IP address of a TCP address; it is invalid for any other.
func addressOf(address net.Addr) netip.Addr {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap().WithZone("")
}

// A connection is a client connection, read and written by one goroutine. While it waits for a request, it holds no
// buffer: the first bytes arrive in its own memory, and it borrows a reader only then.
type connection struct {
	net.Conn
	server  *Server
	peer    netip.Addr // the other end
	isProxy bool
	shares  []share      // in which its slot counts
	idle    atomic.Int64 // since when it waits for a request, by clock; 0 while one is handled
	waiting atomic.Bool  // for another request than the first, of which nothing has arrived
	grant   grant        // of the request under way

	readingBy, writingBy time.Time // the deadlines that are set
	wasRead              bool
	head                 [1 << 10]byte // what arrived first: usually the whole request
	ahead                []byte        // part of head that has not been read yet
	reader               *bufio.Reader // nil unless a request is being read, or has been sent with the one before
	begun, received      time.Time     // when the request began to arrive, and when its last part did
}

// began is when the clock was 1.
var began = time.Now()

// clock returns a time in nanoseconds, never 0, which setting the system's clock does not change.
func clock(t time.Time) int64 { return 1 + int64(t.Sub(began)) }

// wait marks the connection as idle.
func (c *connection) wait(now time.Time) { c.idle.Store(clock(now)) }

// Close implements net.Conn.
func (c *connection) Close() error {
	defer c.server.admission.disconnect(c)
	return c.Conn.Close()
}

// reset closes the connection immediately and discards what the kernel holds for the client.
func (c *connection) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Conn.Close()
}

// Admit implements httpapi.Admission.
func (c *connection) Admit(d httpapi.Demand) (ok bool) {
	if d.Bytes <= smallDemand {
		d.Bytes = 0
	}
	c.grant, ok = c.server.admission.admit(d, maxWait)
	return ok
}

// serve answers requests, one after the other, until the connection ends. If it ends by a panic, all that was taken on
// for it is given back, and neither its exchange nor its buffers are used again.
func (c *connection) serve() {
	defer c.recoverPanic()
	defer c.Close()
	defer func() { c.server.admission.finish(&c.grant, 0) }() // what a panic left
	for c.await() {
		if !c.answer() {
			c.linger()
			return
		}
	}
}

// recoverPanic ends a panic, whose cause is logged and counted, and closes the connection. It must be deferred.
func (c *connection) recoverPanic() {
	if cause := recover(); cause != nil {
		_ = c.Conn.Close() // perhaps again
		c.server.service.RecordPanic(nil, cause)
	}
}

// lingering is how long a connection is read after its last response.
const lingering = time.Second

// linger lets the client receive the last response although more of a request may arrive: it says that nothing
// follows, and drops what arrives until the client closes the connection, for a second at most. If a connection is
// closed with something unread, the kernel resets it, and the client may lose the response (RFC 9112, section 9.6).
// Time is the only limit: a byte costs less to drop than as a part of a request that is answered, and the connection
// counts as idle, so that it gives way to others.
func (c *connection) linger() {
	tcp, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || tcp.CloseWrite() != nil { // it was reset
		return
	}
	now := time.Now()
	c.wait(now)
	c.readBy(now.Add(lingering), lingering)
	_, _ = io.Copy(io.Discard, c.Conn)
}

// await waits for a request to arrive, and reports whether one does. It yields to other goroutines first, except the
// first time: meanwhile the next request arrives, and the read succeeds at once. Otherwise, under load, every response
// is followed by a failed read, a sleep and a wake-up, a twelfth of the time of a small request.
func (c *connection) await() bool {
	s := c.server
	if c.reader != nil {
		c.begun = time.Now()
		c.received = c.begun
		c.wait(c.begun)
		return true
	}
	timeout, isFirst := s.timeouts.idle, !c.wasRead
	if isFirst {
		timeout = s.timeouts.read
	} else {
		runtime.Gosched()
	}
	now := time.Now()
	c.wait(now)
	c.waiting.Store(!isFirst)
	c.readBy(now.Add(timeout), timeout)
	n, err := c.Conn.Read(c.head[:])
	if !isFirst && !c.waiting.CompareAndSwap(true, false) || err != nil { // closed by a shutdown, or by the client
		return false
	}
	c.begun, c.wasRead, c.ahead = time.Now(), true, c.head[:n]
	c.received = c.begun
	c.reader = s.readers.Get().(*bufio.Reader)
	c.reader.Reset(c)
	return true
}

// Read implements io.Reader: it reads more of a request.
func (c *connection) Read(p []byte) (int, error) {
	if len(c.ahead) > 0 {
		n := copy(p, c.ahead)
		c.ahead = c.ahead[n:]
		return n, nil
	}
	c.readBy(c.begun.Add(c.server.timeouts.read), c.server.timeouts.read)
	n, err := c.Conn.Read(p)
	c.received = time.Now()
	return n, err
}

// readBy and writeBy set a deadline, unless the one that is set is earlier by at most a 64th of the timeout: setting
// those of a request takes a 50th of the time of a small one.
func (c *connection) readBy(by time.Time, timeout time.Duration) {
	if !stands(c.readingBy, by, timeout) {
		c.readingBy = by
		_ = c.Conn.SetReadDeadline(by) // never fails
	}
}

func (c *connection) writeBy(by time.Time, timeout time.Duration) {
	if !stands(c.writingBy, by, timeout) {
		c.writingBy = by
		_ = c.Conn.SetWriteDeadline(by) // never fails
	}
}

// stands reports whether a deadline that is set may stand for another one.
func stands(set, by time.Time, timeout time.Duration) bool {
	early := by.Sub(set)
	return 0 <= early && early <= timeout/64
}

// answer reads and answers a request, and reports whether another one may follow.
func (c *connection) answer() (more bool) {
	s := c.server
	in := s.inputs.Get().(*input)
	err := in.read(c.reader)
	if c.reader.Buffered() == 0 || err != nil {
		c.reader.Reset(nil)
		s.readers.Put(c.reader)
		c.reader = nil
	}
	if err == io.EOF || errors.Is(err, net.ErrClosed) { // nothing but line ends, or closed by this server
		s.inputs.Put(in)
		return false
	}
	c.idle.Store(0)
	c.grant = grant{}
	x, isReleased := s.service.AcquireExchange(), false
	defer func() {
		if !isReleased { // after a panic
			x.Abandon()
		}
	}()
	if err != nil {
		x.HandleUnreadable(faultOf(err, c.hasPreface()))
	} else {
		in.fill(&x.Request, c)
		x.Handle(c)
	}
	if export := x.Export; export != nil {
		defer export.Close()
	}
	export := c.open(x, in)
	now := time.Now()
	r := s.replies.Get().(*reply)
	held := r.prepare(c, x, in, now)
	r.export = export
	x.Observe(c.Conn.RemoteAddr(), now)
	x.Release()
	isReleased = true
	s.admission.finish(&c.grant, held)
	s.inputs.Put(in) // of which the exchange's request consists
	more = r.send(now)
	s.replies.Put(r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = c.Conn.Close() // a client that sends slowly gets no more time
	}
	return more
}

// hasPreface reports whether the last read begins with the HTTP/2 preface (RFC 9113, section 3.4), which the library
// rejects because of its target.
func (c *connection) hasPreface() bool {
	return bytes.HasPrefix(c.head[:], []byte("PRI * HTTP/2.0\r\n"))
}
