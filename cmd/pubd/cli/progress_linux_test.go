package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"pubd/bench/testkit"
)

// newTerminal creates a pseudo terminal of 80 columns. Its screen has what programs write, with newlines as "\r\n".
func newTerminal(t *testing.T) (terminal *os.File, screen *testkit.Output) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("a pseudo terminal is needed: %v", err)
	}
	t.Cleanup(func() { keys.Close() })
	raw, err := keys.SyscallConn()
	testkit.OK(t, err)
	var number int
	testkit.OK(t, raw.Control(func(fd uintptr) {
		testkit.OK(t, unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0))
		number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		testkit.OK(t, err)
		testkit.OK(t, unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	}))
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	testkit.OK(t, err)
	t.Cleanup(func() { terminal.Close() })
	screen = new(testkit.Output)
	go func() { _, _ = io.Copy(screen, keys) }()
	return terminal, screen
}

// A progress bar appears for long work, stays on its line, and leaves nothing behind.
func TestProgressOnTerminal(t *testing.T) {
	const long = "reading /a/very/long/path/that/would/not/fit/into/the/line/of/a/terminal/pubs.csv"
	for _, c := range []struct {
		label       string
		bytes       bool
		took        time.Duration
		done, total int64
		want        []string // each in some drawing; none if nothing is drawn
	}{
		{"reading pubs.csv", true, 500 * time.Millisecond, 1, 2, nil},
		{"reading pubs.csv", true, 3 * time.Second, 300_000, 1_000_000, []string{"reading pubs.csv", "30%", "300 kB", "1.0 MB", "2s"}},
		{"writing pubs", false, 3 * time.Second, 300, 1000, []string{"writing pubs", "30%", "300/1000"}},
		{"writing pubs", false, 3 * time.Second, 1000, 1000, []string{"99%"}},
		{"building 7 pubs", false, 3 * time.Second, 0, 0, []string{"building 7 pubs", "[2s]"}},
		{long, true, 3 * time.Second, 1, 2, []string{"…", "pubs.csv"}},
		{long, false, 3 * time.Second, 0, 0, []string{"…", "pubs.csv"}},
	} {
		terminal, screen := newTerminal(t)
		synctest.Test(t, func(t *testing.T) {
			p := NewProgress(terminal, c.label, c.bytes)
			time.Sleep(c.took / 2)
			p.Show(c.done, c.total)
			time.Sleep(c.took / 2)
			p.Finish()
			p.Finish()
		})
		fmt.Fprintln(terminal, "end")
		testkit.Eventually(t, "the end", func() bool { return strings.Contains(screen.String(), "end\r\n") })
		drawings := strings.Split(strings.TrimSuffix(screen.String(), "end\r\n"), "\r")
		testkit.Contains(t, fmt.Sprintf("drawings of %+v", c), screen.String(), c.want...)
		for _, drawing := range drawings {
			columns := utf8.RuneCount(escapes.ReplaceAll([]byte(drawing), nil))
			testkit.FailIf(t, columns > 79 || strings.Contains(drawing, "\n"), "%+v: %q has %d columns, want one line of 79", c, drawing, columns)
		}
		last := drawings[len(drawings)-1]
		cleared := len(drawings) > 1 && strings.HasSuffix(drawings[len(drawings)-2], "\x1b[2K")
		testkit.FailIf(t, last != "" || (c.want == nil) != (len(drawings) == 1) || c.want != nil && !cleared, "%+v: got %q, want a line that is cleared at the end", c, drawings)
	}
}

// Log lines replace a progress bar, which is redrawn below them.
func TestLogAboveBar(t *testing.T) {
	terminal, screen := newTerminal(t)
	synctest.Test(t, func(t *testing.T) {
		p := NewProgress(terminal, "building 7 pubs", false)
		time.Sleep(2050 * time.Millisecond)
		fmt.Fprintln(AboveBar(terminal), "a line of a log")
		time.Sleep(time.Second)
		p.Finish()
	})
	fmt.Fprintln(terminal, "end")
	testkit.Eventually(t, "the end", func() bool { return strings.Contains(screen.String(), "end\r\n") })
	isBetween := regexp.MustCompile("building[^\n]*\r\x1b\\[2Ka line of a log\r\n[^\n]*building").MatchString(screen.String())
	testkit.FailIf(t, !isBetween, "got %q, want the bar, then the line in its place, then the bar", screen)
	var log bytes.Buffer
	fmt.Fprint(AboveBar(&log), "a line")
	testkit.Equal(t, "log without a terminal", log.String(), "a line")
}

// escapes matches sequences that move the cursor or clear.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// Without a terminal, there is a plain line every few seconds.
func TestProgressElsewhere(t *testing.T) {
	for _, c := range []struct {
		took        time.Duration
		done, total int64
		want        string
	}{
		{ReportEvery - time.Millisecond, 1, 2, ""},
		{12 * time.Second, 45, 100, "reading pubs.csv: 45 %, 5s\nreading pubs.csv: 45 %, 10s\n"},
		{6 * time.Second, 0, 0, "reading pubs.csv: 5s\n"},
	} {
		var got bytes.Buffer
		synctest.Test(t, func(t *testing.T) {
			p := NewProgress(&got, "reading pubs.csv", true)
			p.Show(c.done, c.total)
			time.Sleep(c.took)
			p.Finish()
		})
		testkit.Equal(t, fmt.Sprintf("%+v", c), got.String(), c.want)
	}
}
