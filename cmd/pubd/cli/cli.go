// Package cli has what the commands share: where they write, their errors and exit codes, progress, and flags.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"pubd/loader"
)

// The exit codes of the program.
const (
	ExitOK    = 0
	ExitError = 1
	ExitUsage = 2
)

// A Terminal is where a command writes.
type Terminal struct{ Out, Err io.Writer }

// Visible returns an error for a terminal, line by line.
func Visible(err error) string {
	text := err.Error()
	if path := new(fs.PathError); errors.As(err, &path) {
		text = strings.ReplaceAll(text, path.Path, loader.Visible(path.Path)) // it may contain a line break
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = loader.Visible(line)
	}
	return strings.Join(lines, "\n")
}

// ErrReported is an error that has already been printed.
var ErrReported = errors.New("reported")

// Now returns the time in UTC to the second, as in files and reports.
func Now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Counted returns a count with its noun, such as "1 name" or "2,000 names".
func Counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

// Grouped formats a count with a comma before every three digits, such as 51,566.
func Grouped(n int) string { return humanize.Comma(int64(n)) }

// Say writes to standard output.
func Say(t Terminal, format string, values ...any) error {
	if _, err := fmt.Fprintf(t.Out, format, values...); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}
