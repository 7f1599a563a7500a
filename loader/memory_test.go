package loader

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"pubd/data"
	"pubd/data/lane"
	"pubd/index"
)

// kinds returns directories whose pubs take little or much memory.
func kinds(t testing.TB) map[string]string {
	var madeUp bytes.Buffer
	if err := data.Generate(&madeUp, 5000, 1, nil); err != nil {
		t.Fatal(err)
	}
	rows := func(header string, count int, row func(i int) string) string {
		var b strings.Builder
		b.WriteString(header + "\n")
		for i := range count {
			b.WriteString(row(i) + "\n")
		}
		return b.String()
	}
	words := func(i, count int) string {
		var b strings.Builder
		for word := range count {
			fmt.Fprintf(&b, "%x ", (i*count+word)*7919%46656)
		}
		return b.String()
	}
	r := rand.New(rand.NewPCG(1, 2))
	random := func(count, letters, of int) string { // count words of a length, drawn from a number of different ones
		var b strings.Builder
		for range count {
			one := rand.New(rand.NewPCG(uint64(r.IntN(of)), uint64(letters)))
			for range letters {
				b.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789"[one.IntN(36)])
			}
			b.WriteByte(' ')
		}
		return strings.TrimSpace(b.String())
	}
	const any = math.MaxInt
	return map[string]string{
		"random, 2 letters":   rows("UID,name", 2000, func(i int) string { return fmt.Sprintf("%d,%s", i, random(300, 2, any)) }),
		"random, 4 letters":   rows("UID,name", 2000, func(i int) string { return fmt.Sprintf("%d,%s", i, random(200, 4, any)) }),
		"random, 20 letters":  rows("UID,name", 2000, func(i int) string { return fmt.Sprintf("%d,%s", i, random(45, 20, any)) }),
		"random, 100 letters": rows("UID,name", 2000, func(i int) string { return fmt.Sprintf("%d,%s", i, random(9, 100, any)) }),
		"random addresses":    rows("UID,name,address", 2000, func(i int) string { return fmt.Sprintf("%d,A,%s", i, random(160, 5, any)) }),
		"20 words":            rows("UID,name", 2000, func(i int) string { return fmt.Sprintf("%d,%s", i, random(45, 20, 20)) }),
		"200 words of 4":      rows("UID,name", 2000, func(i int) string { return fmt.Sprintf("%d,%s", i, random(200, 4, 200)) }),
		"30 letters":          rows("UID,name", 2000, func(i int) string { return fmt.Sprintf("%d,%s", i, random(400, 1, 30)) }),
		"long UIDs":           rows("UID,name", 5000, func(i int) string { return fmt.Sprintf("%s%d,A", strings.Repeat("u", 90), i) }),
		"made up":             madeUp.String(),
		"short":               rows("UID,name", 20_000, func(i int) string { return fmt.Sprintf("%d,A", i) }),
		"short, numbers":      rows("UID,name,lat,lng,beer,total", 20_000, func(i int) string { return fmt.Sprintf("%d,A,51.%d,-0.%d,7.5,7.5", i, i, i) }),
		"twelve words":        rows("UID,name", 5000, func(i int) string { return fmt.Sprintf("%d,%s", i, words(i, 12)) }),
		"200 words":           rows("UID,name", 1000, func(i int) string { return fmt.Sprintf("%d,%s", i, words(i, 200)) }),
		"shared texts":        rows("UID,name,location,trading,common_category", 2000, func(i int) string { return fmt.Sprintf("%d,A%s", i, strings.Repeat(","+words(1, 150), 3)) }),
		"beyond ASCII":        rows("UID,name", 1000, func(i int) string { return fmt.Sprintf("%d,%s", i, strings.Repeat(string(rune(0x4e00+i)), 300)) }),
		"ligatures":           rows("UID,name", 1000, func(i int) string { return fmt.Sprintf("%d,%s", i, strings.Repeat("\ufdfa", 300)) }),
		"punctuation":         rows("UID,name", 1000, func(i int) string { return fmt.Sprintf("%d,%s", i, strings.ReplaceAll(words(i, 200), " ", "-")) }),
		"one-letter word":     rows("UID,name", 1000, func(i int) string { return fmt.Sprintf("%d,%s", i, strings.Repeat("a b c ", 150)) }),
	}
}

// The estimate for a snapshot exceeds the memory of building it, including the file. For ordinary pubs it is less than three times as much.
func TestRoomIsEnough(t *testing.T) {
	const fixed = 16 << 20 // even for few pubs
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	for kind, text := range kinds(t) {
		if !lane.IsLong() && !slices.Contains([]string{"made up", "shared texts"}, kind) {
			continue
		}
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		stored := bytes.NewReader([]byte(text))
		source := newSource(stored, "", Options{})
		draft := newDraft("p.csv", stored, source.expanded, Options{})
		if reason := readCSV(source, draft); reason != nil {
			t.Fatal(reason)
		}
		estimated, directory := draft.reader.cost, index.Directory{Pubs: draft.pubs}
		pubs := int64(len(directory.Pubs))
		if pubs == 0 || draft.wrong.count > 0 {
			t.Fatalf("%s: %d pubs, complaints %v", kind, pubs, draft.wrong.kept)
		}
		file, err := os.Create(filepath.Join(t.TempDir(), "pubs.idx"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		most := mostLive(func() { err = index.Build(directory, file, index.BuildOptions{Workers: 1}) })
		info, statErr := file.Stat()
		if err := errors.Join(err, statErr); err != nil {
			t.Fatal(err)
		}
		took := most - int64(before.HeapAlloc) + info.Size()
		if took > estimated+fixed || kind == "made up" && 3*took < estimated {
			t.Errorf("%s: building takes %d bytes a pub, estimated %d", kind, took/pubs, estimated/pubs)
		}
	}
}

// mostLive returns the maximum number of live bytes after a garbage collection while do runs.
func mostLive(do func()) (most int64) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			metrics.Read(live)
			most = max(most, int64(live[0].Value.Uint64()))
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	}()
	do()
	close(stop)
	<-stopped
	return most
}

func TestRoomError(t *testing.T) {
	lane.Long(t, "loads 200,000 pubs ten times")
	const pubs = 200_000
	var csv, ndjson strings.Builder
	csv.WriteString("UID,name\n")
	for i := range pubs {
		fmt.Fprintf(&csv, "%d,The Bell\n", i)
		fmt.Fprintf(&ndjson, `{"UID":"%d","name":"The Bell"}`+"\n", i)
	}
	for name, content := range map[string][]byte{
		"p.csv":       []byte(csv.String()),
		"p.csv.gz":    pack(t, "gzip", csv.String()),
		"p.csv.zst":   pack(t, "zstd", csv.String()),
		"p.ndjson":    []byte(ndjson.String()),
		"p.ndjson.gz": pack(t, "gzip", ndjson.String()),
	} {
		if _, err := Load(name, content, Options{Room: 200 << 20}); err != nil {
			t.Errorf("%s, much room: %v", name, err)
		}
		read := int64(0)
		_, err := Load(name, content, Options{Room: 40 << 20, Progress: func(so, _ int64) { read = so }})
		room := new(RoomError)
		if !errors.As(err, &room) || room.File != name || room.Pubs < pubs/2 || room.Pubs > 2*pubs || room.Need < 50<<20 || room.Need > 300<<20 {
			t.Errorf("%s, little room: got %v, want a RoomError of some %d pubs", name, err, pubs)
		}
		if read > int64(len(content))/2 {
			t.Errorf("%s, little room: read %d of %d bytes", name, read, len(content))
		}
	}
	e := &RoomError{"p.csv.gz", 5_000_000, 4 << 30, 300 << 20}
	if got, want := e.Error(), "p.csv.gz: some 5000000 pubs would take about 4096 MiB of memory, and 300 MiB are free: raise the memory limit or serve fewer pubs"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReadFileWithin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 3<<20); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		room int64
		want string
	}{
		{"much room", math.MaxInt64, "<nil>"},
		{"just enough", 3 << 20, "<nil>"},
		{"too little", 3<<20 - 1, path + ": the file would take about 3 MiB of memory, and 2 MiB are free: raise the memory limit or serve fewer pubs"},
	} {
		if _, err := ReadFileWithin(path, c.room); fmt.Sprint(err) != c.want {
			t.Errorf("%s: got %v, want %s", c.what, err, c.want)
		}
	}
	if content, err := ReadFileWithin("/proc/self/maps", 100); err == nil || !errors.As(err, new(*RoomError)) {
		t.Errorf("a file that is larger than it says: got %d bytes, %v", len(content), err)
	}
}
