package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A process is a server in a process group of its own.
type process struct {
	cmd    *exec.Cmd
	quit   syscall.Signal
	output bytes.Buffer
	ended  chan struct{}
}

// Patience with servers that start, and with those that are told to end.
const (
	startLimit = 10 * time.Minute
	stopLimit  = 5 * time.Second
)

// start starts a server and waits until it is ready. The signal quit makes it end.
func start(ctx context.Context, cmd *exec.Cmd, quit syscall.Signal, ready func() bool) (*process, error) {
	p := &process{cmd: cmd, quit: quit, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.output, &p.output
	cmd.Cancel = p.interrupt
	cmd.WaitDelay = stopLimit
	group(cmd)
	cmd.SysProcAttr.Pdeathsig = quit // where this program is killed
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait()
		close(p.ended)
	}()
	for deadline := time.Now().Add(startLimit); !ready(); {
		select {
		case <-p.ended:
			return nil, fmt.Errorf("%s ended at once: %s", shown(cmd), lastLines(p.output.String()))
		case <-ctx.Done():
			p.stop()
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			p.stop()
			return nil, fmt.Errorf("%s is not ready after %v: %s", shown(cmd), startLimit, lastLines(p.output.String()))
		}
	}
	return p, nil
}

func (p *process) interrupt() error { return syscall.Kill(-p.cmd.Process.Pid, p.quit) }

// stop ends the process and what it started, and waits for that.
func (p *process) stop() {
	_ = p.interrupt()
	select {
	case <-p.ended:
	case <-time.After(stopLimit):
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.ended
}

// group makes a command the leader of a process group.
func group(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// output runs a command to its end and gives its standard output. The error has what it said last.
func output(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	group(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = stopLimit
	if err := cmd.Run(); err != nil {
		said := stderr.String()
		if strings.TrimSpace(said) == "" {
			said = stdout.String()
		}
		return "", fmt.Errorf("%s: %w: %s", shown(cmd), err, lastLines(said))
	}
	return stdout.String(), nil
}

// shown is the program that a command runs, without what pins it.
func shown(cmd *exec.Cmd) string {
	if len(cmd.Args) > 3 && cmd.Args[0] == "taskset" {
		return cmd.Args[3]
	}
	return cmd.Args[0]
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}

// pinned is a command on one core, with an environment of nothing but what is given.
func pinned(ctx context.Context, core int, environment []string, command ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", fmt.Sprint(core)}, command...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}, environment...)
	return cmd
}

// freeAddress is an address of loopback that nobody listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// listening tells whether somebody listens on an address.
func listening(address string) func() bool {
	return func() bool {
		c, err := net.Dial("tcp", address)
		return err == nil && c.Close() == nil
	}
}
