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

// An interrupted export is resumed, wherever it was cut off, and the result is complete.
func TestExport(t *testing.T) {
	address, _ := start(data.Sample())
	for _, format := range []client.Format{client.CSV, client.NDJSON, client.GeoJSON} {
		for _, q := range []client.Query{{}, {Rated: true}} {
			var want, got bytes.Buffer
			snapshot, err := newClient(t, address).Export(context.Background(), q, format, &want)
			if err != nil || snapshot == "" || bytes.Count(want.Bytes(), []byte("\n")) < 884 {
				t.Fatalf("%s: got %q, %v and %d bytes", format, snapshot, err, want.Len())
			}
			for after, times := range map[int]int{10: 1, 1000: 2, want.Len() / 7: 5, want.Len() - 2: 1, want.Len() - 1: 1, want.Len(): 1} {
				got.Reset()
				same, err := newClient(t, breaking(t, address, times, after)).Export(context.Background(), q, format, &got)
				if err != nil || same != snapshot || got.String() != want.String() {
					t.Errorf("%s, %+v, interrupted after %d bytes: got %q, %v and %d bytes, want %d", format, q, after, same, err, got.Len(), want.Len())
				}
			}
		}
	}
	var got bytes.Buffer
	if _, err := newClient(t, breaking(t, address, 9, 0)).Export(context.Background(), client.Query{}, client.CSV, &got); err == nil {
		t.Error("interrupted every time: got no error")
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
	replaced := &publishing{publish: func() {
		publish(service, []byte("uid,name\n1,A\n"))
		publish(service, []byte("uid,name\n2,B\n"))
	}}
	_, err = newClient(t, breaking(t, address, 1, 40_000)).Export(context.Background(), client.Query{}, client.CSV, replaced)
	if refused := (*client.Error)(nil); !errors.As(err, &refused) || refused.Code != client.SnapshotGone {
		t.Errorf("snapshot gone: got %v", err)
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
