package wire

import (
	"errors"
	"strconv"
	"time"

	"pubd/httpapi"
)

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
	isChunked  bool // otherwise the end of the connection ends the body
	started    time.Time
	sent       int64
	chunk      *[]byte // the next one, empty at the end
}

// open begins the stream of the export of an exchange, if it is to have one. The first chunk comes before the header:
// if it cannot be had, the response becomes an error.
func (c *connection) open(x *httpapi.Exchange, in *input) *stream {
	if x.Export == nil || in.header.IsHead() {
		return nil
	}
	c.server.admission.finish(&c.grant, c.grant.bytes) // each chunk has a turn of its own
	s := &stream{Export: x.Export, connection: c, isChunked: in.header.IsHTTP11(), started: time.Now(),
		chunk: c.server.chunks.Get().(*[]byte)}
	if err := s.generate(); err != nil {
		c.server.chunks.Put(s.chunk)
		x.FailExport(err)
		return nil
	}
	return s
}

// send sends the header and the chunks. A client that could take an incomplete body for a whole one is reset.
func (s *stream) send(r *reply) error {
	defer s.connection.server.chunks.Put(s.chunk)
	err := s.sendChunks(r)
	if err != nil {
		s.RecordCut(s.sent, err)
		if !s.isChunked {
			s.connection.reset()
		}
	}
	return err
}

// sendChunks sends chunks until the end. Each takes a turn among the work of others.
func (s *stream) sendChunks(r *reply) error {
	var end []byte
	if s.isChunked {
		end = []byte("\r\n")
	}
	for {
		by, err := s.deadline(time.Now())
		if err != nil {
			return err
		}
		chunk := *s.chunk
		if s.isChunked {
			r.header = append(strconv.AppendInt(r.header, int64(len(chunk)), 16), "\r\n"...)
		}
		if len(chunk) == 0 {
			r.header = append(r.header, end...)
			return r.write(nil, nil, by)
		}
		if err := r.write(chunk, end, by); err != nil {
			return err
		}
		s.sent += int64(len(chunk))
		r.header = r.header[:0]
		if err := s.generate(); err != nil {
			return err
		}
	}
}

// deadline returns when the client must have taken the next chunk: it must read minRate on average, and one that was
// fast must not stall for long either.
func (s *stream) deadline(now time.Time) (time.Time, error) {
	limit := s.connection.server.timeouts.write
	by := s.started.Add(limit + time.Duration(float64(s.sent)/minRate*float64(time.Second)))
	if now.After(by) {
		return by, errSlow
	}
	if soon := now.Add(limit); soon.Before(by) {
		by = soon
	}
	return by, nil
}

// generate generates the next chunk, in a long turn, however its pubs were found. The client is not to blame for the
// time that this takes.
func (s *stream) generate() error {
	begun := time.Now()
	defer func() { s.started = s.started.Add(time.Since(begun)) }()
	d, server := s.connection.grant.demand, s.connection.server
	d.Turn = httpapi.LongTurn
	if !server.admission.takeTurn(&d, server.timeouts.write) {
		return errBusy
	}
	defer server.admission.endTurn(d.Turn)
	chunk, err := s.Next((*s.chunk)[:0])
	if err == nil {
		*s.chunk = chunk
	}
	return err
}
