package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"
)

// errEnded is what became of a request whose connection the server ended instead of answering.
var errEnded = errors.New("the server ended the connection")

// A reply is the bytes of one answer while they come in. The zero value is ready; it is used again after reset.
type reply struct {
	status   int
	snapshot string
	closes   bool // the server ends the connection after it
	buffer   []byte
	length   int // of what came
	head     int // of the header and the blank line behind it, 0 until it is there
	whole    int // of header and body
}

func (r *reply) reset() { r.length, r.head, r.whole, r.closes, r.snapshot = 0, 0, 0, false, "" }

// free returns where the next bytes go.
func (r *reply) free() []byte {
	if len(r.buffer) < max(r.whole, r.length+1) {
		larger := make([]byte, max(r.whole, 2*len(r.buffer), 16<<10))
		copy(larger, r.buffer[:r.length])
		r.buffer = larger
	}
	return r.buffer[r.length:]
}

// add takes n more bytes, which are where free said, and reports whether the answer is whole.
func (r *reply) add(n int) (whole bool, err error) {
	r.length += n
	if r.head == 0 {
		head, _, ended := bytes.Cut(r.buffer[:r.length], []byte("\r\n\r\n"))
		if !ended {
			return false, nil
		}
		if err := r.readHead(head); err != nil {
			return false, err
		}
	}
	if r.length > r.whole {
		return false, fmt.Errorf("%d bytes after an answer", r.length-r.whole)
	}
	return r.length == r.whole, nil
}

// readHead reads status and headers. A body is as long as Content-Length says.
func (r *reply) readHead(head []byte) (err error) {
	line, rest, _ := bytes.Cut(head, []byte("\r\n"))
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return fmt.Errorf("not a status: %q", line)
	}
	if r.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return fmt.Errorf("not a status: %q", line)
	}
	body := -1
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if body, err = strconv.Atoi(string(value)); err != nil || body < 0 {
				return fmt.Errorf("not a length: %q", line)
			}
		case bytes.EqualFold(name, []byte("X-Snapshot")):
			r.snapshot = string(value)
		case bytes.EqualFold(name, []byte("Connection")):
			r.closes = string(value) == "close"
		}
	}
	if body < 0 {
		return errors.New("an answer without a length")
	}
	r.head = len(head) + len("\r\n\r\n")
	r.whole = r.head + body
	return nil
}

func (r *reply) answer() Answer { return Answer{r.status, xxhash.Sum64(r.buffer[r.head:r.whole])} }

// A Conn asks one request after the other, on a connection that is made again when it ended.
type Conn struct {
	Address string
	conn    net.Conn
	reply   reply
}

// Ask sends the bytes of a request and waits for its answer.
func (c *Conn) Ask(request []byte) (Answer, error) {
	err := c.ask(request)
	if err != nil || c.reply.closes {
		c.Close()
	}
	if err != nil {
		return Answer{}, err
	}
	return c.reply.answer(), nil
}

func (c *Conn) ask(request []byte) (err error) {
	if c.conn == nil {
		if c.conn, err = net.DialTimeout("tcp", c.Address, Limit); err != nil {
			c.conn = nil
			return err
		}
	}
	if err := c.conn.SetDeadline(time.Now().Add(Limit)); err != nil {
		return err
	}
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	c.reply.reset()
	for {
		n, err := c.conn.Read(c.reply.free())
		if n == 0 && err != nil {
			if err == io.EOF {
				return errEnded
			}
			return err
		}
		if whole, err := c.reply.add(n); whole || err != nil {
			return err
		}
	}
}

// Body is that of the last answer, until the next.
func (c *Conn) Body() []byte { return c.reply.buffer[c.reply.head:c.reply.whole] }

// Snapshot returns the id of the snapshot that the last answer names.
func (c *Conn) Snapshot() string { return c.reply.snapshot }

// Header is the first value of a header of the last answer; empty if it has none.
func (c *Conn) Header(name string) string {
	for line := range bytes.SplitSeq(c.reply.buffer[:c.reply.head], []byte("\r\n")) {
		if is, value, _ := bytes.Cut(line, []byte(": ")); bytes.EqualFold(is, []byte(name)) {
			return string(value)
		}
	}
	return ""
}

// Close ends the connection.
func (c *Conn) Close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
