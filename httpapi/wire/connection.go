package wire

import (
	"bytes"
	"net"
	"net/netip"
	"runtime"
	"sync"
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
	var address netip.Prefix
	if c.isProxy = s.service.TrustsProxy(c.peer); !c.isProxy {
		address = httpapi.ShareOf(c.peer)
	}
	var ok bool
	if c.claims, ok = s.admission.connect(address); !ok {
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
	claims  []claim // to its slot
	closed  sync.Once
	grant   grant // of the request under way

	wasRead bool
	head    [1 << 10]byte // what arrived with the first byte: usually the whole request
	ahead   []byte        // part of head that has not been read yet

	tail   *delivery // sent after the next write, by the same system call
	pieces [2][]byte
	out    net.Buffers // of pieces
}

// Close implements net.Conn.
func (c *connection) Close() error {
	err := c.Conn.Close()
	c.closed.Do(func() { c.server.admission.disconnect(c.claims) })
	return err
}

// abort closes the connection immediately and discards what the kernel holds for the client.
func (c *connection) abort() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Conn.Close()
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

// Write writes p, and the tail.
func (c *connection) Write(p []byte) (int, error) {
	if c.tail == nil {
		return c.Conn.Write(p)
	}
	c.pieces = [2][]byte{p, c.tail.content}
	c.out, c.tail = c.pieces[:], nil
	_, err := c.out.WriteTo(c.Conn)
	clear(c.pieces[:])
	if err != nil {
		return 0, err
	}
	return len(p), nil
}
