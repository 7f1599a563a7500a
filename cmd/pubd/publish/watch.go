package publish

import (
	"context"
	"fmt"
	"io"
	"time"

	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/lists/postgres"
)

const (
	minWatchRetry = time.Second
	maxWatchRetry = time.Minute
)

// watch calls publish at the start and after notifications on a channel, at most once per interval, until the context
// ends. A change during publish, or while disconnected, is published afterwards. An error of the first call ends
// watch; later ones are printed, and it tries again.
func watch(ctx context.Context, say io.Writer, dsn, channel string, atMostEvery time.Duration, publish func() error) error {
	retry, first := minWatchRetry, true
	for {
		err := watchOnce(ctx, dsn, channel, atMostEvery, func() error {
			err := publish()
			if err == nil {
				retry, first = minWatchRetry, false
			}
			return err
		})
		switch {
		case ctx.Err() != nil:
			return nil
		case first:
			return err
		}
		fmt.Fprintf(say, "pubd: %s; trying again in %v\n", cli.Visible(err), retry)
		if !sleep(ctx, retry) {
			return nil
		}
		retry = min(2*retry, maxWatchRetry)
	}
}

// watchOnce listens until something fails.
func watchOnce(ctx context.Context, dsn, channel string, atMostEvery time.Duration, publish func() error) error {
	listener, err := postgres.Listen(ctx, dsn, channel)
	if err != nil {
		return err
	}
	defer listener.Close()
	for {
		begun := time.Now()
		if err := publish(); err != nil {
			return err
		}
		if err := listener.Wait(ctx); err != nil {
			return err
		}
		if !sleep(ctx, time.Until(begun.Add(atMostEvery))) {
			return ctx.Err()
		}
	}
}

// sleep waits, and returns false if the context ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
