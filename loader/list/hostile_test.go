package list

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A named pipe that nobody writes to is refused, and not waited for.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := OpenFile(t.Context(), path, Options{}); err == nil || !strings.Contains(err.Error(), "a named pipe") {
		t.Errorf("got %v", err)
	}
}

// Every form stops in the middle of a reading once its context ends.
func TestStops(t *testing.T) {
	for _, text := range []string{
		"id,name\n1,Bell\n2,Bear\n", "fsa_id,name\n1,Bell\n2,Bear\n", `[{"id":1},{"id":2}]`, "{\"id\":1}\n{\"id\":2}\n",
		`{"osm3s":{},"elements":[{"type":"node","id":1,"lat":1,"lon":1,"tags":{"a":"b"}},{"type":"node","id":2,"lat":1,"lon":1,"tags":{"a":"b"}}]}`,
		`{"type":"FeatureCollection","features":[{"id":1},{"id":2}]}`, "<kml><Placemark><name>a</name></Placemark><Placemark/></kml>", string(workbook(t)),
	} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		l, err := Open(ctx, "in", []byte(text), Options{Known: known})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		err = l.Read(func(Row) bool {
			rows++
			stop()
			return true
		})
		if rows != 1 || err == nil || err.Error() != "in: context canceled" {
			t.Errorf("%s: got %d rows, %v", l.Form, rows, err)
		}
		if l.Form == CSV || l.Form == OpenPubs || l.Form == XLSX { // whose opening reads little
			continue
		}
		if _, err := Open(ctx, "in", []byte(text), Options{}); err == nil || err.Error() != "in: context canceled" {
			t.Errorf("%s: opened with %v", l.Form, err)
		}
	}
}
