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

// A feed of a small file announces each version of it. A failure changes nothing.
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
	source := feed.NewFile(feed.File[string]{Location: storage.Local(place), Patience: time.Minute, Log: zerolog.Nop(),
		Load: func(_ context.Context, path string) (string, error) {
			content, err := os.ReadFile(path)
			if err == nil && len(content) == 0 {
				err = fmt.Errorf("%s: is empty", filepath.Base(path))
			}
			return string(content), err
		},
		Message: func(line *feed.Line, motto string) string { return "motto loaded" }})
	states := make(chan feed.State[string], 100)
	f := feed.New(source, func(s feed.State[string]) { states <- s }, feed.Options{What: "motto", Log: zerolog.Nop()})

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	loaded := func(count uint64) feed.State[string] {
		for s := range states {
			if s.Succeeded+s.Failed == count {
				return s
			}
		}
		panic("not reached")
	}
	write("cheers")
	first := make(chan error, 1)
	go f.Run(ctx, first)
	fmt.Println(<-first, loaded(1).Serve.Value)
	for i, text := range []string{"", "bottoms up"} {
		write(text)
		f.Request(feed.Request{})
		s := loaded(uint64(i + 2))
		fmt.Println(s.Serve.Value, s.Error)
	}
	// Output:
	// <nil> cheers
	// cheers motto: is empty
	// bottoms up <nil>
}
