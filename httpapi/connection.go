package httpapi

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// A listener makes connections of what it accepts. Where there are as many as may be, the next waits in the kernel's queue.
type listener struct {
	net.Listener
	slots chan struct{} // one taken by each open connection
}

// spareHandles are left for the admin address, the log and the files that a reload reads.
const spareHandles = 32

// newListener allows as many connections as there are file handles, but for spareHandles.
func newListener(l net.Listener) listener {
	limit := uint64(1 << 20)
	var handles syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &handles); err == nil {
		limit = min(limit, max(handles.Cur, spareHandles+1)-spareHandles)
	}
	return listener{l, make(chan struct{}, limit)}
}

// Accept implements net.Listener. A lack of handles or memory passes: it is waited for.
func (l listener) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	for {
		c, err := l.Listener.Accept()
		if err == nil {
			return &connection{Conn: c, slots: l.slots}, nil
		}
		if lack, ok := err.(interface{ Temporary() bool }); !ok || !lack.Temporary() {
			<-l.slots
			return nil, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Close implements net.Conn.
func (c *connection) Close() error {
	err := c.Conn.Close()
	if c.slots != nil {
		c.closed.Do(func() { <-c.slots })
	}
	return err
}

// A connection is one with a client. One goroutine reads and writes it. While it waits for a request it holds no memory but its
// own: the library asks for the first byte, and borrows buffers only when that has come.
type connection struct {
	net.Conn
	slots   chan struct{} // of the listener, where there is one
	closed  sync.Once
	wasRead bool
	head    [1 << 10]byte // what came with the first byte: most requests, whole
	ahead   []byte        // of head, what nobody has read yet
	// tail goes out behind what is written next, by the same system call.
	tail   []byte
	pieces [2][]byte
	out    net.Buffers // of pieces
}

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

// Write writes p, and the tail.
func (c *connection) Write(p []byte) (int, error) {
	if c.tail == nil {
		return c.Conn.Write(p)
	}
	c.pieces = [...][]byte{p, c.tail}
	c.out, c.tail = c.pieces[:], nil
	n, err := c.out.WriteTo(c.Conn)
	clear(c.pieces[:])
	return int(min(n, int64(len(p)))), err
}

// smallBody is up to where copying a body behind its header costs less than sending two pieces.
const smallBody = 8 << 10

// An outgoing is the content of an exchange on its way out.
type outgoing struct {
	bytes.Reader
	exchange   *exchange
	connection *connection
}

// WriteTo implements io.WriterTo. A large content goes to the kernel from where it is.
func (o *outgoing) WriteTo(w io.Writer) (int64, error) {
	head, ok := w.(*bufio.Writer)
	if content := o.exchange.content(); ok && len(content) > smallBody && head.Buffered() > 0 {
		o.connection.tail = content
		if err := head.Flush(); err != nil {
			return 0, err
		}
		return int64(len(content)), nil
	}
	return o.Reader.WriteTo(w)
}

// Close ends the exchange.
func (o *outgoing) Close() error {
	o.exchange.pool.Put(o.exchange)
	return nil
}
