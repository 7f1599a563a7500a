package request

import (
	"bytes"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

func TestHasETag(t *testing.T) {
	for want, list := range map[bool][]string{ // one header on each line
		true: {`"1d-ea"`, `W/"1d-ea"`, `*`, " *\t", `"1d-ea", "b"`, `"a", "1d-ea", "b"`, `"a", "1d-ea"`, `"a","1d-ea"`, "\"a\"\t,\t\"1d-ea\"", `W/"a", W/"1d-ea"`,
			`"a,b", "1d-ea"`, `"", "1d-ea"`, `, ,"a",, "1d-ea",`, "\"a\"\n\"1d-ea\"", "\"a\"\n*", "\"a\n\"1d-ea\""},
		false: {``, ` , ,`, `"a, 1d-ea"`, `"1d-eb"`, `"1d-e"`, `"1d-ea "`, `"1D-EA"`, `1d-ea`, `"*"`, `"a", *`, `*, "a"`, `w/"1d-ea"`, `W/W/"1d-ea"`, `W/ "1d-ea"`,
			`"1d-ea`, `1d-ea"`, `a, "1d-ea"`, `"a"b, "1d-ea"`, `""1d-ea"`, `"a"; "1d-ea"`, `"a" "1d-ea"`, `"a""1d-ea"`},
	} {
		for _, lines := range list {
			values := bytes.Split([]byte(lines), []byte("\n"))
			testkit.Equal(t, "If-None-Match: "+lines, hasETag(values, []byte(`"1d-ea"`), true), want)
			testkit.Equal(t, "If-Match: "+lines, hasETag(values, []byte(`"1d-ea"`), false), want && !strings.Contains(lines, `W/"1d-ea"`))
		}
	}
	testkit.Equal(t, "no If-None-Match", hasETag(nil, []byte(`"1d-ea"`), true), false)
	testkit.Equal(t, "no If-Match", hasETag(nil, []byte(`"1d-ea"`), false), false)
}
