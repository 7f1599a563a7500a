package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os/exec"
	"strings"
	"time"

	"pubd/bench/stage"
)

// timingRows are about what the time of an answer tells.
var timingRows = []row{
	{"K2", "unknown, revoked, expired and malformed keys, one connection, in random order, no sample left out",
		"all refused alike, and Welch's |t| < 4.5 between any two", true, compareRefusals},
}

// tooDifferent is the |t| from which two kinds of keys do not take the same time.
const tooDifferent = 4.5

// A refusal is a request that is refused, and what is known of the times that it took, in nanoseconds.
type refusal struct {
	kind, key string
	request   []byte
	count     float64
	mean      float64
	squares   float64 // of the differences from the mean
}

// add is Welford's step.
func (f *refusal) add(took time.Duration) {
	f.count++
	difference := float64(took) - f.mean
	f.mean += difference / f.count
	f.squares += difference * (float64(took) - f.mean)
}

// error2 is the square of the mean's standard error.
func (f *refusal) error2() float64 { return f.squares / (f.count - 1) / f.count }

// welch is Welch's t of two kinds.
func welch(a, b *refusal) float64 { return (a.mean - b.mean) / math.Sqrt(a.error2()+b.error2()) }

// compareRefusals times requests that are equally long from their writing to the end of their answers.
func compareRefusals(ctx context.Context, b *bed) (outcome, error) {
	file := b.path("k2.keys")
	refusals, err := b.makeRefusals(ctx, file)
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serve(ctx, "k2", b.editions[0], "--keys", file, "--access-log", "off")
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	n := b.times(100_000, 2_000)
	unlike, err := timeRefusals(ctx, r.api, refusals, n)
	if err != nil {
		return outcome{}, err
	}
	worst, pair, smallest := 0.0, "", 0.0
	for i := range refusals {
		for j := range i {
			if t := welch(&refusals[i], &refusals[j]); math.Abs(t) >= math.Abs(worst) {
				worst, pair = t, refusals[i].kind+" and "+refusals[j].kind
			}
			smallest = max(smallest, tooDifferent*math.Sqrt(refusals[i].error2()+refusals[j].error2()))
		}
	}
	return outcome{
		n: fmt.Sprintf("%s samples of each of %d keys", grouped(n), len(refusals)),
		figure: fmt.Sprintf("largest |t| %.2f, of %s; a difference of %.0f ns in %.0f ns would have been found; %d answers differ",
			math.Abs(worst), pair, smallest, refusals[0].mean, unlike),
		passed: math.Abs(worst) < tooDifferent && unlike == 0,
	}, nil
}

// makeRefusals makes a key file, and requests with keys that are not good.
func (b *bed) makeRefusals(ctx context.Context, file string) ([]refusal, error) {
	keys := func(arguments ...string) (string, error) {
		said, err := stage.Output(exec.CommandContext(ctx, b.program, append([]string{"keys"}, arguments...)...))
		return strings.TrimSpace(said), err
	}
	add := func(name string, more ...string) (string, error) {
		return keys(append([]string{"add", "--file", file, "--name", name}, more...)...)
	}
	expires := time.Now().Add(2 * time.Second).Truncate(time.Second)
	unknown, err0 := keys("add", "--file", file+".other", "--name", "unknown")
	_, err1 := add("good")
	revoked, err2 := add("revoked")
	_, err3 := keys("revoke", "--file", file, "--name", "revoked")
	expired, err4 := add("expired", "--expires", expires.Format(time.RFC3339))
	if err := errors.Join(err0, err1, err2, err3, err4); err != nil {
		return nil, err
	}
	select {
	case <-time.After(time.Until(expires)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	refusals := []refusal{
		{kind: "unknown", key: unknown},
		{kind: "revoked", key: revoked},
		{kind: "expired", key: expired},
		{kind: "malformed", key: strings.Repeat("!", len(unknown))},
		{kind: "one character", key: "x"},
	}
	for i := range refusals {
		f := &refusals[i]
		f.request = fmt.Appendf(nil, "GET %s?pubid=x HTTP/1.1\r\nHost: localhost\r\nx-api-key: %s\r\nx-filler: %s\r\n\r\n",
			resource, f.key, strings.Repeat("f", 1+len(unknown)-len(f.key)))
	}
	return refusals, nil
}

// timeRefusals sends every request n times and gives how many answers are not like the first but for their date.
func timeRefusals(ctx context.Context, address string, refusals []refusal, n int) (unlike int, err error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	first, err := firstRefusal(c, refusals[0].request)
	if err != nil {
		return 0, err
	}
	order := make([]int, 0, n*len(refusals))
	for i := range cap(order) {
		order = append(order, i%len(refusals))
	}
	rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	_ = c.SetDeadline(time.Now().Add(10 * time.Minute))
	answer := make([]byte, len(first))
	for _, which := range order {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		begun := time.Now()
		if _, err := c.Write(refusals[which].request); err != nil {
			return 0, err
		}
		if _, err := io.ReadFull(c, answer); err != nil {
			return 0, fmt.Errorf("%s key: %w", refusals[which].kind, err)
		}
		refusals[which].add(time.Since(begun))
		if !bytes.Equal(withoutDate(answer), first) {
			unlike++
		}
	}
	return unlike, nil
}

// firstRefusal gives an answer without its date; its length is that of those that follow.
func firstRefusal(c net.Conn, request []byte) ([]byte, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	_ = c.SetReadDeadline(time.Now().Add(patience))
	var answer []byte
	for part := make([]byte, 4096); !bytes.HasSuffix(answer, []byte("}")); {
		n, err := c.Read(part)
		if err != nil {
			return nil, err
		}
		answer = append(answer, part[:n]...)
	}
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 403 ")) {
		return nil, fmt.Errorf("a key that is not good: got %.200q, want 403", answer)
	}
	return withoutDate(answer), nil
}

// withoutDate blanks the date of an answer, in place.
func withoutDate(answer []byte) []byte {
	if _, rest, found := bytes.Cut(answer, []byte("\r\nDate: ")); found {
		for i := range bytes.IndexByte(rest, '\r') {
			rest[i] = '-'
		}
	}
	return answer
}
