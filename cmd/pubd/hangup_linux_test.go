package main

import (
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
)

// initOfHangup begins the line that GODEBUG=inittrace=1 writes after the initialisation of hangup.
const initOfHangup = "init pubd/cmd/pubd/hangup "

// A SIGHUP at any moment after the initialisation of hangup causes a reload and does not end the process.
func TestHangUpWhileStarting(t *testing.T) {
	lane.Long(t, "starts twenty servers")
	t.Parallel()
	const starts = 20
	const ready = 60 * time.Millisecond // what a start takes
	index := built(t, pubs(3, "a"))     // no process builds beside those that are watched
	for i := range starts {
		command := pubd(anywhere("--data", index)...)
		if i%2 == 1 { // pubd alone is serve
			command.Args = command.Args[:1]
			command.Env = append(command.Env, "PUBD_LISTEN=127.0.0.1:0", "PUBD_ADMIN=127.0.0.1:0", "PUBD_DRAIN_DELAY=0s", "PUBD_DATA="+index)
		}
		command.Env = append(command.Env, "GODEBUG=inittrace=1")
		p := start(t, command)
		eventually(t, "initialisation", func() bool { return strings.Contains(p.stderr.String(), initOfHangup) || p.over() })
		delay := ready * time.Duration(max(0, i-starts/2)) / (starts / 2) // half of them at once
		time.Sleep(delay)
		p.signal(syscall.SIGHUP)
		eventually(t, "reload", func() bool { return p.stderr.count("data unchanged") == 1 || p.over() })
		if p.over() {
			t.Fatalf("SIGHUP %v after hangup is initialised: %v", delay, command.ProcessState)
		}
		p.stop()
	}
}

// hangup is initialised before nearly all packages outside the standard library.
func TestHangUpIsInitialisedEarly(t *testing.T) {
	t.Parallel()
	command := pubd("version")
	command.Env = append(command.Env, "GODEBUG=inittrace=1")
	trace, err := command.CombinedOutput()
	ok(t, err)
	before, _, found := strings.Cut(string(trace), initOfHangup)
	libraries := regexp.MustCompile(`(?m)^init \w+\.\w+/.*`).FindAllString(before, -1)
	const most = 5
	failIf(t, !found || len(libraries) > most, "initialised before hangup: got %q (found: %v), want at most %d libraries", libraries, found, most)
}

// SIGHUP ends the other commands, unless the program was started with SIGHUP ignored.
func TestHangUpEndsOtherCommands(t *testing.T) {
	t.Parallel()
	hangUps := make(chan os.Signal, 1)
	signal.Notify(hangUps, syscall.SIGHUP) // a test started by nohup hands the ignored signal on; a caught one is reset for a new program
	t.Cleanup(func() { signal.Stop(hangUps) })
	for script, ends := range map[string]bool{`exec "$0" "$@"`: true, `trap '' HUP; exec "$0" "$@"`: false} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			command := inShell(pubd("sample", "--pubs=100000"), script)
			r, w, err := os.Pipe()
			ok(t, err)
			defer r.Close()
			command.Stdout = w
			p := start(t, command)
			w.Close()
			_, err = io.ReadFull(r, make([]byte, 1)) // the command is running and waits for its reader
			ok(t, err)
			p.signal(syscall.SIGHUP)
			if ends {
				eventually(t, "exit", p.over)
				status := command.ProcessState.Sys().(syscall.WaitStatus)
				failIf(t, status.Signal() != syscall.SIGHUP, "got %v, want the end by SIGHUP", command.ProcessState)
				return
			}
			_, err = io.Copy(io.Discard, r)
			ok(t, err)
			p.exit(testPatience, exitOK)
		})
	}
}
