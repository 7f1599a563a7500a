package loader

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
	"pubd/index"
)

// loadWithin loads, and fails the test if that takes more than five seconds of CPU time, on which a busy machine has
// less influence than on elapsed time. The race detector makes code 5 to 10 times slower.
func loadWithin(t testing.TB, name string, content []byte, options Options) (*Result, error) {
	t.Helper()
	begin := processorTime(t)
	result, err := Load(name, content, options)
	limit := 5 * time.Second
	if raceDetector {
		limit *= 5
	}
	took := processorTime(t) - begin
	failIf(t, took > limit, "%s of %d bytes took %v of processor time", name, len(content), took)
	if err == nil {
		checkDirectory(t, result.Directory)
	}
	return result, err
}

// processorTime returns the CPU time of this process.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	ok(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// sampleTexts returns one directory in every format.
func sampleTexts(pubs int) map[string]string {
	rows := [][]string{Columns()}
	for i := range pubs {
		row := make([]string, index.ColumnCount)
		for column := range row {
			row[column] = index.Columns[column].Example
		}
		row[index.ColumnUID], row[index.ColumnName], row[index.ColumnReviewCount] = fmt.Sprint("u", i), fmt.Sprint("Bell ", i*7919%1000), fmt.Sprint(i+1)
		row[index.Fengshui.Column()], row[index.Total.Column()] = "", fmt.Sprint(float64(i%100)/10)
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
		result, err := loadWithin(t, "p.csv"+suffix, content, Options{})
		failIf(t, err != nil || len(result.Directory.Pubs) != 40, "two %s members: %v", suffix, err)
		for cut := range len(content) {
			_, err := loadWithin(t, "p.csv"+suffix, content[:cut], Options{})
			failIf(t, err == nil && cut != len(first), "%s cut to %d of %d bytes, of which %d are the first member, is accepted", suffix, cut, len(content), len(first))
		}
		for _, garbage := range []string{"x", "xy", "xyz", "garbage", "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "\x28", "\x28\xb5\x2f", "\x1f\x8b"} {
			_, err := loadWithin(t, "p.csv"+suffix, append(bytes.Clone(first), garbage...), Options{})
			failIf(t, err == nil, "%s with %q at the end is accepted", suffix, garbage)
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
			equal(t, name+suffix, outcome(err), name+suffix+": "+packing+": is damaged, the checksum differs: copy the file again")
		}
	}
}

// bomb returns a gzip file with a text, followed by repetitions of another up to a size.
func bomb(t testing.TB, begin, text string, size int) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	ok(t, err)
	_, err = io.WriteString(w, begin)
	ok(t, err)
	for block := strings.Repeat(text, max(1, 1<<20/len(text))); size > 0; size -= len(block) {
		_, err := io.WriteString(w, block)
		ok(t, err)
	}
	ok(t, w.Close())
	return packed.Bytes()
}

// TestBombs loads small files that expand to a lot.
func TestBombs(t *testing.T) {
	lane.Long(t, "expands gigabytes")
	for _, c := range cases(t, "bombs.txt") {
		begin, text, _ := strings.Cut(string(c.content), "∞")
		content := bomb(t, begin, text, 64<<20)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := loadWithin(t, c.name, content, Options{MaxBadRows: 5})
		runtime.ReadMemStats(&after)
		got := outcome(err)
		failIf(t, !strings.HasSuffix(got, c.want) || len(got) > 4000, "%s: got %.4000s, want %s", c.name, got, c.want)
		grown := int64(after.Sys) - int64(before.Sys)
		failIf(t, grown > 512<<20, "%s: took %d MiB more from the system", c.name, grown>>20)
	}
}

func TestExpandedLimit(t *testing.T) {
	for limit, want := range map[int64]error{100: nil, 99: errExpanded} {
		s := newSource(bytes.NewReader(bytes.Repeat([]byte("x"), 100)), 100, "", Options{})
		s.expanded.most = limit
		n, err := io.Copy(io.Discard, s.Reader)
		failIf(t, n != limit || !errors.Is(err, want), "limit %d: got %d bytes, %v, want %v", limit, n, err, want)
	}
}

func TestHostileTexts(t *testing.T) {
	for _, c := range cases(t, "hostile.txt") {
		_, err := loadWithin(t, c.name, c.content, Options{})
		got := outcome(err)
		if strings.HasPrefix(c.want, "…") { // the last line
			got = got[strings.LastIndex(got, "⏎")+len("⏎"):]
		}
		equal(t, c.name, got, c.want)
	}
}
