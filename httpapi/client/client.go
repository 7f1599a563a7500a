// Package client asks a pubd server about its pubs.
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

// The paths of a server, below its address.
const (
	pubsPath    = "/api/v1/pubs/"
	suggestPath = "/api/v1/suggest"
	statsPath   = "/api/v1/stats"
)

// The limits that stand where no option says otherwise.
const (
	defaultTries   = 3
	defaultWait    = 10 * time.Second
	defaultTimeout = 30 * time.Second
)

// maxBody is how many bytes of an answer are read.
const maxBody = 64 << 20

// Client asks one server with one key. It is immutable and safe for concurrent use.
//
// A server that limits the rate (429) or is not ready (503) is asked again after the time that it names; see [WithTries]
// and [WithWait]. A connection that breaks before the answer begins is replaced once. Every other failure is returned at
// once: what the server refuses as an [*Error], the end of a context as its error, and what happens on the way as a
// [*url.Error]; use errors.As and errors.Is. No error holds the key.
type Client struct {
	base  string // without a slash at the end
	key   string
	http  http.Client
	tries int
	wait  time.Duration
}

// An Option changes how a client asks.
type Option func(*Client)

// WithHTTPClient makes requests with a copy of an HTTP client, instead of one that gives up on a try after 30 seconds.
// Redirects are not followed, whatever it says: they could hand the key to another host.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = *h } }

// WithTries sets how often a question is asked at most, 3 when absent; 1 never asks again.
func WithTries(n int) Option { return func(c *Client) { c.tries = n } }

// WithWait sets how long a question waits between its tries, all waits together; 10 seconds when absent. When the server
// asks for a longer wait than is left, its refusal is returned without waiting.
func WithWait(total time.Duration) Option { return func(c *Client) { c.wait = total } }

// New makes a client of the server at an address such as "http://127.0.0.1:8080", perhaps with a path in front of the
// server's own. It does not connect.
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

// Lookup returns the pub with a UID, with its rankings and the members to include. A UID that no pub has is an [*Error] of
// code [PubNotFound].
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

// LookupMany returns the pubs with 1 to 100 UIDs in the order asked, as Lookup returns one; [Answer.Missing] has the UIDs that
// no pub has. A UID with a comma cannot be looked up like this.
func (c *Client) LookupMany(ctx context.Context, uids []string, include ...Member) (*Answer, error) {
	return c.Search(ctx, Query{UIDs: uids, Include: include})
}

// Search returns a page of the pubs that a query asks for.
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

// Suggest returns names, locations and pubs that complete a text, best first; with a point to be near to, pubs and locations, near ones
// first. Of the query it uses Search, Amount, from 1 to 20 and 10 when zero, Near and Snapshot.
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

// Stats describes a snapshot, for "" the one that is served.
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

// get asks until there is an answer or no hope of one, and decodes it.
func (c *Client) get(ctx context.Context, path string, values url.Values, answer any) (http.Header, error) {
	target := path
	if len(values) > 0 {
		target += "?" + values.Encode()
	}
	r := retries{tries: c.tries, wait: c.wait, backoff: firstBackoff}
	for {
		header, err := c.try(ctx, target, answer)
		if err == nil {
			return header, nil
		}
		wait, again := r.after(err)
		if !again {
			return nil, err
		}
		if ended := sleep(ctx, wait); ended != nil {
			return nil, fmt.Errorf("%w; waited to retry after %w", ended, err)
		}
	}
}

// try asks once.
func (c *Client) try(ctx context.Context, target string, answer any) (http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+target, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Api-Key", c.key)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("X-Request-Id", rand.Text())
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case response.StatusCode != http.StatusOK: // the status speaks, however much of the body came
		return nil, fmt.Errorf("get %s: %w", target, newError(response, body))
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
