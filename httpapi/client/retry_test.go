package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/httpapi/client"
)

// refuse returns a handler that answers with an error status, and with a Retry-After header unless retryAfter is
// empty.
func refuse(status int, retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"error":"No","code":"no","status":` + strconv.Itoa(status) + `}`))
	}
}

func succeed(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"total_pubs":1}`)) }

// hangUp closes the connection without a response.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// breakOff ends the response before its Content-Length.
func breakOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = w.Write([]byte(`{"total_pubs":`))
}

func TestRetries(t *testing.T) {
	for name, r := range map[string]struct {
		answers  []http.HandlerFunc
		options  []client.Option
		requests int
		problem  string
	}{
		"busy once":          {answers: []http.HandlerFunc{refuse(503, ""), succeed}, requests: 2},
		"busy and limited":   {answers: []http.HandlerFunc{refuse(503, "0"), refuse(429, ""), succeed}, requests: 3},
		"always busy":        {answers: []http.HandlerFunc{refuse(503, "0")}, requests: 3, problem: "503 no: No"},
		"a date in the past": {answers: []http.HandlerFunc{refuse(503, "Sun, 06 Nov 1994 08:49:37 GMT"), succeed}, requests: 2},
		"an invalid wait":    {answers: []http.HandlerFunc{refuse(503, "-1"), succeed}, requests: 2},
		"no retries":         {answers: []http.HandlerFunc{refuse(503, "")}, options: []client.Option{client.WithTries(1)}, requests: 1, problem: "503"},
		"more retries":       {answers: []http.HandlerFunc{refuse(503, "")}, options: []client.Option{client.WithTries(4)}, requests: 4, problem: "503"},
		"too long a wait":    {answers: []http.HandlerFunc{refuse(429, "11")}, requests: 1, problem: "429"},
		"waits that add up": {answers: []http.HandlerFunc{refuse(429, "1")}, options: []client.Option{client.WithTries(9), client.WithWait(1500 * time.Millisecond)},
			requests: 2, problem: "429"},
		"a client's error":  {answers: []http.HandlerFunc{refuse(400, "")}, requests: 1, problem: "400"},
		"a server's error":  {answers: []http.HandlerFunc{refuse(500, "1")}, requests: 1, problem: "500"},
		"broken once":       {answers: []http.HandlerFunc{hangUp, succeed}, requests: 2},
		"broken twice":      {answers: []http.HandlerFunc{hangUp}, requests: 2, problem: "EOF"},
		"broken, then busy": {answers: []http.HandlerFunc{hangUp, refuse(503, ""), succeed}, requests: 3},
		"broken answer":     {answers: []http.HandlerFunc{breakOff, succeed}, requests: 1, problem: "unexpected EOF"},
		"not JSON":          {answers: []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<p>")) }}, requests: 1, problem: "decode answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, requests := answering(t, r.answers...)
			_, err := clientOf(address, r.options...).Search(t.Context(), client.Query{Search: "x"})
			testkit.Equal(t, "requests", requests(), r.requests)
			testkit.FailIf(t, (err == nil) != (r.problem == "") || err != nil && !strings.Contains(err.Error(), r.problem), "got %v, want %q", err, r.problem)
		})
	}
}

// An error says how long the server asks to wait, which is a second while it has no data; a failure to connect is a
// *url.Error.
func TestErrorsOfBusyServers(t *testing.T) {
	limited, _ := answering(t, refuse(429, "3600"))
	empty, service := start(nil)
	for address, want := range map[string]client.Error{
		limited:              {Status: 429, Code: "no", RetryAfter: time.Hour},
		empty:                {Status: 503, Code: client.NotReady, RetryAfter: time.Second},
		"http://127.0.0.1:1": {},
	} {
		_, err := clientOf(address, client.WithTries(1)).Stats(t.Context(), "")
		got := refusal(err)
		testkit.Equal(t, address, client.Error{Status: got.Status, Code: got.Code, RetryAfter: got.RetryAfter}, want)
		_, failed := errors.AsType[*url.Error](err)
		testkit.FailIf(t, failed != (want.Status == 0), "%s: got %v, *url.Error: %v", address, err, failed)
	}
	time.AfterFunc(100*time.Millisecond, func() { install(service, sampleOf(10)) })
	testkit.Equal(t, "pubs", must(clientOf(empty, client.WithTries(10)).Stats(t.Context(), "")).Pubs, 10)
	busy, requests := answering(t, refuse(429, "1"), succeed)
	begun := time.Now()
	must(clientOf(busy).Stats(t.Context(), ""))
	testkit.FailIf(t, time.Since(begun) < time.Second || requests() != 2, "got an answer after %v and %d requests, want 1s or more and 2", time.Since(begun), requests())
}

func TestContextEndsWait(t *testing.T) {
	address, requests := answering(t, refuse(503, "9"))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	_, err := clientOf(address).Search(ctx, client.Query{Search: "x"})
	testkit.FailIf(t, !errors.Is(err, context.DeadlineExceeded) || refusal(err).RetryAfter != 9*time.Second || requests() != 1,
		"got %v after %d requests, want both the context's error and the server's", err, requests())
	took := time.Since(begun)
	testkit.FailIf(t, took > 5*time.Second, "took %v", took)
}

func TestContextEndsRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address, requests := answering(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := clientOf(address).Search(ctx, client.Query{Search: "x"})
	testkit.FailIf(t, !errors.Is(err, context.Canceled) || requests() != 1, "got %v after %d requests", err, requests())
}

// The client does not follow redirects, so their targets do not see the key.
func TestRedirect(t *testing.T) {
	elsewhere, requests := answering(t, succeed)
	address, _ := answering(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere, http.StatusFound) })
	for _, c := range []*client.Client{clientOf(address), clientOf(address, client.WithHTTPClient(&http.Client{}))} {
		_, err := c.Search(t.Context(), client.Query{Search: "x"})
		testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), elsewhere) || requests() != 0, "got %v after %d requests to the target", err, requests())
	}
}

// An endless response is not read to its end.
func TestLargeAnswer(t *testing.T) {
	block := []byte(strings.Repeat(" ", 1<<20))
	address, _ := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	_, err := clientOf(address).Search(t.Context(), client.Query{Search: "x"})
	testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), "more than 67108864 bytes"),
		"got %v, want a limit", err)
}

// An error whose body is not pubd's has the status text of HTTP as its message.
func TestErrorFromProxy(t *testing.T) {
	for _, body := range []string{"", "<html>", "{}", "[", `{"error":7}`} {
		address, _ := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write([]byte(body))
		})
		_, err := clientOf(address).Search(t.Context(), client.Query{Search: "x"})
		testkit.Equal(t, body, refusal(err), client.Error{Status: 502, Message: "Bad Gateway"})
	}
}
