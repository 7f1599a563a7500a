package wire

import (
	"errors"
	"io"
	"net"
	"time"

	"pubd/httpapi"
)

// A delivery is a large body on its way to a client. It is separate from the exchange that made the body: a slow
// client holds the bytes of its response and nothing else. Deliveries are reused.
type delivery struct {
	header, content []byte
	connection      *connection
	pieces          [2][]byte // memory of remaining
	remaining       net.Buffers
}

// deliver moves the body of an exchange into a delivery, or copies it if its memory is much larger and bytes are to be
// saved. It returns also the size of the memory.
func (s *Server) deliver(c *connection, x *httpapi.Exchange) (d *delivery, size int64) {
	d = s.deliveries.Get().(*delivery)
	d.connection, c.delivery, d.header = c, d, d.header[:0]
	if body, _ := x.Content(); c.grant.isTight && cap(body) > 2*len(body) {
		d.content = append(d.content[:0], body...)
	} else {
		d.content = x.TakeBody(d.content[:0])
	}
	return d, int64(cap(d.content))
}

// WriteTo implements io.WriterTo: it sends the header, which the connection has kept, and the content in one piece. A
// second piece would cost the kernel as much again as a small response.
func (d *delivery) WriteTo(io.Writer) (int64, error) {
	c := d.connection
	d.pieces = [...][]byte{d.header, d.content}
	d.remaining = d.pieces[:]
	n, err := d.remaining.WriteTo(c.Conn)
	d.pieces, d.remaining = [2][]byte{}, nil
	if err != nil {
		c.reset()
	}
	return max(0, n-int64(len(d.header))), err
}

// SupportsBodyWriteTo makes the HTTP library use WriteTo.
func (d *delivery) SupportsBodyWriteTo() bool { return true }

// Read implements io.Reader, which the HTTP library requires but does not use.
func (d *delivery) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Close implements io.Closer: the content has been sent, or never will be.
func (d *delivery) Close() error {
	c := d.connection
	c.server.admission.settle(&c.grant, 0)
	d.connection, c.delivery = nil, nil
	c.server.deliveries.Put(d)
	return nil
}

// minRate is the rate, in bytes per second, at which an export must be read on average.
const minRate = 16 << 10

var (
	errSlow = errors.New("export: the client reads less than 16 KiB a second")
	errBusy = errors.New("export: timed out waiting for a turn")
)

// A stream is an export on its way to a client: a chunk at a time, generated once the client has taken the one before.
type stream struct {
	*httpapi.Export
	connection *connection
	started    time.Time
	sent       int64
}

// WriteTo implements io.WriterTo. Each chunk takes a turn among the work of others.
func (s *stream) WriteTo(w io.Writer) (int64, error) {
	memory := s.connection.server.chunks.Get().(*[]byte)
	defer s.connection.server.chunks.Put(memory)
	for {
		begun := time.Now()
		by, err := s.deadline(begun)
		if err != nil {
			return s.sent, err
		}
		chunk, err := s.generate((*memory)[:0])
		if err != nil || len(chunk) == 0 {
			return s.sent, err
		}
		*memory = chunk
		waited := time.Since(begun) // for which the client is not to blame
		s.started = s.started.Add(waited)
		_ = s.connection.SetWriteDeadline(by.Add(waited)) // never fails
		n, err := w.Write(chunk)
		s.sent += int64(n)
		if err != nil {
			return s.sent, err
		}
	}
}

// deadline returns when the client must have taken the next chunk: it must read minRate on average, and one that was
// fast must not stall for long either.
func (s *stream) deadline(now time.Time) (time.Time, error) {
	limit := s.connection.server.http.WriteTimeout
	by := s.started.Add(limit + time.Duration(float64(s.sent)/minRate*float64(time.Second)))
	if now.After(by) {
		return by, errSlow
	}
	if soon := now.Add(limit); soon.Before(by) {
		by = soon
	}
	return by, nil
}

// generate appends the next chunk.
func (s *stream) generate(dst []byte) ([]byte, error) {
	a := s.connection.server.admission
	if !a.takeTurn(s.connection.grant.demand, writeTimeout) {
		return nil, errBusy
	}
	defer a.endTurn()
	return s.Next(dst)
}

// SupportsBodyWriteTo makes the HTTP library use WriteTo.
func (s *stream) SupportsBodyWriteTo() bool { return true }

// Read implements io.Reader, which the HTTP library requires but does not use.
func (s *stream) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Close implements io.Closer: all has been sent, or never will be.
func (s *stream) Close() error {
	c := s.connection
	c.server.admission.settle(&c.grant, 0)
	return s.Export.Close()
}
