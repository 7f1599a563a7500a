// Package request is a request as a server has read it: what its header says of the client, of what the client has, and
// of the part that it wants. Query strings are read by package query.
package request

import (
	"net/netip"
	"time"

	"pubd/httpapi/fault"
	"pubd/httpapi/keys"
)

// MaxQuery is the maximum length of a query string in bytes.
const MaxQuery = 4096

// A Request is a request as read by a server, with its sender. Its slices must be valid until the exchange is released.
type Request struct {
	Method, Path, Query  []byte
	Keys                 [][]byte   // values of x-api-key
	Authorizes           bool       // it has a header Authorization, which is not read
	IfMatch, IfNoneMatch [][]byte   // values of If-Match and If-None-Match
	Range, IfRange       []byte     // values of Range and If-Range
	Accept               []byte     // values of Accept, separated by commas
	IDs                  [][]byte   // values of X-Request-Id
	Forwarded            [][]byte   // values of X-Forwarded-For, which are consumed
	Encodings            []byte     // values of Accept-Encoding, separated by commas
	Scheme               []byte     // value of X-Forwarded-Proto, from a trusted proxy
	Peer                 netip.Addr // the other end of the connection: the client, or a proxy
	Address              netip.Addr // of the client, as Identify sets it
	Client               keys.Client
	Host                 []byte // value of Host
	HasBody              bool
	UnsupportedVersion   bool // of HTTP
	Received             time.Time
}

// IsRead reports whether the request only reads: all others except preflight requests are rejected.
func (r *Request) IsRead() bool { return string(r.Method) == "GET" || string(r.Method) == "HEAD" }

// Check returns a fault unless the request reads with a query, as all requests for data do.
func (r *Request) Check() fault.Fault {
	switch {
	case !r.IsRead():
		return fault.Fault{Row: fault.MethodNotAllowed}
	case r.HasBody:
		return fault.Fault{Row: fault.BodyTooLarge}
	case len(r.Query) > MaxQuery:
		return fault.Fault{Row: fault.QueryTooLarge}
	}
	return fault.Fault{}
}
