package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/serve"
	"pubd/httpapi/status"
	"pubd/index/indexfile"
)

// mainVariable makes the test binary act as pubd.
const mainVariable = "PUBD_TEST_MAIN"

// formatVariable sets the format version of index files of such a process, as that of a program of another release.
const formatVariable = "PUBD_TEST_FORMAT"

// idleVariable makes the program build at idle priority, as it does outside of tests.
const idleVariable = "PUBD_TEST_IDLE"

func TestMain(m *testing.M) {
	if os.Getenv(mainVariable) != "" && !testkit.HasOwnMounts() {
		if version, err := strconv.Atoi(os.Getenv(formatVariable)); err == nil {
			indexfile.Version = version
		}
		if os.Getenv(idleVariable) == "" {
			serve.YieldProcessors = func() {} // at idle priority, a build may hardly run beside other tests
		}
		main()
	}
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PUBD_") && name != testkit.Variable || name == "COLUMNS" {
			os.Unsetenv(name)
		}
	}
	_ = flag.Set("test.parallel", strconv.Itoa(testkit.Pick(2, 1)*runtime.GOMAXPROCS(0))) // quick tests mostly wait; -parallel takes precedence
	os.Setenv(mainVariable, "1")                                                          // for a server within the test process: it executes itself to build
	os.Exit(m.Run())
}

// A logLine is a line of the log. Members that a line lacks are zero.
type logLine struct {
	Level, Message, Error, What, Listen, Admin, Key, From string
}

// log returns the complete lines of standard error that are JSON.
func (p *process) log() (lines []logLine) {
	for text := range strings.Lines(p.stderr.String()) {
		var line logLine
		if strings.HasSuffix(text, "\n") && json.Unmarshal([]byte(text), &line) == nil {
			lines = append(lines, line)
		}
	}
	return lines
}

// logged returns the number of lines of the log with a property.
func (p *process) logged(has func(logLine) bool) (n int) {
	for _, line := range p.log() {
		if has(line) {
			n++
		}
	}
	return n
}

// A process is a running pubd. It is killed when the test ends.
type process struct {
	t              *testing.T
	command        *exec.Cmd
	stdout, stderr *testkit.Output
	api, admin     string // addresses, once it serves
	client         *http.Client
	exited         chan struct{} // closed after the exit
}

// pubd returns the command of a process. Its output is recorded unless the test redirects it.
func pubd(args ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], args...)
	command.Env = os.Environ()
	return command
}

// anywhere returns the flags of a server with free ports and no drain delay. Later flags take precedence.
func anywhere(args ...string) []string {
	return append([]string{"serve", "--listen=127.0.0.1:0", "--admin=127.0.0.1:0", "--drain-delay=0s"}, args...)
}

// start starts a command.
func start(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, command: command, stdout: new(testkit.Output), stderr: new(testkit.Output), exited: make(chan struct{}),
		client: &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16}, Timeout: testkit.Patience}}
	if command.Stdout == nil {
		command.Stdout = p.stdout
	}
	if command.Stderr == nil {
		command.Stderr = p.stderr
	}
	testkit.OK(t, command.Start())
	go func() {
		_ = command.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		p.client.CloseIdleConnections()
		_ = command.Process.Kill()
		<-p.exited
		if t.Failed() {
			t.Logf("%v\nstdout: %s\nstderr: %.4000s", command.Args[1:], p.stdout, p.stderr)
		}
	})
	return p
}

// startServer starts a server and waits until it is serving.
func startServer(t *testing.T, args ...string) *process {
	t.Helper()
	p := start(t, pubd(anywhere(args...)...))
	p.await()
	return p
}

// inShell returns a shell that executes a command with exec "$0" "$@" in a script.
func inShell(command *exec.Cmd, script string) *exec.Cmd {
	shell := exec.Command("/bin/sh", append([]string{"-c", script}, command.Args...)...)
	shell.Env = command.Env
	return shell
}

// await waits until the log has the server's addresses.
func (p *process) await() {
	p.t.Helper()
	testkit.Eventually(p.t, "serving", func() bool {
		for _, line := range p.log() {
			if line.Message == "serving" {
				p.api, p.admin = line.Listen, line.Admin
			}
		}
		return p.api != "" || p.over()
	})
	if p.over() {
		p.t.Fatalf("ended with %d before it served", p.command.ProcessState.ExitCode())
	}
}

func (p *process) over() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

func (p *process) signal(signal os.Signal) {
	p.t.Helper()
	testkit.OK(p.t, p.command.Process.Signal(signal))
}

// exit waits for the end and checks the exit code.
func (p *process) exit(want int) {
	p.t.Helper()
	testkit.Eventually(p.t, "exit", p.over)
	testkit.Equal(p.t, fmt.Sprintf("%v: exit code of %v", p.command.Args[1:], p.command.ProcessState), p.command.ProcessState.ExitCode(), want)
}

// stop ends the process with SIGTERM, which must be clean.
func (p *process) stop() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	p.exit(cli.ExitOK)
}

// runFor runs a command within the test process. A server that starts is stopped after a while.
func runFor(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
	defer cancel()
	var out, errs testkit.Output
	code = run(ctx, args, &out, &errs)
	return code, out.String(), errs.String()
}

// must runs a command, which must succeed, and returns its standard output.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, errs := runFor(t, args...)
	testkit.StopIf(t, code != cli.ExitOK, "%q: got %d %s, want 0", args, code, errs)
	return stdout
}

// addKey adds a key and returns its secret.
func addKey(t *testing.T, file, name string, flags ...string) (secret string) {
	t.Helper()
	return strings.TrimSuffix(must(t, append([]string{"keys", "add", "--file", file, "--name", name}, flags...)...), "\n")
}

// A reply is a response that has been read.
type reply struct {
	status int
	body   string
	closed bool // the server closes the connection
}

// get sends a GET request, which must be answered.
func (p *process) get(url, key string) reply {
	p.t.Helper()
	request := testkit.Must(http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil))(p.t)
	if key != "" {
		request.Header.Set("x-api-key", key)
	}
	response := testkit.Must(p.client.Do(request))(p.t)
	defer response.Body.Close()
	body := testkit.Must(io.ReadAll(response.Body))(p.t)
	return reply{response.StatusCode, string(body), response.Close}
}

// search sends a request to the API.
func (p *process) search(query, key string) reply {
	p.t.Helper()
	return p.get("http://"+p.api+"/api/v1/pubs/?"+query, key)
}

// operate sends a request to the admin address.
func (p *process) operate(path string) reply {
	p.t.Helper()
	return p.get("http://"+p.admin+path, "")
}

// readiness requests /readyz, which must have a status.
func (p *process) readiness(status int) (r status.Readiness) {
	p.t.Helper()
	got := p.operate("/readyz")
	err := json.Unmarshal([]byte(got.body), &r)
	testkit.StopIf(p.t, err != nil || got.status != status || r.Ready != (status == 200), "/readyz: got %d %q (%v), want %d", got.status, got.body, err, status)
	return r
}
