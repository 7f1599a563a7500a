package main

import (
	"encoding/json"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
)

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}, {"serve", "--version"}} {
		testkit.Equal(t, strings.Join(args, " "), must(t, args...), cli.ThisRelease().String()+"\n")
	}
	var got cli.Release
	line := must(t, "version", "--json")
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.DisallowUnknownFields()
	testkit.OK(t, decoder.Decode(&got))
	testkit.Equal(t, "version --json", got, cli.ThisRelease())
	testkit.Equal(t, "lines of version --json", strings.Count(line, "\n"), 1)
}
