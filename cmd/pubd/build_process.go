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

// A builder runs building processes, one at a time: the memory that building takes is theirs and gone when they end, and what goes
// wrong in them ends them alone.
type builder struct {
	fileTimeout time.Duration
	limit       int64        // of memory in bytes, for reasons
	lingering   atomic.Int32 // processes that have not ended; those that were killed may wait in the kernel
}

// A buildFailure is the end of a process that says nothing: it was killed, or broke off.
type buildFailure struct {
	reason string
	stderr string // its last words, perhaps a stack
}

func (e *buildFailure) Error() string { return e.reason }

// run has a process carry out an order and write the index to a file. It returns the report that ended the build, none of kind
// reportRefused; the others go to report. When the context ends, so does the process.
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
			case reportBuilt, reportCached, reportUnchanged, reportRefused:
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

// outcome returns what the end of a process means.
func (b *builder) outcome(name string, end buildReport, exit error, stderr string) (buildReport, error) {
	switch {
	case end.Kind == reportRefused && end.Room != nil:
		return end, withLimit(end.Room, b.limit)
	case end.Kind == reportRefused:
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

// A buildProcess is a process at work.
type buildProcess struct {
	command *exec.Cmd
	reports <-chan buildReport
	ended   <-chan error // has its end, once all reports have been taken
	stderr  *beginning
	dead    chan struct{} // closed when nobody takes reports any more
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
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what a terminal sends is for the server
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
		defer in.Close() // at the end of which the process would end
		defer b.lingering.Add(-1)
		_, _ = in.Write(append(line, '\n')) // one that has died is found below
		if p.forward(out, reports) != io.EOF {
			_ = command.Process.Kill() // nobody would read what it says
		}
		ended <- command.Wait()
	}()
	return p, nil
}

// forward passes reports on until there are no more, which is io.EOF, or nobody takes them.
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

// kill ends the process. It waits for the end for a moment only, as the process may wait in the kernel.
func (p *buildProcess) kill() {
	close(p.dead)
	_ = p.command.Process.Kill()
	select {
	case <-p.ended:
	case <-time.After(windUp):
	}
}

// A beginning keeps the first of what is written to it.
type beginning struct{ text bytes.Buffer }

const maxBeginning = 16 << 10

// Write implements io.Writer.
func (b *beginning) Write(p []byte) (int, error) {
	b.text.Write(p[:min(len(p), maxBeginning-b.text.Len())])
	return len(p), nil
}

func (b *beginning) String() string { return b.text.String() }
