package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// checkGolden compares a report with a file under testdata.
func checkGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		ok(t, errors.Join(os.MkdirAll(filepath.Dir(golden), 0o755), os.WriteFile(golden, []byte(got), 0o644)))
	}
	want, err := os.ReadFile(golden)
	stopIf(t, err != nil, "%v (go test -update writes it)", err)
	failIf(t, got != string(want), "%s:\ngot\n%s\nwant (go test -update takes it over)\n%s", golden, got, want)
}

// files creates a folder with files of the given names and contents, and makes it the working directory. It returns the path of testdata.
func files(t *testing.T, contents map[string]string) (testdata string) {
	t.Helper()
	testdata, err := filepath.Abs("testdata")
	ok(t, err)
	t.Chdir(t.TempDir())
	for name, content := range contents {
		replace(t, name, content)
	}
	return testdata
}

var (
	argument = regexp.MustCompile(`(?:[^\s"]|"(?:[^"\\]|\\.)*")+`)
	quoted   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// Each file of testdata/commands has commands with their output and the files that they read, which they leave as they are. Arguments may be
// quoted as in Go. Lines that begin with # are comments.
func TestCommands(t *testing.T) {
	goldens, err := filepath.Glob("testdata/commands/*.txt")
	ok(t, err)
	for _, golden := range goldens {
		t.Run(filepath.Base(golden), func(t *testing.T) {
			archive := txtar.Parse(read(t, golden))
			contents := map[string]string{}
			for _, file := range archive.Files {
				contents[file.Name] = string(file.Data)
			}
			testdata := files(t, contents)
			var said strings.Builder
			for line := range strings.Lines(string(archive.Comment)) {
				command, is := strings.CutPrefix(line, "$ pubd ")
				if is || strings.HasPrefix(line, "#") {
					said.WriteString(line)
				}
				if !is {
					continue
				}
				args := argument.FindAllString(command, -1)
				for i := range args {
					args[i] = quoted.ReplaceAllStringFunc(args[i], func(text string) string {
						plain, err := strconv.Unquote(text)
						ok(t, err)
						return plain
					})
				}
				code, out, errs := runFor(t, args...)
				said.WriteString(out + errs)
				if code != exitOK {
					fmt.Fprintf(&said, "exit code %d\n", code)
				}
			}
			for name, content := range contents {
				got := string(read(t, name))
				failIf(t, got != content, "%s was changed to %q", name, got)
			}
			archive.Comment = []byte(said.String())
			checkGolden(t, filepath.Join(testdata, "commands", filepath.Base(golden)), string(txtar.Format(archive)))
		})
	}
}

func TestHelp(t *testing.T) {
	for _, command := range []string{"", "serve", "build", "check", "diff", "import", "inspect", "keys add", "keys revoke", "keys list", "publish", "publish snapshot", "publish keygen", "sample", "completion", "version"} {
		words := strings.Fields(command)
		checkGolden(t, filepath.Join("testdata", "help", strings.Join(append([]string{"pubd"}, words...), "-")+".txt"), must(t, append(words, "--help")...))
	}
}

// The help of serve fits on two screens: everything else is derived.
func TestFlagsOfServe(t *testing.T) {
	_, help, _ := runFor(t, "serve", "--help")
	if flags := regexp.MustCompile(`(?m)^ {2,6}--[a-z]`).FindAllString(help, -1); len(flags) > 19+1 { // --version
		t.Errorf("serve has %d flags, want at most 19 without --version", len(flags)-1)
	}
}

// Only the flags of serve are environment variables.
func TestVariablesAreForServe(t *testing.T) {
	t.Setenv("PUBD_PUBS", "-1")
	t.Setenv("PUBD_MAX_BAD_ROWS", "-1")
	t.Setenv("PUBD_VERSION", "1")
	commandCase{[]string{"sample", "--pubs=1"}, exitOK, "UID,name", ""}.check(t)
	commandCase{[]string{"check", write(t, "pubs.csv", pubs(1, "a"))}, exitOK, "ok: 1 pubs", ""}.check(t)
}
