package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

// connections is how many requests are under way at a time.
const connections = 16

// answerTimeout is how long a server may take for one answer.
const answerTimeout = 10 * time.Second

// A client sends requests over connections that it keeps. One goroutine does it all with blocking calls, which costs
// less than the answers do: the server is what is measured.
type client struct {
	files  []*os.File
	buffer []byte
}

// dial connects to a server.
func dial(address string) (*client, error) {
	c := &client{buffer: make([]byte, 1<<20)}
	for range connections {
		connection, err := net.DialTimeout("tcp", address, answerTimeout)
		if err != nil {
			c.close()
			return nil, err
		}
		file, err := connection.(*net.TCPConn).File()
		connection.Close()
		if err != nil {
			c.close()
			return nil, err
		}
		c.files = append(c.files, file)
		descriptor := int(file.Fd()) // from here on calls block
		timeout := syscall.NsecToTimeval(answerTimeout.Nanoseconds())
		for _, option := range []int{syscall.SO_RCVTIMEO, syscall.SO_SNDTIMEO} {
			if err := syscall.SetsockoptTimeval(descriptor, syscall.SOL_SOCKET, option, &timeout); err != nil {
				c.close()
				return nil, os.NewSyscallError("setsockopt", err)
			}
		}
	}
	return c, nil
}

func (c *client) close() {
	for _, file := range c.files {
		file.Close()
	}
}

// requestOf is the bytes of a request.
func requestOf(query string) []byte {
	return fmt.Appendf(nil, "GET /api/v1/pubs/?%s HTTP/1.1\r\nHost: localhost\r\nx-api-key: demo\r\n\r\n", query)
}

// A load is what was answered.
type load struct {
	answers int
	bytes   int64 // of bodies
	took    time.Duration
}

// A queue is requests that are sent in turn, from the beginning again after the last.
type queue struct {
	requests [][]byte
	sent     int
}

// send sends requests for a while and reads the answers, each of which must be a 200.
func (c *client) send(q *queue, window time.Duration) (l load, err error) {
	begun, first := time.Now(), q.sent
	request := func(number int) []byte { return q.requests[number%len(q.requests)] }
	ask := func(file *os.File) error {
		_, err := syscall.Write(int(file.Fd()), request(q.sent))
		q.sent++
		return os.NewSyscallError("write", err)
	}
	for _, file := range c.files {
		if err := ask(file); err != nil {
			return load{}, err
		}
	}
	for first+l.answers < q.sent {
		file := c.files[l.answers%len(c.files)]
		length, err := c.receive(file)
		if err != nil {
			return load{}, fmt.Errorf("%q: %w", request(first+l.answers), err)
		}
		l.answers++
		l.bytes += int64(length)
		if time.Since(begun) < window {
			if err := ask(file); err != nil {
				return load{}, err
			}
		}
	}
	l.took = time.Since(begun)
	return l, nil
}

var (
	okLine       = []byte("HTTP/1.1 200 ")
	lengthHeader = []byte("\r\nContent-Length: ")
	headerEnd    = []byte("\r\n\r\n")
)

// receive reads one answer and gives the length of its body.
func (c *client) receive(file *os.File) (length int, err error) {
	read, header := 0, -1
	for header < 0 || read < header+length {
		into := c.buffer[read:]
		if header >= 0 {
			into = c.buffer[:min(len(c.buffer), header+length-read)]
		}
		n, err := syscall.Read(int(file.Fd()), into)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0:
			return 0, fmt.Errorf("connection closed after %d bytes of an answer", read)
		}
		read += n
		if header >= 0 {
			continue
		}
		end := bytes.Index(c.buffer[:read], headerEnd)
		if end < 0 {
			continue
		}
		header = end + len(headerEnd)
		if length, err = bodyLength(c.buffer[:header]); err != nil {
			return 0, err
		}
	}
	return length, nil
}

// bodyLength reads the length of the body out of the header of an answer.
func bodyLength(header []byte) (int, error) {
	if !bytes.HasPrefix(header, okLine) {
		line, _, _ := bytes.Cut(header, []byte("\r\n"))
		return 0, fmt.Errorf("answer is %q, not 200", line)
	}
	_, rest, ok := bytes.Cut(header, lengthHeader)
	number, _, _ := bytes.Cut(rest, []byte("\r\n"))
	length, err := strconv.Atoi(string(number))
	if !ok || err != nil {
		return 0, fmt.Errorf("answer has no length: %q", header)
	}
	return length, nil
}
