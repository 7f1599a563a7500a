package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// isBench reports whether a package may import all others and may be imported only by tests.
func isBench(title string) bool {
	return title == "bench" || strings.HasPrefix(title, "bench/")
}

// workshop is the folder of the packages where lists become snapshots.
const workshop = "cmd/pubd/lists/"

func isWorkshop(title string) bool { return strings.HasPrefix(title, workshop) }

// severalDoors lists libraries that more than one file of a package may import.
var severalDoors = []string{"github.com/alecthomas/kong", "github.com/prometheus/client_golang"}

// A room is a package of this module, as described by go list.
type room struct {
	ImportPath, Name, Dir  string
	Module                 *struct{ Path, Dir string }
	GoFiles, Imports, Deps []string
}

// title returns the folder of a package of this module.
func (r room) title() string { return strings.TrimPrefix(r.ImportPath, r.Module.Path+"/") }

// rooms returns the packages of this module, and the modules of the packages that they depend on.
func rooms(t *testing.T) (own []room, libraries map[string]string) {
	t.Helper()
	command := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Name,Dir,Module,GoFiles,Imports,Deps", "./...")
	command.Dir = filepath.Join("..", "..")
	listed, err := command.Output()
	testkit.StopIf(t, err != nil, "%v: %v", command.Args, err)
	libraries = map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(listed)); ; {
		var r room
		if err := decoder.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Module == nil:
		case r.Module.Path == "pubd":
			own = append(own, r)
		default:
			libraries[r.ImportPath] = r.Module.Path
		}
	}
	testkit.StopIf(t, len(own) < 6, "packages of the module: got %d", len(own))
	return own, libraries
}

func TestRooms(t *testing.T) {
	own, libraries := rooms(t)
	t.Run("imports", func(t *testing.T) { checkImports(t, own) })
	t.Run("examples", func(t *testing.T) { checkExamples(t, own) })
	t.Run("doors", func(t *testing.T) { checkDoors(t, own, libraries) })
	t.Run("opens", func(t *testing.T) { checkOpens(t, own) })
}

// table returns the lines of a file in testdata by what is given.
func table(t *testing.T, file string) map[string]string {
	t.Helper()
	rows := map[string]string{}
	for _, c := range testkit.Cases(t, file) {
		rows[c.Given] = c.Want
	}
	return rows
}

// httpLibraries are those that package httpapi must not need, not even through other packages.
var httpLibraries = []string{"net/http", "github.com/valyala/fasthttp"}

// Imports between packages are those of testdata/imports.txt.
func checkImports(t *testing.T, own []room) {
	edges, titles := table(t, "imports.txt"), map[string]string{}
	for _, r := range own {
		titles[r.ImportPath] = r.title()
	}
	for _, r := range own {
		title := r.title()
		if isBench(title) {
			continue
		}
		allowed, known := edges[title]
		testkit.FailIf(t, !known, "%s: has no row in the table of imports", title)
		for _, imported := range r.Imports {
			to, ours := titles[imported]
			testkit.FailIf(t, ours && !slices.Contains(strings.Fields(allowed), to), "%s imports %s: allowed are %s", title, to, allowed)
		}
		for _, imported := range r.Deps {
			to, ours := titles[imported]
			testkit.FailIf(t, ours && isBench(to), "%s needs %s, which nothing may", title, to)
			serves := !strings.HasPrefix(title, "cmd/") || title == "cmd/pubd/serve"
			testkit.FailIf(t, serves && isWorkshop(to), "%s needs %s, which nothing that serves may", title, to)
			testkit.FailIf(t, title == "httpapi" && slices.Contains(httpLibraries, imported), "%s needs %s, an HTTP library", title, imported)
		}
	}
}

// Each package that others import has an example, except those of commands, and that of PostgreSQL, whose example would
// need a database.
func checkExamples(t *testing.T, own []room) {
	for _, r := range own {
		if r.Name == "main" || strings.HasPrefix(r.title(), "cmd/pubd/") && !isWorkshop(r.title()) || isBench(r.title()) || r.title() == workshop+"postgres" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(r.Dir, "example_test.go"))
		testkit.FailIf(t, err != nil || !bytes.Contains(text, []byte("utput:")), "%s: needs an example with output in example_test.go (%v)", r.title(), err)
	}
}

var opens = regexp.MustCompile(`\b(os\.(Open|OpenFile|OpenInRoot|OpenRoot|ReadFile|DirFS)|(syscall|unix)\.(Open|Openat|Openat2))\b`)

// Only the packages of testdata/opens.txt open files, besides those of generators.
func checkOpens(t *testing.T, own []room) {
	allowed := table(t, "opens.txt")
	for _, r := range own {
		if isBench(r.title()) || r.title() != "cmd/pubd" && r.Name == "main" {
			continue
		}
		var found []byte
		for _, file := range r.GoFiles {
			found = append(found, opens.Find(testkit.Read(t, filepath.Join(r.Dir, file)))...)
		}
		testkit.FailIf(t, (len(found) > 0) != (allowed[r.title()] != ""), "%s: has %q, which testdata/opens.txt says differently: use loader/disk", r.title(), found)
	}
}

// The types of a library stop at one file of a package, and those of testdata/libraries.txt at one package.
func checkDoors(t *testing.T, own []room, libraries map[string]string) {
	type door struct{ title, library string }
	homes, got := table(t, "libraries.txt"), map[door][]string{} // files
	for _, r := range own {
		if isBench(r.title()) {
			continue
		}
		for _, file := range r.GoFiles {
			path := filepath.Join(r.Dir, file)
			parsed := testkit.Must(parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly))(t)
			for _, spec := range parsed.Imports {
				imported := testkit.Must(strconv.Unquote(spec.Path.Value))(t)
				door := door{r.title(), libraries[imported]}
				if door.library != "" && !slices.Contains(got[door], file) {
					got[door] = append(got[door], file)
				}
			}
		}
	}
	for door, files := range got {
		home := homes[door.library]
		testkit.FailIf(t, home != "" && home != door.title, "%s is imported by %s, may be by %s alone", door.library, door.title, home)
		mayBeSeveral := slices.Contains(severalDoors, door.library)
		testkit.FailIf(t, len(files) > 1 && !mayBeSeveral, "%s is imported by %q of %s, may be by one file", door.library, files, door.title)
	}
	for library, home := range homes {
		testkit.FailIf(t, got[door{home, library}] == nil, "%s is not imported by %s", library, home)
	}
}
