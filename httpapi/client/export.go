package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
)

const exportPath = "/api/v1/export"

// A Format is a file format of an export.
type Format string

// The formats of exports.
const (
	CSV     Format = "csv" // which pubd loads as a snapshot
	NDJSON  Format = "ndjson"
	GeoJSON Format = "geojson"
)

// Export writes all pubs to w, or those that pass the filters of a query, with every column of a snapshot file, and returns the ID of their
// snapshot. An interrupted export of all pubs is resumed, as often as [WithTries] allows since it last made progress; an export with
// filters is not, and returns an error after writing a part. Only the context limits the time.
func (c *Client) Export(ctx context.Context, q Query, format Format, w io.Writer) (snapshot string, err error) {
	values := q.values()
	for _, name := range []string{"include", "fields", "facets", "facet_search", "page", "amount", "sort", "order", "weights", "seed"} {
		values.Del(name)
	}
	values.Set("format", string(format))
	e := export{client: c, target: exportPath + "?" + values.Encode(), to: w}
	r := retries{tries: c.tries, wait: c.wait, backoff: firstBackoff}
	for {
		before := e.written
		err := e.try(ctx)
		if err == nil {
			return e.snapshot, nil
		}
		if e.written > before {
			r = retries{tries: c.tries, wait: c.wait, backoff: firstBackoff}
		}
		wait, again := r.after(err)
		if broke := (*brokenError)(nil); errors.As(err, &broke) {
			again = r.tries > 0 && ctx.Err() == nil && e.resumes
		}
		if !again {
			return "", err
		}
		if ended := sleep(ctx, wait); ended != nil {
			return "", fmt.Errorf("%w; waited to retry after %w", ended, err)
		}
	}
}

// An export is an export in progress.
type export struct {
	client         *Client
	target         string
	to             io.Writer
	written        int64
	etag, snapshot string
	resumes        bool // the server supports ranges
}

// A brokenError means that a response was cut off.
type brokenError struct{ error }

func (e *brokenError) Unwrap() error { return e.error }

// try requests what is missing, once.
func (e *export) try(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.client.base+e.target, nil)
	if err != nil {
		return err
	}
	request.Header.Set("X-Api-Key", e.client.key)
	request.Header.Set("X-Request-Id", rand.Text())
	if e.written > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", e.written))
		request.Header.Set("If-Range", e.etag)
	}
	patient := e.client.http
	patient.Timeout = 0
	response, err := patient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	switch {
	case e.written > 0 && response.StatusCode == http.StatusOK:
		return fmt.Errorf("get %s: %w", e.target, errors.New("the snapshot was replaced during the export: start again"))
	case response.StatusCode != http.StatusOK && response.StatusCode != http.StatusPartialContent:
		refusal, _ := io.ReadAll(io.LimitReader(response.Body, maxBody)) // the status is enough, however much of the body arrived
		return fmt.Errorf("get %s: %w", e.target, newError(response, refusal))
	}
	if e.written == 0 {
		e.etag, e.snapshot = response.Header.Get("ETag"), response.Header.Get("X-Snapshot")
		e.resumes = response.Header.Get("Accept-Ranges") == "bytes"
	}
	broken := &body{Reader: response.Body}
	n, err := io.Copy(e.to, broken)
	e.written += n
	switch {
	case broken.err != nil:
		return fmt.Errorf("read answer to %s: %w", e.target, &brokenError{broken.err})
	case err != nil:
		return fmt.Errorf("write answer to %s: %w", e.target, err)
	}
	return nil
}

// A body remembers its read error, which io.Copy does not distinguish from a write error.
type body struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}
