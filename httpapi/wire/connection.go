package wire

import (
	"bytes"
	"net"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"pubd/httpapi"
)

// A listener accepts the connections that the admission takes on, and closes the others at once: clients behind them
// in the kernel's queue must not wait.
type listener struct {
	net.Listener
	server *Server
}

// acceptPause is how long to wait when there are no descriptors or no memory for a connection.
const acceptPause = 10 * time.Millisecond

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err == nil {
			if c := l.server.connect(accepted); c != nil {
				return c, nil
			}
			continue
		}
		if lack, ok := err.(interface{ Temporary() bool }); !ok || !lack.Temporary() {
			return nil, err
		}
		time.Sleep(acceptPause)
	}
}

// connect takes on an accepted connection, or closes it and returns nil. Load balancers stand for many clients: they
// have no share of their own.
func (s *Server) connect(accepted net.Conn) *connection {
	c := &connection{Conn: accepted, server: s, peer: addressOf(accepted.RemoteAddr())}
	if c.isProxy = s.service.TrustsProxy(c.peer); !c.isProxy && c.peer.IsValid() {
		c.shares = []share{{party{address: httpapi.ShareOf(c.peer)}, 1}}
	}
	c.wait()
	if !s.admission.connect(c) {
		_ = accepted.Close()
		return nil
	}
	limitKernelMemory(accepted)
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
// buffer: the library waits for the first byte, and borrows buffers only then.
type connection struct {
	net.Conn
	server  *Server
	peer    netip.Addr // the other end
	isProxy bool
	shares  []share      // in which its slot counts
	idle    atomic.Int64 // since when it waits for a request, by clock; 0 while one is handled
	grant   grant        // of the request under way
	// delivery is the large body under way; nil for other responses.
	delivery *delivery

	wasRead bool
	head    [1 << 10]byte // what arrived with the first byte: usually the whole request
	ahead   []byte        // part of head that has not been read yet
}

// began is when the clock was 1.
var began = time.Now()

// clock returns a time in nanoseconds, never 0, which setting the system's clock does not change.
func clock(t time.Time) int64 { return 1 + int64(t.Sub(began)) }

// wait marks the connection as idle, begin as busy with a request that has been granted nothing yet.
func (c *connection) wait() { c.idle.Store(clock(time.Now())) }
func (c *connection) begin() {
	c.idle.Store(0)
	c.grant = grant{}
}

// Close implements net.Conn.
func (c *connection) Close() error {
	err := c.Conn.Close()
	c.server.admission.disconnect(c)
	return err
}

// reset closes the connection immediately and discards what the kernel holds for the client.
func (c *connection) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Conn.Close()
}

// Write implements net.Conn. It keeps the header of a delivery, which sends it. A client that does not take what it
// asked for in time is reset.
func (c *connection) Write(p []byte) (int, error) {
	if d := c.delivery; d != nil {
		d.header = append(d.header, p...)
		return len(p), nil
	}
	n, err := c.Conn.Write(p)
	if err != nil {
		c.reset()
	}
	return n, err
}

// Admit implements httpapi.Admission.
func (c *connection) Admit(d httpapi.Demand) (ok bool) {
	if d.Bytes <= smallBody && !d.Work {
		return true
	}
	c.grant, ok = c.server.admission.admit(d, maxWait)
	return ok
}

// Read yields to other goroutines first, except the first time: meanwhile the next request arrives, and the read
// succeeds at once. Otherwise, under load, every response is followed by a failed read, a sleep and a wake-up, a
// twelfth of the time of a small request.
func (c *connection) Read(p []byte) (int, error) {
	if len(c.ahead) > 0 {
		return copy(p, c.next(len(p))), nil
	}
	if c.wasRead {
		runtime.Gosched()
	}
	c.wasRead = true
	if c.idle.Load() == 0 {
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

// hasPreface reports whether the last read begins with the HTTP/2 preface (RFC 9113, section 3.4), which the library
// rejects because of its target.
func (c *connection) hasPreface() bool {
	return bytes.HasPrefix(c.head[:], []byte("PRI * HTTP/2.0\r\n"))
}
