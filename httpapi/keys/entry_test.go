package keys

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// Each content of testdata/files.txt is accepted or rejected as it says there.
func TestParse(t *testing.T) {
	names := []string{"{zeros}", zeros, "{key}", `{"name":"a","sha256":"` + zeros + `"`, "{secret}", "pubd_abcdefghijklmnopqrstuvwxyz234567"}
	for _, name := range []string{"a", "b"} {
		digest := hexDigest(name)
		names = append(names, "{line "+name+"}", line(name, ""), "{digest "+name+"}", digest, "{DIGEST "+name+"}", strings.ToUpper(digest))
	}
	for _, c := range testkit.Cases(t, "files.txt") {
		content := testkit.Must(strconv.Unquote(`"` + strings.ReplaceAll(c.Given, `"`, `\"`) + `"`))(t)
		content = strings.NewReplacer(names...).Replace(content)
		s, err := Parse("keys", []byte(content))
		got := ""
		if err != nil {
			got = err.Error()
		}
		testkit.Equal(t, fmt.Sprintf("Parse(%q)", content), got, c.Want)
		testkit.Equal(t, fmt.Sprintf("Parse(%q) returns keys", content), s != nil, c.Want == "")
	}
}

// FuzzParse checks that nothing panics, that an error is one line that names the file, and that accepted keys are the
// same after writing and parsing them again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(line("a", `,"created":"2026-01-01T00:00:00Z","rate":1`) + "\n" + line("b", `,"expires":"2030-01-01T00:00:00.5+01:30"`)))
	f.Add([]byte(line("a", `,"revoked":"2026-01-01T00:00:00Z"`) + `{"name":"\ud83c\udf7a<","sha256":"` + zeros + `","rate":1e-7}`))
	f.Add([]byte("\x00 this is no key file {"))
	f.Add([]byte(`{"name":"a","name":[{"b":null}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		records, err := parseRecords("keys", content)
		if err != nil {
			message := err.Error()
			testkit.StopIf(t, !strings.HasPrefix(message, "keys:") || strings.ContainsAny(message, "\r\n"),
				"Parse(%q): %q", content, message)
			return
		}
		var written []byte
		for _, r := range records {
			written = append(written, r.render()...)
		}
		again, err := parseRecords("keys", written)
		testkit.StopIf(t, err != nil || len(again) != len(records),
			"%d keys of %q, written as %q, are parsed as %d: %v", len(records), content, written, len(again), err)
		for i, r := range again {
			want := records[i]
			same := r.Name == want.Name && r.digest == want.digest && r.Rate == want.Rate &&
				r.Created.Equal(want.Created) && r.Expires.Equal(want.Expires) && r.Revoked.Equal(want.Revoked)
			testkit.StopIf(t, !same || !bytes.Equal(r.render(), want.render()), "got %+v, want %+v", r, want)
		}
		if s, err := Parse("keys", content); (err == nil) != (len(records) > 0) || err == nil && s.Len() != len(records) {
			t.Fatalf("Parse(%q) = %v, %v, want %d keys", content, s, err, len(records))
		}
	})
}
