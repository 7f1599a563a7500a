package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"pubd/bench"
	"pubd/bench/stage"
	"pubd/data"
	"pubd/loader"
)

// A server is a pubd that serves one size.
type server struct {
	figures
	cmd      *exec.Cmd
	ended    chan struct{} // closed when the process has ended
	address  string
	requests map[string][]string // query strings by class
	wrote    transcript
}

// figures are what a server needs.
type figures struct {
	ready time.Duration // from the start of the process
	once  memory        // once ready
	after memory        // after all requests
}

// A transcript is what a server said.
type transcript struct {
	mutex sync.Mutex // guards text
	text  bytes.Buffer
}

// Write implements io.Writer.
func (t *transcript) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.text.Write(p)
}

// String is what was said so far.
func (t *transcript) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.text.String()
}

// settle is how long after it is ready the memory of a server is read.
const settle = time.Second

// seed is that of the directories.
const seed = 1

// start makes up a directory and starts a server of it, which must be stopped, also where there is an error besides.
func start(ctx context.Context, program, scratch string, pubs int) (*server, error) {
	path := filepath.Join(scratch, fmt.Sprintf("%d.csv", pubs))
	if err := generate(path, pubs); err != nil {
		return nil, err
	}
	loaded, err := loader.LoadFile(path, loader.Options{})
	if err != nil {
		return nil, err
	}
	s := &server{requests: bench.Requests(loaded.Directory.Pubs), ended: make(chan struct{})}
	var admin string
	for _, address := range []*string{&s.address, &admin} {
		if *address, err = stage.FreeAddress(); err != nil {
			return nil, err
		}
	}
	s.cmd = exec.Command(program, "serve", "--data", path, "--listen", s.address, "--admin", admin,
		"--access-log", "off", "--drain-delay", "0s")
	s.cmd.Stdout, s.cmd.Stderr = &s.wrote, &s.wrote
	begun := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.ended)
	}()
	if err := s.await(ctx, "http://"+admin+"/readyz"); err != nil {
		return s, err
	}
	s.ready = time.Since(begun)
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return s, context.Cause(ctx)
	}
	s.once, err = readMemory(s.cmd.Process.Pid)
	return s, err
}

func generate(path string, pubs int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := data.Generate(file, pubs, seed, nil); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// await returns when the server is ready.
func (s *server) await(ctx context.Context, url string) error {
	for {
		select {
		case <-time.After(2 * time.Millisecond):
		case <-s.ended:
			return fmt.Errorf("pubd ended before it was ready: %s", &s.wrote)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			continue
		}
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return nil
		}
	}
}

// patience is how long a server may take to end by itself.
const patience = 5 * time.Second

// stop ends the server and waits until it has.
func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
}
