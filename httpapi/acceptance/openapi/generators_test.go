package openapi

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/data"
)

// tools returns a folder with the npm packages of testdata/generators, which it installs once. If it cannot, it skips
// the test.
func tools(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("no npm: %v", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("no folder for npm packages: %v", err)
	}
	sum := sha256.New()
	for _, name := range []string{"package.json", "package-lock.json"} {
		sum.Write(testkit.Read(t, filepath.Join(generators, name)))
	}
	folder := filepath.Join(cache, fmt.Sprintf("pubd-generators-%x", sum.Sum(nil)[:8]))
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err == nil {
		return folder
	}
	testkit.OK(t, os.MkdirAll(cache, 0o755))
	filling := testkit.Must(os.MkdirTemp(cache, "pubd-generators-"))(t)
	copyInto(t, filling, "package.json", "package-lock.json")
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = filling
	if output, err := install.CombinedOutput(); err != nil {
		_ = os.RemoveAll(filling)
		t.Skipf("npm cannot install the packages of package.json: %v\n%s", err, output)
	}
	if err := os.Rename(filling, folder); err != nil && !errors.Is(err, os.ErrExist) { // another test was faster
		_ = os.RemoveAll(filling)
	}
	return folder
}

const generators = "testdata/generators"

func copyInto(t *testing.T, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		testkit.OK(t, os.WriteFile(filepath.Join(folder, filepath.Base(name)), testkit.Read(t, filepath.Join(generators, name)), 0o644))
	}
}

// run runs a program in a folder, and fails the test with its output if it fails.
func run(t *testing.T, folder, program string, arguments ...string) string {
	t.Helper()
	command := exec.Command(program, arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "CI=1")
	output, err := command.CombinedOutput()
	testkit.StopIf(t, err != nil, "%s %s: %v\n%s", filepath.Base(program), strings.Join(arguments, " "), err, output)
	return string(output)
}

// Two linters find no error in the document.
func TestLinters(t *testing.T) {
	bin, document := filepath.Join(tools(t), "node_modules", ".bin"), testkit.Must(filepath.Abs(file))(t)
	folder := t.TempDir()
	run(t, folder, filepath.Join(bin, "redocly"), "lint", document)
	rules := filepath.Join(folder, "rules.yaml")
	testkit.OK(t, os.WriteFile(rules, []byte("extends: [\"spectral:oas\"]\n"), 0o644))
	run(t, folder, filepath.Join(bin, "spectral"), "lint", "--fail-severity=error", "--ruleset", rules, document)
}

// packClient packs the TypeScript client for npm, and returns the package. If the compiler cannot be downloaded, it
// skips the test.
func packClient(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	testkit.OK(t, os.CopyFS(folder, os.DirFS("../../client")))
	compiler := exec.Command("npm", "exec", "--yes", "--package=typescript@5.9.3", "--", "tsc", "--version")
	compiler.Dir = folder
	if output, err := compiler.CombinedOutput(); err != nil {
		t.Skipf("npm cannot run tsc: %v\n%s", err, output)
	}
	run(t, folder, "npm", "pack")
	packages := testkit.Must(filepath.Glob(filepath.Join(folder, "*.tgz")))(t)
	testkit.FailIf(t, len(packages) != 1, "npm pack: made %q, want a package", packages)
	return packages[0]
}

// The package of the TypeScript client has its files, and works in a new project with the strictest settings: a server
// answers it correctly, InstantSearch's requests too, and its types match those that openapi-typescript generates from
// the document.
func TestTypeScriptClient(t *testing.T) {
	installed := tools(t)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("no node: %v", err)
	}
	bin, folder, document := filepath.Join(installed, "node_modules", ".bin"), t.TempDir(), testkit.Must(filepath.Abs(file))(t)
	testkit.OK(t, os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o644))
	run(t, folder, "npm", "install", "--offline", "--no-audit", "--no-fund", packClient(t))
	var files []string
	testkit.OK(t, fs.WalkDir(os.DirFS(filepath.Join(folder, "node_modules/pubd-client")), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	const want = "README.md dist/instantsearch.d.ts dist/instantsearch.js dist/pubd.d.ts dist/pubd.js package.json"
	testkit.FailIf(t, strings.Join(files, " ") != want, "files: got %s, want %s", files, want)

	copyInto(t, folder, "tsconfig.json", "check.ts", "search.ts")
	run(t, folder, filepath.Join(bin, "openapi-typescript"), document, "-o", "schema.ts")
	run(t, folder, filepath.Join(bin, "tsc"))
	s := serve(t, data.SampleName, data.Sample())
	for _, program := range []string{"out/check.js", "out/search.js"} {
		said := run(t, folder, "node", program, "http://"+s.address, s.secrets.good, s.secrets.limited)
		testkit.FailIf(t, strings.TrimSpace(said) != "ok", "%s: got %s", program, said)
	}
}

// The Go client that oapi-codegen generates from the document compiles, and reads the answers to a lookup, a search and
// a distance search. UID and name are not pointers.
func TestGeneratedGoClient(t *testing.T) {
	folder := t.TempDir()
	copyInto(t, folder, "go.mod.txt", "go.sum.txt", "main.go.txt")
	for _, name := range []string{"go.mod", "go.sum", "main.go"} {
		testkit.OK(t, os.Rename(filepath.Join(folder, name+".txt"), filepath.Join(folder, name)))
	}
	download := exec.Command("go", "mod", "download")
	download.Dir = folder
	if output, err := download.CombinedOutput(); err != nil {
		t.Skipf("cannot download the modules of oapi-codegen: %v\n%s", err, output)
	}
	run(t, folder, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "main", "-o", "pubs.go", testkit.Must(filepath.Abs(file))(t))
	s := serve(t, data.SampleName, data.Sample())
	said := run(t, folder, "go", "run", ".", "http://"+s.address, s.secrets.good)
	testkit.FailIf(t, strings.TrimSpace(said) != "28cnk9 Red Lion Inn\nbmrk9t Old Red Lion\n6xkb84 The Glaziers Arms", "got %s", said)
}
