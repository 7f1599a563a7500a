package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/loader/disk"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want, base, wrong string }{
		{"pubs.csv", "pubs.csv", "pubs.csv", ""},
		{"a/b/pubs.csv.gz", "a/b/pubs.csv.gz", "pubs.csv.gz", ""},
		{"https://example.org/a/pubs.csv", "https://example.org/a/pubs.csv", "pubs.csv", ""},
		{"https://user:secret@example.org/a/m.json?token=secret#x", "https://example.org/a/m.json", "m.json", ""},
		{"HTTPS://example.org/m.json", "https://example.org/m.json", "m.json", ""},
		{"https://example.org", "https://example.org", "", ""},
		{"http://127.0.0.1:9/m.json", "http://127.0.0.1:9/m.json", "m.json", ""},
		{"http://localhost/m.json", "http://localhost/m.json", "m.json", ""},
		{"s3://bucket/a/b.json", "s3://bucket/a/b.json", "b.json", ""},
		{"s3://bucket/a/", "s3://bucket/a", "a", ""},
		{"s3://bucket", "s3://bucket/", "", ""},
		{"http://example.org/secret?secret", "", "", "http://example.org/secret: http:// is for loopback only"},
		{"http://user:hidden@10.0.0.1/m?hidden", "", "", "http://10.0.0.1/m: http:// is for loopback only"},
		{"https:///m.json", "", "", "must name a host"},
		{"https://exa mple.org/?hidden", "", "", "https://exa mple.org/: must be an address"},
		{"s3://B/key", "", "", `bucket "B": must be 3 to 63`},
		{"s3:///key", "", "", `bucket "": must be 3 to 63`},
		{"s3://bucket/a/../b", "", "", `key "a/../b": must have no empty, . or .. part`},
		{"s3://bucket//b", "", "", "must have no empty"},
		{"ftp://example.org/a", "", "", "ftp://example.org/a: must be a path, or begin with https:// or s3://"},
		{"://x", "", "", "must be a path"},
	} {
		l, err := Parse(c.text)
		if got := l.String(); c.wrong == "" && (err != nil || got != c.want || l.Base() != c.base) {
			t.Errorf("%q: got %q, base %q, %v, want %q, base %q", c.text, got, l.Base(), err, c.want, c.base)
		}
		testkit.FailIf(t,
			c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "hidden")),
			"%q: got %v, want %q", c.text, err, c.wrong)
	}
}

// No name leads out of the folder.
func TestSibling(t *testing.T) {
	for _, location := range []string{"a/m.json", "https://example.org/a/m.json?token", "s3://bucket/a/m.json"} {
		l := testkit.Must(Parse(location))(t)
		got := l.Sibling("0f-1.idx.zst")
		testkit.FailIf(t, !strings.HasSuffix(got.String(), "a/0f-1.idx.zst"), "%s: got %v", location, got)
		for _, name := range []string{"", ".", "..", "../b", "/b", "a/b", `a\b`, ".hidden", "a?b", "a%2fb", "a b", "a\x00", strings.Repeat("a", 201), "https://x"} {
			func() {
				defer func() { testkit.FailIf(t, recover() == nil, "%s: sibling %q: got no panic", location, name) }()
				l.Sibling(name)
			}()
		}
	}
	defer func() { testkit.FailIf(t, recover() == nil, "in a URL: got no panic") }()
	at(t, "https://example.org/a").In("m.json")
}

func testClient(patience time.Duration) *Client { return NewClient(Options{Patience: patience}) }

func at(t *testing.T, text string) Location {
	t.Helper()
	return testkit.Must(Parse(text))(t)
}

func TestWeb(t *testing.T) {
	const content = "0123456789"
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer elsewhere.Close()
	stop := make(chan struct{})
	mux := http.NewServeMux()
	serve := func(path string, do http.HandlerFunc) { mux.HandleFunc(path, do) }
	serve("/good", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
	})
	serve("/whole", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, content) })
	serve("/near", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/good", http.StatusFound) })
	serve("/far", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/x?token=hidden", http.StatusFound)
	})
	serve("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	serve("/500", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "broken", 500) })
	serve("/range", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Range", "bytes 7-3/4")
		w.WriteHeader(206)
	})
	serve("/endless", func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	})
	serve("/announced", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		w.Write([]byte("x"))
	})
	serve("/short", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, content)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	serve("/silent", func(w http.ResponseWriter, r *http.Request) { <-stop })
	serve("/stalls", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, content)
		w.(http.Flusher).Flush()
		<-stop
	})
	server := httptest.NewUnstartedServer(mux)
	server.Start()
	client, impatient := testClient(time.Minute), testClient(time.Second)
	for _, c := range []struct {
		path  string
		known string
		wrong string
	}{
		{"/good", "", ""},
		{"/near", "", ""},
		{"/good", `"v1"`, "is unchanged"},
		{"/good?token=hidden", `"v0"`, ""},
		{"/absent?token=hidden", "", "file does not exist"},
		{"/far?token=hidden", "", "must stay on http://" + strings.TrimPrefix(server.URL, "http://")},
		{"/loop", "", "redirects more than 5 times"},
		{"/500", "", "answers 500 Internal Server Error"},
		{"/endless", "", "is larger than 1000 bytes"},
		{"/announced", "", "is larger than 1000 bytes"},
		{"/short", "", "unexpected EOF"},
		{"/silent", "", ""},
		{"/stalls", "", "sent nothing for 1s"},
	} {
		asks := client
		if c.path == "/silent" || c.path == "/stalls" {
			asks = impatient
		}
		got, version, err := asks.ReadAll(context.Background(), at(t, server.URL+c.path), c.known, 1000)
		switch {
		case c.path == "/silent":
			testkit.FailIf(t, err == nil, "%s: got %q, want an error", c.path, got)
		case c.wrong == "" && (err != nil || string(got) != content || version != `"v1"`):
			t.Errorf("%s: got %q, %q, %v", c.path, got, version, err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s: got %q, %v, want %q", c.path, got, err, c.wrong)
		}
		testkit.FailIf(t, err != nil && strings.Contains(err.Error(), "hidden"), "%s: %v has the query", c.path, err)
	}
	for path, want := range map[string]string{"/good": "6 789", "/whole": "0 0123456789"} {
		o := testkit.Must(client.Open(context.Background(), at(t, server.URL+path), Request{Offset: 7}))(t)
		got, err := io.ReadAll(o)
		o.Close()
		if text := fmt.Sprint(o.Offset, " ", string(got)); path == "/good" && text != "7 789" || path == "/whole" && text != want || err != nil || o.Size != 10 {
			t.Errorf("%s from 7: got %q of %d, %v", path, text, o.Size, err)
		}
	}
	_, err := client.Open(context.Background(), at(t, server.URL+"/range"), Request{Offset: 7})
	testkit.FailIf(t, err == nil, "a wrong range: got no error")
	close(stop)
	server.Close()
	var unreachable *Unreachable
	_, _, err = client.ReadAll(context.Background(), at(t, server.URL+"/good?token=hidden"), "", 1000)
	testkit.FailIf(t, !errors.As(err, &unreachable) || strings.Contains(err.Error(), "hidden"),
		"a server that is gone: got %v", err)
}

// If its size is known, a download continues with the rest of what is there, also after an interruption. What would be
// sent again is not asked for a third time.
func TestDownload(t *testing.T) {
	const content = "0123456789"
	for _, c := range []struct {
		what     string
		ranges   string // how the server answers to who asks for the rest: with "bytes", with "parts", "unnamed", or not at all
		part     int    // bytes until the server breaks off
		size     int64
		is       string // already there
		requests int
		isWhole  bool
	}{
		{"at once", "bytes", 10, 10, "", 1, true},
		{"in three parts", "bytes", 4, 10, "", 3, true},
		{"in more parts than are tried", "bytes", 2, 10, "", 4, false},
		{"the rest", "bytes", 10, 10, "0123", 1, true},
		{"what is there", "bytes", 10, 10, content, 0, true},
		{"what is longer", "bytes", 10, 10, content + content, 1, true},
		{"without ranges", "", 4, 10, "", 2, false},
		{"of an unknown size", "bytes", 4, -1, "", 1, false},
		{"the rest in parts", "parts", 10, 10, "0123", 2, true},
		{"the rest, unnamed", "unnamed", 10, 10, "0123", 2, true},
		{"in parts, broken off", "parts", 4, 10, "", 3, false},
		{"unnamed, broken off", "unnamed", 4, 10, "", 3, false},
	} {
		requests := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			var from int
			if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); n == 0 || c.ranges == "" {
				from = 0
			}
			switch {
			case from > 0 && c.ranges == "bytes":
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-9/10", from))
			case from > 0 && c.ranges == "parts":
				w.Header().Set("Content-Type", "multipart/byteranges; boundary=x")
			}
			part := content[from:min(from+c.part, len(content))]
			w.Header().Set("Content-Length", fmt.Sprint(len(content)-from))
			w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			if from > 0 {
				w.WriteHeader(http.StatusPartialContent)
			}
			_, _ = io.WriteString(w, part)
			_ = http.NewResponseController(w).Flush()
			if from+len(part) < len(content) {
				panic(http.ErrAbortHandler)
			}
		}))
		hasBuckets(t, server)
		for _, text := range []string{server.URL, "s3://bucket/a"} {
			requests = 0
			file := testkit.Must(os.Create(filepath.Join(t.TempDir(), "part")))(t)
			_, _ = file.WriteString(c.is)
			client := testClient(10 * time.Second)
			_, err := client.Download(t.Context(), at(t, text), new(disk.Clock).File(file), c.size, 100, func(int64, int64) {})
			file.Close()
			got, _ := os.ReadFile(file.Name())
			testkit.FailIf(t,
				requests != c.requests || (err == nil) != c.isWhole || (string(got) == content) != c.isWhole,
				"%s of %s: got %q after %d requests, %v", c.what, text, got, requests, err)
		}
		server.Close()
	}
}

// A file that was cut short is told from a storage that is away, also where the part that is there is longer.
func TestDownloadOfCutFile(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Now(), strings.NewReader("0123"))
	}))
	defer server.Close()
	hasBuckets(t, server)
	for _, text := range []string{server.URL, "s3://bucket/a"} {
		file := testkit.Must(os.Create(filepath.Join(t.TempDir(), "part")))(t)
		_, _ = file.WriteString("01234567")
		client := testClient(time.Minute)
		_, err := client.Download(t.Context(), at(t, text), new(disk.Clock).File(file), 10, 10, func(int64, int64) {})
		testkit.OK(t, file.Close())
		testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), "has 4 bytes: must have 10"), "%s: got %v", text, err)
	}
}

func TestFile(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "pubs.csv")
	testkit.OK(t, os.WriteFile(file, []byte("one"), 0o600))
	client := testClient(time.Second)
	_, version, err := client.ReadAll(context.Background(), at(t, file), "", 3)
	testkit.OK(t, err)
	known, _ := FileVersion(file)
	testkit.FailIf(t, known != version, "version: got %q and %q", known, version)
	_, _, err = client.ReadAll(context.Background(), at(t, file), version, 3)
	testkit.FailIf(t, err != ErrUnchanged, "unchanged: got %v", err)
	_, _, err = client.ReadAll(context.Background(), at(t, file), "", 2)
	testkit.FailIf(t, err == nil, "larger than the limit: got no error")
	_, _, err = client.ReadAll(context.Background(), at(t, folder), "", 2)
	testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), "must be a regular file"),
		"a directory: got %v", err)
	_, _, err = client.ReadAll(context.Background(), at(t, file+"x"), "", 2)
	testkit.FailIf(t, !errors.Is(err, fs.ErrNotExist), "absent: got %v", err)
}

// Of many concurrent replacements of the same version, one succeeds and the others get an error.
func TestDirectoryReplace(t *testing.T) {
	client, place := testClient(time.Second), at(t, filepath.Join(t.TempDir(), "new"))
	folder, err := client.Folder(place)
	testkit.OK(t, err)
	ctx, name := context.Background(), "manifest.json"
	file := place.In(name)
	version := ""
	for round := range 20 {
		var won atomic.Int32
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				switch err := folder.Replace(ctx, name, fmt.Appendf(nil, "%d %d", round, i), version); {
				case err == nil:
					won.Add(1)
				case err != ErrConflict:
					t.Error(err)
				}
			})
		}
		group.Wait()
		testkit.StopIf(t, won.Load() != 1, "round %d: %d won, want one", round, won.Load())
		var content []byte
		content, version, err = client.ReadVersion(ctx, file, 100)
		testkit.StopIf(t, err != nil || !strings.HasPrefix(string(content), fmt.Sprint(round, " ")),
			"round %d: got %q, %v", round, content, err)
	}
	testkit.Equal(t, "that there is none", folder.Replace(ctx, name, nil, ""), ErrConflict)
	testkit.OK(t, folder.Put(ctx, "a.idx", bytes.NewReader([]byte("abc")), 3))
	entries, err := folder.List(ctx)
	testkit.FailIf(t, err != nil || len(entries) != 2 || entries[0].Name != "a.idx" || entries[0].Size != 3,
		"list: got %v, %v", entries, err)
	written := entries[0].Modified.Add(time.Minute)
	testkit.OK(t, os.Chtimes(filepath.Join(place.Path(), "a.idx"), written, written))
	testkit.Equal(t, "a file that was written since it was listed", folder.Remove(ctx, entries[0]), ErrConflict)
	entries[0].Modified = written
	testkit.OK(t, errors.Join(folder.Remove(ctx, entries[0]), folder.Remove(ctx, entries[1])))
	testkit.Equal(t, "a file that was removed", folder.Replace(ctx, name, []byte("x"), version), ErrConflict)
}

// A simpleBucket is an S3 server that knows no conditions, with the times at which its files were written.
type simpleBucket struct {
	mu    sync.Mutex
	files map[string]time.Time
}

func (b *simpleBucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w.Header().Set("ETag", `"1"`)
	switch r.Method {
	case http.MethodPut:
		b.files[r.URL.Path] = time.Now()
	case http.MethodHead:
		w.Header().Set("Last-Modified", b.files[r.URL.Path].UTC().Format(http.TimeFormat))
	case http.MethodDelete:
		delete(b.files, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	}
}

// hasBuckets has new clients ask a server for buckets.
func hasBuckets(t *testing.T, server *httptest.Server) {
	for name, value := range map[string]string{"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"} {
		t.Setenv(name, value)
	}
}

func newSimpleBucket(t *testing.T) (*simpleBucket, Folder) {
	b := &simpleBucket{files: map[string]time.Time{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	hasBuckets(t, server)
	folder := testkit.Must(testClient(time.Second).Folder(at(t, "s3://bucket/site")))(t)
	return b, folder
}

// A server that writes a file whatever the condition is an error, for the first manifest as for each other, and no
// manifest is written.
func TestBucketIgnoresConditions(t *testing.T) {
	b, folder := newSimpleBucket(t)
	for _, version := range []string{"", "1"} {
		err := folder.Replace(t.Context(), "manifest.json", []byte("{}"), version)
		testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), "ignores If-Match") || len(b.files) > 0,
			"version %q: got %v and the files %v", version, err, b.files)
	}
}

// What became of a replacement whose answer is lost is read from the file.
func TestBucketReplaceWithoutAnswer(t *testing.T) {
	const first, next = "first", "next"
	conflict := ErrConflict.Error()
	for _, c := range []struct {
		what, version string
		is            string // the file after the request; empty if there is none
		want          string // in the error
	}{
		{"written", first, next, "<nil>"},
		{"the first, written", "", next, "<nil>"},
		{"rejected, because another publisher was faster", first, "other", conflict},
		{"rejected, because another publisher wrote more", first, strings.Repeat("x", 100), conflict},
		{"rejected, because another publisher wrote the first", "", "other", conflict},
		{"rejected, because it was removed", first, "", conflict},
		{"cut off before", first, first, "manifest.json: "},
		{"the first, cut off before", "", "", "manifest.json: "},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch isTest := path.Base(r.URL.Path) == ConditionTest; {
			case isTest:
				w.WriteHeader(http.StatusPreconditionFailed)
			case r.Method == http.MethodPut:
				panic(http.ErrAbortHandler)
			case c.is == "":
				w.WriteHeader(http.StatusNotFound)
			default:
				w.Header().Set("ETag", fmt.Sprintf("%q", c.is))
				w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
				_, _ = io.WriteString(w, c.is)
			}
		}))
		hasBuckets(t, server)
		folder, err := testClient(10 * time.Second).Folder(at(t, "s3://bucket/site"))
		testkit.OK(t, err)
		testkit.Contains(t, c.what,
			fmt.Sprint(folder.Replace(t.Context(), "manifest.json", []byte(next), c.version)), c.want)
		server.Close()
	}
}

// A file in a bucket that was written since it was listed is not removed.
func TestBucketRemove(t *testing.T) {
	b, folder := newSimpleBucket(t)
	testkit.OK(t, folder.Put(t.Context(), "a.idx", strings.NewReader("abc"), 3))
	err := folder.Remove(t.Context(), Entry{Name: "a.idx", Modified: time.Now().Add(-time.Hour)})
	testkit.FailIf(t, err != ErrConflict || len(b.files) != 1,
		"a file that was written since it was listed: got %v and the files %v", err, b.files)
	err = folder.Remove(t.Context(), Entry{Name: "a.idx", Modified: time.Now()})
	testkit.FailIf(t, err != nil || len(b.files) > 0, "got %v and the files %v", err, b.files)
}
