package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"pubd/data/lane"
	"pubd/testkit"
)

// The program in docs/client.md builds and runs in its own module, with a checkout of pubd next to it and with a
// version of pubd from a module path.
func TestDocsOfTheGoClient(t *testing.T) {
	lane.Long(t, "builds a program twice")
	lane.Programs(t, "sh", "go", "git")
	document := filepath.Join("..", "..", "docs", "client.md")
	text := testkit.Read(t, document)
	source := regexp.MustCompile("(?sm)^```go\n(.*?)^```$").FindSubmatch(text)
	testkit.StopIf(t, source == nil, "docs/client.md: has no program in Go")
	checkout, folder := cleanCopy(t), t.TempDir()
	app := filepath.Join(folder, "app")
	testkit.OK(t, os.Symlink(checkout, filepath.Join(folder, "pubd")))
	testkit.OK(t, os.Mkdir(app, 0o755))
	server := startServer(t)
	program := strings.ReplaceAll(string(source[1]), sampleAddress, server.api)
	testkit.OK(t, os.WriteFile(filepath.Join(app, "main.go"), []byte(program), 0o644))
	version := module.Version{Path: "example.org/owner/pubd", Version: "v0.1.0"}
	environment := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw", "GOSUMDB=off", "GOMODCACHE="+t.TempDir(), "GOPROXY=file://"+proxyOf(t, checkout, version))
	s := &session{t: t, folder: app, server: server, environment: environment}
	rewrite(t, document, s.run(string(text)))

	// The last block of the document has changed go.mod to the module path.
	again := exec.Command("go", "run", ".")
	again.Dir, again.Env = app, environment
	output, err := again.CombinedOutput()
	testkit.OK(t, err)
	testkit.FailIf(t, !strings.HasSuffix(string(output), "Red Lion Inn, Batley: 8.3\n"), "go run: got %s", output)
	testkit.Equal(t, "go list", s.answer("go list -m pubd"), "pubd v0.1.0 => example.org/owner/pubd v0.1.0")
	testkit.Contains(t, "go get without replace", s.answer("go mod edit -dropreplace=pubd -droprequire=pubd; go get pubd/httpapi/client"), "malformed module path")
}

// proxyOf creates a folder that serves a checkout as a version of a module, like a module proxy.
func proxyOf(t *testing.T, checkout string, version module.Version) string {
	t.Helper()
	folder := t.TempDir()
	versions := filepath.Join(folder, filepath.FromSlash(version.Path), "@v")
	testkit.OK(t, os.MkdirAll(versions, 0o755))
	goMod := testkit.Read(t, filepath.Join(checkout, "go.mod"))
	for ending, content := range map[string]string{".info": `{"Version":"` + version.Version + `"}`, ".mod": string(goMod)} {
		testkit.OK(t, os.WriteFile(filepath.Join(versions, version.Version+ending), []byte(content), 0o644))
	}
	packed, err := os.Create(filepath.Join(versions, version.Version+".zip"))
	testkit.OK(t, err)
	defer packed.Close()
	testkit.OK(t, zip.CreateFromDir(packed, version, checkout))
	return folder
}
