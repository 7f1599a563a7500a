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
	"slices"
	"strconv"
	"strings"
	"testing"
)

// edges lists the packages of this module that each package may import.
var edges = map[string][]string{
	"geo":                {"geo/topk"},
	"geo/topk":           {},
	"data":               {},
	"data/lane":          {},
	"httpapi/keys":       {},
	"index":              {"geo", "geo/topk", "index/indexfile", "index/places", "index/postings", "index/ranking", "index/relax", "index/strict", "index/text"},
	"index/indexfile":    {},
	"index/postings":     {"index/indexfile"},
	"index/ranking":      {"geo/topk", "index/indexfile", "index/postings"},
	"index/places":       {"geo", "index/indexfile", "index/postings", "index/text"},
	"index/relax":        {"geo", "index/indexfile", "index/places", "index/postings", "index/strict", "index/text"},
	"index/strict":       {"index/indexfile", "index/places", "index/postings", "index/text"},
	"index/text":         {"index/indexfile", "index/postings"},
	"loader":             {"index"},
	"loader/atomicfile":  {},
	"loader/convert":     {"index", "loader", "loader/atomicfile"},
	"loader/feed/worker": {"data", "index", "loader"},
	"loader/manifest":    {"loader/storage"},
	"loader/postgres":    {},
	"loader/storage":     {"loader", "loader/atomicfile"},
	"loader/survey":      {"geo", "geo/topk", "index"},
	"httpapi":            {"geo", "httpapi/explorer", "httpapi/keys", "index"},
	"httpapi/client":     {},
	"httpapi/explorer":   {},
	"cmd/pubd/hangup":    {},
	"cmd/pubd":           {"cmd/pubd/hangup", "data", "geo", "httpapi", "httpapi/client", "httpapi/explorer", "httpapi/keys", "index", "loader", "loader/atomicfile", "loader/convert", "loader/feed/worker", "loader/manifest", "loader/postgres", "loader/storage", "loader/survey"},
}

// isBench reports whether a package may import all others and may be imported only by tests.
func isBench(title string) bool { return title == "bench" || strings.HasPrefix(title, "bench/") }

// homes lists the only package that may import a library, except tests.
var homes = map[string]string{
	"aead.dev/minisign":                 "loader/manifest",
	"github.com/blevesearch/bleve/v2":   "index/text",
	"github.com/blevesearch/zapx/v17":   "index/text",
	"github.com/jackc/pgx/v5":           "loader/postgres",
	"github.com/minio/minio-go/v7":      "loader/storage",
	"github.com/jotaen/kong-completion": "cmd/pubd",
	"github.com/schollz/progressbar/v3": "cmd/pubd",
	"github.com/swaggest/swgui":         "httpapi/explorer",
	"github.com/tidwall/rtree":          "geo",
}

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
	stopIf(t, err != nil, "%v: %v", command.Args, err)
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
	stopIf(t, len(own) < 6, "packages of the module: got %d", len(own))
	return own, libraries
}

// Imports between packages are those of edges.
func TestRooms(t *testing.T) {
	own, _ := rooms(t)
	titles := map[string]string{}
	for _, r := range own {
		titles[r.ImportPath] = r.title()
	}
	for _, r := range own {
		title := r.title()
		if isBench(title) {
			continue
		}
		allowed, known := edges[title]
		failIf(t, !known, "%s: has no row in the table of imports", title)
		for _, imported := range r.Imports {
			to, ours := titles[imported]
			failIf(t, ours && !slices.Contains(allowed, to), "%s imports %s: allowed are %q", title, to, allowed)
		}
		for _, imported := range r.Deps {
			to, ours := titles[imported]
			failIf(t, ours && isBench(to), "%s needs %s, which nothing may", title, to)
		}
	}
}

// Each package that others import has an example, except loader/postgres, whose example would need a database.
func TestExamples(t *testing.T) {
	own, _ := rooms(t)
	for _, r := range own {
		if r.Name == "main" || isBench(r.title()) || r.title() == "cmd/pubd/hangup" || r.title() == "data/lane" || r.title() == "loader/postgres" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(r.Dir, "example_test.go"))
		failIf(t, err != nil || !bytes.Contains(text, []byte("utput:")), "%s: needs an example with output in example_test.go (%v)", r.title(), err)
	}
}

// The types of a library stop at one file of a package, and those of some libraries at one package.
func TestDoors(t *testing.T) {
	own, libraries := rooms(t)
	got := map[[2]string][]string{} // files, by package and library
	for _, r := range own {
		if isBench(r.title()) {
			continue
		}
		for _, file := range r.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(r.Dir, file), nil, parser.ImportsOnly)
			ok(t, err)
			for _, spec := range parsed.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				ok(t, err)
				door := [2]string{r.title(), libraries[imported]}
				if door[1] != "" && !slices.Contains(got[door], file) {
					got[door] = append(got[door], file)
				}
			}
		}
	}
	for door, files := range got {
		if home := homes[door[1]]; home != "" && home != door[0] {
			t.Errorf("%s is imported by %s, may be by %s alone", door[1], door[0], home)
		}
		if len(files) > 1 && !slices.Contains(severalDoors, door[1]) {
			t.Errorf("%s is imported by %q of %s, may be by one file", door[1], files, door[0])
		}
	}
	for library, home := range homes {
		failIf(t, got[[2]string{home, library}] == nil, "%s is not imported by %s", library, home)
	}
}
