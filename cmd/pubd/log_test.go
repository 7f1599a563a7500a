package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// blocked starts a server, stops reading its standard error, and makes it log more lines than the pipe and the queue
// hold. Each request is answered.
func blocked(t *testing.T, args ...string) (p *process, log *os.File) {
	t.Helper()
	p, log = taken(t, append(args, "--access-log=all")...)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 1500 {
				if got, err := p.try(p.url("pubid=u1"), "demo"); err != nil || got.status != 200 {
					t.Errorf("pubid=u1: got %d (%v), want 200", got.status, err)
					return
				}
			}
		})
	}
	group.Wait()
	p.client.CloseIdleConnections() // the server waits for unused ones
	return p, log
}

// taken starts a server whose standard error is a pipe, which is read until the server is serving and not afterwards.
func taken(t *testing.T, args ...string) (p *process, log *os.File) {
	t.Helper()
	log, end, err := os.Pipe()
	ok(t, err)
	t.Cleanup(func() { log.Close() })
	command := pubd(anywhere(args...)...)
	command.Stderr = end
	p = start(t, command)
	end.Close()
	_ = log.SetReadDeadline(time.Now().Add(testPatience))
	lines := bufio.NewScanner(log)
	for p.api == "" && lines.Scan() {
		var line logLine
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == "serving" {
			p.api, p.admin = line.Listen, line.Admin
		}
	}
	_ = log.SetReadDeadline(time.Time{})
	stopIf(t, p.api == "", "no line \"serving\": %v", lines.Err())
	return p, log
}

// If nobody reads the log, lines are dropped and counted, and requests and reloads work as usual. The log continues
// when it is read again.
func TestLogIsBlocked(t *testing.T) {
	t.Parallel()
	file := write(t, "pubs.csv", pubs(3, "a"))
	p, log := blocked(t, "--data", file)
	failIf(t, p.seriesValue("pubd_log_lines_dropped_total") == 0, "dropped lines while nobody reads: got none")
	replace(t, file, pubs(3, "b"))
	p.reload()
	equal(t, "generation after a reload", generation(p, "demo"), "b")
	var after output
	go func() { _, _ = io.Copy(&after, log) }()
	eventually(t, "a new line", func() bool {
		return p.search("pubid=absent", "demo").status == 404 && strings.Contains(after.String(), "pub_not_found")
	})
	p.stop()
	eventually(t, "the last line", func() bool { return after.count("stopped") == 1 })
}

func TestSecondSignalWhileLogIsBlocked(t *testing.T) {
	t.Parallel()
	p, _ := blocked(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--drain-delay=1h")
	p.signal(syscall.SIGTERM)
	eventually(t, "/readyz 503", func() bool { return p.operate("/readyz").status == 503 })
	p.signal(syscall.SIGTERM)
	p.exit(testPatience, exitError)
}

// The server survives when the reader of its standard error or output ends.
func TestLogIsClosed(t *testing.T) {
	t.Parallel()
	p, log := taken(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--access-log=all")
	log.Close()
	for i := range 20 {
		equal(t, fmt.Sprint("request ", i), p.search("pubid=u1", "demo").status, 200)
		time.Sleep(time.Millisecond) // so that the line is written before the next request
	}
	eventually(t, "lost lines are counted", func() bool { return p.seriesValue("pubd_log_lines_dropped_total") > 0 })
	p.stop()
}

func TestStandardOutputIsClosed(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	ok(t, err)
	reader.Close()
	command := pubd(anywhere("--data", write(t, "pubs.csv", pubs(3, "a")))...)
	command.Stdout = writer
	p := start(t, command)
	writer.Close()
	p.await()
	equal(t, "generation", generation(p, "demo"), "a")
}

func TestLogIsOnFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	command := pubd(anywhere("--data", write(t, "pubs.csv", pubs(3, "a")), "--access-log=all")...)
	command.Stderr = full
	p := start(t, command)
	eventually(t, "hint on standard output", func() bool { return p.over() || hint.MatchString(p.stdout.String()) })
	parts := hint.FindStringSubmatch(p.stdout.String())
	for i := range 100 {
		equal(t, fmt.Sprint("request ", i), p.get(parts[3], parts[2]).status, 200)
	}
	p.stop()
}
