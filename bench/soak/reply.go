package main

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

// An answer is what a client got.
type answer struct {
	status   int
	snapshot string
	digest   uint64
}

// A reply is the bytes of one answer while they come in. The zero value is ready; it is used again after reset.
type reply struct {
	answer
	closes bool // the server ends the connection after it
	buffer []byte
	length int // of what came
	whole  int // of head and body, 0 until the head is there
}

func (r *reply) reset() { r.length, r.whole, r.closes = 0, 0, false }

// room is where the next bytes go.
func (r *reply) room() []byte {
	if len(r.buffer) < max(r.whole, r.length+1) {
		larger := make([]byte, max(r.whole, 2*len(r.buffer), 16<<10))
		copy(larger, r.buffer[:r.length])
		r.buffer = larger
	}
	return r.buffer[r.length:]
}

// add takes n more bytes, which are in room, and tells whether the answer is whole.
func (r *reply) add(n int) (whole bool, err error) {
	r.length += n
	if r.whole == 0 {
		head, _, ended := bytes.Cut(r.buffer[:r.length], []byte("\r\n\r\n"))
		if !ended {
			return false, nil
		}
		if err := r.readHead(head); err != nil {
			return false, err
		}
	}
	switch {
	case r.length < r.whole:
		return false, nil
	case r.length > r.whole:
		return false, fmt.Errorf("%d bytes after an answer", r.length-r.whole)
	}
	return true, nil
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
	named := false
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch string(name) {
		case "Content-Length":
			length, err := strconv.Atoi(string(value))
			if err != nil || length < 0 {
				return fmt.Errorf("not a length: %q", line)
			}
			r.whole = len(head) + len("\r\n\r\n") + length
		case "X-Snapshot":
			named = true
			if r.snapshot != string(value) {
				r.snapshot = string(value)
			}
		case "Connection":
			r.closes = string(value) == "close"
		}
	}
	if r.whole == 0 {
		return errors.New("an answer without a length")
	}
	if !named {
		r.snapshot = ""
	}
	return nil
}

// finished is a whole answer, with the digest of its body.
func (r *reply) finished() answer {
	_, body, _ := bytes.Cut(r.buffer[:r.whole], []byte("\r\n\r\n"))
	r.digest = xxhash.Sum64(body)
	return r.answer
}

// A caller is a connection that is made again when it ends.
type caller struct {
	address string
	c       net.Conn
	reply   reply
}

func (c *caller) close() {
	if c.c != nil {
		_ = c.c.Close()
		c.c = nil
	}
}

// ask sends a request and waits for its answer.
func (c *caller) ask(request []byte) (a answer, err error) {
	if c.c == nil {
		if c.c, err = net.DialTimeout("tcp", c.address, answerLimit); err != nil {
			c.c = nil
			return answer{}, err
		}
	}
	a, err = c.exchange(request)
	if err != nil || c.reply.closes {
		c.close()
	}
	return a, err
}

func (c *caller) exchange(request []byte) (answer, error) {
	if err := c.c.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return answer{}, err
	}
	if _, err := c.c.Write(request); err != nil {
		return answer{}, err
	}
	c.reply.reset()
	for {
		n, err := c.c.Read(c.reply.room())
		if n == 0 && err != nil {
			if err == io.EOF {
				err = errEnded
			}
			return answer{}, err
		}
		whole, err := c.reply.add(n)
		if err != nil {
			return answer{}, err
		}
		if whole {
			return c.reply.finished(), nil
		}
	}
}

// errEnded is what became of a request whose connection the server ended instead of answering.
var errEnded = errors.New("the server ended the connection")
