package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// A Code is the kind of an error, such as "invalid_parameter". It is empty if the response does not come from pubd.
type Code string

// The codes that a program may want to distinguish.
const (
	MissingParameter Code = "missing_parameter"
	InvalidParameter Code = "invalid_parameter"
	UnknownParameter Code = "unknown_parameter"
	RequestTooLarge  Code = "request_too_large" // the query is longer than 4,096 bytes, as with very long lists
	KeyRequired      Code = "api_key_required"
	KeyInvalid       Code = "api_key_invalid"
	PubNotFound      Code = "pub_not_found"
	SnapshotGone     Code = "snapshot_gone"    // start again without Query.Snapshot
	SnapshotPending  Code = "snapshot_pending" // another replica has it: try again
	RateLimited      Code = "rate_limited"
	NotReady         Code = "not_ready"
	Overloaded       Code = "overloaded" // too many large responses are in flight, or the work got no turn in time: try later, or request less
	Internal         Code = "internal"
)

// An Error is an error response of the server; use errors.As to find it in an error.
type Error struct {
	// Status is the HTTP status, such as 400.
	Status int  `json:"-"`
	Code   Code `json:"code"`
	// Parameter is the parameter at fault, such as "amount"; empty if there is none.
	Parameter string `json:"parameter"`
	// Message says what is wrong and what is allowed, Hint what to send instead; Hint may be empty.
	Message string `json:"error"`
	Hint    string `json:"hint"`
	// RetryAfter is how long the server asks the client to wait; 0 if it does not.
	RetryAfter time.Duration `json:"-"`
	// RequestID identifies the request in the server's log.
	RequestID string `json:"-"`
}

// Error returns the status, the code and the message.
func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("%d: %s", e.Status, e.Message)
	}
	return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message)
}

// newError parses an error response. A proxy in front of the server may respond in its own format: then only the
// status is used.
func newError(response *http.Response, body []byte) *Error {
	e := new(Error)
	if json.Unmarshal(body, e) != nil || e.Message == "" {
		*e = Error{Message: http.StatusText(response.StatusCode)}
	}
	if to := response.Header.Get("Location"); to != "" {
		e.Message = fmt.Sprintf("redirects are not followed: give New the address of %q", to)
	}
	e.Status, e.RetryAfter = response.StatusCode, retryAfter(response.Header.Get("Retry-After"))
	e.RequestID = response.Header.Get("X-Request-Id")
	return e
}

// retryAfter parses a Retry-After header (RFC 9110, section 10.2.3), seconds or a date; 0 for anything else.
func retryAfter(value string) time.Duration {
	const bits = 31 // more seconds do not fit into a duration
	if seconds, err := strconv.ParseUint(value, 10, bits); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}
