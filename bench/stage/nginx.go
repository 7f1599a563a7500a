package stage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// nginxConfig has what every nginx here needs; its http block goes on with what it is for.
const nginxConfig = `%s
daemon off;
worker_processes %d;
worker_rlimit_nofile %d;
pid %[4]s/nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
	access_log off;
	keepalive_requests 1000000000;
	client_body_temp_path %[4]s/body;
	proxy_temp_path %[4]s/proxy;
	fastcgi_temp_path %[4]s/fastcgi;
	uwsgi_temp_path %[4]s/uwsgi;
	scgi_temp_path %[4]s/scgi;
	%[5]s
}
`

// RootsNginx returns what nginx must be told where it runs as root.
func RootsNginx() string {
	if os.Geteuid() == 0 {
		return "user root;"
	}
	return ""
}

// StartNginx starts nginx in a directory, with workers that may open some files and the rest of its http block, which listens on an
// address. Before is a command that sets limits and then becomes the program behind it.
func StartNginx(ctx context.Context, dir string, before []string, workers, files int, http func(address string) string) (p *Process, address string, err error) {
	program, err := Tool("nginx", "nginx")
	if err != nil {
		return nil, "", err
	}
	if address, err = FreeAddress(); err != nil {
		return nil, "", err
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, nginxConfig, RootsNginx(), workers, 2000+files, dir, http(address)), 0o644); err != nil {
		return nil, "", err
	}
	p, err = Start(ctx, Command(ctx, nil, append(before, program, "-e", "stderr", "-p", dir, "-c", file)...), syscall.SIGTERM, Listening(address))
	return p, address, err
}
