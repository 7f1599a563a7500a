package httpapi

import (
	"bufio"
	"bytes"
	"io"
	"sync"
)

// smallBody is the size up to which copying a body behind its header is cheaper than sending two pieces. Larger bodies count against the
// budget of bytes in flight while they are sent.
const smallBody = 8 << 10

// A delivery is a response body on its way to a client. It is separate from the exchange that made the body: a slow client holds the bytes
// of its response and nothing else. Deliveries are reused.
type delivery struct {
	bytes.Reader
	content    []byte
	buffer     []byte      // reused for the next content
	connection *connection // constant while the delivery is in the budget, which others read
	pool       *sync.Pool

	// budget accounts for size; nil if the content is small or shared by all.
	budget *budget
	size   int64
	// accounted is set once the delivery is in the accounts of the budget.
	accounted bool
	visitor   bool // the client has a public key
	client    client
}

// dispatch moves the content of an exchange into a delivery, and returns its size. Unaccounted content does not keep a large buffer:
// clients can make the server hold as many small responses as there are connections, and headers without a body.
func (s *Service) dispatch(x *exchange, c *connection) (d *delivery, size int) {
	content := x.response.content()
	size = len(content)
	if string(x.request.method) == "HEAD" {
		content = nil
	}
	s.lendDelivery(x) // unless it has one
	d = x.delivery
	if d.budget == nil && cap(d.buffer) > 2*smallBody {
		d = s.smallDeliveries.Get().(*delivery)
		if x.response.document == nil {
			d.buffer = append(d.buffer[:0], content...)
			content = d.buffer
		}
	} else {
		x.delivery = nil
	}
	if d.budget == nil {
		d.connection = c
	}
	d.content = content
	d.Reader.Reset(content)
	return d, size
}

// isLarge reports whether the content of an exchange must be accounted before it is sent. Documents need not: they are in memory once, for
// all clients.
func (x *exchange) isLarge() bool {
	return x.response.document == nil && (len(x.response.body) > smallBody || x.response.stream != nil) && string(x.request.method) != "HEAD"
}

// WriteTo implements io.WriterTo. Large content is written without copying.
func (d *delivery) WriteTo(w io.Writer) (int64, error) {
	head, ok := w.(*bufio.Writer)
	if ok && len(d.content) > smallBody && head.Buffered() > 0 {
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
	if d.budget != nil {
		d.budget.release(d)
	}
	d.Reader.Reset(nil)
	d.content, d.connection, d.budget, d.client, d.accounted, d.visitor = nil, nil, nil, client{}, false, false
	d.pool.Put(d)
	return nil
}
