package openapi

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/data"
	"pubd/httpapi"
	"pubd/httpapi/keys"
	"pubd/httpapi/web/explorer"
	"pubd/httpapi/web/pages"
	"pubd/httpapi/wire"
	"pubd/index"
	"pubd/index/schema"
	"pubd/loader"
)

// secrets are the keys of every service, by the effect of using them.
type secrets struct{ good, limited, revoked, expired string }

// A service serves one snapshot on a loopback address.
type service struct {
	pubs    []schema.Pub
	secrets secrets
	address string
}

// An answer is a response as it was received.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// serve starts a service on a snapshot, or without data if content is nil.
func serve(t *testing.T, name string, content []byte) *service {
	t.Helper()
	webPages := pages.New(nil, testkit.Must(explorer.New(explorer.Settings{}))(t))
	s := httpapi.New(httpapi.Config{MaxUnpaged: 100, KeepFor: time.Hour, WebPages: webPages})
	result := &service{}
	s.ArrangeKeys(result.makeKeys(t), httpapi.Loads{})
	if content != nil {
		loaded := testkit.Must(loader.Load(name, content, loader.Options{}))(t)
		result.pubs = append(result.pubs, loaded.Directory.Pubs...) // building a snapshot reorders its pubs
		s.Arrange(httpapi.Arrangement{Served: testkit.Must(index.InMemory(loaded.Directory, index.BuildOptions{Source: sha256.Sum256(content)}))(t)})
	}
	result.address = testkit.Serve(t, wire.New(s, wire.Config{}))
	return result
}

func (s *service) makeKeys(t *testing.T) *keys.Set {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys")
	add := func(entry keys.Entry) (secret string) {
		testkit.OK(t, keys.Add(file, entry, func(shown string) error { secret = shown; return nil }))
		return secret
	}
	s.secrets = secrets{add(keys.Entry{Name: "good"}), add(keys.Entry{Name: "limited", Rate: 0.001}), add(keys.Entry{Name: "revoked"}),
		add(keys.Entry{Name: "expired", Expires: time.Now().Add(-time.Hour)})}
	testkit.OK(t, keys.Revoke(file, "revoked"))
	set, _, err := keys.Load(t.Context(), file)
	testkit.OK(t, err)
	return set
}

// services returns a service for each snapshot: ten unusual pubs, and the embedded sample.
func services(t *testing.T) []*service {
	t.Helper()
	return []*service{serve(t, "ten.csv", tenPubs(t)), serve(t, data.SampleName, data.Sample())}
}

// tenPubs returns the snapshot of the golden files, which one of them shows as CSV.
func tenPubs(t *testing.T) (content []byte) {
	t.Helper()
	for line := range bytes.Lines(testkit.Read(t, "../../testdata/golden/csv.http")) {
		if line[0] != '>' && line[0] != '<' && len(bytes.TrimSpace(line)) > 0 {
			content = append(content, line...)
		}
	}
	return content
}

// exchange sends the bytes of a request of a method on a new connection, and returns the answer.
func (s *service) exchange(t *testing.T, method, sent string) answer {
	t.Helper()
	conn := testkit.Must(net.Dial("tcp", s.address))(t)
	defer conn.Close()
	testkit.Must(io.WriteString(conn, sent))(t)
	return testkit.Must(readAnswer(bufio.NewReader(conn), method))(t)
}

// readAnswer reads the answer to a request of a method.
func readAnswer(from *bufio.Reader, method string) (a answer, err error) {
	response, err := http.ReadResponse(from, &http.Request{Method: method})
	if err != nil {
		return a, err
	}
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, body}, err
}

// request returns the bytes of a request.
func request(method, target string, headers ...string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: pubs.test\r\n%s\r\n", method, target, strings.Join(append(headers, ""), "\r\n"))
}
