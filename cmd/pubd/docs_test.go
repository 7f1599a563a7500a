package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
	"pubd/testkit"
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
	server            *process // the server started last, or nil
	commands, started int
}

// newSession returns a session in a new folder whose commands find pubd in PATH, with more environment variables.
func newSession(t *testing.T, server *process, variables ...string) *session {
	t.Helper()
	program, err := filepath.Abs(os.Args[0])
	testkit.OK(t, err)
	tools := t.TempDir()
	testkit.OK(t, os.Symlink(program, filepath.Join(tools, "pubd")))
	return &session{t: t, folder: t.TempDir(), server: server, environment: append(append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH")), variables...)}
}

// answer runs a command and returns its output.
func (s *session) answer(command string) string {
	s.t.Helper()
	if s.server != nil {
		command = strings.ReplaceAll(command, sampleAddress, s.server.api)
	}
	s.commands++
	output, _ := s.shell(command).CombinedOutput() // errors are output, too
	return strings.TrimSuffix(string(output), "\n")
}

func (s *session) shell(command string) *exec.Cmd {
	shell := exec.Command("sh", "-c", command)
	shell.Dir, shell.Env = s.folder, s.environment
	return shell
}

// paste runs the lines of a block. A line that starts a server first stops the previous one.
func (s *session) paste(block string) {
	s.t.Helper()
	for line := range strings.Lines(block) {
		command := strings.TrimSpace(line)
		if !strings.HasSuffix(command, "./cmd/pubd") && !strings.Contains(command, "pubd serve") || strings.HasPrefix(command, "go build") {
			s.commands++
			output, err := s.shell(command).CombinedOutput()
			testkit.StopIf(s.t, err != nil, "%s: %v\n%s", command, err, output)
			continue
		}
		s.stop()
		serving := s.shell("exec " + command)
		serving.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // go run does not forward signals
		s.server = start(s.t, serving)
		testkit.Within(s.t, 5*time.Minute, "built and started", func() bool { return s.server.stderr.count("serving") > 0 || s.server.over() }) // go run compiles
		s.server.await()
		s.started++
	}
}

// stop stops the server like ^C in its terminal.
func (s *session) stop() {
	s.t.Helper()
	if s.server == nil {
		return
	}
	testkit.OK(s.t, syscall.Kill(-s.server.command.Process.Pid, syscall.SIGINT))
	testkit.Within(s.t, testkit.Patience, "exit", s.server.over) // go run has its own exit code
	testkit.Equal(s.t, "lines of a stop in order", s.server.stderr.count("stopped"), 1)
	s.server = nil
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
		t.Setenv(lane.Variable, "1") // in the quick lane, too: a skipped test looks as if it had rewritten them
	}
	lane.Programs(t, "sh", "curl", "sed", "grep")
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

// docs/api.md names every parameter and every error code, and its commands use every parameter.
func TestAPIDocumentIsComplete(t *testing.T) {
	text := testkit.Read(t, "../../docs/api.md")
	type parameter struct {
		Ref      string `json:"$ref"`
		Name, In string
	}
	var api struct {
		Paths map[string]struct {
			Get struct{ Parameters []parameter }
		}
		Components struct {
			Parameters map[string]parameter
			Schemas    struct {
				Error struct {
					Properties struct{ Code struct{ Enum []string } }
				}
			}
		}
	}
	testkit.OK(t, json.Unmarshal(testkit.Read(t, "../../httpapi/openapi.json"), &api))
	given, parameters := map[string]bool{}, 0
	commands := regexp.MustCompile(`(?m)^\$ curl .*$`).FindAllString(string(text), -1)
	for _, found := range regexp.MustCompile(`[?&]([a-z_]+)=`).FindAllStringSubmatch(strings.Join(commands, "\n"), -1) {
		given[found[1]] = true
	}
	for path, methods := range api.Paths {
		for _, parameter := range methods.Get.Parameters {
			if name, shared := strings.CutPrefix(parameter.Ref, "#/components/parameters/"); shared {
				parameter = api.Components.Parameters[name]
			}
			if parameter.In != "query" {
				continue
			}
			parameters++
			isUsed := strings.Contains(string(text), "`"+parameter.Name) && given[parameter.Name]
			testkit.FailIf(t, !isUsed, "docs/api.md: parameter %s of %s must be described in it, and a command must ask with it", parameter.Name, path)
		}
	}
	testkit.FailIf(t, parameters < 34, "openapi.json: got %d parameters", parameters)
	codes := api.Components.Schemas.Error.Properties.Code.Enum
	for _, code := range codes {
		testkit.FailIf(t, !strings.Contains(string(text), "`"+code+"`"), "docs/api.md: does not mention the code %s", code)
	}
	testkit.FailIf(t, len(codes) < 18, "openapi.json: got %d codes", len(codes))
}

// README names the commands that start, test and measure the program, and .ci/run calls them.
func TestCommandsOfReadme(t *testing.T) {
	readme, ci := string(testkit.Read(t, "../../README.md")), string(testkit.Read(t, "../../.ci/run"))
	for _, command := range []string{"go run ./cmd/pubd", "go test ./...", "go test -bench . ./bench"} {
		testkit.FailIf(t, !strings.Contains(readme, "\n"+command+"\n") || !strings.Contains(ci, " "+command), "%s: must be a line of README.md, and be called by .ci/run", command)
	}
}

// The README's commands work as pasted, in their order, in a clean copy of the tree, and create only files in
// .gitignore.
func TestReadme(t *testing.T) {
	lane.Long(t, "builds the program twice")
	lane.Programs(t, "sh", "curl", "jq", "go", "git")
	path := filepath.Join("..", "..", "README.md")
	text := testkit.Read(t, path)
	tree := cleanCopy(t)
	environment := append(os.Environ(), mainVariable+"=", "PUBD_LISTEN=127.0.0.1:0", "PUBD_ADMIN=127.0.0.1:0", "PUBD_DRAIN_DELAY=0s")
	s := &session{t: t, folder: tree, environment: environment}
	rewrite(t, path, s.run(string(text)))
	s.stop()
	testkit.FailIf(t, s.commands < 7 || s.started < 3, "%d commands were run and %d servers started", s.commands, s.started)
	left := git(t, tree, "ls-files", "--others", "--modified", "--exclude-standard")
	testkit.FailIf(t, left != "", "the commands left in the checkout: %s", left)
}

// cleanCopy returns a new repository with the files of the tree that git tracks or does not ignore.
func cleanCopy(t *testing.T) string {
	t.Helper()
	from, to := filepath.Join("..", ".."), t.TempDir()
	if err := exec.Command("git", "-C", from, "rev-parse", "--git-dir").Run(); err != nil {
		t.Skipf("not a checkout: %v", err)
	}
	for name := range strings.SplitSeq(git(t, from, "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		content, err := os.ReadFile(filepath.Join(from, name))
		if name == "" || os.IsNotExist(err) { // deleted, but not committed
			continue
		}
		testkit.OK(t, err)
		copied := filepath.Join(to, name)
		testkit.OK(t, os.MkdirAll(filepath.Dir(copied), 0o755))
		info, err := os.Stat(filepath.Join(from, name))
		testkit.OK(t, err)
		testkit.OK(t, os.WriteFile(copied, content, info.Mode()))
	}
	git(t, to, "init", "-q")
	git(t, to, "add", "-A")
	return to
}

// git runs git in a folder and returns its output.
func git(t *testing.T, folder string, args ...string) string {
	t.Helper()
	output, err := exec.Command("git", append([]string{"-C", folder}, args...)...).Output()
	testkit.StopIf(t, err != nil, "git %q: %v", args, err)
	return string(output)
}
