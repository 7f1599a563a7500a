package main

import (
	"os"

	"pubd/loader/feed/worker"
)

// builderCommand is a worker of a server, which starts it; it is not for people.
type builderCommand struct{}

// yieldProcessors lowers the priority of this process below all others. Tests replace it.
var yieldProcessors = worker.RunOnLeftovers

// Run builds.
func (c *builderCommand) Run(t terminal) error { return worker.Run(os.Stdin, t.out, yieldProcessors) }
