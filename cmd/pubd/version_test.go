package main

import (
	"encoding/json"
	"strings"
	"testing"

	"pubd/cmd/pubd/cli"
	"pubd/testkit"
)

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}, {"serve", "--version"}} {
		commandCase{args, cli.ExitOK, cli.ThisRelease().String() + "\n", ""}.check(t)
	}
	code, out, errs := runFor(t, "version", "--json")
	var got cli.Release
	decoder := json.NewDecoder(strings.NewReader(out))
	decoder.DisallowUnknownFields()
	testkit.OK(t, decoder.Decode(&got))
	testkit.Equal(t, "version --json", got, cli.ThisRelease())
	testkit.FailIf(t, code != cli.ExitOK || errs != "" || strings.Count(out, "\n") != 1, "version --json: got %d, stdout %q, stderr %q, want 0 and a line", code, out, errs)
}
