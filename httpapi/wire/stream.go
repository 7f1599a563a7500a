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
	reply      *reply
	isChunked  bool // otherwise the end of the connection ends the body
	started    time.Time
	sent       int64
}

// send sends the header and the chunks. A client that could take an incomplete body for a whole one is reset.
func (s *stream) send() error {
	err := s.sendChunks()
	if err != nil && !s.isChunked {
		s.connection.reset()
	}
	return err
}

// sendChunks sends chunks until the end. Each takes a turn among the work of others.
func (s *stream) sendChunks() error {
	r, server := s.reply, s.connection.server
	memory := server.chunks.Get().(*[]byte)
	defer server.chunks.Put(memory)
	var end []byte
	if s.isChunked {
		end = []byte("\r\n")
	}
	for {
		begun := time.Now()
		by, err := s.deadline(begun)
		if err != nil {
			return err
		}
		chunk, err := s.generate((*memory)[:0])
		if err != nil {
			return err
		}
		waited := time.Since(begun) // for which the client is not to blame
		s.started = s.started.Add(waited)
		if s.isChunked {
			r.header = append(strconv.AppendInt(r.header, int64(len(chunk)), 16), "\r\n"...)
		}
		if len(chunk) == 0 {
			r.header = append(r.header, end...)
			return r.write(nil, nil, by.Add(waited))
		}
		*memory = chunk
		if err := r.write(chunk, end, by.Add(waited)); err != nil {
			return err
		}
		s.sent += int64(len(chunk))
		r.header = r.header[:0]
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

// generate appends the next chunk, in a long turn, however its pubs were found.
func (s *stream) generate(dst []byte) ([]byte, error) {
	d, a := s.connection.grant.demand, s.connection.server.admission
	d.Turn = httpapi.LongTurn
	if !a.takeTurn(&d, writeTimeout) {
		return nil, errBusy
	}
	defer a.endTurn(d.Turn)
	return s.Next(dst)
}
