// Package stage runs the programs that measurements need: pubd, PostgreSQL, nginx and HAProxy. It starts servers on
// free addresses, waits until they are ready, stops them, and reads what they cost; what they are asked is decided
// elsewhere.
//
// [Start] is the base: it gives a server a process group of its own, stops it if this program is killed, and returns
// the last lines of its output if it ends early. [Server.Start], [StartPostgres] and [StartProxy] start one kind each;
// the command before is put in front, such as taskset. [StartDeployed] starts a proxy with the configuration of the
// folder deploy, so that the documented configuration is what is tested. A [MissingError] says which package of Debian
// has a program; tests are then skipped.
//
// [FreeAddress] takes ports below those that the kernel assigns, so that an address stays free while its server
// restarts. [ProcessorTime] adds up a process group, as PostgreSQL has many processes. All this needs Linux.
package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// A Process is a server in a process group of its own.
type Process struct {
	cmd    *exec.Cmd
	quit   syscall.Signal
	output bytes.Buffer
	ended  chan struct{}
}

// ID returns the process ID.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Ended returns a channel that is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Signal sends a signal to the process group.
func (p *Process) Signal(signal syscall.Signal) error { return syscall.Kill(-p.ID(), signal) }

// How long a server may take to start and to stop.
const (
	startLimit = 10 * time.Minute
	stopLimit  = 5 * time.Second
)

// Start starts a server and waits until it is ready. The signal quit is how it is stopped.
func Start(ctx context.Context, cmd *exec.Cmd, quit syscall.Signal, ready func() bool) (*Process, error) {
	p := &Process{cmd: cmd, quit: quit, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.output, &p.output
	cmd.Cancel = p.interrupt
	cmd.WaitDelay = stopLimit
	group(cmd)
	cmd.SysProcAttr.Pdeathsig = quit // if this program is killed
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the kernel sends Pdeathsig when the thread ends that started the process
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(startLimit); !ready(); {
		select {
		case <-p.ended:
			return nil, fmt.Errorf("%s ended at once: %s", cmd.Args[0], LastLines(p.output.String()))
		case <-ctx.Done():
			p.Stop()
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			p.Stop()
			return nil, fmt.Errorf("%s is not ready after %v: %s", cmd.Args[0], startLimit, LastLines(p.output.String()))
		}
	}
	return p, nil
}

func (p *Process) interrupt() error { return p.Signal(p.quit) }

// Stop stops the process group and waits until the process has ended. A process that ignores the signal is killed.
func (p *Process) Stop() {
	_ = p.interrupt()
	select {
	case <-p.ended:
	case <-time.After(stopLimit):
	}
	_ = p.Signal(syscall.SIGKILL)
	<-p.ended
}

// group makes a command the leader of a new process group.
func group(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// Output runs a command and returns its standard output. An error contains its last messages.
func Output(cmd *exec.Cmd) (string, error) {
	group(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = stopLimit
	said, err := cmd.Output()
	if exit, is := errors.AsType[*exec.ExitError](err); is && len(bytes.TrimSpace(exit.Stderr)) > 0 {
		said = exit.Stderr
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", cmd.Args[0], err, LastLines(string(said)))
	}
	return string(said), nil
}

// LastLines returns the last five lines of a text as one line.
func LastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}

// Command returns a command whose environment has PATH and a UTF-8 locale.
func Command(ctx context.Context, command ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	return cmd
}

// FreeAddress tries these ports in order, from a random one. They are below those that the kernel assigns itself
// (ip_local_port_range in ip(7)), and no browser blocks them.
const (
	firstPort = 11_000
	ports     = 20_000
)

var lastPort atomic.Uint32

func init() { lastPort.Store(rand.Uint32N(ports)) }

// FreeAddress returns a loopback address that nothing listens on, a different one each time. It stays free while a
// server restarts.
func FreeAddress() (string, error) {
	var err error
	for range 1000 {
		var l net.Listener
		l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+lastPort.Add(1)%ports))
		if err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", err
}

// Listening returns a function that reports whether anyone listens on an address.
func Listening(address string) func() bool {
	return func() bool {
		c, err := net.Dial("tcp", address)
		return err == nil && c.Close() == nil
	}
}

// Answering returns a function that reports whether a URL answers with 200.
func Answering(url string) func() bool {
	return func() bool {
		status, _, err := fasthttp.GetTimeout(nil, url, startLimit)
		return err == nil && status == http.StatusOK
	}
}
