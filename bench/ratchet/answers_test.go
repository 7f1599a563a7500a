package ratchet

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"pubd/httpapi"
	"pubd/httpapi/keys"
	"pubd/index"
	"pubd/loader"
)

// This file is also compiled in the tree of the named commit, so it uses little.

var (
	snapshot = flag.String("snapshot", "", "TestAnswers: the snapshot")
	requests = flag.String("requests", "", "TestAnswers: a file with a line for each request: the number of its class, path and query")
)

// A request has the smallest time that it took.
type request struct {
	path, query []byte
	least       time.Duration
}

// everything admits every request.
type everything struct{}

func (everything) Admit(httpapi.Demand) bool { return true }

// now is when all requests are received: a Saturday evening.
var now = time.Date(2026, 11, 28, 20, 0, 0, 0, time.UTC)

// TestAnswers reads the number of a class and how many requests. It answers the first ones of the class, and writes the
// sum of the smallest times, in nanoseconds, that each has taken so far.
func TestAnswers(t *testing.T) {
	if *requests == "" {
		t.Skip("TestRatchet runs it")
	}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(*requests)
	check(err)
	classes, known := map[string][]*request{}, map[string]*request{}
	for line := range bytes.Lines(content) {
		class, target, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		r := known[string(target)]
		if r == nil {
			path, query, _ := bytes.Cut(target, []byte("?"))
			r = &request{path, query, time.Hour}
			known[string(target)] = r
		}
		classes[string(class)] = append(classes[string(class)], r)
	}
	loaded, err := loader.LoadFile(*snapshot, loader.Options{})
	check(err)
	file, err := os.CreateTemp(t.TempDir(), "")
	check(err)
	check(index.Build(loaded.Directory, file, index.BuildOptions{}))
	served, err := index.Open(file, 1<<40)
	check(err)
	s := httpapi.New(httpapi.Config{MaxUnpaged: 1000})
	s.Arrange(httpapi.Arrangement{Served: served})
	s.ArrangeKeys(keys.Demo(), httpapi.Loads{})
	debug.FreeOSMemory()
	runtime.GOMAXPROCS(1)
	answer := func(r *request) {
		x := s.AcquireExchange()
		x.Request = httpapi.Request{Method: []byte("GET"), Path: r.path, Query: r.query, Keys: [][]byte{[]byte(keys.DemoSecret)}, Received: now}
		begun := time.Now()
		x.Handle(everything{})
		r.least = min(r.least, time.Since(begun))
		if x.Response.Status != 200 {
			t.Fatalf("%s?%s: status %d", r.path, r.query, x.Response.Status)
		}
		x.Release()
	}
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		class, count, _ := strings.Cut(in.Text(), " ")
		n, err := strconv.Atoi(count)
		check(err)
		sum := time.Duration(0)
		for _, r := range classes[class][:n] {
			answer(r)
			sum += r.least
		}
		fmt.Println(int64(sum))
	}
}
