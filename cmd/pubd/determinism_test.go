package main

import (
	"flag"
	"os"
	"reflect"
	"sync"
	"testing"

	"pubd/data/lane"
)

var (
	requestCount = flag.Int("requests", 10_000, "how many requests two servers are compared by")
	realData     = flag.Bool("data", false, "compare two servers on "+realSnapshot+" as well")
)

// realSnapshot is a directory of real pubs next to some checkouts.
const realSnapshot = "../../../shared/data/uk-pubs.csv"

// Two servers with the same file send the same bytes for the same request, whatever the requests before.
func TestServersAgree(t *testing.T) {
	lane.Long(t, "compares all answers of two servers")
	t.Run("generated", func(t *testing.T) { agree(t, generated(t, 3000, 7)) })
	t.Run("real", func(t *testing.T) {
		if !*realData {
			t.Skip("without -data")
		}
		text, err := os.ReadFile(realSnapshot)
		if err != nil {
			t.Skip(err)
		}
		agree(t, string(text))
	})
}

func agree(t *testing.T, directory string) {
	file := write(t, "pubs.csv", directory)
	servers := []*process{serve(t, "--data", file), serve(t, "--data", file)}
	requester := newRequester(t, directory, 1)
	type question struct {
		number int
		query  string
	}
	questions := make(chan question)
	var mu sync.Mutex
	statuses := map[int]int{}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for q := range questions {
				var replies [2]reply
				for i, p := range servers {
					got, err := p.try("http://"+p.api+"/api/v1/pubs/?"+q.query, "demo")
					if err != nil {
						t.Errorf("request %d, %s: %v", q.number, q.query, err)
						continue
					}
					got.header.Del("Date")
					got.header.Del("X-Request-Id")
					replies[i] = got
				}
				if a, b := replies[0], replies[1]; !reflect.DeepEqual(a, b) {
					t.Errorf("request %d, %s:\ngot  %d %v %.2000s\nthen %d %v %.2000s", q.number, q.query, a.status, a.header, a.body, b.status, b.header, b.body)
				}
				mu.Lock()
				statuses[replies[0].status]++
				mu.Unlock()
			}
		})
	}
	for i := range *requestCount {
		questions <- question{i, requester.draw()}
	}
	close(questions)
	group.Wait()
	t.Logf("%d requests, answers by status: %v", *requestCount, statuses)
	if statuses[200] < *requestCount/2 || statuses[400] == 0 || statuses[404] == 0 {
		t.Errorf("answers by status: got %v, want mostly 200, and some 400 and 404", statuses)
	}
}
