package reliability

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/template"

	"github.com/klauspost/compress/zstd"

	"pubd/bench/proof"
)

// testdata returns the text of a file.
func testdata(t testing.TB, name string) string {
	t.Helper()
	return string(must(os.ReadFile(filepath.Join("testdata", name)))(t))
}

// table returns the rows of a file with columns between tabs, in which \n, \xff and so on stand for bytes. Lines that begin with # are comments.
func table(t testing.TB, name string) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(testdata(t, name)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		for i, rest := range columns {
			var text []byte
			for rest != "" {
				value, multibyte, tail, err := strconv.UnquoteChar(rest, 0)
				ok(t, err)
				if rest = tail; multibyte {
					text = append(text, string(value)...)
				} else {
					text = append(text, byte(value))
				}
			}
			columns[i] = string(text)
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
	"lines": func(count int, row string) string { // in which %d is the number of the row
		return numbered("", row, count)
	},
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

// A badFile is a snapshot that is wrong, or unusual but right.
type badFile struct {
	name string // whose extension is the format
	// want is part of pubd's message about the file: why it is rejected, or "ok: " and the number of its pubs.
	want  string
	write func(path string) error
}

// isRight reports whether the file must be accepted.
func (f *badFile) isRight() bool { return strings.HasPrefix(f.want, "ok: ") }

// corpus returns every kind of bad snapshot except those damaged at random. In the short form, large ones are smaller.
func corpus(t testing.TB) []badFile {
	t.Helper()
	list := []badFile{
		{"missing.csv", "does not exist", func(string) error { return nil }},
		{"directory.csv", "is a directory: a snapshot must be a regular file", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"pipe.csv", "is a named pipe: a snapshot must be a regular file", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"zero.csv", "is a device: a snapshot must be a regular file", func(path string) error { return os.Symlink("/dev/zero", path) }},
	}
	many := proof.Pick(20_000, 1_000_000)
	for _, row := range table(t, "badfiles.txt") {
		write := func(path string) error { return content(fill(row[2], many))(path) }
		list = append(list, badFile{row[0], fill(row[1], many), write})
	}
	return list
}

// content writes a text.
func content(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
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

// endings are the extensions of formats that are read in different ways.
var endings = []string{".csv", ".json", ".ndjson", ".csv.gz", ".csv.zst", ".json.gz", ".ndjson.gz"}
