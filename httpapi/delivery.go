package httpapi

import (
	"bufio"
	"bytes"
	"io"
	"sync"
)

// smallBody is up to where copying a body behind its header costs less than sending two pieces. Larger bodies count
// against the budget of bytes in flight while they are sent.
const smallBody = 8 << 10

// A delivery is the body of an answer on its way to a client. The exchange that made the body is not part of it: a slow
// client holds the bytes of its answer and nothing else. Deliveries are reused.
type delivery struct {
	bytes.Reader
	content    []byte
	buffer     []byte      // that the next content grows in
	connection *connection // constant while the delivery is in the budget, which others read
	pool       *sync.Pool

	// budget is where size is accounted; nil for what is small or shared by all.
	budget *budget
	size   int64
	// accounted is set once the budget has the delivery in its accounts.
	accounted bool
	visitor   bool // has a public key
	client    client
}

// dispatch takes the content of an exchange out of it as a delivery, and returns its size. What is not accounted leaves a large
// buffer behind: clients can make the server wait for as many small answers as there are connections, and for the headers of answers
// that have no body.
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

// isLarge reports whether the content of an exchange must be accounted before it is sent: documents are in memory once,
// whoever reads them.
func (x *exchange) isLarge() bool {
	return x.response.document == nil && (len(x.response.body) > smallBody || x.response.stream != nil) && string(x.request.method) != "HEAD"
}

// WriteTo implements io.WriterTo. A large content goes to the kernel from where it is.
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
