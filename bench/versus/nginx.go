package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"text/template"

	"pubd/bench/stage"
)

//go:embed nginx.conf
var nginxConfig string

// nginxServer is nginx sending files with one worker.
type nginxServer struct {
	*stage.Process
	address string
}

// spareFiles are those that nginx opens beside the bodies.
const spareFiles = 1000

// startNginx serves what is below dir/bodies, files of them, on one core.
func startNginx(ctx context.Context, program, dir string, files, core int) (*nginxServer, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil, err
	}
	if uint64(files+spareFiles) > limit.Max {
		return nil, fmt.Errorf("nginx is to keep %d files open and may have %d: lower --requests, or raise the limit with ulimit -Hn", files, limit.Max)
	}
	address, err := stage.FreeAddress()
	if err != nil {
		return nil, err
	}
	var config bytes.Buffer
	if err := template.Must(template.New("nginx.conf").Parse(nginxConfig)).Execute(&config, map[string]any{
		"Root": os.Geteuid() == 0, "Dir": dir, "Address": address, "Files": files, "OpenFiles": files + spareFiles,
	}); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, config.Bytes(), 0o644); err != nil {
		return nil, err
	}
	p, err := stage.Start(ctx, stage.Pinned(ctx, core, nil, program, "-e", "stderr", "-p", dir, "-c", file), syscall.SIGTERM, stage.Listening(address))
	if err != nil {
		return nil, err
	}
	return &nginxServer{p, address}, nil
}
