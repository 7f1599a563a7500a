package merge

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/schema"
	"pubd/loader"
)

// snapshotOf returns the snapshot that a CSV text has.
func snapshotOf(t *testing.T, text string) Snapshot {
	records := testkit.Must(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
	return Snapshot{records[0], records[1:]}
}

// A snapshot is written and compressed as its name says. In JSON, it loads like in CSV, and numbers are numbers.
func TestWrite(t *testing.T) {
	folder := t.TempDir()
	snapshot := "UID,name,address,latitude,longitude,beer,review_count,beds\n007,\"B \"\"7\"\" \\ Ü\",\"1 Row, Diss\",51.50,.5,7.,4.0,0441\n8,Null,,,,,,\n"
	options := loader.Options{Extra: []schema.ExtraColumn{"beds"}}
	want := testkit.Must(loader.Load("out.csv", []byte(snapshot), options))(t)
	for name, begins := range map[string]string{
		"a.json":       "[\n" + `{"UID": "007", "name": "B \"7\" \\ Ü", "address": "1 Row, Diss", "latitude": 51.50, "longitude": 0.5, "beer": 7, "review_count": 4.0, "beds": "0441"},` + "\n",
		"b.ndjson":     `{"UID": "007", "name": "B \"7\" \\ Ü", "address": "1 Row, Diss", "latitude": 51.50, "longitude": 0.5, "beer": 7, "review_count": 4.0, "beds": "0441"}` + "\n" + `{"UID": "8", "name": "Null", "address": null`,
		"c.jsonl.gz":   "\x1f\x8b",
		"d.json.zst":   "\x28\xb5\x2f\xfd",
		"e.NDJSON.ZST": "\x28\xb5\x2f\xfd",
		"f.csv":        "UID,name,address,",
		"g.csv.gz":     "\x1f\x8b",
		"h.CSV.ZST":    "\x28\xb5\x2f\xfd",
	} {
		path := filepath.Join(folder, name)
		testkit.OK(t, Write(path, snapshotOf(t, snapshot)))
		content, err := loader.ReadFile(path)
		testkit.FailIf(t, err != nil || !strings.HasPrefix(string(content), begins),
			"%s: %v, got %.300q, want %s", name, err, content, begins)
		got, err := loader.LoadFile(path, options)
		testkit.FailIf(t, err != nil || fmt.Sprintf("%+v", got.Directory) != fmt.Sprintf("%+v", want.Directory),
			"%s: %v, got %+v, want %+v", name, err, got, want)
	}
}

// Only files of a killed writer are removed by the next one.
func TestWriteLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "[out].csv.gz")
	put := func(name string) *os.File {
		file := testkit.Must(os.Create(filepath.Join(folder, name)))(t)
		t.Cleanup(func() { file.Close() })
		return file
	}
	put(".[out].csv.gz.1234")
	put(".[out].csv.gz.mine")
	put(".o.csv.gz.1")
	busy := put(".[out].csv.gz.99")
	if err := syscall.Flock(int(busy.Fd()), syscall.LOCK_EX); err != nil {
		t.Skipf("no locks here: %v", err)
	}
	testkit.OK(t, Write(path, snapshotOf(t, "UID,name\n")))
	want := []string{".[out].csv.gz.99", ".[out].csv.gz.mine", ".o.csv.gz.1", "[out].csv.gz"}
	if got := testkit.Names(t, folder); !slices.Equal(got, want) {
		t.Errorf("after a write: got %q, want %q", got, want)
	}
}

// A replaced snapshot keeps its mode and owner, and a link to it stays a link.
func TestWriteKeepsLinkModeAndOwner(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "1.csv"), filepath.Join(folder, "pubs.csv")
	owner := os.Geteuid()
	if owner == 0 {
		owner = 65532
	}
	testkit.OK(t, errors.Join(os.WriteFile(file, []byte("old"), 0o640), os.Chown(file, owner, -1), os.Chmod(file, 0o640),
		os.Symlink("1.csv", link)))
	testkit.OK(t, Write(link, snapshotOf(t, "new\n")))
	content, _ := os.ReadFile(file)
	info, err := os.Stat(file)
	target, _ := os.Readlink(link)
	if err != nil || string(content) != "new\n" || info.Mode() != 0o640 || int(info.Sys().(*syscall.Stat_t).Uid) != owner || target != "1.csv" {
		t.Errorf("got %q of mode %v and owner %d, by the link to %q, want new, 0640 and %d, by that to 1.csv",
			content, info.Mode(), info.Sys().(*syscall.Stat_t).Uid, target, owner)
	}
}
