package stage

import (
	"cmp"
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

// A Postgres is PostgreSQL with a new database, reached through a socket in its own directory.
type Postgres struct {
	*Process
	Programs, Dir string
}

// StartPostgres starts the newest PostgreSQL that has PostGIS, with settings such as jit=off. Before is a command that sets limits and
// then becomes the program behind it. Close ends it.
func StartPostgres(ctx context.Context, before []string, settings ...string) (p *Postgres, err error) {
	p = &Postgres{}
	if p.Programs, err = NewestPostgres(); err != nil {
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
	owner, err := PostgresOwner(p.Dir)
	if err != nil {
		return nil, err
	}
	command := func(program string, arguments ...string) *exec.Cmd {
		cmd := Command(ctx, nil, slices.Concat(before, []string{filepath.Join(p.Programs, program), "-D", filepath.Join(p.Dir, "cluster")}, arguments)...)
		cmd.Dir, cmd.SysProcAttr = p.Dir, &syscall.SysProcAttr{Credential: owner}
		return cmd
	}
	if _, err := Output(command("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")); err != nil {
		return nil, err
	}
	arguments := []string{"-k", p.Dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "jit=off"}
	for _, setting := range settings {
		arguments = append(arguments, "-c", setting)
	}
	p.Process, err = Start(ctx, command("postgres", arguments...), syscall.SIGINT, func() bool {
		_, err := p.Run(ctx, "SELECT 1;")
		return err == nil
	})
	return p, err
}

// Run runs a script of psql and returns what it selects.
func (p *Postgres) Run(ctx context.Context, script string) (string, error) {
	cmd := Command(ctx, nil, filepath.Join(p.Programs, "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", p.Dir, "-U", "postgres")
	cmd.Stdin = strings.NewReader(script)
	return Output(cmd)
}

// Close ends the server and removes its directory.
func (p *Postgres) Close() {
	p.Stop()
	_ = os.RemoveAll(p.Dir)
}

// NewestPostgres returns the directory of the programs of the newest PostgreSQL that has all that is needed.
func NewestPostgres() (string, error) {
	missing := MissingError{"PostgreSQL with PostGIS", "postgresql-15 postgresql-15-postgis-3"}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	major := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4])
		return n
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Compare(major(b), major(a)) })
	for _, initdb := range found {
		postgis := fmt.Sprintf("/usr/share/postgresql/%d/extension/postgis.control", major(initdb))
		if matches, _ := filepath.Glob(postgis); len(matches) > 0 {
			return filepath.Dir(initdb), nil
		}
	}
	return "", missing
}

// PostgresOwner gives a directory to the user postgres where this program runs as root, which PostgreSQL rejects. Elsewhere it does
// nothing and returns nil. The user must be able to pass through the directories above.
func PostgresOwner(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("%w: make it, or run as a user that is not root", err)
	}
	uid, err1 := strconv.Atoi(account.Uid)
	gid, err2 := strconv.Atoi(account.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2, os.Chown(dir, uid, gid))
}
