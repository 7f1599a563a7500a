package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// logRows are about a log that nobody takes.
var logRows = []row{
	{"L5", "every request is logged, and standard error is a pipe that nobody reads, or a full disk",
		"0 failed; each line is written or counted as dropped; p99 at most twice that of a log that is taken (full form)", true, logBlocked},
}

// logRate is how many requests a second are logged.
const logRate = 5000

// logBlocked has requests logged to where all is taken, to a pipe that is read only after they were answered, and to
// where nothing is.
func logBlocked(ctx context.Context, b *bed) (outcome, error) {
	taken, err := b.logTo(ctx, "l5-taken", os.DevNull, func(*replica, int) error { return nil })
	if err != nil {
		return outcome{}, err
	}
	pipe := b.path("l5.pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		return outcome{}, fmt.Errorf("make the pipe %s: %w", pipe, err)
	}
	unread, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for a writer
	if err != nil {
		return outcome{}, err
	}
	defer unread.Close()
	var written, droppedBlocked, droppedFull int
	blocked, err := b.logTo(ctx, "l5-blocked", pipe, func(r *replica, sent int) (err error) {
		if droppedBlocked, err = droppedLines(ctx, r); err == nil {
			written, err = readLog(unread, r, sent-droppedBlocked)
		}
		return err
	})
	if err != nil {
		return outcome{}, err
	}
	full, err := b.logTo(ctx, "l5-full", "/dev/full", func(r *replica, sent int) (err error) {
		for deadline := time.Now().Add(patience); err == nil && droppedFull < sent && time.Now().Before(deadline); {
			droppedFull, err = droppedLines(ctx, r)
		}
		return err
	})
	if err != nil {
		return outcome{}, err
	}
	failed := taken.failed() + blocked.failed() + full.failed()
	p99, p99Blocked, p99Full := b.own(taken).p99(), b.own(blocked).p99(), b.own(full).p99()
	sound := failed == 0 && droppedBlocked > 0 && written+droppedBlocked == blocked.sent() && droppedFull >= full.sent()
	return outcome{
		n: grouped(blocked.sent()+full.sent()) + " lines",
		figure: fmt.Sprintf("blocked: %s lines written and %s dropped of %s requests; full: %s dropped of %s; p99 %v taken, %v blocked, %v full; %d failed",
			grouped(written), grouped(droppedBlocked), grouped(blocked.sent()), grouped(droppedFull), grouped(full.sent()), p99, p99Blocked, p99Full, failed),
		passed: sound && (b.short || max(p99Blocked, p99Full) <= 2*p99),
		sound:  sound && b.short,
	}, nil
}

// logTo sends a load to a replica that logs every request to a file, and then has a look at the replica.
func (b *bed) logTo(ctx context.Context, name, file string, look func(r *replica, sent int) error) (*tally, error) {
	e, err := b.edition(ctx, b.editions[0])
	if err != nil {
		return nil, err
	}
	logging, err := b.logging(name, file)
	if err != nil {
		return nil, err
	}
	r, err := logging.serve(ctx, name, e.file, "--access-log", "all")
	if err != nil {
		return nil, err
	}
	defer r.Stop()
	t, _, err := b.untilTold(ctx, 2*time.Second, func() *tally {
		during, cancel := context.WithTimeout(ctx, patience) // a server that waits for its log would take very long
		defer cancel()
		return b.load(r, logRate, b.lasting(20*time.Second, 1200*time.Millisecond), e).sendInWindows(during)
	})
	if err != nil {
		return nil, err
	}
	return t, look(r, t.sent())
}

// readLog counts the lines of requests in a log. It ends the replica after as many as are expected, and reads on, as there
// must be no more. Fewer are counted too: it waits for the others with patience.
func readLog(log *os.File, r *replica, expected int) (written int, err error) {
	if err := log.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if !bytes.Contains(lines.Bytes(), []byte(`"message":"request"`)) {
			continue
		}
		if written++; written == expected {
			if err := r.Signal(syscall.SIGTERM); err != nil {
				return written, err
			}
		}
	}
	if err := lines.Err(); !errors.Is(err, os.ErrDeadlineExceeded) {
		return written, err
	}
	return written, nil
}

// droppedLines is how many log lines a replica says that it dropped.
func droppedLines(ctx context.Context, r *replica) (int, error) {
	const name = "pubd_log_lines_dropped_total "
	_, metrics, err := get(ctx, "http://"+r.admin+"/metrics", "")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(metrics)) {
		if value, found := strings.CutPrefix(line, name); found {
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return int(number), err
		}
	}
	return 0, fmt.Errorf("/metrics: has no %s", name)
}
