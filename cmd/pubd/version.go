package main

import (
	"encoding/json"

	"pubd/cmd/pubd/cli"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Write one JSON object."`
}

// Run writes the release of this program.
func (c *versionCommand) Run(t cli.Terminal) error {
	text := cli.ThisRelease().String()
	if c.JSON {
		object, err := json.Marshal(cli.ThisRelease())
		if err != nil {
			return err
		}
		text = string(object)
	}
	return cli.Say(t, "%s\n", text)
}

// version is set by the linker, -X main.version=v0.1.0, for a program that is built without version control.
var version string
