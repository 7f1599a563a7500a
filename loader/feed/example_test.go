package feed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"pubd/loader/feed"
	"pubd/loader/storage"
)

// A poller of a small file announces that it reads it, and then its content.
func Example() {
	dir, err := os.MkdirTemp("", "feed")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	place := filepath.Join(dir, "motto")
	if err := os.WriteFile(place, []byte("cheers"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	p := feed.NewPoller(feed.PollerOptions[string]{What: "motto", Location: storage.Local(place), Patience: time.Minute, Log: zerolog.Nop(),
		Load: func(_ context.Context, path string) (string, error) {
			content, err := os.ReadFile(path)
			return string(content), err
		},
		Announce: func(motto string, l feed.Loads) { fmt.Println(motto, l.Succeeded, l.Error) },
		Loaded:   func(string) {}})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	first := make(chan error)
	go p.Run(ctx, first)
	if err := <-first; err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0 <nil>
	// cheers 1 <nil>
}
