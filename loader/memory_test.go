package loader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pubd/data"
	"pubd/index"
)

// kinds are directories whose pubs take little memory or much.
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
	return map[string]string{
		"made up":         madeUp.String(),
		"short":           rows("UID,name", 20_000, func(i int) string { return fmt.Sprintf("%d,A", i) }),
		"short, numbers":  rows("UID,name,lat,lng,beer,total", 20_000, func(i int) string { return fmt.Sprintf("%d,A,51.%d,-0.%d,7.5,7.5", i, i, i) }),
		"twelve words":    rows("UID,name", 5000, func(i int) string { return fmt.Sprintf("%d,%s", i, words(i, 12)) }),
		"200 words":       rows("UID,name", 1000, func(i int) string { return fmt.Sprintf("%d,%s", i, words(i, 200)) }),
		"shared texts":    rows("UID,name,location,trading,common_category", 2000, func(i int) string { return fmt.Sprintf("%d,A%s", i, strings.Repeat(","+words(1, 150), 3)) }),
		"beyond ASCII":    rows("UID,name", 1000, func(i int) string { return fmt.Sprintf("%d,%s", i, strings.Repeat(string(rune(0x4e00+i)), 300)) }),
		"ligatures":       rows("UID,name", 1000, func(i int) string { return fmt.Sprintf("%d,%s", i, strings.Repeat("\ufdfa", 300)) }),
		"punctuation":     rows("UID,name", 1000, func(i int) string { return fmt.Sprintf("%d,%s", i, strings.ReplaceAll(words(i, 200), " ", "-")) }),
		"one-letter word": rows("UID,name", 1000, func(i int) string { return fmt.Sprintf("%d,%s", i, strings.Repeat("a b c ", 150)) }),
	}
}

// What a snapshot is estimated to take is more than it takes, and for ordinary pubs not twice as much as building it takes.
func TestRoomIsEnough(t *testing.T) {
	for kind, text := range kinds(t) {
		stored := bytes.NewReader([]byte(text))
		source := newSource(stored, "", Options{})
		draft := newDraft("p.csv", stored, source.expanded, Options{})
		if reason := readCSV(source, draft); reason != nil {
			t.Fatal(reason)
		}
		estimated, directory := draft.reader.cost, index.Directory{Pubs: draft.pubs}
		if len(directory.Pubs) == 0 || draft.wrong.count > 0 {
			t.Fatalf("%s: %d pubs, complaints %v", kind, len(directory.Pubs), draft.wrong.kept)
		}
		var before, after runtime.MemStats
		draft = nil
		runtime.GC()
		runtime.ReadMemStats(&before)
		snapshot, err := index.InMemory(directory, index.BuildOptions{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		took := int64(after.HeapAlloc-before.HeapAlloc) + snapshot.Size()
		most := took + snapshot.Size() // as built, and as mapped
		runtime.KeepAlive(directory)
		runtime.KeepAlive(snapshot)
		if took > estimated || kind == "made up" && 2*most < estimated {
			t.Errorf("%s: a snapshot takes %d bytes a pub beside its directory, estimated %d with it", kind, took/int64(len(directory.Pubs)), estimated/int64(len(directory.Pubs)))
		}
	}
}

func TestRoomError(t *testing.T) {
	const pubs = 100_000
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
		_, err := Load(name, content, Options{Room: 20 << 20, Progress: func(so, _ int64) { read = so }})
		room := new(RoomError)
		if !errors.As(err, &room) || room.File != name || room.Pubs < pubs/2 || room.Pubs > 2*pubs || room.Need < 50<<20 || room.Need > 300<<20 {
			t.Errorf("%s, little room: got %v, want a RoomError of about %d pubs", name, err, pubs)
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
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		what string
		ctx  context.Context
		room int64
		want string
	}{
		{"much room", t.Context(), math.MaxInt64, "<nil>"},
		{"just enough", t.Context(), 3 << 20, "<nil>"},
		{"too little", t.Context(), 3<<20 - 1, path + ": the file would take about 3 MiB of memory, and 2 MiB are free: raise the memory limit or serve fewer pubs"},
		{"called off", ended, math.MaxInt64, path + ": context canceled"},
	} {
		if _, err := ReadFileWithin(c.ctx, path, c.room); fmt.Sprint(err) != c.want {
			t.Errorf("%s: got %v, want %s", c.what, err, c.want)
		}
	}
	if content, err := ReadFileWithin(t.Context(), "/proc/self/maps", 100); err == nil || !errors.As(err, new(*RoomError)) {
		t.Errorf("a file that is larger than it says: got %d bytes, %v", len(content), err)
	}
}
