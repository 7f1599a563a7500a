package wire

import (
	"bytes"
	"net"
	"strconv"
	"time"

	"pubd/httpapi"
)

// A reply is a response on its way to a client. It is separate from the exchange that made it: a slow client holds the
// bytes of its response and nothing else. Replies are reused.
type reply struct {
	connection *connection
	closes     bool      // the connection, afterwards
	delivery   *delivery // of a large body; nil for others
	export     *stream   // nil for others
	// header is complete, and followed by a small body; body is what follows it.
	header, body []byte
	pieces       [3][]byte
	rest         net.Buffers // of pieces
}

// A delivery is the memory of a large body.
type delivery struct{ content []byte }

// take moves the body of an exchange into the delivery. A slow client may hold it for long: while bytes are to be
// saved, a body in much more memory than it needs is copied instead.
func (d *delivery) take(x *httpapi.Exchange, isTight bool) {
	body := x.Response.Body
	switch most := 2 * len(body); {
	case !isTight || cap(body) <= most:
		d.content = x.TakeBody(d.content[:0])
	case cap(d.content) <= most:
		d.content = append(d.content[:0], body...)
	default:
		d.content = bytes.Clone(body)
	}
}

// prepare takes the response from an exchange, which can be released then. It returns how many bytes the reply holds.
func (r *reply) prepare(c *connection, x *httpapi.Exchange, in *input, now time.Time) (held int64) {
	s, isHead, isHTTP11 := c.server, in.header.IsHead(), in.header.IsHTTP11()
	*r = reply{connection: c, header: r.header[:0]}
	response, export := &x.Response, x.Export
	body := response.Body
	isLarge := len(body) > smallBody && !response.IsShared && !isHead
	r.closes = response.Close || in.header.ConnectionClose() || s.closing.Load() || export != nil && !isHTTP11
	length := int64(len(body))
	if isHead {
		length = max(length, response.Length)
	}
	if export != nil || response.Status == 204 || response.Status == 304 {
		length = -1
	}
	dst := strconv.AppendInt(append(r.header, "HTTP/1.1 "...), int64(response.Status), 10)
	dst = append(append(append(dst, ' '), statusText(response.Status)...), "\r\n"...)
	dst = x.AppendFields(s.appendDate(dst, now), length)
	if export != nil && isHTTP11 {
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	}
	if r.closes {
		dst = append(dst, "Connection: close\r\n"...)
	} else if !isHTTP11 {
		dst = append(dst, "Connection: keep-alive\r\n"...)
	}
	r.header = append(dst, "\r\n"...)
	switch {
	case isHead || export == nil && length <= 0:
	case export != nil:
		held = c.grant.bytes
	case response.IsShared:
		r.body = body
	case isLarge:
		r.delivery = s.deliveries.Get().(*delivery)
		r.delivery.take(x, c.grant.isTight)
		r.body, held = r.delivery.content, int64(cap(r.delivery.content))
	default:
		r.header = append(r.header, body...)
	}
	return held
}

// A date is the Date header of a second.
type date struct {
	second int64
	line   []byte
}

// appendDate appends the Date header, which is prepared once a second.
func (s *Server) appendDate(dst []byte, now time.Time) []byte {
	d := s.date.Load()
	if second := now.Unix(); d == nil || d.second != second {
		d = &date{second, append(appendDate([]byte("Date: "), now), "\r\n"...)}
		s.date.Store(d)
	}
	return append(dst, d.line...)
}

// send sends the response, in one piece unless it is an export, and reports whether another request may follow.
func (r *reply) send(now time.Time) (more bool) {
	c, closes := r.connection, r.closes
	var err error
	if r.export != nil {
		err = r.export.send(r)
	} else {
		err = r.write(r.body, nil, now.Add(c.server.timeouts.write))
	}
	if r.delivery != nil {
		c.server.deliveries.Put(r.delivery)
	}
	c.server.admission.finish(&c.grant, 0)
	*r = reply{header: r.header}
	return err == nil && !closes
}

// write writes what is in the header, and what follows it, in one piece: another one would cost the kernel some
// microseconds. A client that does not take it in time is reset.
func (r *reply) write(body, end []byte, by time.Time) (err error) {
	c := r.connection
	c.writeBy(by, c.server.timeouts.write)
	if len(body) == 0 {
		_, err = c.Conn.Write(r.header)
	} else {
		r.pieces = [...][]byte{r.header, body, end}
		r.rest = r.pieces[:]
		_, err = r.rest.WriteTo(c.Conn)
		r.pieces, r.rest = [3][]byte{}, nil
	}
	if err != nil {
		c.reset()
	}
	return err
}
