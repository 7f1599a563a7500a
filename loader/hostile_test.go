package loader

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
)

// loadWithin loads, and fails the test if that takes more than five seconds of CPU time, on which a busy machine has less influence than on elapsed
// time. The race detector makes code 5 to 10 times slower.
func loadWithin(t testing.TB, name string, content []byte, options Options) (*Result, error) {
	t.Helper()
	begin := processorTime(t)
	result, err := Load(name, content, options)
	limit := 5 * time.Second
	if raceDetector {
		limit *= 5
	}
	if took := processorTime(t) - begin; took > limit {
		t.Errorf("%s of %d bytes took %v of processor time", name, len(content), took)
	}
	if err == nil {
		checkDirectory(t, result.Directory)
	}
	return result, err
}

// processorTime returns the CPU time of this process.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// sampleTexts returns one directory in every format.
func sampleTexts(pubs int) map[string]string {
	rows := [][]string{Columns()}
	for i := range pubs {
		rows = append(rows, []string{fmt.Sprint("u", i), fmt.Sprint("Bell ", i*7919%1000), "Keld", "1 Green", "DL11 6LJ", "Yorkshire", "Old Bell;Cloch", "open", "54.1", "-2.1", "Inn",
			"7", "6.5", "", "4", "3", fmt.Sprint(float64(i%100) / 10), fmt.Sprint(i + 1)})
	}
	objects := asObjects(rows)
	return map[string]string{
		"p.csv":    asCSV(rows),
		"p.json":   "[" + strings.Join(objects, ",\n") + "]",
		"o.json":   `{"results":[` + strings.Join(objects, ",\n") + `],"count":40}`,
		"p.ndjson": strings.Join(objects, "\n") + "\n",
	}
}

// TestTruncated cuts files at every byte. Only a CSV or NDJSON file that is cut between rows, in the last field or in a line break is still valid.
func TestTruncated(t *testing.T) {
	for name, text := range sampleTexts(20) {
		for suffix, packing := range map[string]string{"": "", ".gz": "gzip", ".zst": "zstd"} {
			content := pack(t, packing, text)
			for cut := range len(content) {
				if cut > 4096 && cut < len(content)-4096 || cut%lane.Pick(7, 1) != 0 {
					continue
				}
				_, err := loadWithin(t, name+suffix, content[:cut], Options{})
				if err != nil {
					continue
				}
				lined := strings.HasSuffix(name, ".csv") || strings.HasSuffix(name, "ndjson")
				if packing != "" || !lined {
					t.Errorf("%s cut to %d of %d bytes is accepted", name+suffix, cut, len(content))
				}
			}
		}
	}
}

// TestTruncatedMembers cuts compressed files with several members. They are still valid when cut between members.
func TestTruncatedMembers(t *testing.T) {
	text := sampleTexts(40)["p.csv"]
	half := strings.Index(text[len(text)/2:], "\n") + len(text)/2 + 1
	for suffix, packing := range map[string]string{".gz": "gzip", ".zst": "zstd"} {
		first := pack(t, packing, text[:half])
		content := append(bytes.Clone(first), pack(t, packing, text[half:])...)
		result, err := loadWithin(t, "p.csv"+suffix, content, Options{})
		if err != nil || len(result.Directory.Pubs) != 40 {
			t.Errorf("two %s members: %v", packing, err)
		}
		for cut := range len(content) {
			if _, err := loadWithin(t, "p.csv"+suffix, content[:cut], Options{}); err == nil && cut != len(first) {
				t.Errorf("%s cut to %d of %d bytes, of which %d are the first member, is accepted", packing, cut, len(content), len(first))
			}
		}
		for _, garbage := range []string{"x", "xy", "xyz", "garbage", "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "\x28", "\x28\xb5\x2f", "\x1f\x8b"} {
			if _, err := loadWithin(t, "p.csv"+suffix, append(bytes.Clone(first), garbage...), Options{}); err == nil {
				t.Errorf("%s with %q at the end is accepted", packing, garbage)
			}
		}
	}
}

// TestBitFlips flips single bits: a successful load still obeys every rule, and a compressed file with a checksum never gives another text.
func TestBitFlips(t *testing.T) {
	for name, text := range sampleTexts(20) {
		for suffix, packing := range map[string]string{"": "", ".gz": "gzip", ".zst": "zstd"} {
			content := pack(t, packing, text)
			want, err := Load(name+suffix, content, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for at := range content {
				if packing == "" && at%3 != 0 || at%lane.Pick(7, 1) != 0 {
					continue
				}
				bit := byte(1) << (at % 8)
				content[at] ^= bit
				got, err := loadWithin(t, name+suffix, content, Options{})
				if err == nil && packing != "" && fmt.Sprint(got.Directory) != fmt.Sprint(want.Directory) {
					t.Errorf("%s with bit %d of byte %d turned has other pubs", name+suffix, at%8, at)
				}
				content[at] ^= bit
			}
		}
	}
}

// TestDamageAtTheEnd damages the checksum of a file with good rows.
func TestDamageAtTheEnd(t *testing.T) {
	for name, text := range sampleTexts(40) {
		for suffix, c := range map[string]struct {
			packing string
			back    int
		}{".gz": {"gzip", 8}, ".zst": {"zstd", 4}} {
			content := pack(t, c.packing, text)
			content[len(content)-c.back] ^= 1
			_, err := Load(name+suffix, content, Options{})
			want := name + suffix + ": " + c.packing + ": is damaged, the checksum differs: copy the file again"
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

// repeat is an endless text.
type repeat struct {
	text string
	at   int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		copied := copy(p[n:], r.text[r.at:])
		n += copied
		r.at = (r.at + copied) % len(r.text)
	}
	return n, nil
}

// bomb returns a gzip file with a text, followed by repetitions of another up to a size.
func bomb(t testing.TB, begin, text string, size int64) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 0, 1<<20)
	for len(block)+len(text) <= 1<<20 {
		block = append(block, text...)
	}
	io.WriteString(w, begin)
	if _, err := io.CopyN(w, &repeat{text: string(block)}, size); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestBombs loads small files that expand to a lot.
func TestBombs(t *testing.T) {
	lane.Long(t, "expands gigabytes")
	const size = 64 << 20
	for _, c := range []struct{ name, begin, text, want string }{
		{"zeros.csv.gz", "UID,name\n", "\x00", "p:2: a row is longer than 16 MiB: is a quote left open?"},
		{"zeros.json.gz", "", "\x00", "p:1: must be valid JSON: invalid character '\\x00' at start of value"},
		{"quote.csv.gz", "UID,name\na,\"", "x\n", "p:2: a row is longer than 16 MiB: is a quote left open?"},
		{"commas.csv.gz", "UID,name\n", ",", "p:2: a row has more than a million commas: is a quote left open? Otherwise remove what is not a column"},
		{"columns.csv.gz", "UID,name", ",", "p:1: a row has more than a million commas: is a quote left open? Otherwise remove what is not a column"},
		{"breaks.csv.gz", "UID,name\n", "\n", "p:2: a row is longer than 16 MiB: is a quote left open?"},
		{"breaks.ndjson.gz", "", "\n", "a row is longer than 16 MiB: each line must be one pub"},
		{"breaks.json.gz", "[", "\n", "p:1: a row is longer than 16 MiB: is a quote left open?"},
		{"end.json.gz", `[{"UID":1,"name":"A"}]`, " ", "p:1: a row is longer than 16 MiB: is a quote left open?"},
		{"string.json.gz", `{"x": "`, "y", "p:1: a row is longer than 16 MiB: is a quote left open?"},
		{"line.ndjson.gz", `{"x": "`, "y", "p:1: a row is longer than 16 MiB: each line must be one pub"},
		{"deep.json.gz", "", "[", "p:1: must be valid JSON: exceeded max depth"},
		{"deep.ndjson.gz", `{"x":`, "[", "p:1: a row is longer than 16 MiB: each line must be one pub"},
		{"ratio.csv.gz", "UID,name,note\na,A," + strings.Repeat("y", 15<<20) + "\n", "b,B," + strings.Repeat("y", 1<<19) + "\n", "p: expands to more than 4 GiB, or to 50 times its size, which no snapshot needs: compress it again, or less"},
		{"rows.csv.gz", "UID,name\n", ",\n", "p: reading stopped after 1000000 wrong rows"},
		{"same.csv.gz", "UID,name\n", "a,A\n", "p: reading stopped after 1000000 wrong rows"},
		{"rows.json.gz", "[{}", ",{}", "p: reading stopped after 1000000 wrong rows"},
		{"rows.ndjson.gz", "", "{}\n", "p: reading stopped after 1000000 wrong rows"},
	} {
		content := bomb(t, c.begin, c.text, size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := loadWithin(t, c.name, content, Options{MaxBadRows: 5})
		runtime.ReadMemStats(&after)
		want := strings.Replace(c.want, "p:", c.name+":", 1)
		if err == nil || !strings.HasSuffix(err.Error(), want) || len(err.Error()) > 4000 {
			t.Errorf("%s: got %.4000v, want %s", c.name, err, want)
		}
		if grown := int64(after.Sys) - int64(before.Sys); grown > 512<<20 {
			t.Errorf("%s: took %d MiB more from the system", c.name, grown>>20)
		}
	}
}

func TestExpandedLimit(t *testing.T) {
	read := func(limit int64) (int64, error) {
		s := newSource(bytes.NewReader(bytes.Repeat([]byte("x"), 100)), "", Options{})
		s.expanded.most = limit
		return io.Copy(io.Discard, s.Reader)
	}
	if n, err := read(100); n != 100 || err != nil {
		t.Errorf("at the limit: %d bytes, %v", n, err)
	}
	if n, err := read(99); n != 99 || !errors.Is(err, errExpanded) {
		t.Errorf("above the limit: %d bytes, %v", n, err)
	}
}

func TestHostileTexts(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	wide := strings.Repeat("c,", 1<<20)
	for _, c := range []struct{ name, content, want string }{
		{"long.csv", "UID,name\na," + long + "\n", `long.csv:2: name "` + long[:60] + `…": must be at most 1,000 bytes long, is 10485760`},
		{"long.json", `[{"UID":"a","name":"` + long + `"}]`, `long.json:1: name "` + long[:60] + `…": must be at most 1,000 bytes long, is 10485760`},
		{"long.ndjson", `{"UID":"a","name":"` + long + `"}`, `long.ndjson:1: name "` + long[:60] + `…": must be at most 1,000 bytes long, is 10485760`},
		{"number.json", `[{"UID":"a","name":"A","beer":1` + strings.Repeat("0", 10<<20) + `}]`, `number.json:1: beer "1` + strings.Repeat("0", 59) + `…": must be a decimal number from 0 to 10`},
		{"digits.csv", "UID,name,review_count\na,A," + strings.Repeat("9", 10<<20) + "\n", `digits.csv:2: review_count "` + strings.Repeat("9", 60) + `…": must be a whole number, 0 or more`},
		{"note.csv", "UID,name,note\na,A," + long + "\n", ""},
		{"note.json", `[{"UID":"a","name":"A","note":"` + long + `"}]`, ""},
		{"wide.csv", wide + "UID,name\n" + wide + "a,A\n", ""},
		{"narrow.csv", wide + "UID,name\n" + strings.Repeat("a,A\n", 1000), ""},
		{"deep.json", `[{"UID":"a","name":"A","note":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + "}]", ""},
		{"deeper.json", `[{"UID":"a","name":"A","note":` + strings.Repeat(`{"x":`, 10001) + "1" + strings.Repeat("}", 10001) + "}]", "deeper.json:1: must be valid JSON: exceeded max depth"},
		{"zero.csv", "UID,name,beer\na,A,-0\nb,B,-0.0e5\nc,C,1e-999\n", ""},
		{"nul.csv", "UID,name\na\x00,A\n", `nul.csv:2: UID "a\x00": must not hold a control character, has U+0000`},
		{"nul.csv", "\x00\x00\x00\x00", `nul.csv:1: the first line must name a column UID (or id, pubid) and a column name, separated by commas from the others; it has "\x00\x00\x00\x00"`},
	} {
		_, err := loadWithin(t, c.name, []byte(c.content), Options{})
		switch {
		case c.name == "narrow.csv":
			if err == nil || !strings.HasSuffix(err.Error(), "… and 980 more wrong rows (1000 in all)") {
				t.Errorf("%s: %.500v", c.name, err)
			}
		case c.want == "" && err != nil:
			t.Errorf("%s: %.500v", c.name, err)
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%s\n got %.500v\nwant %s", c.name, err, c.want)
		}
	}
}

// TestManyMembers loads rows with many unknown members, in one row and in each.
func TestManyMembers(t *testing.T) {
	lane.Long(t, "reads four million members")
	var row strings.Builder
	row.WriteString(`{"UID":"a","name":"A"`)
	for i := range 500_000 {
		fmt.Fprintf(&row, `,"m%d":%d`, i, i)
	}
	row.WriteString("}\n")
	for i := range 50_000 {
		fmt.Fprintf(&row, `{"UID":%d,"name":"A","x":1}`+"\n", i)
	}
	result, err := loadWithin(t, "p.ndjson", []byte(row.String()), Options{})
	if err != nil || len(result.Directory.Pubs) != 50_001 {
		t.Errorf("%.500v", err)
	}
	many := strings.SplitAfter(row.String(), "\n")[0]
	_, err = loadWithin(t, "p.ndjson", []byte(strings.Repeat(many, 4)), Options{})
	if err == nil || !strings.Contains(err.Error(), "p.ndjson:4: "+othersRule) {
		t.Errorf("four such rows: got %.500v, want %s", err, othersRule)
	}
}

func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipe here: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := LoadFile(path, Options{})
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || err.Error() != path+": is a named pipe: a snapshot must be a regular file" {
			t.Errorf("got %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("waits for a writer")
	}
}
