package stage

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
)

// BuildPubd builds pubd into a directory.
func BuildPubd(ctx context.Context, dir string) (program string, err error) {
	program = filepath.Join(dir, "pubd")
	if _, err = Output(exec.CommandContext(ctx, "go", "build", "-o", program, "pubd/cmd/pubd")); err != nil {
		return "", fmt.Errorf("build pubd, inside its module: %w", err)
	}
	return program, nil
}

// A Server is a pubd of its own.
type Server struct {
	*Process          // nil before it is started
	API, Admin string // addresses, which it keeps when it is started again
	Data       string // the file that it reads
}

// NewServer returns a server of a file with free addresses, which is not started.
func NewServer(data string) (s *Server, err error) {
	s = &Server{Data: data}
	for _, address := range []*string{&s.API, &s.Admin} {
		if *address, err = FreeAddress(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Start starts the server, or starts it again, and waits until it is ready. It has the demo key, drains at once and shows profiles;
// flags come after these. Before is a command that sets limits and then becomes the program behind it, such as prlimit or taskset.
func (s *Server) Start(ctx context.Context, before []string, program string, flags ...string) (err error) {
	command := slices.Concat(before, []string{program, "serve", "--data", s.Data, "--listen", s.API, "--admin", s.Admin, "--drain-delay", "0s", "--pprof"}, flags)
	s.Process, err = Start(ctx, Command(ctx, nil, command...), syscall.SIGTERM, Answering("http://"+s.Admin+"/readyz"))
	return err
}
