package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pubd/bench/stage"
	"pubd/cmd/pubd/cli"
	"pubd/data/lane"
	"pubd/testkit"
)

const secretPassword = "geheim-4711"

// newDatabase starts PostgreSQL with a table of pubs, whose names all contain the same generation. It returns the
// connection string and a file with a query.
func newDatabase(t *testing.T) (db *stage.Postgres, dsn, query string) {
	t.Helper()
	lane.Long(t, "starts PostgreSQL")
	db, err := stage.StartPostgres(t.Context())
	if _, missing := errors.AsType[stage.MissingError](err); missing {
		t.Skip(err)
	}
	testkit.OK(t, err)
	t.Cleanup(db.Close)
	runScript(t, db, `CREATE TABLE pubs (id text, title text, lat float8, lng float8, town text);
		INSERT INTO pubs SELECT 'u' || n, 'a ' || n, 51 + n / 1000.0, -1, 'Ely' FROM generate_series(1, 500) AS n;`)
	dsn = fmt.Sprintf("host=%s user=postgres dbname=postgres password=%s", db.Dir, secretPassword)
	return db, dsn, write(t, "query.sql", "-- all of them\nSELECT id AS uid, title AS name, lat AS latitude, lng AS longitude, town AS location FROM pubs ORDER BY id; \n")
}

func TestImportFromPostgres(t *testing.T) {
	t.Parallel()
	db, dsn, query := newDatabase(t)
	out := filepath.Join(t.TempDir(), "pubs.csv")
	read := func(args ...string) (code int, errs string) {
		code, _, errs = runFor(t, append([]string{"import", "--from", "postgres", "--query", query}, args...)...)
		testkit.FailIf(t, strings.Contains(errs, secretPassword), "%q shows the password", errs)
		return code, errs
	}
	code, errs := read("--dsn", dsn, out)
	testkit.StopIf(t, code != cli.ExitOK || !strings.Contains(errs, "500 of 500 rows accepted"), "got %d %q, want 500 rows", code, errs)
	content, err := os.ReadFile(out)
	testkit.FailIf(t, err != nil || strings.Count(string(content), "\n") != 501, "got %v and %.200q, want 501 lines", err, content)
	runScript(t, db, "CREATE SEQUENCE s; UPDATE pubs SET lat = 99 WHERE id = 'u7';")
	code, errs = read("--dsn", dsn, out)
	testkit.Equal(t, "a wrong row", code, cli.ExitOK)
	testkit.Contains(t, "a wrong row", errs, "u7", "latitude")
	for want, args := range map[string][]string{
		"PostgreSQL:":                      {"--dsn", "host=" + t.TempDir() + " user=postgres password=" + secretPassword, out},
		"--dsn: must be":                   {"--dsn", "postgres://me:" + secretPassword + "@[::1/", out},
		"query: ERROR":                     {"--query", write(t, "wrong.sql", "SELECT nothing FROM pubs"), "--dsn", dsn, out},
		"read-only":                        {"--query", write(t, "writes.sql", "SELECT setval('s', nextval('s')) FROM pubs"), "--dsn", dsn, out},
		"returns no rows":                  {"--query", write(t, "none.sql", "SELECT id AS uid FROM pubs WHERE false"), "--dsn", dsn, out},
		"leave out the argument of a list": {"--dsn", dsn, "in.csv", out},
	} {
		code, errs := read(args...)
		testkit.FailIf(t, code == cli.ExitOK || !strings.Contains(errs, want), "%q: got %d %q, want an error with %q", args, code, errs, want)
	}
}

func runScript(t *testing.T, db *stage.Postgres, script string) {
	t.Helper()
	_, err := db.Run(t.Context(), script)
	testkit.OK(t, err)
}

// A query can neither write nor end the transaction around it.
func TestQueryIsHarmless(t *testing.T) {
	t.Parallel()
	db, dsn, _ := newDatabase(t)
	for _, query := range []string{
		"SELECT 1) TO STDOUT; COMMIT; DELETE FROM pubs; COPY (SELECT 1",
		"SELECT 1) TO STDOUT; COMMIT; SET default_transaction_read_only = off; DELETE FROM pubs; COPY (SELECT 1",
		"SELECT id AS uid, title AS name FROM pubs; COMMIT; DELETE FROM pubs",
		"DELETE FROM pubs RETURNING id AS uid, title AS name",
		"SELECT 1 /* ",
		"COMMIT",
		"SELECT 1) TO PROGRAM 'true' --",
	} {
		refuseCommand(t, cli.ExitError, "query: ERROR", "import", "--from", "postgres", "--dsn", dsn, "--query", write(t, "query.sql", query), filepath.Join(t.TempDir(), "pubs.csv"))
	}
	count, err := db.Run(t.Context(), "SELECT count(*) FROM pubs;")
	testkit.FailIf(t, err != nil || strings.TrimSpace(count) != "500", "%q pubs are left, %v; want 500", count, err)
}

// Complaints about rows of a query name the UID, as nobody sees line numbers.
func TestPublishFromPostgresComplains(t *testing.T) {
	t.Parallel()
	db, dsn, query := newDatabase(t)
	runScript(t, db, "UPDATE pubs SET town = E'two\nlines' WHERE id = 'u1'; UPDATE pubs SET lat = 99 WHERE id = 'u7'; UPDATE pubs SET title = '' WHERE id = 'u9'; UPDATE pubs SET id = 'u3' WHERE id = 'u4';")
	site := filepath.Join(t.TempDir(), "site")
	args := []string{"publish", "--to", site, "--from", "postgres", "--query", query, "--dsn", dsn}
	wants := []string{`U+000A (UID "u1")`, `latitude "99": must be from -90 to 90 (UID "u7")`, `name: must not be empty (UID "u9")`, `UID "u3": must be unique`}
	for rows, want := range map[string]int{"0": cli.ExitError, "4": cli.ExitOK} {
		code, _, errs := runFor(t, append(args, "--max-bad-rows", rows)...)
		testkit.FailIf(t, code != want || strings.Contains(errs, secretPassword), "--max-bad-rows %s: got %d %q, want %d", rows, code, errs, want)
		testkit.Contains(t, "--max-bad-rows "+rows, errs, wants...)
	}
}

// A watch survives lost connections, publishes changes made meanwhile, and keeps its minimum interval.
func TestWatchReconnects(t *testing.T) {
	t.Parallel()
	db, dsn, query := newDatabase(t)
	s := newSite(t)
	p := start(t, pubd("publish", "--to", s.dir, "--from", "postgres", "--query", query, "--dsn", dsn, "--watch", "changes", "--at-most-every", "1s", "--activate-in", "0s"))
	sequence := func() uint64 {
		if _, err := os.Stat(s.manifest()); err != nil {
			return 0
		}
		return s.read().Sequence
	}
	testkit.Eventually(t, "published", func() bool { return sequence() == 1 })
	for want := uint64(2); want < 4; want++ {
		runScript(t, db, fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pubd'; UPDATE pubs SET title = 'round %d ' || id;", want))
		testkit.Eventually(t, "published again", func() bool { return sequence() == want })
	}
	begun := time.Now()
	const changes = 40
	for n := range changes {
		runScript(t, db, fmt.Sprintf("UPDATE pubs SET title = 'change %d ' || id; NOTIFY changes;", n))
	}
	runScript(t, db, "UPDATE pubs SET title = 'last ' || id; NOTIFY changes;")
	replica := s.replica()
	testkit.Eventually(t, "the last change", func() bool { return strings.Contains(replica.search("search=last&amount=1", "demo").body, "last u") })
	got, lasted := sequence(), time.Since(begun)
	most := 3 + uint64(lasted/time.Second) + 1
	testkit.FailIf(t, got > most, "%d changes in %v: got sequence %d, want at most %d", changes+1, lasted, got, most)
	p.stop()
	said := p.stderr.String()
	testkit.FailIf(t, !strings.Contains(said, "trying again in 1s") || strings.Contains(said, secretPassword), "said %q, want that it tries again, without the password", said)
}

// The PostgreSQL commands of docs/data.md print what it says. libpq's variables name the database.
func TestPostgresDocs(t *testing.T) {
	t.Parallel()
	lane.Programs(t, "sh", "psql")
	db, err := stage.StartPostgres(t.Context())
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(db.Close)
	s := newSession(t, nil, "PGHOST="+db.Dir, "PGUSER=postgres", "PGDATABASE=postgres")
	s.run(strings.NewReplacer("```console", "```", "```shell-session", "```console").Replace(string(testkit.Read(t, filepath.Join("..", "..", "docs", "data.md")))))
	testkit.Equal(t, "commands", s.commands, 5)
}
