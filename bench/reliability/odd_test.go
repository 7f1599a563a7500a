package reliability

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
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
	"pubd/bench/proof"
	"pubd/bench/stage"
)

// oddValues are percent-encoded values that are invalid in most parameters.
var oddValues = []string{
	"", "+", "%20", "+++", "%09", "%00", "a%00b", "%", "%f", "%zz", "%u0041", "%25", "%2525", "%ff", "%c3", "%c3%28", "%c0%80", "%ed%a0%80", "%ed%a0%bd%ed%b8%80", "%f4%90%80%80",
	"%fe%ff", "\xff", "\xed\xa0\x80", "0", "-0", "%2B0", "00", "1", "%2B1", "-1", "--1", "1+", "+1", "1.0", "1.", ".5", ".", "1e1", "1e", "1e400", "-1e400", "1e-400", "1e999999999",
	"NaN", "nan", "Inf", "-Infinity", "0x10", "0x1p4", "1_000", "1,5", "2147483648", "4294967297", "9223372036854775807", "9223372036854775808", "18446744073709551617",
	strings.Repeat("9", 309), strings.Repeat("9", 3000), "0." + strings.Repeat("0", 3000) + "1", "%D9%A1", "%EF%BC%91", "%E2%91%A0", "%F0%9D%9F%8F", "%C2%BD", "%E2%88%921", "%C2%A01",
	"true", "TRUE", "yes", "null", "undefined", "[]", "{}", "%22", "'", "%22%27%3B--", "%3Cscript%3E", "..%2F..%2Fetc%2Fpasswd", "%0d%0aX-Evil:1", "*", "**", "%2A", "a=b", "a;b",
	"name", "distance", "desc", "%F0%9F%8D%BA", strings.Repeat("x", 3900), strings.Repeat("%61", 1300), strings.Repeat("+", 3900), strings.Repeat("*", 3900), strings.Repeat("a+", 100), strings.Repeat("a+", 8),
}

// oddTexts abuse Unicode, in lengths up to the limit of search and beyond.
var oddTexts = func() (texts []string) {
	for _, unit := range []string{
		"\u0301", "\u0300\u0316", "a\u0301", "\ufdfa", "\u202e", "\u2066x\u2069", "\u200b", "\u200d", "\ufeff", "x\u200by", "\U000e0041", "\u0130", "\u0149", "ß", "ﬃ", "\u3300", "\u1e9b\u0323",
		"\uac00", "\u1100\u1161\u11a8", "'", "&", "\u02bc", "日", "\U0001f468\u200d\U0001f469", "\u0000", "\u0007", "\ufffd", "\uffff", "\U0010ffff", "i\u0307", "σς", "the ", "n ", "st ", "inn ",
		"ab ", "abc ", "red ", "lion ", "rde ", "zqxj ", "wetherspoon", "1 ", "one ", "q",
	} {
		for _, count := range []int{1, 20, 200 / utf8.RuneCountInString(unit), 1000} {
			texts = append(texts, strings.Repeat(unit, count), "r"+strings.Repeat(unit, count), strings.Repeat(unit, count)+" lion")
		}
	}
	return texts
}()

// oddQuerySet returns the queries of row Q: each parameter with each odd value, alone, twice and in valid requests; unknown parameters; and
// texts in all parameters that take text.
func oddQuerySet() (queries []string) {
	const standard, circle = "search=red+lion", "search=*&lat=51.5&lng=-0.1&distance=20000"
	names := strings.Fields("pubid search page amount sort order rated lat lng distance marker relax pubids trading category location min_beer " +
		"min_reviews bbox exclude near around weights seed include fields facets format snapshot")
	for _, value := range oddValues {
		for _, name := range names {
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
	for _, text := range oddTexts {
		escaped := url.QueryEscape(text)
		queries = append(queries, "search="+escaped, "search="+escaped+"&lat=51.5&lng=-0.1&distance=20000", circle+"&marker="+escaped, "pubid="+escaped)
	}
	return queries
}

// The limits for the CPU time of a request, with 51,566 pubs and with a million.
const (
	limitAtMany    = 5 * time.Millisecond
	limitAtMillion = 25 * time.Millisecond
	limitOfScan    = 40 * time.Millisecond // sort=weighted at a million, which scores all hits
)

func TestQ(t *testing.T) {
	proof.Row(t, "every parameter with every odd value, abuse of Unicode in search, and all parameters together: hill climbing for the most expensive",
		"no 5xx, valid UTF-8 and JSON, at most 5 ms of CPU each at 51,566 pubs and 25 ms at a million, 40 ms with sort=weighted")
	r := serveUnder(t, nil, usual(t).snapshots[0].file, "--access-log", "off")
	statuses, queries := map[int]int{}, oddQuerySet()
	for _, query := range queries {
		statuses[askOdd(t, r.API, query)]++
	}
	most, which := mostExpensive(t, r, queries)
	if proof.Full() && most > limitAtMany {
		t.Errorf("?%.200s takes %v of CPU, want at most %v", which, most, limitAtMany)
	}
	tried := len(queries)
	said := fmt.Sprintf("statuses %v; the most expensive odd one takes %s ms of CPU (?%.60s)", statuses, milliseconds(most), which)
	if proof.Full() {
		report := fmt.Sprintf(worstHead, stage.ReadMachine(t.Context()))
		for _, at := range []struct {
			pubs            int
			limit, weighted time.Duration
		}{{manyPubs, limitAtMany, limitAtMany}, {1_000_000, limitAtMillion, limitOfScan}} {
			n, found := climb(t, at.pubs)
			worst := found[0]
			for _, e := range found {
				limit := at.limit
				if strings.Contains(e.Query, "sort=weighted") {
					limit = at.weighted
				}
				if e.CPU > limit {
					t.Errorf("%s?%s takes %v of CPU at %d pubs, want at most %v", e.Path, e.Query, e.CPU, at.pubs, limit)
				}
			}
			tried += n
			said += fmt.Sprintf("; hill climbing finds one of %s ms at %d pubs (?%.60s)", milliseconds(worst.CPU), at.pubs, worst.Query)
			report += fmt.Sprintf("\n## %d pubs: at most %v\n\n%d requests were tried.\n\n| CPU, ms | request |\n|--:|---|\n", at.pubs, at.limit, n)
			for _, e := range found {
				report += fmt.Sprintf("| %s | `%s?%s` |\n", milliseconds(e.CPU), e.Path, e.Query)
			}
		}
		ok(t, os.WriteFile("../results/worst.md", []byte(report), 0o644))
	}
	proof.Figure(t, fmt.Sprintf("%d requests", tried), "%s", said)
}

// askOdd sends a query and checks what must hold for every response.
func askOdd(t *testing.T, address, query string) (status int) {
	got, err := converse(address, wire(http.MethodGet, pubs+"?"+query, "Connection: close"))
	head, body, _ := strings.Cut(string(got), "\r\n\r\n")
	_, _ = fmt.Sscanf(head, "HTTP/1.1 %d", &status)
	if err != nil || status < 200 || status >= 500 || !utf8.Valid(got) || strings.Contains(head, "\r\nX-Evil") ||
		strings.Contains(head, "\r\nContent-Type: application/json") && !json.Valid([]byte(body)) {
		t.Errorf("%.200q: got %v %.300q, want no 5xx, no injected header, valid UTF-8 and JSON", query, err, got)
	}
	return status
}

// mostExpensive returns the query that takes the most CPU time, and that time. As a request on an idle server takes no more CPU time than the
// time to its response, the CPU time is measured only for the slowest.
func mostExpensive(t *testing.T, r *replica, queries []string) (most time.Duration, which string) {
	c := &load.Conn{Address: r.API}
	defer c.Close()
	times := make(map[string]time.Duration, len(queries))
	for _, query := range queries {
		times[query] = math.MaxInt64
		for range proof.Pick(1, 5) {
			begun := time.Now()
			_, err := c.Ask(request(pubs + "?" + query))
			ok(t, err)
			times[query] = min(times[query], time.Since(begun))
		}
	}
	distinct := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Compare(times[b], times[a]) })
	for _, query := range distinct[:proof.Pick(10, 100)] {
		if took, _ := costOf(t, r, c, pubs+"?"+query, proof.Pick(5, 50)); took > most {
			most, which = took, query
		}
	}
	return most, which
}

// costOf returns the server's CPU time for a request, the minimum of several measurements, as they include its other work; and the status.
func costOf(t *testing.T, r *replica, c *load.Conn, target string, times int) (least time.Duration, status int) {
	least = math.MaxInt64
	for range times {
		before, err := stage.ProcessorClock(r.ID())
		ok(t, err)
		got, err := c.Ask(request(target))
		if err != nil {
			t.Fatalf("%.200s: %v", target, err)
		}
		after, err := stage.ProcessorClock(r.ID())
		ok(t, err)
		least, status = min(least, after-before), got.Status
	}
	return least, status
}

// worstHead begins worst.md. It describes the machine.
const worstHead = `# The most expensive requests

Row Q of docs/reliability.md: hill climbing over all parameters together. %s

The CPU time is the server's for one request, by the process's clock, the minimum of 30 measurements.
`

// climb searches for the most expensive requests at a number of pubs, on a new server. It returns how many it tried, and the ten most expensive.
func climb(t *testing.T, pubs int) (tried int, found []bench.Expensive) {
	directory, err := bench.Directory(pubs)
	ok(t, err)
	file := filepath.Join(t.TempDir(), "pubs.csv")
	ok(t, bench.WriteDirectory(file, pubs))
	r := serveUnder(t, nil, file, "--access-log", "off")
	defer r.Stop()
	c := &load.Conn{Address: r.API}
	defer c.Close()
	cost := func(path, query string, times int) time.Duration {
		tried++
		took, status := costOf(t, r, c, path+"?"+query, times)
		if status != http.StatusOK {
			return 0
		}
		return took
	}
	begun := time.Now()
	found = bench.NewMix(directory.Pubs, 1).Climb(func(path, query string) time.Duration { return cost(path, query, 3) },
		func() bool { return time.Since(begun) < time.Minute })
	found = found[:min(len(found), 10)]
	for i := range found {
		found[i].CPU = cost(found[i].Path, found[i].Query, 30)
	}
	slices.SortFunc(found, func(a, b bench.Expensive) int { return cmp.Compare(b.CPU, a.CPU) })
	return tried, found
}
