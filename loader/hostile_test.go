package loader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/schema"
)

// checked loads, and checks what is accepted.
func checked(t testing.TB, name string, content []byte, options Options) (*Result, error) {
	t.Helper()
	result, err := Load(name, content, options)
	if err == nil {
		checkDirectory(t, result.Directory)
	}
	return result, err
}

// sampleTexts returns one directory in every format.
func sampleTexts(pubs int) map[string]string {
	rows := [][]string{Columns()}
	for i := range pubs {
		row := make([]string, schema.ColumnCount)
		for column := range row {
			row[column] = schema.Columns[column].Example
		}
		row[schema.ColumnUID], row[schema.ColumnName], row[schema.ColumnReviewCount] = fmt.Sprint("u", i), fmt.Sprint("Bell ", i*7919%1000), fmt.Sprint(i+1)
		row[schema.Fengshui.Column()], row[schema.Total.Column()] = "", fmt.Sprint(float64(i%100)/10)
		rows = append(rows, row)
	}
	objects := asObjects(rows)
	return map[string]string{
		"p.csv":    asCSV(rows),
		"p.json":   "[" + strings.Join(objects, ",\n") + "]",
		"o.json":   `{"results":[` + strings.Join(objects, ",\n") + `],"count":40}`,
		"p.ndjson": strings.Join(objects, "\n") + "\n",
	}
}

// TestTruncatedMembers cuts compressed files with several members. They are still valid when cut between members.
func TestTruncatedMembers(t *testing.T) {
	text := sampleTexts(40)["p.csv"]
	half := strings.Index(text[len(text)/2:], "\n") + len(text)/2 + 1
	for _, suffix := range []string{".gz", ".zst"} {
		first := pack(t, suffix, text[:half])
		content := append(bytes.Clone(first), pack(t, suffix, text[half:])...)
		result, err := checked(t, "p.csv"+suffix, content, Options{})
		testkit.FailIf(t, err != nil || len(result.Directory.Pubs) != 40, "two %s members: %v", suffix, err)
		for cut := range len(content) {
			_, err := checked(t, "p.csv"+suffix, content[:cut], Options{})
			testkit.FailIf(t, err == nil && cut != len(first),
				"%s cut to %d of %d bytes, of which %d are the first member, is accepted", suffix, cut, len(content),
				len(first))
		}
		for _, garbage := range []string{"x", "xy", "xyz", "garbage", "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "\x28", "\x28\xb5\x2f", "\x1f\x8b"} {
			_, err := checked(t, "p.csv"+suffix, append(bytes.Clone(first), garbage...), Options{})
			testkit.FailIf(t, err == nil, "%s with %q at the end is accepted", suffix, garbage)
		}
	}
}

// TestDamageAtTheEnd damages the checksum of a file with good rows.
func TestDamageAtTheEnd(t *testing.T) {
	for name, text := range sampleTexts(40) {
		for packing, suffix := range map[string]string{"gzip": ".gz", "zstd": ".zst"} {
			content := pack(t, suffix, text)
			content[len(content)-map[string]int{"gzip": 8, "zstd": 4}[packing]] ^= 1
			_, err := Load(name+suffix, content, Options{})
			testkit.Equal(t, name+suffix, outcome(err), name+suffix+": "+packing+": is damaged, the checksum differs: copy the file again")
		}
	}
}

func TestExpandedLimit(t *testing.T) {
	for limit, want := range map[int64]error{100: nil, 99: errExpanded} {
		s := newSource(bytes.NewReader(bytes.Repeat([]byte("x"), 100)), 100, "", Options{})
		s.expanded.most = limit
		n, err := io.Copy(io.Discard, s.Reader)
		testkit.FailIf(t, n != limit || !errors.Is(err, want),
			"limit %d: got %d bytes, %v, want %v", limit, n, err, want)
	}
}
