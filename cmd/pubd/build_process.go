package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"pubd/loader"
)

// A builder runs build processes, one at a time: their memory is freed when they end, and a failure ends only them.
type builder struct {
	fileTimeout time.Duration
	limit       int64        // memory limit in bytes, for error messages
	lingering   atomic.Int32 // processes that have not ended; killed ones may hang in the kernel
}

// A buildFailure means that a process ended without a report: it was killed, or crashed.
type buildFailure struct {
	reason string
	stderr string // its last output, perhaps a stack
}

func (e *buildFailure) Error() string { return e.reason }

// run lets a process execute an order and write the index to a file. It returns the report that ended the build, never of kind
// reportRejected; the others go to report. When the context ends, so does the process.
func (b *builder) run(ctx context.Context, order buildOrder, to *os.File, report func(buildReport)) (end buildReport, err error) {
	name := order.name()
	if waiting := int(b.lingering.Load()); waiting >= maxAbandoned {
		return end, tooManyAbandoned(name, waiting)
	}
	p, err := b.start(order, to)
	if err != nil {
		return end, fmt.Errorf("%s: start a process to build it: %w", loader.Visible(name), err)
	}
	late := time.NewTimer(b.fileTimeout)
	defer late.Stop()
	for {
		select {
		case got := <-p.reports:
			switch got.Kind {
			case reportRead:
				late.Stop()
			case reportBuilt, reportCached, reportUnchanged, reportRejected:
				end = got
			default:
				report(got)
			}
		case err := <-p.ended:
			return b.outcome(name, end, err, p.stderr.String())
		case <-late.C:
			p.kill()
			return end, notRead(name, b.fileTimeout)
		case <-ctx.Done():
			p.kill()
			return end, fmt.Errorf("%s: not built: %w", loader.Visible(name), context.Cause(ctx))
		}
	}
}

// outcome interprets the end of a process.
func (b *builder) outcome(name string, end buildReport, exit error, stderr string) (buildReport, error) {
	switch {
	case end.Kind == reportRejected && end.Room != nil:
		return end, withLimit(end.Room, b.limit)
	case end.Kind == reportRejected:
		return end, errors.New(end.Text)
	case exit == nil && end.Kind != "":
		return end, nil
	}
	why := "it ended early"
	if exit != nil {
		why = exit.Error()
	}
	if state := new(exec.ExitError); errors.As(exit, &state) {
		if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			why += ", perhaps by the kernel, out of memory"
			if !unlimited(b.limit) {
				why += fmt.Sprintf(": the limit is %d MiB", b.limit>>20)
			}
		}
	}
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "pubd: ") {
			why += ": " + strings.TrimSpace(line)
			break
		}
	}
	return end, &buildFailure{fmt.Sprintf("%s: the process that builds it crashed: %s", loader.Visible(name), loader.Visible(why)), stderr}
}

// A buildProcess is a running process.
type buildProcess struct {
	command *exec.Cmd
	reports <-chan buildReport
	ended   <-chan error // receives its end, once all reports have been received
	stderr  *beginning
	dead    chan struct{} // closed when nobody receives reports any more
}

func (b *builder) start(order buildOrder, to *os.File) (*buildProcess, error) {
	program, err := thisProgram()
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	command := exec.Command(program, builderName)
	command.Args[0] = "pubd"
	command.ExtraFiles = []*os.File{to}
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOMEMLIMIT=") })
	if !unlimited(order.Room) {
		command.Env = append(command.Env, "GOMEMLIMIT="+strconv.FormatInt(order.Room, 10))
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals of the terminal are for the server
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr := new(beginning)
	command.Stderr = stderr
	if err := command.Start(); err != nil {
		return nil, err
	}
	b.lingering.Add(1)
	reports, ended := make(chan buildReport), make(chan error, 1)
	p := &buildProcess{command, reports, ended, stderr, make(chan struct{})}
	go func() {
		defer in.Close() // whose end would end the process
		defer b.lingering.Add(-1)
		_, _ = in.Write(append(line, '\n')) // a dead process is noticed below
		if p.forward(out, reports) != io.EOF {
			_ = command.Process.Kill() // nobody would read its output
		}
		ended <- command.Wait()
	}()
	return p, nil
}

// forward passes reports on until the end of out, which is io.EOF, or until nobody receives them.
func (p *buildProcess) forward(out io.Reader, reports chan<- buildReport) error {
	decoder := json.NewDecoder(out)
	for {
		var report buildReport
		if err := decoder.Decode(&report); err != nil {
			return err
		}
		select {
		case reports <- report:
		case <-p.dead:
			return nil
		}
	}
}

// kill kills the process. It waits only briefly, because the process may hang in the kernel.
func (p *buildProcess) kill() {
	close(p.dead)
	_ = p.command.Process.Kill()
	select {
	case <-p.ended:
	case <-time.After(windUp):
	}
}

// A beginning is a writer that keeps the first bytes.
type beginning struct{ text bytes.Buffer }

const maxBeginning = 16 << 10

// Write implements io.Writer.
func (b *beginning) Write(p []byte) (int, error) {
	b.text.Write(p[:min(len(p), maxBeginning-b.text.Len())])
	return len(p), nil
}

func (b *beginning) String() string { return b.text.String() }
