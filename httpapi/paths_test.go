package httpapi

import (
	"fmt"
	"regexp"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/params"
)

// rates are the lines of a header that change with each request of a key.
var rates = regexp.MustCompile(`RateLimit: .*\r\n`)

// Every path of the service has the same responses with and without a final slash, and is never redirected. With two it
// is unknown.
func TestFinalSlash(t *testing.T) {
	s := withWebPages(t, 20)
	paths := []string{"/openapi.json"}
	for _, file := range s.config.WebPages.Files(publicSecret, served(s).Snapshot) {
		paths = append(paths, file.Path)
	}
	for _, r := range params.Resources {
		paths = append(paths, r.Path)
	}
	testkit.FailIf(t, len(paths) < 10, "got only %d paths: %q", len(paths), paths)
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST"} {
			shown := func(path string) string {
				x := newExchange("search=lion&amount=2")
				x.Request.Method, x.Request.Path = []byte(method), []byte(path)
				handle(s, x)
				body := x.Response.Body
				return fmt.Sprintf("%d\n%s\n%d bytes", x.Response.Status, rates.ReplaceAll(x.AppendFields(nil, -1), nil), len(body))
			}
			if path != "/" {
				testkit.Equal(t, method+" "+path+"/", shown(path+"/"), shown(path))
			}
			testkit.Equal(t, method+" "+path+"//", shown(path + "//")[:3], "404")
		}
	}
}
