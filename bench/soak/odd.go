package main

import (
	"cmp"
	"context"
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
	"time"
	"unicode/utf8"

	"pubd/bench/stage"
)

// oddValues are percent-encoded where they could not be sent otherwise, and wrong in most parameters.
var oddValues = []string{
	"", "+", "%20", "+++", "%09", "%00", "a%00b", "%", "%f", "%zz", "%u0041", "%25", "%2525", "%ff", "%c3", "%c3%28", "%c0%80", "%ed%a0%80", "%ed%a0%bd%ed%b8%80", "%f4%90%80%80",
	"%fe%ff", "\xff", "\xed\xa0\x80", "0", "-0", "%2B0", "00", "1", "%2B1", "-1", "--1", "1+", "+1", "1.0", "1.", ".5", ".", "1e1", "1e", "1e400", "-1e400", "1e-400", "1e999999999",
	"NaN", "nan", "Inf", "-Infinity", "0x10", "0x1p4", "1_000", "1,5", "2147483648", "4294967297", "9223372036854775807", "9223372036854775808", "18446744073709551617",
	strings.Repeat("9", 309), strings.Repeat("9", 3000), "0." + strings.Repeat("0", 3000) + "1", "%D9%A1", "%EF%BC%91", "%E2%91%A0", "%F0%9D%9F%8F", "%C2%BD", "%E2%88%921", "%C2%A01",
	"true", "TRUE", "yes", "null", "undefined", "[]", "{}", "%22", "'", "%22%27%3B--", "%3Cscript%3E", "..%2F..%2Fetc%2Fpasswd", "%0d%0aX-Evil:1", "*", "**", "%2A", "a=b", "a;b",
	"name", "distance", "desc", "%F0%9F%8D%BA", strings.Repeat("x", 3900), strings.Repeat("%61", 1300), strings.Repeat("+", 3900), strings.Repeat("*", 3900), strings.Repeat("a+", 100), strings.Repeat("a+", 8),
}

// oddTexts are abuse of Unicode, each as long as search takes, and longer.
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

// expensiveQueries are right, and made to cost as much as they can.
var expensiveQueries = []string{
	"search=*&sort=weighted&weights=beer:1,atmos:1,fengshui:1,service:1,toilets:1,total:1&page=400&amount=100",
	"search=*&sort=weighted&weights=beer:100,toilets:1&order=desc&rated=true&page=100&amount=100",
	"search=r&sort=relevance&page=20&amount=100&include=rankings,local_rankings,match,label&facets=location,trading,common_category",
	"search=rde+loin&sort=relevance&amount=100&include=match,label&format=csv",
	"search=*&sort=random&seed=1&bbox=-180,-90,180,90&min_beer=0&min_reviews=1&amount=100&page=50&format=geojson",
	"search=*&near=51.5,-0.1&sort=distance&order=desc&facets=location&min_total=1&page=100&amount=100",
	"search=*&lat=51.5&lng=-0.1&distance=20000&sort=relevance&include=local_rankings,label",
	"search=*&amount=100&location=" + strings.Repeat("a,", 1900) + "b",
	"search=*&amount=100&exclude=" + strings.Repeat("1,", 99) + "2",
	"search=*&category=" + strings.Repeat(",", 3900),
	"pubids=" + strings.Repeat("24,", 99) + "24&include=rankings,local_rankings,label,match",
}

// oddQuerySet is all that is asked: a parameter with an odd value in a request that is right but for it, once, twice and
// behind a good one; names that are not known; and texts to search for, on a page and in a circle.
func oddQuerySet() (queries []string) {
	const standard, circle = "search=red+lion", "search=*&lat=51.5&lng=-0.1&distance=20000"
	names := strings.Fields("pubid search page amount sort order rated lat lng distance marker relax pubids trading category location min_beer " +
		"min_reviews bbox exclude near around weights seed include fields facets format snapshot")
	for _, value := range oddValues {
		for _, name := range names {
			odd := name + "=" + value
			queries = append(queries, odd, odd+"&"+odd, standard+"&"+odd, replaced(circle, name)+"&"+odd)
		}
		queries = append(queries, value, value+"="+value, "&&"+value+"&=&", standard+"&"+value+"=1", standard+"&Search="+value, standard+"&search[]="+value)
	}
	queries = append(queries, expensiveQueries...)
	for _, text := range oddTexts {
		escaped := url.QueryEscape(text)
		queries = append(queries, "search="+escaped, "search="+escaped+"&lat=51.5&lng=-0.1&distance=20000", circle+"&marker="+escaped, "pubid="+escaped)
	}
	return queries
}

// replaced is a query without one of its parameters.
func replaced(query, name string) string {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		if !strings.HasPrefix(pair, name+"=") {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}

// expensive is the CPU time that no request may take, at the size of the bed and at a million pubs.
const (
	expensive          = 5 * time.Millisecond
	expensiveAtMillion = 25 * time.Millisecond
)

// oddQueries asks everything once and looks at the answers, then again for the time that it takes. Then it climbs from expensive
// requests to more expensive ones over all parameters together, at two sizes.
func oddQueries(ctx context.Context, b *bed) (outcome, error) {
	r, err := b.serve(ctx, "q", b.editions[0], "--access-log", "off")
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	failed, first, statuses := 0, "", map[int]int{}
	queries := oddQuerySet()
	for _, query := range queries {
		problem, status := askOdd(r.api, query)
		statuses[status]++
		if problem != "" {
			failed++
			first = fmt.Sprintf(" (%.200q: %s)", query, problem)
		}
		if ctx.Err() != nil {
			return outcome{}, ctx.Err()
		}
	}
	most, which, err := mostExpensive(ctx, b, r, queries)
	if err != nil {
		return outcome{}, err
	}
	climbs := []*climb{{pubs: pubsInBed, limit: expensive}}
	if !b.short {
		climbs = append(climbs, &climb{pubs: 1_000_000, limit: expensiveAtMillion})
	}
	passed, tried, worst := failed == 0 && most <= expensive, len(queries), ""
	for _, c := range climbs {
		if err := c.run(ctx, b); err != nil {
			return outcome{}, err
		}
		tried += c.tried
		passed = passed && c.found[0].CPU <= c.limit
		worst += fmt.Sprintf(", of %s at %s pubs (?%.60s)", milliseconds(c.found[0].CPU), grouped(c.pubs), c.found[0].Query)
	}
	if b.out != "" {
		if err := os.WriteFile(filepath.Join(b.out, "worst.md"), []byte(worstMarkdown(ctx, climbs)), 0o644); err != nil {
			return outcome{}, err
		}
	}
	return outcome{
		n: grouped(tried) + " requests",
		figure: fmt.Sprintf("statuses %v; the most expensive odd one takes %s of CPU (?%.60s), and hill climbing finds one%s; %d failed%s", statuses,
			milliseconds(most), which, worst, failed, first),
		passed: passed,
		sound:  failed == 0,
	}, nil
}

// askOdd tells what is wrong with an answer, whatever its status.
func askOdd(address, query string) (problem string, status int) {
	got, err := converse(address, wire(http.MethodGet, resource+"?"+query, "Connection: close"))
	if err != nil {
		return err.Error(), 0
	}
	head, body, _ := strings.Cut(string(got), "\r\n\r\n")
	_, _ = fmt.Sscanf(head, "HTTP/1.1 %d", &status)
	switch {
	case status < 200 || status >= 500:
		problem = "status"
	case !utf8.ValidString(head) || strings.Contains(head, "\r\nX-Evil"):
		problem = "headers"
	case !utf8.ValidString(body):
		problem = "invalid UTF-8"
	case strings.Contains(head, "\r\nContent-Type: application/json") && !json.Valid([]byte(body)):
		problem = "invalid JSON"
	default:
		return "", status
	}
	return fmt.Sprintf("%s: %.200q", problem, got), status
}

// mostExpensive returns the request that takes most CPU time, and that time. A request takes no more of it than passes from asking to
// the answer, so the processor time is measured of those only for which most passes, at the best of some times.
func mostExpensive(ctx context.Context, b *bed, r *replica, queries []string) (most time.Duration, which string, err error) {
	c := &caller{address: r.api}
	defer c.close()
	times := make(map[string]time.Duration, len(queries))
	for _, query := range queries {
		request := []byte(wire(http.MethodGet, resource+"?"+query))
		best := time.Duration(math.MaxInt64)
		for range b.times(10, 1) {
			begun := time.Now()
			if _, err := c.ask(request); err != nil {
				return 0, "", fmt.Errorf("?%.200s: %w", query, err)
			}
			best = min(best, time.Since(begun))
		}
		times[query] = best
		if ctx.Err() != nil {
			return 0, "", ctx.Err()
		}
	}
	distinct := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Compare(times[b], times[a]) })
	for _, query := range distinct[:b.times(100, 10)] {
		took, _, err := costOf(ctx, r, c, resource+"?"+query, b.times(100, 10))
		if err != nil {
			return 0, "", err
		}
		if took > most {
			most, which = took, query
		}
	}
	return most, which, nil
}

// costOf is the CPU time of the server for one request, the least of some times, as other work of the server adds to some; and the
// status of the answer.
func costOf(ctx context.Context, r *replica, c *caller, target string, times int) (least time.Duration, status int, err error) {
	request := []byte(wire(http.MethodGet, target))
	least = math.MaxInt64
	for range times {
		before, err := stage.ProcessorClock(r.ID())
		if err != nil {
			return 0, 0, err
		}
		got, err := c.ask(request)
		if err != nil {
			return 0, 0, fmt.Errorf("%.200s: %w", target, err)
		}
		after, err := stage.ProcessorClock(r.ID())
		if err != nil {
			return 0, 0, err
		}
		least, status = min(least, after-before), got.status
	}
	return least, status, ctx.Err()
}
