package stage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// FileTimeout is the time limit for reading a snapshot or key file of the program of CompilePubd; users have a minute. A
// build, which has what others leave of the processors, must read its file within it on a busy machine.
const FileTimeout = 10 * time.Second

// CompilePubd compiles pubd into a directory, unless PUBD_PROGRAM names one.
func CompilePubd(ctx context.Context, dir string) (program string, err error) {
	if program = os.Getenv("PUBD_PROGRAM"); program != "" {
		return program, nil
	}
	root, err := Output(exec.CommandContext(ctx, "go", "list", "-m", "-f={{.Dir}}", "pubd"))
	if err != nil {
		return "", fmt.Errorf("build pubd (the working directory must be in its module or one that requires it): %w", err)
	}
	program = filepath.Join(dir, "pubd")
	_, err = Output(exec.CommandContext(ctx, "go", "build", "-C", strings.TrimSpace(root), "-ldflags=-X pubd/cmd/pubd/serve.fileTimeout="+FileTimeout.String(), "-o", program, "./cmd/pubd"))
	return program, err
}

// A Server is a pubd process.
type Server struct {
	*Process          // nil until it is started
	API, Admin string // addresses, which stay the same when it is restarted
	Data       string // the file that it reads
}

// NewServer returns a server for a file, with free addresses. It is not started.
func NewServer(data string) (s *Server, err error) {
	s = &Server{Data: data}
	for _, address := range []*string{&s.API, &s.Admin} {
		if *address, err = FreeAddress(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Start starts or restarts the server and waits until it is ready. Its own flags enable profiles and set no drain
// delay; flags come after these. Without --keys, it accepts the demo key. The command before is that of [StartProxy].
func (s *Server) Start(ctx context.Context, before []string, program string, flags ...string) (err error) {
	command := slices.Concat(before, []string{program, "serve", "--data", s.Data, "--listen", s.API, "--admin", s.Admin, "--drain-delay", "0s", "--pprof"}, flags)
	s.Process, err = Start(ctx, Command(ctx, command...), syscall.SIGTERM, Answering("http://"+s.Admin+"/readyz"))
	return err
}

// A MissingError says that a program is not installed, and how to install it. It is an [exec.ErrNotFound].
type MissingError struct{ program, packages string }

func (e MissingError) Error() string {
	return fmt.Sprintf("%s is not installed: on Debian, apt-get install -y %s", e.program, e.packages)
}

func (e MissingError) Unwrap() error { return exec.ErrNotFound }

// Tool returns the path of a program in PATH or in /usr/sbin, which Debian leaves out of the PATH of ordinary users.
func Tool(name, packages string) (string, error) {
	for _, candidate := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path, nil
		}
	}
	return "", MissingError{name, packages}
}
