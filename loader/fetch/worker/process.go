package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"pubd/loader"
)

// Command is the name of the command that must call [Run].
const Command = "builder"

// Hooks are called while a worker works, which waits for them.
type Hooks struct {
	// Read receives the SHA-256 of the file, and returns whether to build its index.
	Read     func(source string) (build bool)
	Progress func(part string, done, total int64)
}

// A Result is what a worker has done.
type Result struct {
	Source string // the SHA-256 of the file
	Built  bool   // whether the index was built
	// Index is the index, sealed, if it was built into memory. The caller closes it.
	Index               *os.File
	ReadTook, BuildTook time.Duration
	Warnings            []Warning
}

// A Crash means that a worker ended without a report: it was killed, or crashed.
type Crash struct {
	reason string
	Stderr string // its last output, perhaps a stack
}

func (c *Crash) Error() string { return c.reason }

// Build lets a worker execute an order, into a file or, if that is nil, into memory. When the context ends, so does the
// worker, and Build returns once it has, as it may hang in the kernel although it was killed. With an error, the result
// has at most the source and the warnings.
func Build(ctx context.Context, order Order, to *os.File, hooks Hooks) (Result, error) {
	name := loader.Visible(order.name())
	order.OnDisk = to != nil
	var err error
	if !order.OnDisk {
		if to, err = NewAnonymousFile(); err != nil {
			return Result{}, fmt.Errorf("%s: %w", name, err)
		}
		defer to.Close()
	}
	p, err := start(order, to)
	if err != nil {
		return Result{}, fmt.Errorf("%s: start a process to build it: %w", name, err)
	}
	result, err := p.follow(ctx, name, order.Free, hooks)
	if err != nil || !result.Built || order.OnDisk {
		return result, err
	}
	if result.Index, err = Sealed(to); err != nil {
		return result, fmt.Errorf("%s: %w", name, err)
	}
	return result, nil
}

// follow passes the reports of a worker on until it ends.
func (p *process) follow(ctx context.Context, name string, free Room,
	hooks Hooks) (result Result, err error) {
	defer p.kill(ctx)
	for {
		select {
		case got := <-p.reports:
			switch got.Kind {
			case reportRead:
				result.Source = got.Source
				if !hooks.Read(got.Source) {
					return result, nil
				}
				_ = json.NewEncoder(p.in).Encode(true) // a worker that is dead is noticed below
			case reportProgress:
				hooks.Progress(got.Part, got.Done, got.Total)
			case reportLoaded:
				result.Warnings = got.Warnings
			case reportBuilt:
				result.Built, result.ReadTook, result.BuildTook = true, got.Read, got.Build
				return result, nil
			case reportRejected:
				if got.Unwritable {
					return result, loader.Reword(ErrUnwritable, got.Reason)
				}
				return result, errors.New(got.Reason)
			}
		case <-p.over:
			return result, p.crash(name, free)
		case <-ctx.Done():
			return result, fmt.Errorf("%s: not built: %w", name, context.Cause(ctx))
		}
	}
}

// A process is a worker that was started.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	reports chan report
	unheard chan struct{} // closed when nobody receives reports any more
	over    chan struct{} // closed after its end, when all its reports have been received
	exit    error         // why it ended, once over
	stderr  *beginning
}

func start(order Order, to *os.File) (*process, error) {
	command := exec.Command(thisProgram, Command)
	command.Args[0] = "pubd"
	command.ExtraFiles = []*os.File{to}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals of the terminal are for the server
	p := &process{command: command, reports: make(chan report), unheard: make(chan struct{}),
		over: make(chan struct{}), stderr: new(beginning)}
	command.Stderr = p.stderr
	var err error
	if p.in, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.over)
		if p.forward(out) != io.EOF {
			_ = command.Process.Kill() // nobody reads its output
		}
		p.exit = command.Wait()
	}()
	_ = json.NewEncoder(p.in).Encode(order) // a worker that is dead is noticed later
	return p, nil
}

// forward passes reports on until the end of out, which is io.EOF, or until nobody receives them.
func (p *process) forward(out io.Reader) error {
	decoder := json.NewDecoder(out)
	for {
		var r report
		if err := decoder.Decode(&r); err != nil {
			return err
		}
		select {
		case p.reports <- r:
		case <-p.unheard:
			return nil
		}
	}
}

// kill ends the process. It waits for the end only if the context has ended, as otherwise nothing depends on it.
func (p *process) kill(ctx context.Context) {
	close(p.unheard)
	_ = p.command.Process.Kill()
	_ = p.in.Close()
	if ctx.Err() != nil {
		<-p.over
	}
}

// crash says why a process ended without a report, given how much memory was free when it began.
func (p *process) crash(name string, free Room) *Crash {
	why := "it ended early"
	if p.exit != nil {
		why = p.exit.Error()
	}
	if state := new(exec.ExitError); errors.As(p.exit, &state) {
		if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			why += fmt.Sprintf(", perhaps by the kernel, out of memory: took %d MiB of memory, and %v: raise the memory limit, or serve fewer pubs",
				state.SysUsage().(*syscall.Rusage).Maxrss>>10, free) // in KiB, on Linux
		}
	}
	for line := range strings.Lines(p.stderr.String()) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") ||
			strings.HasPrefix(line, "pubd: ") {
			why += ": " + strings.TrimSpace(line)
			break
		}
	}
	return &Crash{fmt.Sprintf("%s: the process that builds it crashed: %s", name, loader.Visible(why)), p.stderr.String()}
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
