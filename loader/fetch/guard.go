package fetch

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pubd/loader"
	"pubd/loader/disk"
	"pubd/loader/fetch/worker"
	"pubd/loader/storage"
)

// A Guard gives up what hangs on a disk, and remembers it: until that returns, nothing else is done, or, if it was the
// disk of the cache, what is done is done without the cache. It is safe for concurrent use.
type Guard struct {
	Patience time.Duration // how long no progress may be made
	Cache    string        // the folder of the cache; empty if there is none
	Log      Log

	mu   sync.Mutex
	late []*disk.Clock // of what was given up and may still hang
}

// isCache reports whether an error is that of the cache, which does not answer or cannot be written to.
func (g *Guard) isCache(err error) bool {
	late, file := new(disk.Late), new(fs.PathError)
	isIn := func(path string) bool { return strings.HasPrefix(path+"/", filepath.Clean(g.Cache)+"/") }
	switch {
	case g.Cache == "":
		return false
	case errors.As(err, &late):
		return isIn(late.Path)
	case errors.As(err, &file):
		return isIn(file.Path)
	}
	return errors.Is(err, worker.ErrUnwritable) || errors.Is(err, worker.ErrNoRoom)
}

// hung returns whether the cache hangs, and the error of another place that does.
func (g *Guard) hung() (isCache bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.late = slices.DeleteFunc(g.late, func(c *disk.Clock) bool { return c.Hung() == nil })
	for _, clock := range g.late {
		switch late := clock.Hung(); {
		case g.isCache(late):
			isCache = true
		case late != nil:
			err = late
		}
	}
	return isCache, err
}

// Within does something with a source of a name on a clock, and with the cache unless that hangs. What makes no progress
// is the error storage.Unreachable, and a panic is an error, too.
func Within[T any](ctx context.Context, g *Guard, name string,
	do func(ctx context.Context, clock *disk.Clock, cached bool) (T, error)) (value T, err error) {
	isHung, err := g.hung()
	for cached := !isHung; err == nil; cached = false {
		clock := &disk.Clock{Limit: g.Patience}
		value, err = disk.Do(ctx, clock, loader.Visible(name), func(ctx context.Context) (value T, err error) {
			err = Recovered(func() error {
				value, err = do(ctx, clock, cached)
				return err
			})
			return value, err
		})
		g.mu.Lock()
		g.late = append(g.late, clock)
		g.mu.Unlock()
		if !cached || !g.isCache(err) {
			break
		}
		g.Log.Warn().Err(err).Msg("cannot use the cache")
		err = nil // once more, without it
	}
	if late := new(disk.Late); errors.As(err, &late) {
		err = &storage.Unreachable{Location: storage.Local(late.Path), Err: late.Reason}
	}
	return value, err
}
