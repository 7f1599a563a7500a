package serve

import (
	"os"

	"pubd/cmd/pubd/cli"
	"pubd/loader/fetch/worker"
)

// Builder is a worker of a server, which starts it; it is not for people.
type Builder struct{}

// YieldProcessors lowers the priority of this process below all others. Tests replace it.
var YieldProcessors = worker.RunOnLeftovers

// Run builds.
func (c *Builder) Run(t cli.Terminal) error { return worker.Run(os.Stdin, t.Out, YieldProcessors) }
