package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"pubd/bench/stage"
)

// A deployedFront is HAProxy or nginx with its file of deploy, in front of replicas.
type deployedFront struct {
	*stage.Process
	address string
}

// A starter starts a front.
type starter func(b *bed, ctx context.Context, replicas []*replica) (*deployedFront, error)

// deployed starts a replica, or three and what stands in front of them. What it started is returned with an error, too.
func (b *bed) deployed(ctx context.Context, start starter, e *edition, flags ...string) (replicas []*replica, front *deployedFront, err error) {
	many := 1
	if start != nil {
		many = 3
	}
	limited := []string{"env", fmt.Sprintf("GOMEMLIMIT=%d", floodMemory*85/100)} // the share that pubd takes of a cgroup's limit
	for i := range many {
		r, err := b.serveUnder(ctx, limited, fmt.Sprintf("deployed-%d", i+1), e.file, flags...)
		if err != nil {
			return replicas, nil, err
		}
		replicas = append(replicas, r)
	}
	if start != nil {
		front, err = start(b, ctx, replicas)
	}
	return replicas, front, err
}

// deployFile returns a file of deploy with old and new texts replaced, in pairs, each of which it must have. Each of the three
// replicas that it names gets the addresses of one of these.
func (b *bed) deployFile(ctx context.Context, name string, replicas []*replica, pairs ...string) (path string, err error) {
	root, err := stage.Output(exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}"))
	if err != nil {
		return "", fmt.Errorf("find deploy, inside the module: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "deploy", name))
	if err != nil {
		return "", err
	}
	for i, r := range replicas {
		pairs = append(pairs, fmt.Sprintf("10.0.0.1%d:8080", i+1), r.api)
	}
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(string(text), pairs[i]) {
			return "", fmt.Errorf("deploy/%s: must have %q, so that it can run here", name, pairs[i])
		}
	}
	path = b.path(name)
	return path, os.WriteFile(path, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o644)
}

// deployedHAProxy starts HAProxy. The load compares names of headers as pubd writes them; HAProxy writes all in lower case unless
// told.
func (b *bed) deployedHAProxy(ctx context.Context, replicas []*replica) (*deployedFront, error) {
	program, err := stage.Tool("haproxy", "haproxy")
	if err != nil {
		return nil, err
	}
	address, err := stage.FreeAddress()
	if err != nil {
		return nil, err
	}
	pairs := []string{
		"    user haproxy\n", "", "    group haproxy\n", "", "    log stderr format short daemon\n", "", "    log global\n", "",
		"/run/haproxy/admin.sock", b.path("haproxy.sock"),
		"\ndefaults\n", "    h1-case-adjust connection Connection\n    h1-case-adjust content-length Content-Length\n    h1-case-adjust x-snapshot X-Snapshot\n\ndefaults\n    option h1-case-adjust-bogus-client\n",
		"bind :80", "bind " + address, "check port 8081", "check",
	}
	for i, r := range replicas {
		_, port, err := net.SplitHostPort(r.admin)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("server pubd%d 10.0.0.1%d:8080", i+1, i+1)
		pairs = append(pairs, name, fmt.Sprintf("server pubd%d %s port %s", i+1, r.api, port))
	}
	file, err := b.deployFile(ctx, "haproxy.cfg", replicas, pairs...)
	if err != nil {
		return nil, err
	}
	p, err := stage.Start(ctx, stage.Command(ctx, nil, program, "-db", "-f", file), syscall.SIGTERM, stage.Listening(address))
	if err != nil {
		return nil, err
	}
	return &deployedFront{p, address}, nil
}

// deployedNginx starts nginx.
func (b *bed) deployedNginx(ctx context.Context, replicas []*replica) (*deployedFront, error) {
	program, err := stage.Tool("nginx", "nginx")
	if err != nil {
		return nil, err
	}
	address, err := stage.FreeAddress()
	if err != nil {
		return nil, err
	}
	dir := b.path("nginx")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	account := ""
	if os.Geteuid() == 0 {
		account = "user root;"
	}
	temporary := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += fmt.Sprintf(" %s_temp_path %s/%s;", kind, dir, kind)
	}
	file, err := b.deployFile(ctx, "nginx.conf", replicas,
		"user www-data;", account+" daemon off; pid "+dir+"/pid;",
		"access_log /var/log/nginx/access.log;", "access_log off;",
		"error_log /var/log/nginx/error.log warn;", "error_log stderr crit;",
		"\nhttp {", "\nhttp {"+temporary,
		"listen 80", "listen "+address)
	if err != nil {
		return nil, err
	}
	p, err := stage.Start(ctx, stage.Command(ctx, nil, program, "-e", "stderr", "-p", dir, "-c", file), syscall.SIGTERM, stage.Listening(address))
	if err != nil {
		return nil, err
	}
	return &deployedFront{p, address}, nil
}
