package main

import (
	"os"
	"sync"
	"testing"

	"pubd/bench"
	"pubd/data/lane"
	"pubd/loader"
)

// realSnapshot is a directory of real pubs next to some checkouts.
const realSnapshot = "../../../shared/data/uk-pubs.csv"

// rejectedRequests are invalid, or find nothing.
var rejectedRequests = []string{"", "search=", "page=2", "search=%zz", "search=%ff", "search=a&search=b", "pubid=a&pubid=b", "search=a&lat=52",
	"search=a&lat=91&lng=0&distance=1", "search=*&amount=101", "search=*&page=x", "search=*&sort=colour", "search=*&rated=maybe",
	"search=*&lat=NaN&lng=0&distance=1", "pubid=no-such-pub", "pubid=%25"}

// Two servers with the same file send the same bytes for the same request, whatever the requests before.
func TestServersAgree(t *testing.T) {
	lane.Long(t, "compares all answers of two servers")
	t.Run("generated", func(t *testing.T) { agree(t, generated(t, 3000, 7)) })
	t.Run("real", func(t *testing.T) {
		text, err := os.ReadFile(realSnapshot)
		if err != nil {
			t.Skip(err)
		}
		agree(t, string(text))
	})
}

func agree(t *testing.T, directory string) {
	const requests = 5000
	loaded, err := loader.Load("pubs.csv", []byte(directory), loader.Options{})
	ok(t, err)
	mix, classes := bench.NewMix(loaded.Directory.Pubs, 1), bench.AllClasses()
	file := write(t, "pubs.csv", directory)
	servers := []*process{serve(t, "--data", file), serve(t, "--data", file)}
	targets := make(chan string)
	var mu sync.Mutex
	statuses := map[int]int{}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for target := range targets {
				var replies [2]reply
				for i, p := range servers {
					got, err := p.try("http://"+p.api+target, "demo")
					failIf(t, err != nil, "%s: %v", target, err)
					got.header.Del("Date")
					got.header.Del("X-Request-Id")
					replies[i] = got
				}
				equal(t, target, replies[1], replies[0])
				mu.Lock()
				statuses[replies[0].status]++
				mu.Unlock()
			}
		})
	}
	for i := range requests {
		class := classes[i%len(classes)]
		targets <- class.Path() + "?" + mix.Draw(class)
		targets <- bench.Pubs + "?" + rejectedRequests[i%len(rejectedRequests)]
	}
	close(targets)
	group.Wait()
	failIf(t, statuses[200] < requests/2 || statuses[400] == 0 || statuses[404] == 0, "answers by status: got %v, want mostly 200, and some 400 and 404", statuses)
}
