package reliability

import (
	"compress/gzip"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/klauspost/compress/zstd"

	"pubd/bench/testkit"
)

// testdata returns the text of a file.
func testdata(t testing.TB, name string) string {
	t.Helper()
	return string(testkit.Read(t, filepath.Join("testdata", name)))
}

// table returns the rows of a file with columns between tabs, in which \n, \xff and so on stand for bytes. Lines that
// begin with # are comments.
func table(t testing.TB, name string) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(testdata(t, name)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		for i, escaped := range columns {
			columns[i] = testkit.Must(strconv.Unquote(`"` + strings.ReplaceAll(escaped, `"`, `\"`) + `"`))(t)
		}
		rows = append(rows, columns)
	}
	return rows
}

// fill executes a template of a table: {{repeat 3 `ab`}}, {{gzip `text`}} and so on.
func fill(text string, values any) string {
	var b strings.Builder
	if err := template.Must(template.New("").Funcs(fillers).Parse(text)).Execute(&b, values); err != nil {
		panic(err) // testdata is wrong
	}
	return b.String()
}

var fillers = template.FuncMap{
	"repeat": func(count int, text string) string { return strings.Repeat(text, count) },
	"gzip":   func(text string) string { return pack("gzip", text) },
	"zstd":   func(text string) string { return pack("zstd", text) },
	"lines":  func(count int, row string) string { return numbered("", row, count) },                 // in which %d is the number of the row
	"others": func() string { return numbered(`{"UID":"a","name":"A"`, `,"%x":1`, 100_000) + "}\n" }, // members that are no columns
}

// numbered returns a text and a number of others, with the numbers from 0 in them.
func numbered(begin, each string, count int) string {
	text := []byte(begin)
	for i := range count {
		text = fmt.Appendf(text, each, i)
	}
	return string(text)
}

// pack compresses a text with gzip or zstd. Writing to memory does not fail.
func pack(packing, text string) string {
	var b strings.Builder
	var w io.WriteCloser = gzip.NewWriter(&b)
	if packing == "zstd" {
		w, _ = zstd.NewWriter(&b)
	}
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}
