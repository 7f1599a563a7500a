package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pubd/data"
	"pubd/httpapi/client"
)

func newClient(t *testing.T, address string, options ...client.Option) *client.Client {
	t.Helper()
	c, err := client.New(address, "demo", options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// breaking returns the address of a proxy that interrupts the first responses, as many as times, after some bytes.
func breaking(t *testing.T, address string, times, after int) string {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Scheme, r.URL.Host, r.RequestURI = target.Scheme, target.Host, ""
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer response.Body.Close()
		for name, values := range response.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(response.StatusCode)
		if times > 0 {
			times--
			_, _ = io.CopyN(w, response.Body, int64(after))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = io.Copy(w, response.Body)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// An interrupted export is resumed, and the result is complete.
func TestExport(t *testing.T) {
	address, _ := start(data.Sample())
	var want bytes.Buffer
	snapshot, err := newClient(t, address).Export(context.Background(), client.Query{}, client.CSV, &want)
	if err != nil || snapshot == "" || bytes.Count(want.Bytes(), []byte("\r\n")) != 2001 {
		t.Fatalf("got %q, %v and %d bytes", snapshot, err, want.Len())
	}
	var got bytes.Buffer
	if _, err := newClient(t, breaking(t, address, 5, 40_000)).Export(context.Background(), client.Query{}, client.CSV, &got); err != nil || got.String() != want.String() {
		t.Errorf("interrupted five times: got %v and %d bytes, want %d", err, got.Len(), want.Len())
	}
	got.Reset()
	if _, err := newClient(t, breaking(t, address, 9, 0)).Export(context.Background(), client.Query{}, client.CSV, &got); err == nil {
		t.Error("interrupted every time: got no error")
	}
	got.Reset()
	if _, err := newClient(t, breaking(t, address, 1, 100)).Export(context.Background(), client.Query{Rated: true}, client.NDJSON, &got); err == nil {
		t.Error("filtered, interrupted: got no error")
	}
	got.Reset()
	if _, err := newClient(t, address).Export(context.Background(), client.Query{Search: "glaziers", Location: []string{"Soho"}, Amount: 5}, client.NDJSON, &got); err != nil || !strings.HasPrefix(got.String(), `{"UID":"6xkb84"`) || strings.Count(got.String(), "\n") != 1 {
		t.Errorf("filtered: got %v, %s", err, got.String())
	}
}

func TestExportErrors(t *testing.T) {
	address, service := start(data.Sample())
	c := newClient(t, address)
	_, err := c.Export(context.Background(), client.Query{}, "xml", io.Discard)
	if refused := (*client.Error)(nil); !errors.As(err, &refused) || refused.Parameter != "format" || refused.RequestID == "" {
		t.Errorf("format: got %v", err)
	}
	full := errors.New("disk full")
	if _, err := c.Export(context.Background(), client.Query{}, client.CSV, failing{full}); !errors.Is(err, full) {
		t.Errorf("writing: got %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Export(ended, client.Query{}, client.CSV, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("context: got %v", err)
	}
	replaced := &publishing{publish: func() { publish(service, []byte("uid,name\n1,A\n")) }}
	if _, err := newClient(t, breaking(t, address, 1, 40_000)).Export(context.Background(), client.Query{}, client.CSV, replaced); err == nil || !strings.Contains(err.Error(), "start again") {
		t.Errorf("snapshot replaced: got %v", err)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// publishing publishes another snapshot on the first write.
type publishing struct {
	publish func()
	done    bool
}

func (p *publishing) Write(content []byte) (int, error) {
	if !p.done {
		p.done = true
		p.publish()
	}
	return len(content), nil
}
