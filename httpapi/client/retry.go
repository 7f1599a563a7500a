package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"time"
)

// firstBackoff is the approximate first wait if the server names none; it doubles with each retry.
const firstBackoff = 100 * time.Millisecond

// retry tries until it succeeds, as often and as long as the options allow since it last progressed.
func (c *Client) retry(ctx context.Context, try func() (progressed bool, err error)) error {
	fresh := retries{tries: c.tries, wait: c.wait, backoff: firstBackoff}
	for r := fresh; ; {
		progressed, err := try()
		if err == nil {
			return nil
		}
		if progressed {
			r = fresh
		}
		wait, again := r.after(err)
		if !again {
			return err
		}
		if ended := sleep(ctx, wait); ended != nil {
			return fmt.Errorf("%w; waited to retry after %w", ended, err)
		}
	}
}

// A retries counts what is left of the tries and the waiting time of a request.
type retries struct {
	tries       int
	wait        time.Duration
	backoff     time.Duration
	reconnected bool
}

// after reports whether to retry after a failure, and how long to wait first.
func (r *retries) after(err error) (wait time.Duration, again bool) {
	if r.tries--; r.tries <= 0 {
		return 0, false
	}
	if refused := (*Error)(nil); errors.As(err, &refused) {
		if refused.Status != http.StatusTooManyRequests && refused.Status != http.StatusServiceUnavailable {
			return 0, false
		}
		if wait = refused.RetryAfter; wait == 0 {
			wait = r.backoff/2 + rand.N(r.backoff) // spread clients that were rejected at the same time
			r.backoff *= 2
		}
		r.wait -= wait
		return wait, r.wait >= 0
	}
	if _, wasCutOff := errors.AsType[*brokenError](err); wasCutOff {
		return 0, true
	}
	again = isBroken(err) && !r.reconnected
	r.reconnected = true
	return 0, again
}

// isBroken reports whether a connection broke before the response began.
func isBroken(err error) bool {
	causes := []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE}
	return errors.As(err, new(*url.Error)) && slices.ContainsFunc(causes, func(cause error) bool { return errors.Is(err, cause) })
}

// sleep waits, or returns the error of the context if that ends first.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
