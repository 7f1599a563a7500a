package feed

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"pubd/bench/testkit"
	"pubd/loader/storage"
)

// newKeys returns a poller of keys, whose value is their file.
func newKeys(l storage.Location, folder, what string) *Poller[string] {
	parse := func(_ string, content []byte) (string, error) {
		switch string(content) {
		case "":
			return "", errors.New("is empty")
		case "!":
			panic("a file that nobody expected")
		}
		return string(content), nil
	}
	return NewPoller(PollerOptions[string]{What: what, Location: l, Cache: folder, MaxSize: 100, Patience: time.Minute, Log: zerolog.Nop(), Parse: parse,
		Load: func(_ context.Context, path string) (string, error) {
			content, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			return parse(path, content)
		}})
}

// What a poller has after each change of its source, at a refresh and on request. A file that is lost or wrong changes
// nothing but the loads; a start needs the file or, if its storage does not answer, what an earlier process cached.
func TestPoller(t *testing.T) {
	for _, isRemote := range []bool{true, false} {
		w, folder := newWeb(t), t.TempDir()
		place := filepath.Join(t.TempDir(), "keys")
		location := storage.Local(place)
		if isRemote {
			l := testkit.Must(storage.Parse(w.URL + "/keys"))(t)
			location = l
		}
		is := ""
		put := func(content string) {
			switch {
			case content == is:
			case content == "-":
				w.put("keys", nil)
				testkit.OK(t, os.RemoveAll(place))
			default:
				w.put("keys", []byte(content))
				testkit.OK(t, os.WriteFile(place+".new", []byte(content), 0o600))
				testkit.OK(t, os.Rename(place+".new", place))
			}
			is = content
		}
		var p *Poller[string]
		start := func() (entry[string], Loads, error) {
			p = newKeys(location, folder, "keys")
			every := time.Hour
			p.Refresh = &every
			p.Announce, p.Loaded = func(string, Loads) {}, func(string) {}
			return p.poll(t.Context(), entry[string]{}, Loads{}, true)
		}
		put("-")
		_, _, err := start()
		testkit.FailIf(t, err == nil, "a start without a file: got no error")
		put("a")
		e, l, err := start()
		testkit.OK(t, err)
		for _, c := range []struct {
			content           string // "-" for none; empty if it is wrong; "!" if parsing it panics
			requested         bool
			want              string
			succeeded, failed uint64
			isWrong, isLost   bool
		}{
			{"a", false, "a", 1, 0, false, false},
			{"a", true, "a", 2, 0, false, false},
			{"b", false, "b", 3, 0, false, false},
			{"", false, "b", 3, 1, true, false},
			{"", false, "b", 3, 1, true, false},
			{"", true, "b", 3, 2, true, false},
			{"!", true, "b", 3, 3, true, false},
			{"b", false, "b", 4, 3, false, false},
			{"-", false, "b", 4, 3, false, true},
			{"c", false, "c", 5, 3, false, false},
			{"-", true, "c", 5, 4, true, isRemote},
		} {
			put(c.content)
			e, l, err = p.poll(t.Context(), e, l, c.requested)
			testkit.FailIf(t,
				e.value != c.want || l.Succeeded != c.succeeded || l.Failed != c.failed || (l.Error != nil) != c.isWrong || (l.Unreachable != nil) != c.isLost || err != nil,
				"remote %v, %+v: got %q, %+v, %v", isRemote, c, e.value, l, err)
		}
		e, l, err = start()
		if wantErr := !isRemote; (err != nil) != wantErr || !wantErr && (e.value != "c" || l.Error != nil || l.Unreachable == nil) {
			t.Errorf("remote %v, a start from the cache: got %q, %+v, %v", isRemote, e.value, l, err)
		}
		put("")
		e, _, err = start()
		testkit.FailIf(t, err == nil, "remote %v, a start with a wrong file: got %q", isRemote, e.value)
		w.Config.Handler = http.NotFoundHandler()
		e, _, err = start()
		testkit.FailIf(t, err == nil, "remote %v, a start without a file, which the cache has: got %q", isRemote, e.value)
	}
}
