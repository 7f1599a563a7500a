package stage

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// StartDeployed starts HAProxy or nginx, as haproxy.cfg or nginx.conf of the folder deploy has it, in front of three servers, in a directory of
// its own. The directory's path has no comma, which HAProxy does not take in that of a socket.
func StartDeployed(ctx context.Context, deploy, name, dir string, servers []*Server) (p *Process, address string, err error) {
	tool := strings.TrimSuffix(strings.TrimSuffix(name, ".cfg"), ".conf")
	program, err := Tool(tool, tool)
	if err != nil {
		return nil, "", err
	}
	if address, err = FreeAddress(); err != nil {
		return nil, "", err
	}
	file := filepath.Join(dir, name)
	command := []string{program, "-db", "-f", file}
	pairs := []string{
		"    user haproxy\n", "", "    group haproxy\n", "", "    log stderr format short daemon\n", "", "    log global\n", "",
		"/run/haproxy/admin.sock", filepath.Join(dir, "sock"), "bind :80", "bind " + address, "check port 8081", "check",
	}
	if tool == "nginx" {
		command = []string{program, "-e", "stderr", "-p", dir, "-c", file}
		temporary := ""
		for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			temporary += fmt.Sprintf(" %s_temp_path %s/%s;", kind, dir, kind)
		}
		pairs = []string{
			"user www-data;", RootsNginx() + " daemon off; pid " + dir + "/pid;", "access_log /var/log/nginx/access.log;", "access_log off;",
			"error_log /var/log/nginx/error.log warn;", "error_log stderr crit;", "\nhttp {", "\nhttp {" + temporary, "listen 80", "listen " + address,
		}
	}
	for i, s := range servers {
		of := fmt.Sprintf("10.0.0.1%d:8080", i+1)
		_, port, _ := net.SplitHostPort(s.Admin)
		if tool == "haproxy" {
			pairs = append(pairs, of+" track", s.API+" track", of, s.API+" port "+port)
		} else {
			pairs = append(pairs, of, s.API)
		}
	}
	text, err := os.ReadFile(filepath.Join(deploy, name))
	if err != nil {
		return nil, "", err
	}
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(string(text), pairs[i]) {
			return nil, "", fmt.Errorf("deploy/%s: must have %q, so that it can run here", name, pairs[i])
		}
	}
	if err := os.WriteFile(file, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o644); err != nil {
		return nil, "", err
	}
	p, err = Start(ctx, Command(ctx, nil, command...), syscall.SIGTERM, Listening(address))
	return p, address, err
}
