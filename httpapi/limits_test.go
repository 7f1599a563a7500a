package httpapi

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// streams returns the streams of requests of a file in testdata by label; streams.txt explains the notation.
func streams(t testing.TB, file string) map[string]testkit.Case {
	list := map[string]testkit.Case{}
	for _, c := range testkit.Cases(t, file) {
		label, sent, _ := strings.Cut(c.Given, ": ")
		testkit.FailIf(t, list[label] != testkit.Case{}, "%s: %s: is there twice", file, label)
		plain := testkit.Must(strconv.Unquote(`"` + strings.ReplaceAll(sent, `"`, `\"`) + `"`))(t)
		const host, key = "HTTP/1.1\r\nHost: pubs.test\r\n", "x-api-key: " + goodSecret + "\r\n"
		names := strings.NewReplacer("{hidden}", get("pubid=u02"), "{u01}", "GET /api/v1/pubs/?pubid=u01 "+host+key, "{host}", host, "{key}", host+key, "{secret}", goodSecret)
		c.Given = names.Replace(plain)
		list[label] = c
	}
	return list
}

// After "close", the connection ends, whatever follows.
func TestStreams(t *testing.T) {
	_, addr := serve(t)
	for label, c := range streams(t, "streams.txt") {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			method, _, _ := strings.Cut(c.Given, " ")
			stays := !strings.HasSuffix(c.Want, "close")
			received := converse(t, addr, c.Given, stays)
			if stays {
				method = "GET"
			}
			list, err := split(received, method)
			got := statusesOf(list)
			if len(list) > 0 && list[len(list)-1].closes && !stays {
				got += " close"
			}
			testkit.FailIf(t, err != nil || got != c.Want,
				"sent %.300q\n got %s, %v: %.600q\nwant %s", c.Given, got, err, received, c.Want)
		})
	}
}

// statusesOf returns the statuses of responses, such as "200 404".
func statusesOf(list []answer) string {
	var all []int
	for _, a := range list {
		all = append(all, a.status)
	}
	return strings.Trim(fmt.Sprint(all), "[]")
}
