package feed

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"pubd/loader/disk"
	"pubd/loader/storage"
)

// At no moment can others read keys in the cache, nor the file that becomes them, whatever was there before. Between
// two looks much may happen, so the keys are cached many times.
func TestCachedKeysArePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	folder, w := t.TempDir(), newWeb(t)
	w.put("keys", []byte("secret"))
	l, err := storage.Parse(w.URL + "/keys")
	ok(t, err)
	stop, group := make(chan struct{}), sync.WaitGroup{}
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			entries, _ := os.ReadDir(folder)
			for _, entry := range entries {
				if info, err := entry.Info(); err == nil && info.Mode().Perm() != 0o600 && info.Size() > 0 {
					t.Errorf("%s: mode %v", entry.Name(), info.Mode())
					return
				}
			}
		}
	})
	for n := range 100 {
		f := NewFile(File[string]{What: fmt.Sprint("keys", n%50), Location: l, Cache: folder, MaxSize: 100, Patience: time.Minute, Log: zerolog.Nop(),
			Parse: func(_ string, content []byte) (string, error) { return string(content), nil }}).(*file[string])
		_, err := f.Open(t.Context(), Item{}, State[string]{}, Request{})
		ok(t, err)
		ok(t, os.Remove(f.place))
	}
	close(stop)
	group.Wait()
	place := filepath.Join(folder, "keys")
	ok(t, os.WriteFile(place, nil, 0o666))
	ok(t, cache{folder: folder, disk: &disk.Disk{Limit: time.Minute}}.keep(place, []byte("secret"), 0o600))
	if info, err := os.Stat(place); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("in place of a file that all can read: got %v, %v", info.Mode(), err)
	}
}
