package httpapi

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pubd/index"
)

const (
	swapReaders = 4
	swapAnswers = 30_000
)

// swapQueries cover every kind of answer. The two snapshots of TestSwap answer each of them differently.
var swapQueries = []string{"pubid=u01", "search=lion", "search=*&amount=100&sort=total&order=desc", "search=anchr",
	"search=*&lat=51.5&lng=-0.1&distance=50", "search=red+lion&lat=51.5&lng=-0.1&distance=50&page=1&marker=x"}

// TestSwap alternates between two snapshots and two sets of keys under load: every answer comes entirely from the
// snapshot that it names.
func TestSwap(t *testing.T) {
	before := goroutines()
	t.Run("under load", func(t *testing.T) {
		s, _ := withData(t, LogOff)
		swap(t, listen(t, s), s)
	})
	for end := time.Now().Add(patience); len(goroutines()) > len(before); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines before, now\n%s", len(before), strings.Join(goroutines(), "\n\n"))
		}
	}
}

// goroutines returns the stacks of all goroutines.
func goroutines() []string {
	stacks := make([]byte, 1<<20)
	return strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n")
}

// A fixture is one of the swapped snapshots with its answers.
type fixture struct {
	directory func() index.Directory
	source    [32]byte
	answers   map[string]string // ETag and body by query
}

func newFixture(t *testing.T, number byte) *fixture {
	e := &fixture{source: [32]byte{number}, answers: map[string]string{}}
	e.directory = func() index.Directory {
		d := tenPubs()
		for i := range d.Pubs {
			d.Pubs[i].Category = fmt.Sprintf("Edition %d", number)
		}
		d.Pubs = d.Pubs[:len(d.Pubs)-int(number)]
		return d
	}
	s, _ := withoutData(t, LogOff)
	s.Arrange(Arrangement{Served: buildFrom(t, e.directory(), e.source)})
	for _, query := range swapQueries {
		x := newExchange(query)
		handle(s, x)
		equal(t, "?"+query, x.Response.Status, 200)
		e.answers[query] = string(x.Response.etag[:]) + string(x.Response.body)
	}
	return e
}

func swap(t *testing.T, addr string, s *Service) {
	fixtures := map[string]*fixture{"0000000000000000": newFixture(t, 0), "0100000000000000": newFixture(t, 1)}
	secrets := []string{goodSecret, limitedSecret + "0", limitedSecret + "1"} // each of the last two is in one set only
	const invalid = `{"error":"Invalid or revoked API key","code":"api_key_invalid","status":403}`
	var (
		stop                        atomic.Bool
		installer, readers          sync.WaitGroup
		answered, rejected, swapped atomic.Int64
	)
	install := func(number int) {
		e := fixtures[fmt.Sprintf("%02d00000000000000", number)]
		s.Arrange(Arrangement{Served: buildFrom(t, e.directory(), e.source)})
		s.ArrangeKeys(parseKeys(t, keyLine("good", goodSecret, ""), keyLine("other", secrets[1+number], `,"rate":1000000`)), Loads{})
	}
	install(0)
	installer.Go(func() {
		for number := 1; !stop.Load(); number = 1 - number {
			install(number)
			swapped.Add(1)
		}
	})
	for reader := range swapReaders {
		readers.Go(func() {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			received, seen := bufio.NewReader(c), map[string]bool{}
			for i := reader; answered.Add(1) <= swapAnswers && !t.Failed(); i++ {
				query, secret := swapQueries[i%len(swapQueries)], secrets[i/len(swapQueries)%len(secrets)]
				_ = c.SetDeadline(time.Now().Add(patience))
				_, err := io.WriteString(c, request11("GET", "/api/v1/pubs/?"+query, "x-api-key: "+secret))
				got, failed := readAnswer(received, "GET")
				if err := cmp.Or(err, failed); err != nil {
					t.Errorf("?%s: %v", query, err)
					return
				}
				status, body, id := got.status, got.body, got.header.Get("X-Snapshot")
				if secret != goodSecret && status == 403 && body == invalid && id == "" {
					rejected.Add(1)
					continue
				}
				e := fixtures[id]
				if status != 200 || e == nil || got.header.Get("ETag")+body != e.answers[query] {
					t.Errorf("?%s: got %d of %q: %s", query, status, id, body)
					return
				}
				seen[id] = true
			}
			failIf(t, len(seen) != len(fixtures), "reader %d has seen %d snapshots, want %d", reader, len(seen), len(fixtures))
		})
	}
	readers.Wait()
	stop.Store(true)
	installer.Wait()
	t.Logf("%d answers, %d rejected, %d swaps", swapAnswers, rejected.Load(), swapped.Load())
}
