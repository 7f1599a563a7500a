// Package browser tests the pages of pubd in a headless Chromium, with keyboard, mouse and touch.
package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is the timeout for everything that takes little time on an idle machine.
const patience = 30 * time.Second

// realSnapshot is a directory of real pubs next to some checkouts. Without it, a generated one of the same size is used.
const (
	realSnapshot = "../../../../shared/data/uk-pubs.csv"
	manyPubs     = 51_566
)

// program is pubd, built once. Its folder is removed when the tests end.
var program = sync.OnceValues(func() (string, error) {
	file := filepath.Join(scratch, "pubd")
	build := exec.Command("go", "build", "-o", file, "./cmd/pubd")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", build.Args, err, out)
	}
	return file, nil
})

// manyPubsFile returns the path of a snapshot of manyPubs pubs.
var manyPubsFile = sync.OnceValues(func() (string, error) {
	if _, err := os.Stat(realSnapshot); err == nil {
		return filepath.Abs(realSnapshot)
	}
	fmt.Printf("no %s: using a generated directory of %d pubs\n", realSnapshot, manyPubs)
	pubd, err := program()
	if err != nil {
		return "", err
	}
	made, err := exec.Command(pubd, "sample", "--pubs", fmt.Sprint(manyPubs)).Output()
	if err != nil {
		return "", err
	}
	file := filepath.Join(scratch, "pubs.csv")
	return file, os.WriteFile(file, made, 0o600)
})

// A server is a running pubd.
type server struct {
	command *exec.Cmd
	origin  string // such as http://127.0.0.1:41234
	key     string
}

// startServer starts pubd and waits until it is serving.
func startServer(args ...string) (*server, error) {
	pubd, err := program()
	if err != nil {
		return nil, err
	}
	command := exec.Command(pubd, append([]string{"serve", "--listen=127.0.0.1:0", "--admin=", "--drain-delay=0s"}, args...)...)
	log, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	listen := make(chan string, 1)
	var told bytes.Buffer
	go func() {
		defer close(listen)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			var line struct{ Message, Listen string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == "serving" {
				listen <- line.Listen
			}
			told.WriteString(lines.Text() + "\n")
		}
	}()
	select {
	case address, ok := <-listen:
		if !ok {
			return nil, fmt.Errorf("%v: exited before it was serving: %v\n%s", command.Args, command.Wait(), &told)
		}
		return &server{command, "http://" + address, "demo"}, nil
	case <-time.After(patience):
		_ = command.Process.Kill()
		return nil, fmt.Errorf("%v: not serving within %v", command.Args, patience)
	}
}

// serve returns a new server, which is stopped when the test ends.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	s, err := startServer(args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// stop stops the server with SIGTERM and waits until it has exited.
func (s *server) stop() {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	_ = s.command.Wait()
}

// address returns the server's address.
func (s *server) address() string { return strings.TrimPrefix(s.origin, "http://") }

// cache is the flag of a folder for index files, so that each snapshot is built once.
func cache() string { return "--cache=" + filepath.Join(scratch, "cache") }

// shared is the server of manyPubs pubs, started by the first test that uses it.
var shared *server

var startShared = sync.OnceValue(func() error {
	file, err := manyPubsFile()
	if err == nil {
		shared, err = startServer("--data", file, cache())
	}
	return err
})

// serveMany returns a server of manyPubs pubs that the tests share.
func serveMany(t *testing.T) *server {
	t.Helper()
	if err := startShared(); err != nil {
		t.Fatal(err)
	}
	return shared
}

// A pub has the members of the API's pub that tests use.
type pub struct {
	UID, Name, Location string
	Latitude, Longitude float64
	Distance            float64
	Namesakes           int
	Beer                *float64
	Rankings            map[string]*int
}

// An answer has the members of the API's answer that tests use.
type answer struct {
	Results []pub
	Total   int `json:"total_results"`
}

// ask sends a request to the API, without the browser.
func (s *server) ask(t *testing.T, query string) (a answer) {
	t.Helper()
	s.get(t, "/api/v1/pubs/?"+query, &a)
	return a
}

// get reads the JSON of a path, whose status must be 200.
func (s *server) get(t *testing.T, path string, to any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.origin+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("x-api-key", s.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(to); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d (%v), want 200 and JSON", path, response.StatusCode, err)
	}
}
