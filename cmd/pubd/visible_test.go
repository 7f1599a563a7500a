package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"pubd/testkit"
)

// No file name can write escape sequences, line breaks or direction marks to the terminal.
func TestFileNamesAreVisible(t *testing.T) {
	const evil = "a\x1b[2J\n\u202e\u2066b\x7f\u009b"
	const shown = `a\x1b[2J\n\u202e\u2066b\x7f\u009b`
	folder := t.TempDir()
	put := func(name, content string) string {
		path := filepath.Join(folder, evil+name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Skipf("no such names here: %v", err)
		}
		return path
	}
	good, other := put("good.csv", "UID,name,note\n7,Bell,x\n"), put("other.csv", "UID,name,review_count\n7,Lion,1\n")
	bad, list := put("bad.csv", "UID,name\n7,\n"), put("list.csv", "UID,name,x\n7,Bell,\n8,,\n")
	for _, args := range [][]string{
		{"check", good, bad, filepath.Join(folder, evil+"absent.csv"), filepath.Join(folder, evil+"no.txt"), folder},
		{"check", "--geojson", good, bad},
		{"diff", good, other},
		{"diff", good, bad},
		{"import", "--from=csv", list, filepath.Join(folder, evil+"out.csv")},
		{"import", "--from=csv", bad, filepath.Join(folder, evil+"out2.csv")},
		{"import", "--from=csv", filepath.Join(folder, evil+"absent"), filepath.Join(folder, evil+"out.csv")},
		{"import", "--from=csv", list, list},
		{"keys", "list", "--file", filepath.Join(folder, evil)},
		{"serve", "--data", bad, "--listen=127.0.0.1:0", "--admin="},
	} {
		_, out, errs := runFor(t, args...)
		said := out + errs
		if args[0] == "serve" { // after the log, in JSON
			_, said, _ = strings.Cut("\n"+errs, "\npubd: ")
		}
		hidden := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
		at := strings.IndexFunc(said, hidden)
		testkit.FailIf(t, at >= 0, "%q: said %q, which has a character that is not printable at %d", args, said, at)
		testkit.Contains(t, fmt.Sprintf("%q", args), said, shown)
	}
}
