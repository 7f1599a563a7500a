package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestHelp(t *testing.T) {
	for _, command := range []string{"", "serve", "build", "check", "diff", "import", "inspect", "keys add", "keys revoke", "keys list", "publish", "publish snapshot", "publish keygen", "sample", "completion", "version"} {
		args := append(strings.Fields(command), "--help")
		golden := filepath.Join("testdata", "help", strings.Join(append([]string{"pubd"}, strings.Fields(command)...), "-")+".txt")
		code, got, errs := runFor(t, args...)
		if code != exitOK || errs != "" {
			t.Errorf("pubd %q: got %d, stderr %q, want 0", args, code, errs)
		}
		if *update {
			ok(t, os.MkdirAll(filepath.Dir(golden), 0o755))
			ok(t, os.WriteFile(golden, []byte(got), 0o644))
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatalf("%v (go test -update writes it)", err)
		}
		if got != string(want) {
			t.Errorf("pubd %q:\ngot\n%s\nwant (go test -update takes it over)\n%s", args, got, want)
		}
	}
}
