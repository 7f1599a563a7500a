package main

import (
	"fmt"
	"io"

	"pubd/data"
)

type sampleCommand struct {
	Pubs int    `default:"2000" help:"How many pubs."`
	Seed uint64 `default:"1" help:"The same seed writes the same bytes."`
}

// Run writes the directory to standard output.
func (c *sampleCommand) Run(t terminal) error {
	if c.Pubs < 1 {
		return fmt.Errorf("--pubs %d: must be 1 or more", c.Pubs)
	}
	out := t.err
	if isTerminal(t.out) { // the rows themselves show progress
		out = io.Discard
	}
	bar := newProgress(out, "writing pubs", false)
	defer bar.finish()
	return data.Generate(t.out, c.Pubs, c.Seed, func(done int) { bar.show(int64(done), int64(c.Pubs)) })
}
