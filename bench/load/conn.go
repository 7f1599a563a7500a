package load

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fasthttp"
)

// headerSize is the limit for the header of a response, which may repeat a query string of 4 KiB several times,
// percent-encoded.
const headerSize = 32 << 10

// A Conn sends one request at a time, on a connection that it opens when it needs one.
type Conn struct {
	Address  string
	conn     net.Conn
	reader   *bufio.Reader
	response fasthttp.Response
}

// Send sends a request, given as bytes, and reads the response, which must have a Content-Length.
func (c *Conn) Send(request []byte) (Answer, error) {
	err := c.exchange(request)
	if err != nil || c.response.ConnectionClose() {
		c.Close()
	}
	if err != nil {
		return Answer{}, err
	}
	return Answer{c.response.StatusCode(), xxhash.Sum64(c.Body())}, nil
}

func (c *Conn) exchange(request []byte) (err error) {
	if c.conn == nil {
		if c.conn, err = net.DialTimeout("tcp", c.Address, Limit); err != nil {
			return err
		}
		c.reader = bufio.NewReaderSize(c.conn, headerSize)
	}
	if err := c.conn.SetDeadline(time.Now().Add(Limit)); err != nil {
		return err
	}
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	if err := c.response.Read(c.reader); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	if c.response.Header.ContentLength() < 0 {
		return errors.New("response without a length")
	}
	if extra := c.reader.Buffered(); extra > 0 {
		return fmt.Errorf("%d bytes after the response", extra)
	}
	return nil
}

// Body is the body of the last response. It is valid until the next request.
func (c *Conn) Body() []byte { return c.response.Body() }

// Header returns the first value of a header of the last response, or "".
func (c *Conn) Header(name string) string { return string(c.response.Header.Peek(name)) }

// Snapshot returns the id of the snapshot that the last response names.
func (c *Conn) Snapshot() string { return c.Header("X-Snapshot") }

// NextPage returns the query string of the link to the next page, from its question mark, or "" on the last page.
func (c *Conn) NextPage() string {
	for link := range strings.SplitSeq(c.Header("Link"), ", ") {
		if target, isNext := strings.CutSuffix(link, `>; rel="next"`); isNext {
			return strings.TrimPrefix(target, "<")
		}
	}
	return ""
}

// Close closes the connection.
func (c *Conn) Close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
