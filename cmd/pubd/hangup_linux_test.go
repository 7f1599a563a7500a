package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// raised matches the limits of file descriptors after the initialisation of Go's package syscall, which raises the soft limit from 60.
var raised = regexp.MustCompile(`(?m)^Max open files +63 +64 `)

// A SIGHUP 2 ms of CPU time after the package syscall is initialised, before nearly all other packages, causes a reload and does not end the
// process.
func TestHangUpWhileStarting(t *testing.T) {
	takesLong(t, "starts fifty servers")
	t.Parallel()
	const starts = 50
	const poll = 50 * time.Microsecond              // well below the 2 ms, and leaves the processor to what it watches
	index := filepath.Join(t.TempDir(), "pubs.idx") // no process builds beside those that are watched
	if code, _, errs := runFor(t, "build", write(t, "pubs.csv", pubs(3, "a")), index); code != exitOK {
		t.Fatalf("build: %s", errs)
	}
	for i := range starts {
		command := pubd(anywhere("--data", index)...)
		if i%2 == 1 { // pubd alone is serve
			command.Args = command.Args[:1]
			command.Env = append(command.Env, "PUBD_LISTEN=127.0.0.1:0", "PUBD_ADMIN=127.0.0.1:0", "PUBD_DRAIN_DELAY=0s", "PUBD_DATA="+index)
		}
		command.Args = append([]string{"/bin/sh", "-c", `ulimit -Sn 60 && ulimit -Hn 64 && exec "$0" "$@"`, command.Path}, command.Args[1:]...)
		command.Path = command.Args[0]
		p := start(t, command)
		pid := command.Process.Pid
		begun := time.Duration(0)
		for {
			limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
			if err != nil || p.over() {
				t.Fatalf("ended before the package syscall was initialised: %v", err)
			}
			if begun = onProcessor(t, pid); raised.Match(limits) {
				break
			}
			time.Sleep(poll)
		}
		delay := max(0, time.Duration(i-starts/2)) * 60 * time.Millisecond / time.Duration(starts/2) // half of them at once
		for now := time.Now(); time.Since(now) < delay || onProcessor(t, pid) < begun+2*time.Millisecond && time.Since(now) < time.Second; time.Sleep(poll) {
		}
		p.signal(syscall.SIGHUP)
		eventually(t, "reload", func() bool { return p.stderr.count("data unchanged") == 1 || p.over() })
		if p.over() {
			t.Fatalf("SIGHUP %v after the package syscall was initialised: %v", delay, command.ProcessState)
		}
		p.signal(syscall.SIGTERM)
		p.exit(testPatience, exitOK)
	}
}

// onProcessor returns the CPU time of a process's first thread, which initialises packages.
func onProcessor(t *testing.T, pid int) (ran time.Duration) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), (*int64)(&ran)); err != nil {
		t.Fatalf("schedstat %q: %v", text, err)
	}
	return ran
}

// hangup is initialised before nearly all packages outside the standard library.
func TestHangUpIsInitialisedEarly(t *testing.T) {
	t.Parallel()
	command := pubd("version")
	command.Env = append(command.Env, "GODEBUG=inittrace=1")
	trace, err := command.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(trace), "init pubd/cmd/pubd/hangup ")
	libraries := regexp.MustCompile(`(?m)^init \w+\.\w+/.*`).FindAllString(before, -1)
	const most = 5
	if !found || len(libraries) > most {
		t.Errorf("initialised before hangup: got %q (found: %v), want at most %d libraries", libraries, found, most)
	}
}

// SIGHUP ends the other commands, unless the program was started with SIGHUP ignored.
func TestHangUpEndsOtherCommands(t *testing.T) {
	t.Parallel()
	hangUps := make(chan os.Signal, 1)
	signal.Notify(hangUps, syscall.SIGHUP) // a test started by nohup hands the ignored signal on; a caught one is reset for a new program
	t.Cleanup(func() { signal.Stop(hangUps) })
	for _, c := range []struct {
		name, script string
		ends         bool
	}{
		{"default", `exec "$0" "$@"`, true},
		{"nohup", `trap '' HUP; exec "$0" "$@"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			command := exec.Command("/bin/sh", "-c", c.script, os.Args[0], "sample", "--pubs=100000")
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			command.Stdout = w
			p := start(t, command)
			w.Close()
			if _, err := io.ReadFull(r, make([]byte, 1)); err != nil { // the command is running and waits for its reader
				t.Fatal(err)
			}
			p.signal(syscall.SIGHUP)
			if c.ends {
				eventually(t, "exit", p.over)
				if status := command.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGHUP {
					t.Errorf("got %v, want the end by SIGHUP", command.ProcessState)
				}
				return
			}
			if _, err := io.Copy(io.Discard, r); err != nil {
				t.Error(err)
			}
			p.exit(testPatience, exitOK)
		})
	}
}
