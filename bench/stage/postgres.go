package stage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A Postgres is a PostgreSQL server with a new database, which listens on a socket in its own directory.
type Postgres struct {
	*Process
	Dir      string
	programs string // their directory
}

// StartPostgres starts the newest installed PostgreSQL that has PostGIS. Close stops it. The command before is that of
// [StartProxy].
func StartPostgres(ctx context.Context, before ...string) (p *Postgres, err error) {
	p = &Postgres{}
	if p.programs, err = newestPostgres(); err != nil {
		return nil, err
	}
	if p.Dir, err = os.MkdirTemp("", "postgres-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(p.Dir)
		}
	}()
	owner, err := postgresOwner(p.Dir)
	if err != nil {
		return nil, err
	}
	command := func(program string, arguments ...string) *exec.Cmd {
		cmd := Command(ctx, slices.Concat(before, []string{filepath.Join(p.programs, program), "-D", filepath.Join(p.Dir, "cluster")}, arguments)...)
		cmd.Dir, cmd.SysProcAttr = p.Dir, &syscall.SysProcAttr{Credential: owner}
		return cmd
	}
	if _, err := Output(command("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")); err != nil {
		return nil, err
	}
	server := command("postgres", "-k", p.Dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "jit=off", "-c", "autovacuum=off")
	p.Process, err = Start(ctx, server, syscall.SIGINT, func() bool {
		_, err := p.Run(ctx, "SELECT 1;")
		return err == nil
	})
	return p, err
}

// Run runs a psql script and returns the rows that it selects.
func (p *Postgres) Run(ctx context.Context, script string) (string, error) {
	cmd := Command(ctx, filepath.Join(p.programs, "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", p.Dir, "-U", "postgres")
	cmd.Stdin = strings.NewReader(script)
	return Output(cmd)
}

// Close stops the server and removes its directory.
func (p *Postgres) Close() {
	p.Stop()
	_ = os.RemoveAll(p.Dir)
}

// newestPostgres returns the program directory of the newest installed PostgreSQL that has PostGIS.
func newestPostgres() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/[1-9][0-9]/bin/initdb") // in the order of their versions
	for _, initdb := range slices.Backward(found) {
		programs := filepath.Dir(initdb)
		if _, err := os.Stat(strings.Replace(filepath.Dir(programs), "/lib/", "/share/", 1) + "/extension/postgis.control"); err == nil {
			return programs, nil
		}
	}
	return "", MissingError{"PostgreSQL with PostGIS", "postgresql-15 postgresql-15-postgis-3"}
}

// postgresOwner makes the user postgres the owner of a directory and returns its credential, as PostgreSQL refuses to
// run as root. If this program does not run as root, it does nothing and returns nil. The user must be allowed to
// enter the parent directories.
func postgresOwner(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("%w: create this user, or do not run as root", err)
	}
	uid, err1 := strconv.Atoi(account.Uid)
	gid, err2 := strconv.Atoi(account.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2, os.Chown(dir, uid, gid))
}
