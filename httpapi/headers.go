package httpapi

import (
	"strconv"
	"time"

	"pubd/httpapi/keys"
	"pubd/httpapi/response"
)

// AppendFields appends the lines of the header, except for those of the connection and the date. It states the length
// of the body unless that is negative.
func (x *Exchange) AppendFields(dst []byte, length int64) []byte {
	r := &x.Response
	dst = response.AppendField(dst, "Content-Type", r.MediaType)
	if r.IsPacked {
		dst = response.AppendField(dst, "Content-Encoding", "gzip")
	}
	if length >= 0 {
		dst = response.AppendNumber(dst, "Content-Length", length)
	}
	if len(x.Request.IDs) > 0 || r.Status >= 500 {
		dst = response.AppendField(dst, "X-Request-Id", x.id)
	}
	if x.service.config.Demo {
		dst = append(dst, response.OwnOrigin...)
	} else {
		dst = append(dst, response.AnyOrigin...)
	}
	dst = append(dst, r.Fixed...)
	if key := x.summary.Key; key != nil {
		if q, ok := key.Quota(x.Request.Received, x.Request.Client); ok {
			dst = appendQuota(dst, q)
		}
	}
	return append(dst, r.Lines...)
}

// appendQuota appends what a rate allows and what is left of it (draft-ietf-httpapi-ratelimit-headers-10).
func appendQuota(dst []byte, q keys.Quota) []byte {
	item := func(name, of string, requests int, in string, d time.Duration) {
		dst = append(append(append(append(dst, name...), ": \""...), q.Name...), '"')
		dst = strconv.AppendInt(append(dst, of...), int64(requests), 10)
		dst = append(strconv.AppendInt(append(dst, in...), int64(d/time.Second), 10), "\r\n"...)
	}
	item("RateLimit-Policy", ";q=", q.Requests, ";w=", q.Window)
	item("RateLimit", ";r=", q.Left, ";t=", q.Renewed)
	return dst
}
