package main

import (
	"fmt"
	"io"
	"strings"

	"pubd/loader"
)

type checkCommand struct {
	Files      []string `arg:"" name:"file" help:"Snapshots: CSV, JSON or NDJSON, plain, .gz or .zst."`
	MaxBadRows int      `default:"0" help:"How many wrong rows a snapshot may have; they are skipped."`
}

// Validate implements kong's check of a command's flags.
func (c *checkCommand) Validate() error {
	if c.MaxBadRows < 0 {
		return fmt.Errorf("--max-bad-rows %d: must be 0 or more", c.MaxBadRows)
	}
	return nil
}

// Run reports on each file. It is an error when one would not be served.
func (c *checkCommand) Run(t terminal) error {
	refused := 0
	for _, file := range c.Files {
		var report strings.Builder
		if err := c.check(t, &report, file); err != nil {
			fmt.Fprintln(&report, err)
			refused++
		}
		if _, err := io.WriteString(t.out, report.String()); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
	}
	if refused > 0 {
		fmt.Fprintf(t.err, "pubd: %d of %d files would be refused\n", refused, len(c.Files))
		return errReported
	}
	return nil
}

func (c *checkCommand) check(t terminal, report io.Writer, file string) error {
	bar := newProgress(t.err, "reading "+file, true)
	loaded, err := loader.LoadFile(file, loader.Options{MaxBadRows: c.MaxBadRows, Progress: bar.show})
	bar.finish()
	if err != nil {
		return err
	}
	reportLoaded(report, file, loaded)
	return nil
}

// reportLoaded tells what a good snapshot holds, and what of it was passed over.
func reportLoaded(w io.Writer, file string, loaded *loader.Result) {
	var nowhere, rated int
	for _, pub := range loaded.Directory.Pubs {
		if pub.Latitude != pub.Latitude {
			nowhere++
		}
		if loaded.Directory.IsRated(&pub) {
			rated++
		}
	}
	for _, complaint := range loaded.Skipped {
		fmt.Fprintf(w, "%v (skipped)\n", complaint)
	}
	if len(loaded.Ignored) > 0 {
		fmt.Fprintf(w, "%s: unknown columns, ignored: %s\n", file, strings.Join(loaded.Ignored, ", "))
	}
	fmt.Fprintf(w, "%s: ok: %d pubs, %d rated, %d without coordinates", file, len(loaded.Directory.Pubs), rated, nowhere)
	if len(loaded.Skipped) > 0 {
		fmt.Fprintf(w, "; %d wrong rows skipped", len(loaded.Skipped))
	}
	fmt.Fprintln(w)
}
