package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// edges lists the packages of this module that each package may import.
var edges = map[string][]string{
	"geo":               {"geo/topk"},
	"geo/topk":          {},
	"data":              {},
	"data/lane":         {},
	"httpapi/keys":      {},
	"index":             {"geo", "geo/topk", "index/indexfile", "index/postings", "index/ranking", "index/relax", "index/text"},
	"index/indexfile":   {},
	"index/postings":    {"index/indexfile"},
	"index/ranking":     {"geo/topk", "index/indexfile", "index/postings"},
	"index/relax":       {"index/indexfile", "index/postings", "index/text"},
	"index/text":        {"index/indexfile", "index/postings"},
	"loader":            {"index"},
	"loader/atomicfile": {},
	"loader/convert":    {"index", "loader", "loader/atomicfile"},
	"loader/manifest":   {"loader/storage"},
	"loader/postgres":   {},
	"loader/storage":    {"loader", "loader/atomicfile"},
	"loader/survey":     {"geo", "geo/topk", "index"},
	"httpapi":           {"geo", "httpapi/explorer", "httpapi/keys", "index"},
	"httpapi/client":    {},
	"httpapi/explorer":  {},
	"cmd/pubd/hangup":   {},
	"cmd/pubd":          {"cmd/pubd/hangup", "data", "geo", "httpapi", "httpapi/client", "httpapi/explorer", "httpapi/keys", "index", "loader", "loader/atomicfile", "loader/convert", "loader/manifest", "loader/postgres", "loader/storage", "loader/survey"},
}

// isBench reports whether a package may import all others and may be imported only by tests.
func isBench(title string) bool { return title == "bench" || strings.HasPrefix(title, "bench/") }

// doors lists the files that may import each library, except tests.
var doors = map[string][]string{
	"aead.dev/minisign":                            {"loader/manifest/sign.go"},
	"github.com/KimMachineGun/automemlimit":        {"cmd/pubd/memory.go"},
	"github.com/RoaringBitmap/roaring/v2":          {"index/text/bleve.go"},
	"github.com/alecthomas/kong":                   {"cmd/pubd/completion.go", "cmd/pubd/main.go"},
	"github.com/blevesearch/bleve/v2":              {"index/text/bleve.go"},
	"github.com/blevesearch/bleve_index_api":       {"index/text/bleve.go"},
	"github.com/blevesearch/scorch_segment_api/v2": {"index/text/bleve.go"},
	"github.com/blevesearch/zapx/v17":              {"index/text/bleve.go"},
	"github.com/cespare/xxhash/v2":                 {"httpapi/view.go", "index/text/dictionary.go"},
	"github.com/docker/go-units":                   {"cmd/pubd/bytesize.go"},
	"github.com/google/renameio/v2":                {"httpapi/keys/file.go"},
	"github.com/jackc/pgx/v5":                      {"loader/postgres/postgres.go"},
	"github.com/klauspost/compress":                {"loader/convert/pack.go", "loader/manifest/stored.go", "loader/source.go"},
	"github.com/minio/minio-go/v7":                 {"loader/storage/bucket.go"},
	"github.com/prometheus/client_golang":          {"cmd/pubd/log.go", "httpapi/admin.go", "httpapi/metrics.go", "httpapi/tally.go"},
	"github.com/rs/zerolog":                        {"cmd/pubd/log.go", "httpapi/service.go"},
	"github.com/schollz/progressbar/v3":            {"cmd/pubd/progress.go"},
	"github.com/swaggest/swgui":                    {"httpapi/explorer/swagger.go"},
	"github.com/tidwall/rtree":                     {"geo/rtree.go"},
	"github.com/valyala/fasthttp":                  {"httpapi/server.go"},
	"golang.org/x/sys":                             {"cmd/pubd/process_linux.go", "httpapi/kernel_linux.go"},
	"golang.org/x/term":                            {"cmd/pubd/progress.go"},
	"golang.org/x/text":                            {"index/text/fold.go", "loader/hint.go", "loader/survey/text.go"},
	"golang.org/x/time":                            {"httpapi/keys/key.go", "loader/storage/client.go"},
}

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
	if err != nil {
		t.Fatalf("%v: %v", command.Args, err)
	}
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
	if len(own) < 6 {
		t.Fatalf("packages of the module: got %d", len(own))
	}
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
		if !known {
			t.Errorf("%s: has no row in the table of imports", title)
		}
		for _, imported := range r.Imports {
			if to, ours := titles[imported]; ours && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s: allowed are %q", title, to, allowed)
			}
		}
		for _, imported := range r.Deps {
			if to, ours := titles[imported]; ours && isBench(to) {
				t.Errorf("%s needs %s, which nothing may", title, to)
			}
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
		if err != nil || !bytes.Contains(text, []byte("utput:")) {
			t.Errorf("%s: needs an example with output in example_test.go (%v)", r.title(), err)
		}
	}
}

// Only the files in doors import libraries.
func TestDoors(t *testing.T) {
	own, libraries := rooms(t)
	got := map[string][]string{}
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
				name := path.Join(r.title(), file)
				if library := libraries[imported]; library != "" && !slices.Contains(got[library], name) {
					got[library] = append(got[library], name)
				}
			}
		}
	}
	for _, library := range slices.Sorted(maps.Keys(got)) {
		slices.Sort(got[library])
		if !slices.Equal(got[library], doors[library]) {
			t.Errorf("%s is imported by %q, want %q", library, got[library], doors[library])
		}
	}
	for library := range doors {
		if got[library] == nil {
			t.Errorf("%s is imported by no file, want %q", library, doors[library])
		}
	}
}
