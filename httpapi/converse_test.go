package httpapi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"pubd/bench/testkit"
	"pubd/httpapi/web"
)

// patience is the time limit for what is immediate when all is well.
const patience = 20 * time.Second

// decode reads strictly valid JSON without unknown members.
func decode(t testing.TB, text string, into any) {
	t.Helper()
	testkit.OK(t, json.Unmarshal([]byte(text), into, json.RejectUnknownMembers(true)))
}

// newServer returns the server of a service. SetServer sets it, because a test of this package cannot import the
// package of the server.
var newServer func(*Service) testkit.Server

func SetServer(made func(*Service) testkit.Server) { newServer = made }

// newWebPages returns the web pages of package explorer with a key, in a language, which are made once. SetWebPages sets
// it, because a test of this package cannot import that package.
var newWebPages func(key, language string) (web.Pages, error)

func SetWebPages(made func(key, language string) (web.Pages, error)) {
	known := map[string]web.Pages{}
	newWebPages = func(key, language string) (web.Pages, error) {
		if webPages, ok := known[key+" "+language]; ok {
			return webPages, nil
		}
		webPages, err := made(key, language)
		known[key+" "+language] = webPages
		return webPages, err
	}
}

// listen serves on a free port until the test ends.
func listen(t testing.TB, s *Service) (addr string) {
	t.Helper()
	return testkit.Serve(t, newServer(s))
}

// admitting admits every request, or none.
type admitting bool

func (a admitting) Admit(Demand) bool { return bool(a) }

// handle handles the request of an exchange, whose response stays valid.
func handle(s *Service, x *Exchange) {
	x.service = s
	x.Handle(admitting(true))
	x.Response.Body = bytes.Clone(x.Response.Body)
	x.returnWorkspace()
}

// serve serves ten pubs.
func serve(t testing.TB) (s *Service, addr string) {
	t.Helper()
	s, _ = withData(t, LogOff)
	return s, listen(t, s)
}

// converse sends bytes and returns what it receives until the server closes the connection. If ends is true, the
// client closes its side after the last byte, which makes the server close after the last response; otherwise the
// server must close on its own.
func converse(t testing.TB, addr, sent string, ends bool) []byte {
	t.Helper()
	c := testkit.Must(net.Dial("tcp", addr))(t)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, err := io.WriteString(c, sent)
	testkit.StopIf(t, err != nil && !isReset(err), "write: %v", err)
	if ends {
		_ = c.(*net.TCPConn).CloseWrite()
	}
	received, err := io.ReadAll(c)
	testkit.FailIf(t, err != nil && !isReset(err), "sent %.200q: the server does not close: %v, after %.200q", sent, err, received)
	return received
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// An answer is a response as it was received.
type answer struct {
	status int
	header http.Header
	body   string
	closes bool
}

// answers splits a stream into the responses to requests with these methods, followed by GET.
func answers(t testing.TB, stream []byte, methods ...string) []answer {
	t.Helper()
	list, err := split(stream, methods...)
	testkit.StopIf(t, err != nil, "%v in %.300q", err, stream)
	return list
}

func split(stream []byte, methods ...string) (list []answer, err error) {
	r := bufio.NewReader(bytes.NewReader(stream))
	for {
		if _, err := r.Peek(1); err == io.EOF {
			return list, nil
		}
		method := "GET"
		if len(list) < len(methods) {
			method = methods[len(list)]
		}
		a, err := readAnswer(r, method)
		if err != nil {
			return list, fmt.Errorf("answer %d: %w", len(list), err)
		}
		list = append(list, a)
	}
}

func readAnswer(r *bufio.Reader, method string) (answer, error) {
	response, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		return answer{}, err
	}
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(body), response.Close}, err
}

// request sends requests and returns the last response.
func send(t testing.TB, addr, sent string) answer {
	t.Helper()
	list := answers(t, converse(t, addr, sent, true))
	testkit.StopIf(t, len(list) == 0, "sent %.200q: no answer", sent)
	return list[len(list)-1]
}

// request11 returns a request with these headers, each "name: value", and without a body.
func request11(method, target string, headers ...string) string {
	lines := append([]string{method + " " + target + " HTTP/1.1", "Host: pubs.test"}, headers...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// get returns a GET of a query string with the good key and further headers.
func get(query string, headers ...string) string {
	return request11("GET", "/api/v1/pubs/?"+query, append([]string{"x-api-key: " + goodSecret}, headers...)...)
}

// checkJSON returns an error unless a body is one strictly valid JSON value without repeated members.
func checkJSON(body string) error { return json.Unmarshal([]byte(body), new(any)) }
