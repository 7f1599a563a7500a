package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pubd/bench/stage"
	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
)

const secretPassword = "geheim-4711"

// A database is PostgreSQL with a table of pubs.
type database struct {
	*stage.Postgres
	dsn, query string // the connection string, and a file with a query
}

func TestPostgres(t *testing.T) {
	testkit.Long(t, "starts PostgreSQL")
	t.Parallel()
	db := database{Postgres: testkit.Must(stage.StartPostgres(t.Context()))(t)}
	t.Cleanup(db.Close)
	db.run(t, `CREATE SEQUENCE s; CREATE TABLE pubs (id text, title text, lat float8, lng float8, town text);
		INSERT INTO pubs SELECT 'u' || n, 'a ' || n, 51 + n / 1000.0, -1, 'Ely' FROM generate_series(1, 500) AS n;`)
	db.dsn = fmt.Sprintf("host=%s user=postgres dbname=postgres password=%s", db.Dir, secretPassword)
	db.query = testkit.File(t, "query.sql", "-- all of them\nSELECT id AS uid, title AS name, lat AS latitude, lng AS longitude, town AS location FROM pubs ORDER BY id; \n")
	t.Run("import", db.testImport)
	t.Run("watch", db.testWatch)
	t.Run("complaints", db.testComplaints)
	t.Run("docs", db.testDocs)
}

func (db database) run(t *testing.T, script string) {
	t.Helper()
	testkit.Must(db.Run(t.Context(), script))(t)
}

// A query can neither write nor end the transaction around it, and no message shows the password.
func (db database) testImport(t *testing.T) {
	out := filepath.Join(t.TempDir(), "pubs.csv")
	read := func(args ...string) (code int, errs string) {
		code, _, errs = runFor(t, append([]string{"import", "--from", "postgres", "--query", db.query}, args...)...)
		testkit.FailIf(t, strings.Contains(errs, secretPassword), "%q shows the password", errs)
		return code, errs
	}
	code, errs := read("--dsn", db.dsn, out)
	testkit.StopIf(t, code != cli.ExitOK || !strings.Contains(errs, "500 of 500 rows accepted"), "got %d %q, want 500 rows", code, errs)
	testkit.Equal(t, "lines", strings.Count(string(testkit.Read(t, out)), "\n"), 501)
	for want, args := range map[string][]string{
		"PostgreSQL:":                      {"--dsn", "host=" + t.TempDir() + " user=postgres password=" + secretPassword, out},
		"--dsn: must be":                   {"--dsn", "postgres://me:" + secretPassword + "@[::1/", out},
		"read-only":                        {"--query", testkit.File(t, "writes.sql", "SELECT setval('s', nextval('s')) FROM pubs"), "--dsn", db.dsn, out},
		"returns no rows":                  {"--query", testkit.File(t, "none.sql", "SELECT id AS uid FROM pubs WHERE false"), "--dsn", db.dsn, out},
		"leave out the argument of a list": {"--dsn", db.dsn, "in.csv", out},
	} {
		code, errs := read(args...)
		testkit.FailIf(t, code == cli.ExitOK || !strings.Contains(errs, want), "%q: got %d %q, want an error with %q", args, code, errs, want)
	}
	for _, query := range []string{
		"SELECT nothing FROM pubs",
		"SELECT 1) TO STDOUT; COMMIT; DELETE FROM pubs; COPY (SELECT 1",
		"SELECT 1) TO STDOUT; COMMIT; SET default_transaction_read_only = off; DELETE FROM pubs; COPY (SELECT 1",
		"SELECT id AS uid, title AS name FROM pubs; COMMIT; DELETE FROM pubs",
		"DELETE FROM pubs RETURNING id AS uid, title AS name",
		"SELECT 1 /* ",
		"COMMIT",
		"SELECT 1) TO PROGRAM 'true' --",
	} {
		code, errs := read("--query", testkit.File(t, "query.sql", query), "--dsn", db.dsn, out)
		testkit.FailIf(t, code != cli.ExitError || !strings.Contains(errs, "query: ERROR"), "%s: got %d %q", query, code, errs)
	}
	count := testkit.Must(db.Run(t.Context(), "SELECT count(*) FROM pubs;"))(t)
	testkit.Equal(t, "pubs that are left", strings.TrimSpace(count), "500")
}

// Complaints about rows of a query name the UID, as nobody sees line numbers.
func (db database) testComplaints(t *testing.T) {
	db.run(t, "UPDATE pubs SET town = E'two\nlines' WHERE id = 'u1'; UPDATE pubs SET lat = 99 WHERE id = 'u7'; UPDATE pubs SET title = '' WHERE id = 'u9'; UPDATE pubs SET id = 'u3' WHERE id = 'u4';")
	args := []string{"publish", "--to", filepath.Join(t.TempDir(), "site"), "--from", "postgres", "--query", db.query, "--dsn", db.dsn}
	wants := []string{`U+000A (UID "u1")`, `latitude "99": must be from -90 to 90 (UID "u7")`, `name: must not be empty (UID "u9")`, `UID "u3": must be unique`}
	for rows, want := range map[string]int{"0": cli.ExitError, "4": cli.ExitOK} {
		code, _, errs := runFor(t, append(args, "--max-bad-rows", rows)...)
		testkit.FailIf(t, code != want || strings.Contains(errs, secretPassword), "--max-bad-rows %s: got %d %q, want %d", rows, code, errs, want)
		testkit.Contains(t, "--max-bad-rows "+rows, errs, wants...)
	}
}

// A watch survives lost connections, publishes changes made meanwhile, and keeps its minimum interval.
func (db database) testWatch(t *testing.T) {
	s := newSite(t)
	begun := time.Now()
	p := start(t, pubd("publish", "--to", s.dir, "--from", "postgres", "--query", db.query, "--dsn", db.dsn, "--watch", "changes", "--at-most-every", "1s", "--activate-in", "0s"))
	sequence := func() uint64 {
		if _, err := os.Stat(s.manifest()); err != nil {
			return 0
		}
		return s.read().Sequence
	}
	testkit.Eventually(t, "published", func() bool { return sequence() == 1 })
	for want := uint64(2); want < 4; want++ {
		db.run(t, fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pubd'; UPDATE pubs SET title = 'round %d ' || id;", want))
		testkit.Eventually(t, "published again", func() bool { return sequence() == want })
	}
	for n := range 40 {
		db.run(t, fmt.Sprintf("UPDATE pubs SET title = 'change %d ' || id; NOTIFY changes;", n))
	}
	db.run(t, "DELETE FROM pubs WHERE id = 'u500'; NOTIFY changes;")
	testkit.Eventually(t, "the last change", func() bool { return s.read().Snapshots[0].Pubs == 499 })
	most := 3 + uint64(time.Since(begun)/time.Second) + 1
	testkit.FailIf(t, sequence() > most, "got sequence %d, want at most %d", sequence(), most)
	p.stop()
	said := p.stderr.String()
	testkit.FailIf(t, !strings.Contains(said, "trying again in 1s") || strings.Contains(said, secretPassword), "said %q, want that it tries again, without the password", said)
}

// The PostgreSQL commands of docs/data.md print what it says. libpq's variables name the database.
func (db database) testDocs(t *testing.T) {
	testkit.Programs(t, "sh", "psql")
	db.run(t, "DROP TABLE pubs;")
	s := newSession(t, nil, "PGHOST="+db.Dir, "PGUSER=postgres", "PGDATABASE=postgres")
	document := string(testkit.Read(t, filepath.Join("..", "..", "docs", "data.md")))
	s.run(strings.NewReplacer("```console", "```", "```shell-session", "```console").Replace(document))
	testkit.Equal(t, "commands", s.commands, 5)
}
