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

// buildPubd builds pubd in a directory and makes a key file for it.
func buildPubd(ctx context.Context, dir string) (program, keyFile, secret string, err error) {
	if program, err = stage.BuildPubd(ctx, dir); err != nil {
		return "", "", "", err
	}
	keyFile = filepath.Join(dir, "keys")
	secret, err = stage.Output(exec.CommandContext(ctx, program, "keys", "add", "--file", keyFile, "--name", "versus"))
	return program, keyFile, strings.TrimSpace(secret), err
}

// startPubd serves a directory with a program on one core.
func startPubd(ctx context.Context, program, data, keyFile, secret string, core int) (*pubdServer, error) {
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
	return &pubdServer{p, api, secret}, nil
}
