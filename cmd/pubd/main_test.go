package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/txtar"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
)

// files creates a folder with files of the given names and contents, and makes it the working directory. It returns
// the path of testdata.
func files(t *testing.T, contents map[string]string) (testdata string) {
	t.Helper()
	testdata = testkit.Must(filepath.Abs("testdata"))(t)
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

// Each file of testdata/commands has commands with their output and the files that they read, which they leave as they
// are. Arguments may be quoted as in Go, and variables stand before pubd. Lines that begin with # are comments.
func TestCommands(t *testing.T) {
	goldens := testkit.Must(filepath.Glob("testdata/commands/*.txt"))(t)
	for _, golden := range goldens {
		t.Run(filepath.Base(golden), func(t *testing.T) {
			archive := txtar.Parse(testkit.Read(t, golden))
			contents := map[string]string{}
			for _, file := range archive.Files {
				contents[file.Name] = string(file.Data)
			}
			testdata := files(t, contents)
			var said strings.Builder
			for line := range strings.Lines(string(archive.Comment)) {
				command, is := strings.CutPrefix(line, "$ ")
				if is || strings.HasPrefix(line, "#") {
					said.WriteString(line)
				}
				if is {
					said.WriteString(answer(t, command))
				}
			}
			for name, content := range contents {
				testkit.Equal(t, name, string(testkit.Read(t, name)), content)
			}
			archive.Comment = []byte(said.String())
			testkit.Golden(t, filepath.Join(testdata, "commands", filepath.Base(golden)), string(txtar.Format(archive)))
		})
	}
}

// answer returns the output of a command and its exit code unless it is 0.
func answer(t *testing.T, command string) string {
	t.Helper()
	args := argument.FindAllString(command, -1)
	for i := range args {
		args[i] = quoted.ReplaceAllStringFunc(args[i], func(text string) string {
			return testkit.Must(strconv.Unquote(text))(t)
		})
	}
	program := slices.Index(args, "pubd")
	for _, variable := range args[:program] {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
		defer os.Unsetenv(name)
	}
	code, out, errs := runFor(t, args[program+1:]...)
	if code != cli.ExitOK {
		errs += fmt.Sprintf("exit code %d\n", code)
	}
	return out + errs
}

func TestHelp(t *testing.T) {
	for _, command := range []string{"", "serve", "build", "check", "import", "inspect", "keys add", "keys rotate", "keys revoke", "keys list", "publish",
		"publish snapshot", "publish keygen", "sample", "completion", "version"} {
		name := strings.ReplaceAll(strings.TrimSuffix("pubd "+command, " "), " ", "-") + ".txt"
		testkit.Golden(t, filepath.Join("testdata", "help", name), must(t, append(strings.Fields(command), "--help")...))
	}
}

// The help of serve fits on two screens: everything else is derived.
func TestFlagsOfServe(t *testing.T) {
	flags := regexp.MustCompile(`(?m)^ {2,6}--[a-z]`).FindAllString(must(t, "serve", "--help"), -1)
	testkit.FailIf(t, len(flags) > 31, "serve has %d flags, want at most 31", len(flags))
}

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
	good, bad, list := put("good.csv", "UID,name,note\n7,Bell,x\n"), put("bad.csv", "UID,name\n7,\n"), put("list.csv", "UID,name,x\n7,Bell,\n8,,\n")
	for _, args := range [][]string{
		{"check", good, bad, filepath.Join(folder, evil+"absent.csv"), filepath.Join(folder, evil+"no.txt"), folder},
		{"check", "--geojson", good, bad},
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
