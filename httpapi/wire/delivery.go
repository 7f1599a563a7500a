package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"

	"pubd/httpapi"
)

// A delivery is a large body on its way to a client. It is separate from the exchange that made the body: a slow
// client holds the bytes of its response and nothing else. Deliveries are reused.
type delivery struct {
	bytes.Reader
	content    []byte
	connection *connection
}

// deliver moves the body of an exchange into a delivery.
func (s *Server) deliver(c *connection, x *httpapi.Exchange) *delivery {
	d := s.deliveries.Get().(*delivery)
	d.content = x.TakeBody(d.content[:0])
	d.connection = c
	d.Reset(d.content)
	return d
}

// WriteTo implements io.WriterTo. The content is written without copying.
func (d *delivery) WriteTo(w io.Writer) (int64, error) {
	head, ok := w.(*bufio.Writer)
	if ok && head.Buffered() > 0 {
		d.connection.tail = d
		if err := head.Flush(); err != nil {
			return 0, err
		}
		return int64(len(d.content)), nil
	}
	return d.Reader.WriteTo(w)
}

// Close implements io.Closer: the content has been sent, or never will be.
func (d *delivery) Close() error {
	c := d.connection
	c.server.admission.hold(&c.grant, 0)
	d.connection = nil
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
	chunk      *[]byte
	started    time.Time
	sent       int64
}

// newStream returns the stream of an export to a connection.
func (s *Server) newStream(c *connection, e *httpapi.Export, started time.Time) *stream {
	return &stream{e, c, s.chunks.Get().(*[]byte), started, 0}
}

// WriteTo implements io.WriterTo. Each chunk takes a turn among the work of others.
func (s *stream) WriteTo(w io.Writer) (int64, error) {
	for {
		by, err := s.deadline(time.Now())
		if err != nil {
			return s.sent, err
		}
		if err := s.generate(by); err != nil || len(*s.chunk) == 0 {
			return s.sent, err
		}
		_ = s.connection.SetWriteDeadline(by) // never fails
		n, err := w.Write(*s.chunk)
		s.sent += int64(n)
		if err != nil {
			return s.sent, err
		}
	}
}

// deadline returns when the client must have taken the next chunk: it must read minRate on average, and one that was
// fast must not stall for long either.
func (s *stream) deadline(now time.Time) (time.Time, error) {
	by := s.started.Add(writeTimeout + time.Duration(float64(s.sent)/minRate*float64(time.Second)))
	if now.After(by) {
		return by, errSlow
	}
	if soon := now.Add(writeTimeout); soon.Before(by) {
		by = soon
	}
	return by, nil
}

// generate generates the next chunk.
func (s *stream) generate(by time.Time) (err error) {
	a, d := s.connection.server.admission, s.connection.grant.demand
	d.Bytes, d.Work = 0, true
	turn, ok := a.admit(d, time.Until(by))
	if !ok {
		return errBusy
	}
	defer a.hold(&turn, 0)
	*s.chunk, err = s.Next((*s.chunk)[:0])
	return err
}

// SupportsBodyWriteTo makes the HTTP library use WriteTo.
func (s *stream) SupportsBodyWriteTo() bool { return true }

// Read implements io.Reader, which the HTTP library requires but does not use.
func (s *stream) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Close implements io.Closer: all has been sent, or never will be.
func (s *stream) Close() error {
	a := s.connection.server
	a.admission.hold(&s.connection.grant, 0)
	a.chunks.Put(s.chunk)
	return s.Export.Close()
}
