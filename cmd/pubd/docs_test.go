package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
)

// sampleAddress is the server's address in the documents. Tests use other addresses.
const sampleAddress = "127.0.0.1:8080"

// codeBlock matches a block of commands: a console block also has their output, an sh block can be pasted.
var codeBlock = regexp.MustCompile("(?sm)^```(console|sh)\n(.*?)^```$")

// A session runs the commands of a document in a folder.
type session struct {
	t                 *testing.T
	folder            string
	environment       []string
	server            *process          // the server started last, or nil
	compiled          *strings.Replacer // of commands that compile by those that run what is compiled already; may be nil
	commands, started int
}

// newSession returns a session in a new folder whose commands find pubd in PATH, with more environment variables.
func newSession(t *testing.T, server *process, variables ...string) *session {
	t.Helper()
	program := testkit.Must(filepath.Abs(os.Args[0]))(t)
	tools := t.TempDir()
	testkit.OK(t, os.Symlink(program, filepath.Join(tools, "pubd")))
	return &session{t: t, folder: t.TempDir(), server: server, environment: append(append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH")), variables...)}
}

// answer runs a command and returns its output.
func (s *session) answer(command string) string {
	s.t.Helper()
	s.commands++
	output, _ := s.shell(command).CombinedOutput() // errors are output, too
	return strings.TrimSuffix(string(output), "\n")
}

func (s *session) shell(command string) *exec.Cmd {
	if s.server != nil {
		command = strings.ReplaceAll(command, sampleAddress, s.server.api)
	}
	shell := exec.Command("sh", "-c", command)
	shell.Dir, shell.Env = s.folder, s.environment
	return shell
}

// paste runs the lines of a block. A line that starts a server first stops the previous one.
func (s *session) paste(block string) {
	s.t.Helper()
	if s.compiled != nil {
		block = s.compiled.Replace(block)
	}
	for line := range strings.Lines(block) {
		command := strings.TrimSpace(line)
		if !strings.Contains(command, "pubd serve") {
			s.commands++
			output, err := s.shell(command).CombinedOutput()
			testkit.StopIf(s.t, err != nil, "%s: %v\n%s", command, err, output)
			continue
		}
		s.stop()
		s.server = start(s.t, s.shell("exec "+command))
		s.server.await()
		s.started++
	}
}

// stop stops the server like ^C in its terminal.
func (s *session) stop() {
	s.t.Helper()
	if s.server != nil {
		s.server.signal(os.Interrupt)
		s.server.exit(cli.ExitOK)
		s.server = nil
	}
}

// run runs the blocks of a document in order and returns the document with the current output in its console blocks.
func (s *session) run(document string) string {
	s.t.Helper()
	var updated strings.Builder
	end := 0
	for _, found := range codeBlock.FindAllStringSubmatchIndex(document, -1) {
		language, block := document[found[2]:found[3]], document[found[4]:found[5]]
		updated.WriteString(document[end:found[4]])
		end = found[5]
		if language == "sh" {
			s.paste(block)
			updated.WriteString(block)
			continue
		}
		for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			got := s.answer(command)
			if want = strings.TrimSuffix(want, "\n"); got != want && !*testkit.Update {
				s.t.Errorf("%s\ngot  %s\nwant %s (go test -update writes it)", command, got, want)
			}
			updated.WriteString(strings.TrimSuffix("$ "+command+"\n"+got, "\n") + "\n")
		}
	}
	updated.WriteString(document[end:])
	return updated.String()
}

// rewrite writes a document with the current output, with -update.
func rewrite(t *testing.T, path, text string) {
	t.Helper()
	if *testkit.Update {
		testkit.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// The console blocks of the documents are commands with their output, run with a server of the embedded sample.
func TestDocs(t *testing.T) {
	if *testkit.Update {
		t.Setenv(testkit.Variable, "1") // in the quick lane, too: a skipped test looks as if it had rewritten them
	}
	testkit.Programs(t, "sh", "curl", "sed", "grep")
	for document, commands := range map[string]int{"api.md": 25, "data.md": 4} {
		t.Run(document, func(t *testing.T) {
			path := filepath.Join("..", "..", "docs", document)
			text := testkit.Read(t, path)
			s := newSession(t, startServer(t))
			rewrite(t, path, s.run(string(text)))
			testkit.FailIf(t, s.commands < commands, "%d commands were run, want at least %d", s.commands, commands)
		})
	}
}

// queryExample matches a row of the examples of docs/searching.md: the query, how it is read, and the answer.
var queryExample = regexp.MustCompile("(?m)^\\| `(.*?)` \\| [^|]* \\|(.*)$")

// The queries of docs/searching.md are answered as it says.
func TestSearchingDocument(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "searching.md")
	server, examples := startServer(t), 0
	text := queryExample.ReplaceAllStringFunc(string(testkit.Read(t, path)), func(row string) string {
		examples++
		cells := queryExample.FindStringSubmatch(row)
		var answer struct {
			Total   int `json:"total_results"`
			Results []struct{ Name, Location string }
			Relaxed json.RawMessage
		}
		body := server.search("sort=relevance&amount=1&search="+url.QueryEscape(cells[1]), "demo").body
		testkit.OK(t, json.Unmarshal([]byte(body), &answer))
		first, told := "", string(answer.Relaxed)
		if len(answer.Results) > 0 {
			first = answer.Results[0].Name + ", " + answer.Results[0].Location
		}
		if told != "" {
			told = "`" + told + "`"
		}
		got := fmt.Sprintf(" %d | %s | %s |", answer.Total, first, told)
		testkit.FailIf(t, got != cells[2] && !*testkit.Update, "%s:\ngot  %s\nwant %s", cells[1], got, cells[2])
		return strings.TrimSuffix(row, cells[2]) + got
	})
	testkit.Equal(t, "examples", examples, 14)
	rewrite(t, path, text)
}

// README names the commands that start, test and measure the program, and .ci/run calls them.
func TestCommandsOfReadme(t *testing.T) {
	readme, ci := string(testkit.Read(t, "../../README.md")), string(testkit.Read(t, "../../.ci/run"))
	for _, command := range []string{"go run ./cmd/pubd", "go test ./...", "go test -bench . ./bench"} {
		testkit.FailIf(t, !strings.Contains(readme, "\n"+command+"\n") || !strings.Contains(ci, " "+command), "%s: must be a line of README.md, and be called by .ci/run", command)
	}
}

// The README's commands work as pasted, in their order. What they run with Go is this program.
func TestReadme(t *testing.T) {
	testkit.Programs(t, "sh", "curl", "jq")
	path := filepath.Join("..", "..", "README.md")
	s := newSession(t, nil, "PUBD_LISTEN=127.0.0.1:0", "PUBD_ADMIN=127.0.0.1:0", "PUBD_DRAIN_DELAY=0s")
	s.compiled = strings.NewReplacer("go run ./cmd/pubd", "pubd serve", "go build -o pubd ./cmd/pubd", `ln -s "$(command -v pubd)" pubd`)
	rewrite(t, path, s.run(string(testkit.Read(t, path))))
	s.stop()
	testkit.FailIf(t, s.commands < 7 || s.started < 3, "%d commands were run and %d servers started", s.commands, s.started)
	ignored := string(testkit.Read(t, "../../.gitignore"))
	for _, name := range testkit.Names(t, s.folder) {
		testkit.Contains(t, ".gitignore", ignored, "\n/"+name+"\n")
	}
}

// The commands of docs/fleet.md work as pasted, in their order. Only the server's ports differ.
func TestFleetDocument(t *testing.T) {
	t.Parallel()
	testkit.Programs(t, "sh", "curl", "minisign", "sha256sum")
	document := testkit.Read(t, "../../docs/fleet.md")
	s := newSession(t, nil, "PUBD_LISTEN=127.0.0.1:0", "PUBD_ADMIN=127.0.0.1:0", "PUBD_DRAIN_DELAY=0s")
	blocks := codeBlock.FindAllStringSubmatch(string(document), -1)
	testkit.StopIf(t, len(blocks) != 2, "got %d blocks of commands, want 2", len(blocks))
	for _, block := range blocks {
		s.paste(block[2])
	}
	testkit.FailIf(t, s.commands != 9 || s.started != 1, "got %d commands and %d servers, want 9 and 1", s.commands, s.started)
	m := (&site{t, filepath.Join(s.folder, "site"), nil}).read()
	testkit.FailIf(t, m.Sequence != 3 || !m.Snapshots[0].AcceptShrink, "got sequence %d, want that of the rollback, 3", m.Sequence)
	want := m.Snapshots[0].ID
	testkit.Eventually(t, "rollback", func() bool { return s.server.readiness(200).Snapshot == want })
	s.stop()
}

// The program in docs/client.md builds and runs in its own module, with a checkout of pubd next to it.
func TestDocsOfTheGoClient(t *testing.T) {
	testkit.Programs(t, "sh", "go")
	document := filepath.Join("..", "..", "docs", "client.md")
	text := string(testkit.Read(t, document))
	source := regexp.MustCompile("(?sm)^```go\n(.*?)^```$").FindStringSubmatch(text)
	testkit.StopIf(t, source == nil, "docs/client.md: has no program in Go")
	checkout := testkit.Must(filepath.Abs("../.."))(t)
	s := newSession(t, startServer(t), "GOWORK=off", "GOFLAGS=-mod=mod")
	testkit.OK(t, os.Symlink(checkout, filepath.Join(s.folder, "pubd")))
	s.folder = filepath.Join(s.folder, "app")
	testkit.OK(t, os.Mkdir(s.folder, 0o755))
	program := strings.ReplaceAll(source[1], sampleAddress, s.server.api)
	replace(t, filepath.Join(s.folder, "main.go"), program)
	rewrite(t, document, s.run(text))
	testkit.Equal(t, "go list", s.answer("go list -m pubd"), "pubd v0.1.0 => example.org/owner/pubd v0.1.0")
}
