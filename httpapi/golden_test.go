package httpapi

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// goldenRequests returns the streams of requests in the golden files for a service of ten pubs, by name. For a new
// one, write a file with its requests and run the test with -update.
func goldenRequests(t testing.TB) map[string]string {
	files := testkit.Must(filepath.Glob("testdata/golden/*.http"))(t)
	streams := map[string]string{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".http")
		if strings.HasPrefix(name, "error_") {
			continue
		}
		content := testkit.Must(os.ReadFile(file))(t)
		for line := range strings.Lines(string(content)) {
			if sent, found := strings.CutPrefix(line, ">"); found {
				streams[name] += strings.TrimSpace(sent) + "\r\n"
			}
		}
	}
	return streams
}

func TestGolden(t *testing.T) {
	_, addr := serve(t)
	for name, sent := range goldenRequests(t) {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, sent, converse(t, addr, sent, true)) })
	}
	errors := testkit.Must(filepath.Glob("testdata/golden/error_*.http"))(t)
	testkit.Equal(t, "golden files of errors", len(errors), len(faultCases))
	rows := declaredFaults(t)
	for name, c := range faultCases {
		s, _ := c.on(t, LogOff)
		checkGolden(t, fmt.Sprintf("error_%d_%s", rows[name].Status, strings.ToLower(name[:1])+name[1:]), c.sent, converse(t, listen(t, s), c.sent, true))
	}
}

func checkGolden(t *testing.T, name, sent string, received []byte) {
	t.Helper()
	var methods []string
	for line := range strings.Lines(sent) {
		if method, _, ok := strings.Cut(line, " /"); ok {
			methods = append(methods, method)
		}
	}
	for _, a := range answers(t, received, methods...) {
		err := checkJSON(a.body)
		testkit.FailIf(t, strings.HasPrefix(a.header.Get("Content-Type"), "application/json") && a.body != "" && err != nil,
			"%v in %s", err, a.body)
	}
	compareGolden(t, name+".http", render(sent, received))
}

// compareGolden compares text with a file of testdata/golden.
func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	testkit.Golden(t, filepath.Join("testdata", "golden", name), string(got))
}

// masks are what golden files have instead of what differs between runs.
var masks = map[string]string{
	`(?m)^< Date: .*$`:                            "< Date: (now)",
	`(?m)^< X-Request-Id: [0-9a-f]{32}$`:          "< X-Request-Id: (random)",
	`"loaded_at":"[^"]*"`:                         `"loaded_at":"(now)"`,
	`(?m)^(< ETag: "[0-9a-f]{16})-[0-9a-f]{16}"$`: `${1}-0000000000000000"`,
	`(?m)^< Retry-After: (99\d|1000)$`:            "< Retry-After: (about 1000)",
}

// render returns requests with > and response headers with < before each line. Long lines of requests are cut. What
// differs between runs is masked, and so are the hashes in entity tags, which would change in every file with the
// format of any response.
func render(sent string, received []byte) []byte {
	var out bytes.Buffer
	for line := range strings.Lines(sent) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) > 200 {
			line = fmt.Sprintf("%s… (%d bytes)", line[:60], len(line))
		}
		out.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	inHead := true
	for line := range bytes.Lines(received) {
		if !inHead {
			body, rest, next := bytes.Cut(line, []byte("HTTP/1.1 "))
			out.Write(body)
			out.WriteByte('\n')
			if inHead = next; !next {
				continue
			}
			line = slices.Concat([]byte("HTTP/1.1 "), rest)
		}
		line = bytes.TrimRight(line, "\r\n")
		inHead = len(line) > 0
		out.WriteString(strings.TrimRight("< "+string(line), " ") + "\n")
	}
	text := out.Bytes()
	for mask, shown := range masks {
		text = regexp.MustCompile(mask).ReplaceAll(text, []byte(shown))
	}
	return text
}
