package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pubd/data/lane"
)

// runFor runs a command within the test process. A server that starts is stopped after a while.
func runFor(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testPatience)
	defer cancel()
	var out, errs output
	code = run(ctx, args, &out, &errs)
	return code, out.String(), errs.String()
}

// must runs a command, which must succeed, and returns its standard output.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, errs := runFor(t, args...)
	stopIf(t, code != exitOK, "%q: got %d %s, want 0", args, code, errs)
	return stdout
}

// refuse checks that a server does not start: standard error ends with the reason, and standard output is empty.
func refuse(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	got, out, errs := runFor(t, anywhere(args...)...)
	_, last, told := strings.Cut("\n"+errs, "\npubd: ")
	failIf(t, got != code || out != "" || !told || !strings.Contains(last, want), "%q: got %d, stdout %q, stderr %q, want %d and %q", args, got, out, errs, code, want)
}

func TestWrongFilesAreRefused(t *testing.T) {
	lane.Long(t, "starts twelve servers")
	folder := t.TempDir()
	for _, c := range []struct{ flag, path, want string }{
		{"--data", write(t, "bad.csv", "UID,name\nu1,Lion\nu2,\n"), "bad.csv:3: name: must not be empty"},
		{"--data", write(t, "empty.csv", ""), "empty.csv"},
		{"--data", write(t, "none.csv", "UID,name\n"), "none.csv: has no pub"},
		{"--data", write(t, "pubs.txt", "UID,name\nu1,Lion\n"), "pubs.txt: the name must end in"},
		{"--data", filepath.Join(folder, "absent.csv"), "absent.csv: file does not exist"},
		{"--data", folder, "is a directory"},
		{"--keys", filepath.Join(folder, "absent"), "make it with pubd keys add"},
		{"--keys", write(t, "empty", ""), "empty: no key in it"},
		{"--keys", write(t, "blank", "\n\n"), "blank: no key in it"},
		{"--keys", write(t, "broken", "broken\n"), "broken:1: "},
		{"--keys", folder, "must be a regular file"},
	} {
		refuse(t, exitError, c.want, c.flag, c.path)
	}
	good := write(t, "one.csv", "UID,name\nu1,Lion\nu2,\nu3,\n")
	refuse(t, exitError, "one.csv:3: ", "--data", good, "--max-bad-rows=1")
}

// Without a key file, everyone knows the key, so only this machine may connect.
func TestAddressesWithoutKeys(t *testing.T) {
	for address, loopback := range map[string]bool{
		"127.0.0.1:0": true, "127.0.0.1:": true, "127.1.2.3:0": true, "localhost:0": true, "[::ffff:127.0.0.1]:0": true, "[::1]:0": true,
		"0.0.0.0:0": false, ":0": false, "[::]:0": false, "0:0": false, "[::ffff:0.0.0.0]:0": false, "192.0.2.1:0": false, "[2001:db8::1]:0": false,
		"[fe80::1%lo]:0": false, "10.0.0.1:0": false, "169.254.1.1:0": false, "*:0": false, "example.invalid:0": false, "localhost.example.invalid:0": false,
		"127.0.0.1.example.invalid:0": false,
	} {
		for flag, c := range map[string]serveCommand{"--listen": {Listen: address}, "--admin": {Listen: "127.0.0.1:0", Admin: address}} {
			api, admin, err := c.open()
			for _, listener := range []net.Listener{api, admin} {
				if listener != nil {
					listener.Close()
				}
			}
			isRefused, isMissing := strings.HasPrefix(fmt.Sprint(err), flag+" "+address+": without --keys"), errors.Is(err, syscall.EADDRNOTAVAIL)
			failIf(t, isRefused == loopback || loopback && err != nil && !isMissing, "%s %s: got %v, want to listen: %v", flag, address, err, loopback)
		}
	}
}

// An invalid address is reported differently from one that is not loopback, as a key file would not help.
func TestWrongAddressesAreRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	defer taken.Close()
	for _, c := range []struct{ address, want string }{
		{taken.Addr().String(), "address already in use"},
		{"127.0.0.1:99999", "invalid port"},
		{"127.0.0.1", "missing port"},
		{"127.0.0.1:0:0", "too many colons"},
	} {
		refuse(t, exitError, c.want, "--listen", c.address)
		refuse(t, exitError, c.want, "--admin", c.address)
	}
	refuse(t, exitError, "--listen", "--listen", "")
	keyFile := filepath.Join(t.TempDir(), "keys")
	addKey(t, keyFile, "suite")
	for _, flag := range []string{"--listen", "--admin"} { // no machine's address: with keys, the system refuses it
		refuse(t, exitError, flag+" 192.0.2.1:0: listen tcp", flag, "192.0.2.1:0", "--keys", keyFile)
	}
}

// A failed start ends the process quickly, with the exit code of run.
func TestRefusedProcessEnds(t *testing.T) {
	t.Parallel()
	bad := write(t, "bad.csv", "UID,name\nu1,\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{anywhere("--data", bad), exitError, bad + ":2: name: must not be empty"},
		{anywhere("--keys", bad+".absent"), exitError, "bad.csv.absent"},
		{anywhere("--no-such-flag"), exitUsage, "--no-such-flag"},
		{[]string{"no-such-command"}, exitUsage, "no-such-command"},
	} {
		p := start(t, pubd(c.args...))
		p.exit(testPatience, c.code)
		failIf(t, !strings.Contains(p.stderr.String(), c.want) || p.stdout.String() != "", "%q: got %q, %q, want %q", c.args, p.stdout, p.stderr, c.want)
	}
}
