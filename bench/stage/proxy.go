package stage

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// StartProxy starts nginx or HAProxy on a free address. In its configuration, {address} stands for that and {dir} for
// a directory for its files. The command before sets limits and then executes the command that follows it, such as
// prlimit or taskset; it may be nil.
func StartProxy(ctx context.Context, name, dir, config string, before ...string) (p *Process, address string, err error) {
	program, err := Tool(name, name)
	if err != nil {
		return nil, "", err
	}
	if address, err = FreeAddress(); err != nil {
		return nil, "", err
	}
	file := filepath.Join(dir, name+".conf")
	config = strings.NewReplacer("{address}", address, "{dir}", dir).Replace(config)
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		return nil, "", err
	}
	command := append(slices.Clip(before), program)
	if name == "nginx" {
		command = append(command, "-e", "stderr", "-p", dir, "-c", file)
	} else {
		command = append(command, "-db", "-f", file)
	}
	p, err = Start(ctx, Command(ctx, command...), syscall.SIGTERM, Listening(address))
	return p, address, err
}

// nginxConfig is what every nginx here needs. The http block ends with the caller's part.
const nginxConfig = `%s
daemon off;
worker_processes %d;
worker_rlimit_nofile %d;
pid {dir}/nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
	access_log off;
	keepalive_requests 1000000000;
	%s
	%s
}
`

// nginxPaths are the directives that keep nginx's temporary files in its directory.
const nginxPaths = `client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy; fastcgi_temp_path {dir}/fastcgi; uwsgi_temp_path {dir}/uwsgi;
	scgi_temp_path {dir}/scgi;`

// NginxConfig returns the configuration of an nginx with a number of workers. Each may have a number of files open in
// addition to its connections. http is the rest of the http block.
func NginxConfig(workers, files int, http string) string {
	return fmt.Sprintf(nginxConfig, nginxUser(), workers, 2000+files, nginxPaths, http)
}

// nginxUser returns the directive that nginx needs if it runs as root.
func nginxUser() string {
	if os.Geteuid() == 0 {
		return "user root;"
	}
	return ""
}

// StartDeployed starts HAProxy or nginx in front of three servers with the configuration in the folder deploy:
// haproxy.cfg or nginx.conf. It changes only what must differ here: addresses, users, and the paths of files, which
// are in dir. HAProxy accepts no comma in dir.
func StartDeployed(ctx context.Context, deploy, name, dir string, servers []*Server) (p *Process, address string, err error) {
	text, err := os.ReadFile(filepath.Join(deploy, name))
	if err != nil {
		return nil, "", err
	}
	tool := strings.TrimSuffix(name, filepath.Ext(name))
	pairs := []string{
		"    user haproxy\n", "", "    group haproxy\n", "", "    log stderr format short daemon\n", "", "    log global\n", "",
		"/run/haproxy/admin.sock", "{dir}/sock", "bind :80", "bind {address}", "check port 8081", "check",
	}
	if tool == "nginx" {
		pairs = []string{
			"user www-data;", nginxUser() + " daemon off; pid {dir}/pid;", "access_log /var/log/nginx/access.log pubd;", "access_log off;",
			"error_log /var/log/nginx/error.log warn;", "error_log stderr crit;", "\nhttp {", "\nhttp { " + nginxPaths, "listen 80", "listen {address}",
		}
	}
	for i, s := range servers {
		placeholder := fmt.Sprintf("10.0.0.1%d:8080", i+1)
		_, port, _ := net.SplitHostPort(s.Admin)
		if tool == "haproxy" {
			pairs = append(pairs, placeholder+" track", s.API+" track", placeholder, s.API+" port "+port)
		} else {
			pairs = append(pairs, placeholder, s.API)
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(string(text), pairs[i]) {
			return nil, "", fmt.Errorf("deploy/%s: must contain %q, which is replaced here", name, pairs[i])
		}
	}
	return StartProxy(ctx, tool, dir, strings.NewReplacer(pairs...).Replace(string(text)))
}
