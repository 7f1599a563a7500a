package main

import (
	"fmt"
	"io"

	"pubd/cmd/pubd/cli"
	"pubd/data"
)

type sampleCommand struct {
	Pubs int    `default:"2000" help:"How many pubs."`
	Seed uint64 `default:"1" help:"The same seed writes the same bytes."`
}

// Run writes the directory to standard output.
func (c *sampleCommand) Run(t cli.Terminal) error {
	if c.Pubs < 1 {
		return fmt.Errorf("--pubs %d: must be 1 or more", c.Pubs)
	}
	out := t.Err
	if cli.IsTerminal(t.Out) { // the rows themselves show progress
		out = io.Discard
	}
	bar := cli.NewProgress(out, "writing pubs", false)
	defer bar.Finish()
	return data.Generate(t.Out, c.Pubs, c.Seed, func(done int) { bar.Show(int64(done), int64(c.Pubs)) })
}
