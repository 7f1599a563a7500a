package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// A Code names a kind of refusal, such as "invalid_parameter". It is empty when what refused is not pubd.
type Code string

// The codes that a program may want to tell apart.
const (
	MissingParameter Code = "missing_parameter"
	InvalidParameter Code = "invalid_parameter"
	UnknownParameter Code = "unknown_parameter"
	RequestTooLarge  Code = "request_too_large" // the query is longer than 4,096 bytes, as with very long lists
	KeyRequired      Code = "api_key_required"
	KeyInvalid       Code = "api_key_invalid"
	PubNotFound      Code = "pub_not_found"
	SnapshotGone     Code = "snapshot_gone"    // begin again without Query.Snapshot
	SnapshotPending  Code = "snapshot_pending" // another replica has it: ask again
	RateLimited      Code = "rate_limited"
	NotReady         Code = "not_ready"
	Overloaded       Code = "overloaded" // too many large answers are in flight: ask later, or for less
	Internal         Code = "internal"
)

// Error is a refusal of the server; use errors.As to find it in an error.
type Error struct {
	// Status is the status of HTTP, such as 400.
	Status int  `json:"-"`
	Code   Code `json:"code"`
	// Parameter is the one at fault, such as "amount"; empty where it is not one.
	Parameter string `json:"parameter"`
	// Message says what is wrong and what is allowed.
	Message string `json:"error"`
	// RetryAfter is how long the server asks to wait; 0 where it does not.
	RetryAfter time.Duration `json:"-"`
	// RequestID names the request in the server's log.
	RequestID string `json:"-"`
}

// Error is the status, the code and the message.
func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("%d: %s", e.Status, e.Message)
	}
	return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message)
}

// newError reads a refusal. What stands in front of the server may refuse in words of its own: then the status speaks.
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

// retryAfter returns the wait of a header Retry-After (RFC 9110, section 10.2.3), seconds or a date; 0 for anything else.
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
