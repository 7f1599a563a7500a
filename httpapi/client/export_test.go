package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"pubd/bench/testkit"
	"pubd/data"
	"pubd/httpapi/client"
)

// breaking returns the address of a proxy that interrupts the first responses, as many as times, after some bytes.
func breaking(t *testing.T, address string, times, after int) string {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(must(url.Parse(address)))
	proxy.FlushInterval, proxy.ErrorLog = -1, log.New(io.Discard, "", 0)
	proxy.ModifyResponse = func(response *http.Response) error {
		if times > 0 {
			times--
			response.Body = io.NopCloser(io.MultiReader(io.LimitReader(response.Body, int64(after)), iotest.ErrReader(io.ErrUnexpectedEOF)))
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

// An interrupted export is resumed, wherever it was cut off, and the result is complete.
func TestExport(t *testing.T) {
	address, _ := start(data.Sample())
	for _, format := range []client.Format{client.CSV, client.NDJSON, client.GeoJSON} {
		for _, q := range []client.Query{{}, {Rated: true}} {
			var want, got bytes.Buffer
			snapshot, err := clientOf(address).Export(t.Context(), q, format, &want)
			testkit.StopIf(t, err != nil || snapshot == "" || bytes.Count(want.Bytes(), []byte("\n")) < 884,
				"%s: got %q, %v and %d bytes", format, snapshot, err, want.Len())
			for after, times := range map[int]int{10: 1, 1000: 2, want.Len() / 7: 5, want.Len() - 2: 1, want.Len() - 1: 1, want.Len(): 1} {
				got.Reset()
				same, err := clientOf(breaking(t, address, times, after)).Export(t.Context(), q, format, &got)
				testkit.FailIf(t, err != nil || same != snapshot || got.String() != want.String(),
					"%s, %+v, interrupted after %d bytes: got %q, %v and %d bytes, want %d", format, q, after, same, err, got.Len(), want.Len())
			}
		}
	}
	_, err := clientOf(breaking(t, address, 9, 0)).Export(t.Context(), client.Query{}, client.CSV, io.Discard)
	testkit.FailIf(t, err == nil, "interrupted every time: got no error")
	var got bytes.Buffer
	if _, err := clientOf(address).Export(t.Context(), client.Query{Search: "glaziers", Location: []string{"Soho"}, Amount: 5}, client.NDJSON, &got); err != nil || !strings.HasPrefix(got.String(), `{"UID":"6xkb84"`) || strings.Count(got.String(), "\n") != 1 {
		t.Errorf("filtered: got %v, %s", err, got.String())
	}
}

func TestExportErrors(t *testing.T) {
	address, service := start(data.Sample())
	c := clientOf(address)
	_, err := c.Export(t.Context(), client.Query{}, "xml", io.Discard)
	testkit.Equal(t, "format", refusal(err).Parameter, "format")
	testkit.Equal(t, "format: has no id", refusal(err).RequestID == "", false)
	full := errors.New("disk full")
	_, err = c.Export(t.Context(), client.Query{}, client.CSV, writer(func() error { return full }))
	testkit.FailIf(t, !errors.Is(err, full), "writing: got %v", err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Export(ended, client.Query{}, client.CSV, io.Discard)
	testkit.FailIf(t, !errors.Is(err, context.Canceled), "context: got %v", err)
	replaced := writer(sync.OnceValue(func() error {
		install(service, []byte("uid,name\n1,A\n"))
		install(service, []byte("uid,name\n2,B\n"))
		return nil
	}))
	_, err = clientOf(breaking(t, address, 1, 40_000)).Export(t.Context(), client.Query{}, client.CSV, replaced)
	testkit.Equal(t, "snapshot gone", refusal(err).Code, client.SnapshotGone)
}

// A writer is called for each write.
type writer func() error

func (w writer) Write(content []byte) (int, error) { return len(content), w() }
