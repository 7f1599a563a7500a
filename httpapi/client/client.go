// Package client is a client of the API of pubd. It imports only the standard library, so that other programs can take
// it without the libraries of the server; the server decides what is valid.
//
// [New] returns a [Client] of a server with a key; it is immutable and safe for concurrent use. [Client.Search] sends
// a [Query], whose zero fields have no effect, and returns an [Answer], one page; [Client.All] goes through all pages
// of one snapshot. [Client.Lookup], [Client.LookupMany], [Client.Suggest] and [Client.Stats] send the other requests;
// [Client.Export] streams all pubs to a writer, and resumes where it was interrupted.
//
// A rejected request is an [*Error] with a code. One that is over the rate (429), or comes when the server is not
// ready (503), is sent again when the server says: by default three times in all, with ten seconds of waiting. All
// requests only read, so repeating one is safe. Redirects are not followed, as they could hand the key to another
// host.
package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The paths of a server, relative to its address.
const (
	pubsPath    = "/api/v1/pubs/"
	suggestPath = "/api/v1/suggest"
	statsPath   = "/api/v1/stats"
)

// The defaults of the options.
const (
	defaultTries   = 3
	defaultWait    = 10 * time.Second
	defaultTimeout = 30 * time.Second
)

// maxBody is the maximum size of a response body, in bytes.
const maxBody = 64 << 20

// A Client sends requests to one server with one key. It is immutable and safe for concurrent use.
//
// If the server limits the rate (429) or is not ready (503), a request is retried after the time that the server
// names; see [WithTries] and [WithWait]. A connection that breaks before the response begins is replaced once. Every
// other failure is returned immediately: a rejection by the server as an [*Error], the end of a context as its error,
// and transport errors as a [*url.Error]; use errors.As and errors.Is. No error contains the key.
type Client struct {
	base  string // without a trailing slash
	key   string
	http  http.Client
	tries int
	wait  time.Duration
}

// An Option configures a client.
type Option func(*Client)

// WithHTTPClient uses a copy of an HTTP client, instead of one with a timeout of 30 seconds per try. Redirects are
// never followed, whatever it says: they could hand the key to another host.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = *h } }

// WithTries sets the maximum number of tries per request, 3 by default; 1 never retries.
func WithTries(n int) Option { return func(c *Client) { c.tries = n } }

// WithWait limits the total time that a request waits between its tries, 10 seconds by default. If the server demands
// a longer wait than is left, its error is returned without waiting.
func WithWait(total time.Duration) Option { return func(c *Client) { c.wait = total } }

// New returns a client of the server at an address such as "http://127.0.0.1:8080", which may include a path prefix.
// It does not connect yet.
func New(baseURL, key string, options ...Option) (*Client, error) {
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil, err
	}
	if (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("address %q: must be like http://127.0.0.1:8080", base.Redacted())
	}
	c := &Client{base: strings.TrimRight(base.String(), "/"), key: key, http: http.Client{Timeout: defaultTimeout}, tries: defaultTries,
		wait: defaultWait}
	for _, option := range options {
		option(c)
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// Lookup returns the pub with a UID, with its rankings and the members to include. For an unknown UID, the error is an
// [*Error] with the code [PubNotFound].
func (c *Client) Lookup(ctx context.Context, uid string, include ...Member) (Pub, error) {
	answer, err := c.Search(ctx, Query{UID: uid, Include: include})
	if err != nil {
		return Pub{}, err
	}
	if len(answer.Results) != 1 {
		return Pub{}, fmt.Errorf("lookup %q: got %d pubs, check that the address is one of pubd", uid, len(answer.Results))
	}
	return answer.Results[0], nil
}

// LookupMany looks up 1 to 100 UIDs, like Lookup, and returns the pubs in that order; [Answer.Missing] has the UIDs
// that no pub has. A UID with a comma cannot be looked up like this.
func (c *Client) LookupMany(ctx context.Context, uids []string, include ...Member) (*Answer, error) {
	return c.Search(ctx, Query{UIDs: uids, Include: include})
}

// Search returns a page of the pubs that match a query.
func (c *Client) Search(ctx context.Context, q Query) (*Answer, error) {
	answer := new(Answer)
	header, err := c.get(ctx, pubsPath, q.values(), answer)
	if err != nil {
		return nil, err
	}
	answer.Snapshot, answer.ETag = header.Get("X-Snapshot"), header.Get("ETag")
	if ignored := header.Get("X-Ignored-Params"); ignored != "" {
		answer.Ignored = strings.Split(ignored, ", ")
	}
	return answer, nil
}

// Suggest returns names, locations and pubs that complete a text, best first; with Query.Near it returns pubs and
// locations, nearest first. It uses Search, Amount (1 to 20; zero means 10), Near and Snapshot of the query.
func (c *Client) Suggest(ctx context.Context, q Query) (*Suggestions, error) {
	q = Query{Search: q.Search, Amount: q.Amount, Near: q.Near, Snapshot: q.Snapshot}
	values, answer := q.values(), new(Suggestions)
	values.Del("format")
	header, err := c.get(ctx, suggestPath, values, answer)
	if err != nil {
		return nil, err
	}
	answer.Snapshot, answer.ETag = header.Get("X-Snapshot"), header.Get("ETag")
	return answer, nil
}

// Stats describes a snapshot; "" is the current one.
func (c *Client) Stats(ctx context.Context, snapshot string) (*Stats, error) {
	values, answer := url.Values{}, new(Stats)
	if snapshot != "" {
		values.Set("snapshot", snapshot)
	}
	header, err := c.get(ctx, statsPath, values, answer)
	if err != nil {
		return nil, err
	}
	answer.ETag = header.Get("ETag")
	return answer, nil
}

// get sends a request, with retries, and decodes the answer.
func (c *Client) get(ctx context.Context, path string, values url.Values, answer any) (header http.Header, err error) {
	target := path
	if len(values) > 0 {
		target += "?" + values.Encode()
	}
	err = c.retry(ctx, func() (progressed bool, err error) {
		header, err = c.try(ctx, target, answer)
		return false, err
	})
	return header, err
}

// try sends a request once.
func (c *Client) try(ctx context.Context, target string, answer any) (http.Header, error) {
	response, err := c.send(ctx, c.http, target)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read answer to %s: %w", target, err)
	case len(body) > maxBody:
		return nil, fmt.Errorf("read answer to %s: more than %d bytes, request fewer with Amount", target, maxBody)
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return nil, fmt.Errorf("decode answer to %s: %w", target, err)
	}
	return response.Header, nil
}

// send sends a request once, and returns the response if it is no error.
func (c *Client) send(ctx context.Context, over http.Client, target string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+target, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Api-Key", c.key)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("X-Request-Id", rand.Text())
	response, err := over.Do(request)
	if err != nil || response.StatusCode == http.StatusOK {
		return response, err
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxBody)) // the status is enough, however much of the body arrived
	return nil, fmt.Errorf("get %s: %w", target, newError(response, body))
}
