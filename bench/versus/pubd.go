package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"pubd/bench/stage"
)

// pubdServer is pubd as an operator runs it: a key file, and the defaults of every flag that costs time.
type pubdServer struct {
	*stage.Process
	address string
	secret  string
}

// startPubd builds pubd and serves a directory with it on one core.
func startPubd(ctx context.Context, dir, data string, core int) (*pubdServer, error) {
	program, err := stage.BuildPubd(ctx, dir)
	if err != nil {
		return nil, err
	}
	keyFile := filepath.Join(dir, "keys")
	secret, err := stage.Output(exec.CommandContext(ctx, program, "keys", "add", "--file", keyFile, "--name", "versus"))
	if err != nil {
		return nil, err
	}
	api, err := stage.FreeAddress()
	if err != nil {
		return nil, err
	}
	admin, err := stage.FreeAddress()
	if err != nil {
		return nil, err
	}
	p, err := stage.Start(ctx, stage.Pinned(ctx, core, []string{"GOMAXPROCS=1"}, program, "serve", "--data", data, "--keys", keyFile,
		"--listen", api, "--admin", admin, "--drain-delay", "0s"), syscall.SIGTERM, stage.Answering("http://"+admin+"/readyz"))
	if err != nil {
		return nil, err
	}
	return &pubdServer{p, api, strings.TrimSpace(secret)}, nil
}
