package openapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pubd/data"
	"pubd/httpapi"
	"pubd/httpapi/explorer"
	"pubd/httpapi/keys"
	"pubd/index"
	"pubd/loader"
)

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// secrets are the keys of every service, by the effect of using them.
type secrets struct{ good, limited, revoked, expired string }

// A service serves one snapshot on a loopback address.
type service struct {
	name    string
	pubs    []index.Pub
	secrets secrets
	address string
	conn    net.Conn
	reader  *bufio.Reader
	used    time.Time // when the connection was last used
}

// An answer is a response as it was received.
type answer struct {
	status int
	header http.Header
	body   []byte
	closes bool
}

// serve starts a service on a snapshot, or without data if content is nil.
func serve(t *testing.T, name string, content []byte) *service {
	t.Helper()
	pages, err := explorer.New(explorer.Settings{})
	ok(t, err)
	s := httpapi.New(httpapi.Config{MaxUnpaged: 100, KeepSnapshots: 2, KeepFor: time.Hour, Pages: pages})
	result := &service{name: name}
	set, err := result.makeKeys(filepath.Join(t.TempDir(), "keys"))
	ok(t, err)
	s.PublishKeys(set)
	if content != nil {
		loaded, err := loader.Load(name, content, loader.Options{})
		ok(t, err)
		result.pubs = append(result.pubs, loaded.Directory.Pubs...) // building a snapshot reorders its pubs
		snapshot, err := index.InMemory(loaded.Directory, index.BuildOptions{Source: sha256.Sum256(content)})
		ok(t, err)
		s.Publish(snapshot)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	server := httpapi.NewServer(s)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		if result.conn != nil {
			_ = result.conn.Close()
		}
		if err := server.Shutdown(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
		<-served
	})
	result.address = listener.Addr().String()
	return result
}

func (s *service) makeKeys(file string) (*keys.Set, error) {
	for _, key := range []struct {
		name    string
		expires time.Time
		rate    float64
		secret  *string
	}{
		{"good", time.Time{}, 0, &s.secrets.good}, {"limited", time.Time{}, 0.001, &s.secrets.limited},
		{"revoked", time.Time{}, 0, &s.secrets.revoked}, {"expired", time.Now().Add(-time.Hour), 0, &s.secrets.expired},
	} {
		show := func(secret string) error {
			*key.secret = secret
			return nil
		}
		if err := keys.Add(file, keys.Entry{Name: key.name, Expires: key.expires, Rate: key.rate}, show); err != nil {
			return nil, err
		}
	}
	if err := keys.Revoke(file, "revoked"); err != nil {
		return nil, err
	}
	set, _, err := keys.Load(context.Background(), file)
	return set, err
}

// services returns a service for each snapshot: ten unusual pubs, the embedded sample and, if available, real data.
func services(t *testing.T) []*service {
	t.Helper()
	list := []*service{serve(t, "ten.csv", tenPubs(t)), serve(t, data.SampleName, data.Sample())}
	const real = "../../../../shared/data/uk-pubs.csv"
	content, err := os.ReadFile(real)
	if err != nil {
		t.Log("skipping the real data:", err)
		return list
	}
	return append(list, serve(t, filepath.Base(real), content))
}

// tenPubs returns the snapshot of the golden files, which one of them shows as CSV.
func tenPubs(t *testing.T) []byte {
	t.Helper()
	for _, recorded := range goldenFiles(t) {
		if recorded.name == "csv.http" {
			return recorded.answer.body
		}
	}
	t.Fatal("csv.http: there is no such golden file")
	return nil
}

// exchange sends bytes and reads an answer for each method, or fewer if the connection ends earlier.
func (s *service) exchange(t *testing.T, sent string, methods ...string) (list []answer) {
	t.Helper()
	if s.conn != nil && time.Since(s.used) > 30*time.Second { // the server may be about to close it
		_ = s.conn.Close()
		s.conn = nil
	}
	s.used = time.Now()
	if s.conn == nil {
		var err error
		if s.conn, err = net.Dial("tcp", s.address); err != nil {
			t.Fatal(err)
		}
		s.reader = bufio.NewReader(s.conn)
	}
	ok(t, s.conn.SetDeadline(time.Now().Add(20*time.Second)))
	if _, err := io.WriteString(s.conn, sent); err != nil {
		t.Fatalf("sent %.300q: %v", sent, err)
	}
	for _, method := range methods {
		response, err := http.ReadResponse(s.reader, &http.Request{Method: method})
		if err != nil {
			t.Fatalf("sent %.300q: %v", sent, err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatalf("sent %.300q: %v", sent, err)
		}
		list = append(list, answer{response.StatusCode, response.Header, body, response.Close})
		if response.Close {
			_ = s.conn.Close()
			s.conn = nil
			break
		}
	}
	return list
}

// A recording is a golden file: the requests and the last answer.
type recording struct {
	name, sent string
	answer     answer
}

var aboutNow = regexp.MustCompile(`\((about 1000|now)\)`)

// goldenFiles returns the golden files of the service's tests. It fills in the times that they leave out.
func goldenFiles(t *testing.T) (list []recording) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/golden/*.http")
	if err != nil || len(files) == 0 {
		t.Fatalf("golden files: got %d, %v", len(files), err)
	}
	for _, file := range files {
		text := read(t, file)
		r := recording{name: filepath.Base(file)}
		var head, body bytes.Buffer
		for line := range bytes.Lines(text) {
			rest, sent := bytes.CutPrefix(line, []byte(">"))
			headline, received := bytes.CutPrefix(line, []byte("<"))
			switch {
			case sent:
				r.sent += strings.TrimSpace(string(rest)) + "\r\n"
			case received:
				if bytes.HasPrefix(headline, []byte(" HTTP/")) {
					head.Reset()
					body.Reset()
				}
				head.WriteString(strings.TrimSpace(string(headline)) + "\r\n")
			case len(bytes.TrimSpace(line)) > 0:
				body.Write(line)
			}
		}
		moment := func(found string) string {
			return map[string]string{"(now)": "2027-01-31T12:00:00Z", "(about 1000)": "1000"}[found]
		}
		response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(aboutNow.ReplaceAllStringFunc(head.String(), moment))), &http.Request{Method: "HEAD"})
		if err != nil {
			t.Fatalf("%s: %v in %s", file, err, head.String())
		}
		r.answer = answer{response.StatusCode, response.Header, []byte(aboutNow.ReplaceAllStringFunc(body.String(), moment)), response.Close}
		list = append(list, r)
	}
	return list
}

// request returns the bytes of a request.
func request(method, target string, headers ...string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: pubs.test\r\n%s\r\n", method, target, strings.Join(append(headers, ""), "\r\n"))
}
