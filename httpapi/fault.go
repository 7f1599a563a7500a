package httpapi

import "strconv"

// A faultRow is a row of the error table.
type faultRow struct {
	status int
	code   string
	// message is what clients read. If named is set, the quoted name of the parameter stands between message and rest;
	// if ruled is set, the rule of the parameter follows.
	message      string
	rest         string
	named, ruled bool
	// unknown is set if the rule of the fault is the name of an unknown parameter, escaped for a JSON string; the
	// parameter of the fault is then the suggestion, or parameterCount for none.
	unknown bool
	// close ends the connection, because nothing after the error can be parsed.
	close bool
	// retryAfter is the number of seconds after which a client should retry; 0 means that the response does not say.
	retryAfter uint32
}

// retrySoon is the retry time, in seconds, when data or room may be available soon.
const retrySoon = 1

// The error table: every error that leaves the service, from every layer.
var (
	missingParameter = &faultRow{status: 400, code: "missing_parameter", message: "Missing required parameter (pubid or search)"}
	missingPoint     = &faultRow{status: 400, code: "missing_parameter", message: "Missing required parameter ",
		rest: ": a distance search needs lat, lng and distance", named: true}
	missingCompanion = &faultRow{status: 400, code: "missing_parameter", message: "Missing required parameter ", rest: ": ",
		named: true, ruled: true}
	invalidParameter   = &faultRow{status: 400, code: "invalid_parameter", message: "Invalid parameter ", rest: ": ", named: true, ruled: true}
	duplicateParameter = &faultRow{status: 400, code: "duplicate_parameter", message: "Duplicate parameter ", named: true}
	unknownParameter   = &faultRow{status: 400, code: "unknown_parameter", message: "Unknown parameter ", unknown: true}
	malformedQuery     = &faultRow{status: 400, code: "malformed_query", message: "Malformed query string"}
	malformedRequest   = &faultRow{status: 400, code: "malformed_request", message: "Malformed request", close: true}
	keyRequired        = &faultRow{status: 401, code: "api_key_required", message: "API key required"}
	keyInvalid         = &faultRow{status: 403, code: "api_key_invalid", message: "Invalid or revoked API key"}
	pubNotFound        = &faultRow{status: 404, code: "pub_not_found", message: "Pub not found"}
	notFound           = &faultRow{status: 404, code: "not_found", message: "Not found"}
	snapshotGone       = &faultRow{status: 410, code: "snapshot_gone", message: "Snapshot no longer available; start again without the snapshot parameter"}
	methodNotAllowed   = &faultRow{status: 405, code: "method_not_allowed", message: "Method not allowed"}
	preconditionFailed = &faultRow{status: 412, code: "precondition_failed", message: "The response is no longer the one that If-Match names; ask again without If-Match"}
	bodyTooLarge       = &faultRow{status: 413, code: "request_too_large", message: "Request too large", close: true}
	queryTooLarge      = &faultRow{status: 414, code: "request_too_large", message: "Request too large", close: true}
	headerTooLarge     = &faultRow{status: 431, code: "request_too_large", message: "Request too large", close: true}
	misdirected        = &faultRow{status: 421, code: "misdirected", message: "Host not allowed: without a key file (--keys) it must be an IP address or localhost"}
	rateLimited        = &faultRow{status: 429, code: "rate_limited", message: "Rate limit exceeded"}
	internalError      = &faultRow{status: 500, code: "internal", message: "Internal server error"}
	notReady           = &faultRow{status: 503, code: "not_ready", message: "No data loaded yet", retryAfter: retrySoon}
	snapshotPending    = &faultRow{status: 503, code: "snapshot_pending", message: "Snapshot not available yet; try again", retryAfter: retrySoon}
	overloaded         = &faultRow{status: 503, code: "overloaded", message: "Too many large answers in flight", retryAfter: retrySoon}
	unsupportedVersion = &faultRow{status: 505, code: "http_version_not_supported", message: "HTTP version not supported", close: true}
)

// A fault is an error of a request: a row and, if the row names one, the parameter and its rule. The zero fault is no
// fault. Its four words are passed in registers.
type fault struct {
	row        *faultRow
	rule       string
	parameter  parameter
	retryAfter uint32 // seconds; 0 means that of the row
}

func (f fault) isSet() bool { return f.row != nil }

// encodeFault encodes an error into the memory of body.
func encodeFault(f fault, body []byte) Response {
	return Response{Status: f.row.status, body: appendFault(body, f), retryAfter: max(f.retryAfter, f.row.retryAfter),
		allow: f.row == methodNotAllowed, challenge: f.row == keyRequired, Close: f.row.close}
}

// appendFault appends the body of an error.
func appendFault(dst []byte, f fault) []byte {
	dst = append(dst, `{"error":"`...)
	dst = append(dst, f.row.message...)
	if f.row.named {
		dst = append(dst, '\'')
		dst = append(dst, f.parameter.String()...)
		dst = append(dst, '\'')
		dst = append(dst, f.row.rest...)
	}
	if f.row.ruled {
		dst = append(dst, f.rule...)
	}
	if f.row.unknown {
		dst = append(append(append(dst, '\''), f.rule...), '\'')
		if f.parameter < parameterCount {
			dst = append(append(append(dst, ": did you mean '"...), f.parameter.String()...), "'?"...)
		}
	}
	dst = append(dst, `","code":"`...)
	dst = append(dst, f.row.code...)
	dst = append(dst, `","status":`...)
	dst = strconv.AppendInt(dst, int64(f.row.status), 10)
	if f.row.named {
		dst = append(dst, `,"parameter":"`...)
		dst = append(dst, f.parameter.String()...)
		dst = append(dst, '"')
	}
	if f.row.unknown {
		dst = append(append(append(dst, `,"parameter":"`...), f.rule...), '"')
	}
	return append(dst, '}')
}
