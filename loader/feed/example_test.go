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

// A poller of a small file announces each version of it. A failure changes nothing.
func Example() {
	dir, err := os.MkdirTemp("", "feed")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	place := filepath.Join(dir, "motto")
	write := func(text string) {
		if err := os.WriteFile(place, []byte(text), 0o600); err != nil {
			fmt.Println(err)
		}
	}
	ended := make(chan string)
	p := feed.NewPoller(feed.PollerOptions[string]{What: "motto", Location: storage.Local(place), Patience: time.Minute, Log: zerolog.Nop(),
		Load: func(_ context.Context, path string) (string, error) {
			content, err := os.ReadFile(path)
			if err == nil && len(content) == 0 {
				err = fmt.Errorf("%s: is empty", filepath.Base(path))
			}
			return string(content), err
		},
		Announce: func(motto string, l feed.Loads) {
			if l.Since.IsZero() {
				ended <- fmt.Sprint(motto, " ", l.Error)
			}
		},
		Loaded: func(string) {}})

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	write("cheers")
	go p.Run(ctx, make(chan error, 1))
	fmt.Println(<-ended)
	for _, text := range []string{"", "bottoms up"} {
		write(text)
		p.Request()
		fmt.Println(<-ended)
	}
	// Output:
	// cheers <nil>
	// cheers motto: is empty
	// bottoms up <nil>
}
