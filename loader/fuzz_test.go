package loader

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pubd/bench/testkit"
)

// checkLoad loads a text and checks the result. It returns the number of pubs, or -1.
func checkLoad(t *testing.T, name string, content []byte, options Options) int {
	result, err := checked(t, name, content, options)
	if err == nil {
		testkit.FailIf(t, len(result.Skipped) > options.MaxBadRows || len(result.Ignored) > maxIgnored,
			"%d rows skipped, %d columns ignored", len(result.Skipped), len(result.Ignored))
		return len(result.Directory.Pubs)
	}
	var refused *RejectedError
	testkit.StopIf(t, !errors.As(err, &refused), "refused with %T %v", err, err)
	text := err.Error()
	testkit.FailIf(t, refused.WrongRows == 0 && refused.Reason == nil || len(refused.Complaints) > maxPrinted,
		"refused without reason: %+v", refused)
	// The rule may be a long list of column names.
	testkit.FailIf(t, strings.Count(text, "\n") > maxPrinted+1 || len(text) > maxPrinted*2000+30_000,
		"a complaint of %d bytes in %d lines", len(text), strings.Count(text, "\n"))
	for _, line := range strings.Split(text, "\n") {
		testkit.FailIf(t, !strings.HasPrefix(line, name+":") && !strings.HasPrefix(line, "… and "),
			"a complaint that names no file: %q", line)
		testkit.FailIf(t,
			!utf8.ValidString(line) || strings.IndexFunc(line, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }) >= 0,
			"a complaint that a terminal would obey: %q", line)
	}
	return -1
}

func FuzzCSV(f *testing.F) {
	for _, text := range []string{
		header + goodRow, "\xef\xbb\xbf" + header + goodRow + header, "UID,name\r\na,b\r\n\r\nc,\"d\ne\"\r\n", "id,lat,lon,name,total\n1,2,3,x,9\n",
		"UID,name\na,\xff\n", "UID,name,name\n", "a\rb", "\"", "UID,name\n\"a\"\"\",b\n", sampleTexts(2)["p.csv"],
	} {
		f.Add([]byte(text), uint8(1))
	}
	f.Fuzz(func(t *testing.T, content []byte, limit uint8) {
		checkLoad(t, "p.csv", content, Options{MaxBadRows: int(limit)})
	})
}

// FuzzJSON reads a text as JSON and as NDJSON, and compares its validity and the names of the pubs with encoding/json.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		`[{"UID":"a","name":"A"}]`, `{"pubs":[{"id":1,"name":"\ud83c\udf7a\n\"","lat":"1","lng":2}],"x":[[{}]]}`, `{"UID":"a","name":"\ud800"}`,
		"{\"UID\":\"a\",\"name\":\"A\"}\n\n{\"UID\":\"b\",\"name\":\"B\",\"x\":{\"y\":[1,\"]\"]}}\n", `[{"UID":1e5,"name":"A","beer":7,"review_count":0}]`,
		`[{"UID":"a","name":"A","n\u0061me":"B"},5,null,"x",[]]`, `{"results":[],"pubs":[]}`, `[1,]`, `[{}]]`, "[{\"UID\":\"\xff\"}]", `{"a\\":1}`,
		sampleTexts(2)["p.json"], sampleTexts(2)["o.json"], sampleTexts(2)["p.ndjson"],
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		text, _ := bytes.CutPrefix(content, []byte("\xef\xbb\xbf"))
		pubs := checkLoad(t, "p.json", content, Options{MaxBadRows: 1 << 30})
		testkit.FailIf(t, pubs >= 0 && !json.Valid(text), "reads %q, which is no JSON", content)
		lines := checkLoad(t, "p.ndjson", content, Options{MaxBadRows: 1 << 30})
		valid := 0
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			var object map[string]any
			if json.Unmarshal(line, &object) == nil && object != nil {
				valid++
			}
		}
		testkit.FailIf(t, lines > valid, "reads %d pubs in %d objects of %q", lines, valid, content)
		checkName(t, text)
	})
}

// checkName compares the name of the only pub of a text, if it is accepted, with that of encoding/json.
func checkName(t *testing.T, text []byte) {
	result, err := Load("p.ndjson", text, Options{})
	if err != nil || len(result.Directory.Pubs) > 1 {
		return
	}
	var members map[string]any
	err = json.Unmarshal(text, &members)
	testkit.StopIf(t, err != nil, "reads %q: %v", text, err)
	for name, value := range members {
		got := result.Directory.Pubs[0].Name
		testkit.FailIf(t, strings.EqualFold(name, "name") && got != value,
			"%s: got the name %q, want %q", text, got, value)
	}
}

func FuzzCompressed(f *testing.F) {
	for _, text := range []string{header + goodRow, "", "UID,name\n"} {
		for suffix, zstandard := range map[string]bool{".gz": false, ".zst": true} {
			content := pack(f, suffix, text)
			f.Add(content, zstandard)
			f.Add(append(bytes.Clone(content), content...), zstandard)
			f.Add(content[:len(content)-3], zstandard)
		}
	}
	f.Fuzz(func(t *testing.T, content []byte, zstandard bool) {
		name := "p.csv.gz"
		if zstandard {
			name = "p.csv.zst"
		}
		checkLoad(t, name, content, Options{})
	})
}
