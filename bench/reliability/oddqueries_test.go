package reliability

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pubd/bench"
	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/bench/testkit"
	"pubd/httpapi/params"
)

// oddQuerySet returns the queries of row Q: each parameter with each odd value, alone, twice and in valid requests;
// unknown parameters; and texts in all parameters that take text.
func oddQuerySet(t testing.TB) (queries []string) {
	t.Helper()
	const standard, circle = "search=red+lion", "search=*&lat=51.5&lng=-0.1&distance=20000"
	for _, value := range slices.Concat(table(t, "odd-values.txt")...) {
		value = fill(value, nil)
		for _, p := range params.Table {
			name := p.Name
			odd := name + "=" + value
			rest, _ := url.ParseQuery(circle)
			rest.Del(name)
			queries = append(queries, odd, odd+"&"+odd, standard+"&"+odd, rest.Encode()+"&"+odd)
		}
		queries = append(queries, value, value+"="+value, "&&"+value+"&=&", standard+"&"+value+"=1", standard+"&Search="+value, standard+"&search[]="+value)
	}
	for _, known := range bench.KnownExpensive {
		queries = append(queries, known, known+"&include=match,label&format=csv")
	}
	for _, unit := range slices.Concat(table(t, "odd-texts.txt")...) {
		for _, count := range []int{1, 20, 200 / utf8.RuneCountInString(unit), 1000} { // up to the limit of search and beyond
			text := strings.Repeat(unit, count)
			for _, text := range []string{text, "r" + text, text + " lion"} {
				escaped := url.QueryEscape(text)
				queries = append(queries, "search="+escaped, "search="+escaped+"&lat=51.5&lng=-0.1&distance=20000", circle+"&marker="+escaped, "pubid="+escaped)
			}
		}
	}
	return queries
}

// The limits for the CPU time of a request, with 51,566 pubs and with a million.
const (
	limitAtMany    = 5 * time.Millisecond
	limitAtMillion = 25 * time.Millisecond
	limitOfScan    = 40 * time.Millisecond // sort=weighted at a million, which scores all hits
)

// climbing is how long hill climbing takes at each number of pubs.
const climbing = 3 * time.Minute

func TestQ(t *testing.T) {
	timedRow(t, "every parameter with every odd value, abuse of Unicode in search, and all parameters together: hill climbing for the most expensive",
		"no 5xx, valid UTF-8 and JSON, at most 5 ms of CPU each at 51,566 pubs and 25 ms at a million, 40 ms with sort=weighted")
	r := serveUnder(t, nil, usual(t).snapshots[0].file, "--access-log", "off")
	statuses, queries := map[int]int{}, oddQuerySet(t)
	for _, query := range queries {
		statuses[fetchOdd(t, r.API, query)]++
	}
	most, which := mostExpensive(t, r, queries)
	testkit.FailIf(t, full() && most > limitAtMany, "?%.200s takes %v of CPU, want at most %v", which, most, limitAtMany)
	tried := len(queries)
	said := fmt.Sprintf("statuses %v; the most expensive odd one takes %s ms of CPU (?%.60s)", statuses, milliseconds(most), which)
	if full() {
		report := fmt.Sprintf(worstHead, stage.Machine(t.Context()))
		for _, at := range []struct {
			pubs            int
			limit, weighted time.Duration
		}{{manyPubs, limitAtMany, limitAtMany}, {1_000_000, limitAtMillion, limitOfScan}} {
			n, found := climb(t, at.pubs)
			worst := found[0]
			for _, e := range found {
				limit := at.limit
				if e.Query.Get("sort") == "weighted" {
					limit = at.weighted
				}
				testkit.FailIf(t, e.took > limit, "%s takes %v of CPU at %d pubs, want at most %v", e.Line(), e.took, at.pubs, limit)
			}
			tried += n
			said += fmt.Sprintf("; hill climbing finds one of %s ms at %d pubs (%.80s)", milliseconds(worst.took), at.pubs, worst.Line())
			report += fmt.Sprintf("\n## %d pubs: at most %v\n\n%d requests were tried.\n\n| CPU, ms | request |\n|--:|---|\n", at.pubs, at.limit, n)
			listed := map[string]int{} // by path
			for _, e := range found {
				if listed[e.Path]++; listed[e.Path] > 5 {
					continue
				}
				report += fmt.Sprintf("| %s | `%s` |\n", milliseconds(e.took), e.Line())
			}
		}
		testkit.OK(t, os.WriteFile("../results/worst.md", []byte(report), 0o644))
	}
	figure(t, fmt.Sprintf("%d requests", tried), "%s", said)
}

// fetchOdd sends a query and checks what must hold for every response.
func fetchOdd(t *testing.T, address, query string) (status int) {
	got, err := converse(address, wire(http.MethodGet, pubs+"?"+query, "Connection: close"))
	head, body, _ := strings.Cut(string(got), "\r\n\r\n")
	_, _ = fmt.Sscanf(head, "HTTP/1.1 %d", &status)
	testkit.FailIf(t, err != nil || status < 200 || status >= 500 || !utf8.Valid(got) || strings.Contains(head, "\r\nX-Evil") ||
		strings.Contains(head, "\r\nContent-Type: application/json") && !json.Valid([]byte(body)),
		"%.200q: got %v %.300q, want no 5xx, no injected header, valid UTF-8 and JSON", query, err, got)
	return status
}

// mostExpensive returns the query that takes the most CPU time, and that time. As a request on an idle server takes no
// more CPU time than the time to its response, the CPU time is measured only for the slowest.
func mostExpensive(t *testing.T, r *replica, queries []string) (most time.Duration, which string) {
	c := &load.Conn{Address: r.API}
	defer c.Close()
	times := make(map[string]time.Duration, len(queries))
	for _, query := range queries {
		times[query] = math.MaxInt64
		for range pick(1, 5) {
			begun := time.Now()
			testkit.Must(c.Send(request(pubs + "?" + query)))(t)
			times[query] = min(times[query], time.Since(begun))
		}
	}
	distinct := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Compare(times[b], times[a]) })
	for _, query := range distinct[:pick(10, 100)] {
		if took, _ := costOf(t, r, "GET "+pubs+"?"+query+" HTTP/1.1", pick(5, 50)); took > most {
			most, which = took, query
		}
	}
	return most, which
}

// chunk is how many bytes of an export the server makes at a time.
const chunk = 64 << 10

// costOf returns the CPU time of the server, from idle to idle, for a request with a first line, the minimum of
// several measurements, as they include its other work; and the status. Of an export it is the most for one of the
// first chunks: the first includes the search, and the receive buffer is so small that the server does not run ahead.
func costOf(t *testing.T, r *replica, line string, times int) (least time.Duration, status int) {
	method, _, _ := strings.Cut(line, " ")
	dialer, chunks, size := net.Dialer{}, 1, int64(math.MaxInt64)
	if strings.Contains(line, " "+bench.ExportPath) {
		chunks, size = 3, chunk
		dialer.Control = smallBuffer(4<<10, 0)
	}
	least = math.MaxInt64
	for range times {
		c := testkit.Must(dialer.Dial("tcp", r.API))(t)
		testkit.OK(t, c.SetDeadline(time.Now().Add(load.Limit)))
		before, most := idle(t, r), time.Duration(0)
		_ = testkit.Must(fmt.Fprintf(c, "%s\r\nHost: localhost\r\nx-api-key: %s\r\n\r\n", line, demo))(t)
		response, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
		testkit.StopIf(t, err != nil, "%.200s: %v", line, err)
		for range chunks {
			_, err := io.CopyN(io.Discard, response.Body, size)
			testkit.StopIf(t, err != nil && err != io.EOF, "%.200s: %v", line, err)
			after := idle(t, r)
			before, most = after, max(most, after-before)
		}
		_ = c.Close()
		least, status = min(least, most), response.StatusCode
	}
	return least, status
}

// idle returns the CPU time that the server has used so far, once it uses none.
func idle(t *testing.T, r *replica) time.Duration {
	for used := time.Duration(-1); ; {
		before := used
		if used = testkit.Must(stage.ProcessorClock(r.ID()))(t); used == before {
			return used
		}
		time.Sleep(300 * time.Microsecond)
	}
}

// worstHead begins worst.md. It describes the machine.
const worstHead = `# The most expensive requests

Row Q of docs/reliability.md: hill climbing over all paths, methods and parameters together. %s

The CPU time is the server's for one request, from idle to idle, by the process's clock, the minimum of 30 measurements;
of an export, the most for 64 KiB, of which the first include the search.
`

// An expensive is a request and its CPU time.
type expensive struct {
	bench.Request
	took time.Duration
}

// climb searches for the most expensive requests at a number of pubs, on a new server, by hill climbing: it varies the
// expensive ones by each other. It returns how many it tried, and the most expensive of each path, the worst first.
func climb(t *testing.T, pubs int) (tried int, found []expensive) {
	const kept = 20 // of each path
	directory := testkit.Must(bench.Directory(pubs))(t)
	file := filepath.Join(t.TempDir(), "pubs.csv")
	testkit.OK(t, bench.WriteDirectory(file, pubs))
	r := serveUnder(t, nil, file, "--access-log", "off")
	defer r.Stop()
	worst := map[string][]expensive{} // by path, the most expensive first
	try := func(request bench.Request) {
		tried++
		all := worst[request.Path]
		took, status := costOf(t, r, request.Line(), 1)
		testkit.StopIf(t, status == http.StatusTooManyRequests || status >= 500, "%.200s: status %d", request.Line(), status)
		if status >= 300 || len(all) == kept && took <= all[kept-1].took {
			return
		}
		took, _ = costOf(t, r, request.Line(), 3) // the first time, the server may have done other work
		all = append(all, expensive{request, took})
		slices.SortFunc(all, func(a, b expensive) int { return cmp.Compare(b.took, a.took) })
		worst[request.Path] = all[:min(kept, len(all))]
	}
	for _, path := range bench.Paths {
		for _, query := range bench.KnownExpensive {
			try(bench.RequestOf(path, query))
		}
	}
	mix, rng := bench.NewMix(directory.Pubs, 1), rand.New(rand.NewPCG(1, 0))
	for begun := time.Now(); time.Since(begun) < climbing; {
		all := worst[bench.Paths[max(0, rng.IntN(2*len(bench.Paths))-len(bench.Paths))]] // mostly of the first, which has most parameters
		other := mix.Any()
		if rng.IntN(2) == 0 {
			other = all[rng.IntN(len(all))].Request
		}
		child := mix.Varied(all[rng.IntN(len(all))].Request, other)
		if rng.IntN(8) == 0 {
			child.Method, child.Version = other.Method, other.Version
		}
		try(child)
	}
	for _, path := range bench.Paths {
		for _, e := range worst[path] {
			e.took, _ = costOf(t, r, e.Line(), 30)
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b expensive) int { return cmp.Compare(b.took, a.took) })
	return tried, found
}
