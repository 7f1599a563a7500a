// Package fault is the error table of the API: every error that leaves the service, from every layer, with its status,
// its code and what clients read.
//
// A stage returns a [Fault], a row of the table with what is particular to the request; the zero Fault is no error.
// Only this package writes bodies of errors, so that all have the same members: error, code, status and, if there are
// any, the name of the wrong parameter and a hint. A sentence says what is wrong and what would be right; nothing of the
// key, the data or the server that the client does not know is in it. Documentation and tests go through [Table].
package fault

import (
	"cmp"
	"strconv"
)

// A Row is a row of the error table.
type Row struct {
	Status int
	Code   string
	// Message is the text for clients. If Named is set, the quoted name of the parameter stands between Message and
	// Rest; if Ruled is set, the rule of the parameter follows, or for an unknown one what may be meant.
	Message, Rest string
	Named, Ruled  bool
	// Close ends the connection, because nothing after the error can be parsed.
	Close bool
	// RetryAfter is the number of seconds after which a client should retry; 0 means that the response does not say.
	RetryAfter uint32
	// Hint is advice on what to send instead, as it is in a JSON string; empty if the message says it.
	Hint string
	// Doc is a sentence for the documentation beside status and code; empty if they say it all.
	Doc string
}

// retrySoon is the retry time, in seconds, when data or room may be available soon.
const retrySoon = 1

// The rows.
var (
	MissingParameter = row(Row{Status: 400, Code: "missing_parameter", Message: "Missing required parameter (pubid or search)"})
	MissingPoint     = row(Row{Status: 400, Code: "missing_parameter", Message: "Missing required parameter ",
		Rest: ": a distance search needs lat, lng and distance", Named: true})
	MissingCompanion = row(Row{Status: 400, Code: "missing_parameter", Message: "Missing required parameter ", Rest: ": ",
		Named: true, Ruled: true})
	InvalidParameter   = row(Row{Status: 400, Code: "invalid_parameter", Message: "Invalid parameter ", Rest: ": ", Named: true, Ruled: true})
	DuplicateParameter = row(Row{Status: 400, Code: "duplicate_parameter", Message: "Duplicate parameter ", Named: true})
	UnknownParameter   = row(Row{Status: 400, Code: "unknown_parameter", Message: "Unknown parameter ", Named: true, Ruled: true})
	MalformedQuery     = row(Row{Status: 400, Code: "malformed_query", Message: "Malformed query string"})
	MalformedRequest   = row(Row{Status: 400, Code: "malformed_request", Message: "Malformed request", Close: true})
	KeyRequired        = row(Row{Status: 401, Code: "api_key_required", Message: "API key required"})
	KeyInvalid         = row(Row{Status: 403, Code: "api_key_invalid", Message: "Invalid or revoked API key"})
	PubNotFound        = row(Row{Status: 404, Code: "pub_not_found", Message: "Pub not found"})
	NotFound           = row(Row{Status: 404, Code: "not_found", Message: "Not found"})
	MethodNotAllowed   = row(Row{Status: 405, Code: "method_not_allowed", Message: "Method not allowed", Hint: "use GET, with the parameters in the URL"})
	SnapshotGone       = row(Row{Status: 410, Code: "snapshot_gone", Message: "Snapshot no longer available; start again without the snapshot parameter"})
	PreconditionFailed = row(Row{Status: 412, Code: "precondition_failed", Message: "The response is no longer the one that If-Match names; ask again without If-Match",
		Doc: "`If-Match` does not have the response's `ETag`"})
	BodyTooLarge  = row(Row{Status: 413, Code: "request_too_large", Message: "Request too large", Close: true})
	QueryTooLarge = row(Row{Status: 414, Code: "request_too_large", Message: "Request too large", Close: true})
	Misdirected   = row(Row{Status: 421, Code: "misdirected", Message: "Host not allowed: without a key file (--keys) it must be an IP address or localhost",
		Doc: "without `--keys`, the host must be an IP address or `localhost`"})
	RateLimited     = row(Row{Status: 429, Code: "rate_limited", Message: "Rate limit exceeded", Hint: "wait for the seconds of Retry-After; RateLimit-Policy says what the key allows", Doc: "with `Retry-After`"})
	HeaderTooLarge  = row(Row{Status: 431, Code: "request_too_large", Message: "Request too large", Close: true})
	Internal        = row(Row{Status: 500, Code: "internal", Message: "Internal server error"})
	NotReady        = row(Row{Status: 503, Code: "not_ready", Message: "No data loaded yet", RetryAfter: retrySoon, Doc: "with `Retry-After`"})
	Overloaded      = row(Row{Status: 503, Code: "overloaded", Message: "Too many large answers in flight", RetryAfter: retrySoon, Doc: "with `Retry-After`"})
	SnapshotPending = row(Row{Status: 503, Code: "snapshot_pending", Message: "Snapshot not available yet; try again", RetryAfter: retrySoon,
		Doc: "with `Retry-After`; another replica has it, try again"})
	UnsupportedVersion = row(Row{Status: 505, Code: "http_version_not_supported", Message: "HTTP version not supported", Close: true})
)

// The rows of large files of the web pages. They are not in Table, because no request for the API gets them.
var (
	// RangeRequired is for who wants a whole file, which has up to 130 GB.
	RangeRequired = &Row{Status: 400, Code: "range_required", Message: "This file is sent in parts: ask for one with Range, such as bytes=0-16383"}
	// RangeNotSatisfiable is sent with Content-Range, from the length of the fault.
	RangeNotSatisfiable = &Row{Status: 416, Code: "range_not_satisfiable", Message: "The file has no such part, or has changed; ask again without If-Range"}
)

// HowToSendKey is a hint for who sends the key elsewhere. The header of every 401 has it, too.
const HowToSendKey = "send the key in a header, x-api-key: KEY"

// Table has every row of the API, in ascending order of status.
var Table []*Row

func row(r Row) *Row {
	Table = append(Table, &r)
	return &r
}

// A Fault is an error of a request: a row and, if the row names one, the parameter and its rule. The zero Fault is no
// error.
type Fault struct {
	Row             *Row
	Rule, Parameter string // as they are in a JSON string
	RetryAfter      uint32 // seconds; 0 means that of the row
	Hint            string // empty means that of the row
	Length          int64  // of the file, in bytes; for RangeNotSatisfiable only
}

// IsSet reports whether there is an error.
func (f Fault) IsSet() bool { return f.Row != nil }

// Retry returns after how many seconds the client should retry; 0 means that the response does not say.
func (f Fault) Retry() uint32 { return max(f.RetryAfter, f.Row.RetryAfter) }

// Append appends the body of the response.
func (f Fault) Append(dst []byte) []byte {
	dst = append(append(dst, `{"error":"`...), f.Row.Message...)
	if f.Row.Named {
		dst = append(append(append(dst, '\''), f.Parameter...), '\'')
		dst = append(dst, f.Row.Rest...)
	}
	if f.Row.Ruled {
		dst = append(dst, f.Rule...)
	}
	dst = append(append(dst, `","code":"`...), f.Row.Code...)
	dst = strconv.AppendInt(append(dst, `","status":`...), int64(f.Row.Status), 10)
	if f.Row.Named {
		dst = append(append(append(dst, `,"parameter":"`...), f.Parameter...), '"')
	}
	if hint := cmp.Or(f.Hint, f.Row.Hint); hint != "" {
		dst = append(append(append(dst, `,"hint":"`...), hint...), '"')
	}
	return append(dst, '}')
}
