package httpapi

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Every path of the service has the same responses with and without a final slash, and is never redirected. With two it
// is unknown.
func TestFinalSlash(t *testing.T) {
	s := withWebPages(t, 20)
	addr := listen(t, s)
	paths := slices.Collect(maps.Keys(s.documents))
	for _, r := range resources {
		paths = append(paths, r.path)
	}
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST"} {
			shown := func(path string) string {
				got := answers(t, converse(t, addr, request11(method, path+"?search=lion&amount=2", "x-api-key: "+goodSecret, "Connection: close"), true), method)[0]
				got.header.Del("Date")
				return fmt.Sprint(got.status, got.header, len(got.body))
			}
			want := shown(path)
			if path != "/" {
				equal(t, method+" "+path+"/", shown(path+"/"), want)
			}
			twice := path + "//"
			got := answers(t, converse(t, addr, request11(method, twice, "Connection: close"), true), method)[0]
			equal(t, method+" "+twice, got.status, 404)
		}
	}
	failIf(t, len(paths) < 10, "got only %d paths: %q", len(paths), paths)
}
