package reliability

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/klauspost/compress/zstd"

	"pubd/bench/proof"
)

// A badFile is a snapshot that is wrong, or unusual but right.
type badFile struct {
	name string // whose extension is the format
	// want is part of pubd's message about the file: why it is rejected, or "ok: " and the number of its pubs.
	want  string
	write func(path string) error
}

// isRight reports whether the file must be accepted.
func (f *badFile) isRight() bool { return strings.HasPrefix(f.want, "ok: ") }

// Beginnings of snapshots, and the size of the blocks of large ones.
const (
	named  = "UID,name\n"
	rated  = "UID,name,beer,review_count\n"
	inJSON = `[{"UID":"a","name":"A",`
	block  = 1 << 20
)

// corpus returns every kind of bad snapshot except those damaged at random. In the short form, large ones are smaller.
func corpus() []badFile {
	many := proof.Pick(20_000, 1_000_000)
	long := strings.Repeat("x", 10<<20)
	right := fmt.Sprintf("ok: %d pubs", many)
	text := "a,A," + strings.Repeat("y", 15<<20) + "\n" // the first is accepted, the others repeat its UID
	return []badFile{
		{"empty.csv", "is empty: its first line must name the columns", content("")},
		{"empty.json", "is empty: it must be a list of pubs", content("")},
		{"empty.ndjson", "has no pub: a snapshot must have at least one", content("")},
		{"empty.csv.gz", "gzip: ends too early", content("")},
		{"empty.csv.zst", "is empty: its first line must name the columns", content("")},
		{"header.csv", "has no pub: a snapshot must have at least one", content(named)},
		{"list.json", "has no pub: a snapshot must have at least one", content("[]")},

		{"missing.csv", "does not exist", func(string) error { return nil }},
		{"directory.csv", "is a directory: a snapshot must be a regular file", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"pipe.csv", "is a named pipe: a snapshot must be a regular file", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"zero.csv", "is a device: a snapshot must be a regular file", func(path string) error { return os.Symlink("/dev/zero", path) }},

		{"bomb-zeros.csv.gz", ":2: a row is longer than 16 MiB: is a quote left open?", bomb(named, "\x00", block, 5<<10)},
		{"bomb-quote.csv.gz", ":2: a row is longer than 16 MiB: is a quote left open?", bomb(named+`a,"`, "x\n", block, 5<<10)},
		{"bomb-commas.csv.gz", ":2: a row has more than a million commas: is a quote left open? Otherwise remove what is not a column", bomb(named, ",", block, 5<<10)},
		{"bomb-rows.csv.gz", "reading stopped after 1000000 wrong rows", bomb(named, ",\n", block, 5<<10)},
		{"bomb-space.json.gz", ":1: a row is longer than 16 MiB: is a quote left open?", bomb(`[{"UID":1,"name":"A"}]`, " ", block, 5<<10)},
		{"bomb-deep.json.gz", "must be valid JSON: exceeded max depth", bomb("", "[", block, 5<<10)},
		{"bomb-line.ndjson.gz", "a row is longer than 16 MiB: each line must be one pub", bomb(`{"x":"`, "y", block, 5<<10)},

		{"bomb-text.csv.gz", "reading stopped after 6 wrong rows", bomb("UID,name,note\n", text, len(text), 350)},
		{"bomb-text.csv.zst", "expands to more than 4 GiB, or to 50 times its size", bomb("UID,name,note\n", text, len(text), 350)},
		{"bomb-members.csv.gz", "ok: 1 pubs", bomb(named+"a,A\n", "", 0, 11<<20/len(pack("gzip", "")))},
		{"bomb-cells.csv.gz", "reading stopped after 33 wrong rows", bomb(named, `a,"`+strings.Repeat(`""`, block)+"\"\n", 2*block+5, 200)},
		{"bomb-others.ndjson.gz", "must have at most 1,000 members that are no columns", bomb("", others(100_000), len(others(100_000)), 30)},

		{"members.csv.gz", "ok: 2 pubs", content(pack("gzip", named+"a,A\n") + pack("gzip", "b,B\n"))},
		{"members.csv.zst", "ok: 2 pubs", content(pack("zstd", named+"a,A\n") + pack("zstd", "b,B\n"))},
		{"tail.csv.gz", "gzip: has other data after its end: compress the file again", content(pack("gzip", named+"a,A\n") + "other data")},
		{"tail.csv.zst", "zstd: has other data after its end: compress the file again", content(pack("zstd", named+"a,A\n") + "other data")},
		{"plain.csv.gz", "gzip: is not gzip data", content(named + "a,A\n")},
		{"packed.csv", "is gzip data: its name must end in .gz", content(pack("gzip", named+"a,A\n"))},
		{"sheet.csv", "is a zip archive or a spreadsheet: save it as CSV in UTF-8", content("PK\x03\x04\x14\x00")},

		{"little.csv", "is UTF-16 or UTF-32 text: write it as UTF-8", content("\xff\xfe" + inUTF16(named+"a,A\n"))},
		{"big.csv", "is UTF-16 text: write it as UTF-8", content("\xfe\xff\x00" + inUTF16(named+"a,A\n"))},
		{"mac.csv", "its lines end in CR alone: write them with LF, or CR LF", content("UID,name\ra,A\rb,B\r")},
		{"mac.ndjson", "its lines end in CR alone: write them with LF, or CR LF", content(`{"UID":"a","name":"A"}` + "\r" + `{"UID":"b","name":"B"}`)},
		{"unmarked.csv", "the first line must name a column UID", content(inUTF16(named + "a,A\n"))},
		{"little.json", "is UTF-16 or UTF-32 text: write it as UTF-8", content("\xff\xfe" + inUTF16("[]"))},
		{"latin.csv", ":2: name \"Caf\\xe9\": must be valid UTF-8", content(named + "a,Caf\xe9\n")},
		{"surrogate.csv", "must be valid UTF-8", content(named + "a,\xed\xa0\x80\n")},
		{"surrogate.json", "must be valid UTF-8: a \\u escape names half a character", content(`[{"UID":"a","name":"\ud800"}]`)},
		{"surrogate.ndjson", "must be valid UTF-8: a \\u escape names half a character", content(`{"UID":"a","name":"\udf7a"}`)},
		{"nul.csv", "must not hold a control character, has U+0000", content(named + "a\x00,A\n")},
		{"nul.json", "must not hold a control character, has U+0000", content(`[{"UID":"a","name":"\u0000"}]`)},

		{"deep.json", "must be valid JSON: exceeded max depth", content(inJSON + `"x":` + nested(10_001) + "}]")},
		{"deep.ndjson", "must be one JSON object on one line", content(`{"UID":"a","name":"A","x":` + nested(10_001) + "}")},
		{"deeper.json", "ok: 1 pubs", content(inJSON + `"x":` + nested(1001) + "}]")},

		{"huge.csv", `:2: beer "1e400": must be a decimal number from 0 to 10`, content(rated + "a,A,1e400,1\n")},
		{"huge.json", `:1: beer "1e400": must be a decimal number from 0 to 10`, content(inJSON + `"beer":1e400}]`)},
		{"nan.csv", `:2: beer "NaN": must be a decimal number from 0 to 10`, content(rated + "a,A,NaN,1\n")},
		{"nan.json", ":1: must be valid JSON: invalid character 'N'", content(inJSON + `"beer":NaN}]`)},
		{"place.csv", `:2: latitude "1e400": must be a decimal number from -90 to 90`, content("UID,name,lat,lng\na,A,1e400,0\n")},
		{"count.csv", `:2: review_count "9223372036854775808": must be a whole number`, content(rated + "a,A,5,9223372036854775808\n")},
		{"count.json", `:1: review_count "1` + strings.Repeat("0", 59) + `…": must be a whole number`, content(inJSON + `"review_count":1` + strings.Repeat("0", 1<<20) + "}]")},
		{"uid.json", "ok: 1 pubs", content(`[{"UID":123456789012345678901234567890,"name":"A"}]`)},

		{"member.json", ":1: name: must be there once, under one name", content(`[{"UID":"a","name":"A","name":"B"}]`)},
		{"alias.ndjson", ":1: UID: must be there once, under one name", content(`{"UID":"a","id":"b","name":"A"}`)},
		{"unknown.json", `:1: must have the member "x" once`, content(inJSON + `"x":1,"x":1}]`)},
		{"lists.json", "has a member results after the member pubs: leave out one of them", content(`{"pubs":[],"results":[]}`)},
		{"uid.csv", `:3: UID "a": must be unique, first used on line 2`, content(named + "a,A\na,B\n")},
		{"uid.ndjson", `:2: UID "1": must be unique, first used on line 1`, content(`{"UID":1,"name":"A"}` + "\n" + `{"UID":"1","name":"B"}`)},

		{"quote.csv", ":2: name: the quote that opens here is not closed before line", content(named + "a,\"A\nb,B\n")},
		{"bare.csv", ":2: byte 4: a quote in a field without quotes around it", content(named + "a,A\"B\n")},
		{"quote.json", ":1: ends too early, within the list of pubs", content(`[{"UID":"a`)},
		{"long.csv", "must be at most 1,000 bytes long, is 10485760", content(named + "a," + long + "\n")},
		{"long.json", "must be at most 1,000 bytes long, is 10485760", content(`[{"UID":"a","name":"` + long + `"}]`)},
		{"note.csv", "ok: 1 pubs", content("UID,name,note\na,A," + long + "\n")},
		{"row.csv", ":2: a row is longer than 16 MiB", content("UID,name,note\na,A," + strings.Repeat("y", 18<<20) + "\n")},

		{"columns.csv", "the first line must name a column UID (or id, pubid) and a column name", content("a,A\nb,B\n")},
		{"again.csv", ":3: must be a pub, but repeats the header: remove it", content(named + "a,A\n" + named + "b,B\n")},
		{"twice.csv", `name: must be there once, but the header has "name", "Name"`, content("UID,name,Name\na,A,B\n")},
		{"fields.csv", ":2: has 3 fields, the header has 2", content(named + "a,A,B\n")},
		{"half.csv", ":2: longitude: must be given where latitude is, or both left out", content("UID,name,lat,lng\na,A,51,\n")},
		{"lines.json", "must end after the list of pubs", content(`[{"UID":"a","name":"A"}]` + "\n[]")},

		{"one-name.csv", right, lines(named, "%d,The Red Lion\n", many)},
		{"one-point.csv", right, lines("UID,name,lat,lng\n", "%d,The Bell,51.5,-0.1\n", many)},
		{"no-name.csv", right, lines(named, "%d,!? …\n", many)},
	}
}

// others returns a row with a number of members that are no columns.
func others(count int) string {
	text := []byte(`{"UID":"a","name":"A"`)
	for i := range count {
		text = fmt.Appendf(text, `,"%x":1`, i)
	}
	return string(text) + "}\n"
}

// content writes a text.
func content(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
}

// lines writes a header and rows, in which %d is the number of the row.
func lines(header, row string, rows int) func(string) error {
	return func(path string) error {
		text := []byte(header)
		for i := range rows {
			text = fmt.Appendf(text, row, i)
		}
		return content(string(text))(path)
	}
}

// bomb writes a compressed file: a first block with one text, and many blocks of a size that repeat another.
func bomb(begin, text string, size, blocks int) func(string) error {
	return func(path string) error {
		packing := "gzip"
		if strings.HasSuffix(path, ".zst") {
			packing = "zstd"
		}
		one := pack(packing, strings.Repeat(text, size/max(len(text), 1)))
		return content(pack(packing, begin) + strings.Repeat(one, blocks))(path)
	}
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

// inUTF16 encodes ASCII text as little-endian UTF-16.
func inUTF16(text string) string { return strings.Join(strings.Split(text, ""), "\x00") + "\x00" }

// nested returns nested lists.
func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// endings are the extensions of formats that are read in different ways.
var endings = []string{".csv", ".json", ".ndjson", ".csv.gz", ".csv.zst", ".json.gz", ".ndjson.gz"}
