package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// pubdServer is pubd as an operator runs it: a key file, and the defaults of every flag that costs time.
type pubdServer struct {
	*process
	address string
	secret  string
}

// startPubd builds pubd and serves a directory with it on one core.
func startPubd(ctx context.Context, dir, data string, core int) (*pubdServer, error) {
	program, keyFile := filepath.Join(dir, "pubd"), filepath.Join(dir, "keys")
	if _, err := output(exec.CommandContext(ctx, "go", "build", "-o", program, "pubd/cmd/pubd")); err != nil {
		return nil, fmt.Errorf("build pubd, inside its module: %w", err)
	}
	secret, err := output(exec.CommandContext(ctx, program, "keys", "add", "--file", keyFile, "--name", "versus"))
	if err != nil {
		return nil, err
	}
	api, err := freeAddress()
	if err != nil {
		return nil, err
	}
	admin, err := freeAddress()
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, pinned(ctx, core, []string{"GOMAXPROCS=1"}, program, "serve", "--data", data, "--keys", keyFile,
		"--listen", api, "--admin", admin, "--drain-delay", "0s"), syscall.SIGTERM, answering("http://"+admin+"/readyz"))
	if err != nil {
		return nil, err
	}
	return &pubdServer{p, api, strings.TrimSpace(secret)}, nil
}

// answering tells whether an address answers with 200.
func answering(url string) func() bool {
	return func() bool {
		answer, err := http.Get(url)
		if err != nil {
			return false
		}
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	}
}
