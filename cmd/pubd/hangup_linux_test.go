package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
)

// hangup is initialised before nearly all packages outside the standard library, so that a SIGHUP at any moment of a
// start causes a reload.
func TestHangUpIsInitialisedEarly(t *testing.T) {
	t.Parallel()
	command := pubd("version")
	command.Env = append(command.Env, "GODEBUG=inittrace=1")
	trace := testkit.Must(command.CombinedOutput())(t)
	before, _, found := strings.Cut(string(trace), "init pubd/cmd/pubd/hangup ")
	libraries := regexp.MustCompile(`(?m)^init \w+\.\w+/.*`).FindAllString(before, -1)
	const most = 5
	testkit.FailIf(t, !found || len(libraries) > most, "initialised before hangup: got %q (found: %v), want at most %d libraries", libraries, found, most)
}

// SIGHUP ends the other commands, unless the program was started with SIGHUP ignored.
func TestHangUpEndsOtherCommands(t *testing.T) {
	t.Parallel()
	hangUps := make(chan os.Signal, 1)
	signal.Notify(hangUps, syscall.SIGHUP) // a test started by nohup hands the ignored signal on; a caught one is reset for a new program
	t.Cleanup(func() { signal.Stop(hangUps) })
	for script, ends := range map[string]bool{`exec "$0" "$@"`: true, `trap '' HUP; exec "$0" "$@"`: false} {
		command := inShell(pubd("sample", "--pubs=100000"), script)
		r, w, err := os.Pipe()
		testkit.OK(t, err)
		defer r.Close()
		command.Stdout = w
		p := start(t, command)
		w.Close()
		testkit.Must(io.ReadFull(r, make([]byte, 1)))(t) // the command is running and waits for its reader
		p.signal(syscall.SIGHUP)
		if ends {
			testkit.Eventually(t, "exit", p.over)
			testkit.FailIf(t, command.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGHUP, "got %v, want the end by SIGHUP", command.ProcessState)
			continue
		}
		testkit.Must(io.Copy(io.Discard, r))(t)
		p.exit(cli.ExitOK)
	}
}

// SIGTERM ends a start that hangs in an access to a disk at once, whichever threads hang.
func TestTermWhileDisksHang(t *testing.T) {
	t.Parallel()
	if !testkit.InOwnMounts(t) {
		return
	}
	folder := testkit.Must(os.MkdirTemp("", "hung"))(t)
	testkit.Hang(t, folder)
	for range 4 {
		for _, flag := range []string{"keys", "features", "logo", "basemap", "trust"} {
			command := pubd("serve", "--listen=127.0.0.1:0", "--admin=", "--"+flag, filepath.Join(folder, "file"))
			p := start(t, command)
			testkit.Eventually(t, "an access hangs", func() bool {
				stacks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/wchan", command.Process.Pid))
				return slices.ContainsFunc(stacks, func(path string) bool {
					waits, _ := os.ReadFile(path)
					return bytes.Contains(waits, []byte("fuse"))
				})
			})
			p.signal(syscall.SIGTERM)
			testkit.Within(t, 15*time.Second, flag+": the end", p.over)
		}
	}
}
