package httpapi

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

var problem = regexp.MustCompile(`^\{"error":"(.*)","code":"([a-z_]+)","status":\d+(?:,"parameter":"(.*?)")?(?:,"hint":".*")?\}$`)

// The service responds to each request of testdata/requests.txt as it says there. Preconditions do not affect errors.
func TestRequests(t *testing.T) {
	s, addr := serve(t)
	for _, c := range testkit.Cases(t, "requests.txt") {
		parts := strings.Split(c.Given, " | ")
		method, target, _ := strings.Cut(parts[0], " ")
		send := func(headers ...string) answer {
			if !slices.ContainsFunc(headers, func(header string) bool { return header == "no key" || strings.HasPrefix(header, "x-api-key") }) {
				headers = append(headers, "x-api-key: "+goodSecret)
			}
			headers = slices.DeleteFunc(headers, func(header string) bool { return header == "no key" })
			return send(t, addr, request11(method, target, headers...))
		}
		if strings.Contains(c.Given, "{etag}") {
			parts = strings.Split(strings.Replace(c.Given, "{etag}", send().header.Get("ETag"), 1), " | ")
		}
		with := func(headers ...string) answer { return send(slices.Concat(parts[1:], headers)...) }
		got := with()
		shown := fmt.Sprint(got.status, " ", got.body)
		if code, text, _ := strings.Cut(c.Want, " "); got.status >= 400 {
			shown = fmt.Sprint(got.status, " ", strings.Replace(problem.ReplaceAllString(got.body, "$2 $3: $1"), " : ", ": ", 1))
		} else if exact, err := strconv.Unquote(text); err == nil {
			c.Want = code + " " + exact
		} else if strings.Contains(got.body, text) {
			shown = strings.TrimSpace(fmt.Sprint(got.status, " ", text))
		}
		testkit.Equal(t, c.Given, shown, c.Want)
		if got.status == 204 || got.status >= 400 && got.status != 412 {
			for _, precondition := range []string{"If-None-Match: *", `If-Match: "stale"`} {
				testkit.Equal(t, c.Given+" | "+precondition, with(precondition).status, got.status)
			}
		}
		if strings.HasPrefix(target, "/api/v1/suggest") || strings.HasPrefix(target, "/api/v1/stats") {
			table := with("Accept: text/csv")
			for _, name := range []string{"ETag", "Content-Type"} {
				testkit.Equal(t, c.Given+" accepting CSV: "+name, table.header.Get(name), got.header.Get(name))
			}
			testkit.Equal(t, c.Given+" accepting CSV", table.body, got.body)
		}
		if strings.HasPrefix(target, "/api/v1/export") && got.status < 300 &&
			!strings.HasPrefix(got.header.Get("Content-Disposition"), `attachment; filename="pubs-`+served(s).ID+".") {
			t.Errorf("%s: Content-Disposition %s", c.Given, got.header.Get("Content-Disposition"))
		}
	}
}
