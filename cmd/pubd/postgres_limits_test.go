package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A query file can neither write, nor end the transaction around it, nor wait for ever for a locked table.
func TestQueryIsHarmless(t *testing.T) {
	t.Parallel()
	db, dsn, _ := newDatabase(t)
	run := func(query string) (code int, errs string) {
		code, _, errs = runFor(t, "import", "--from", "postgres", "--dsn", dsn, "--query", write(t, "query.sql", query), filepath.Join(t.TempDir(), "pubs.csv"))
		return code, errs
	}
	for _, query := range []string{
		"SELECT 1) TO STDOUT; COMMIT; DELETE FROM pubs; COPY (SELECT 1",
		"SELECT 1) TO STDOUT; COMMIT; SET default_transaction_read_only = off; DELETE FROM pubs; COPY (SELECT 1",
		"SELECT id AS uid, title AS name FROM pubs; COMMIT; DELETE FROM pubs",
		"DELETE FROM pubs RETURNING id AS uid, title AS name",
		"SELECT 1 /* ",
		"COMMIT",
		"SELECT 1) TO PROGRAM 'true' --",
	} {
		if code, errs := run(query); code == exitOK || !strings.Contains(errs, "query: ERROR") {
			t.Errorf("%s: got %d %q, want an error of the query", query, code, errs)
		}
	}
	if count, err := db.Run(t.Context(), "SELECT count(*) FROM pubs;"); err != nil || strings.TrimSpace(count) != "500" {
		t.Errorf("%q pubs are left, %v; want 500", count, err)
	}
	locked := make(chan error, 1)
	go func() {
		_, err := db.Run(t.Context(), "BEGIN; LOCK TABLE pubs IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(25); COMMIT;")
		locked <- err
	}()
	eventually(t, "the table is locked", func() bool {
		count, err := db.Run(t.Context(), "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'pubs'::regclass;")
		return err == nil && strings.TrimSpace(count) == "1"
	})
	begun := time.Now()
	if code, errs := run("SELECT id AS uid, title AS name FROM pubs"); code == exitOK || !strings.Contains(errs, "lock timeout") || time.Since(begun) > 20*time.Second {
		t.Errorf("a locked table: got %d %q after %v", code, errs, time.Since(begun))
	}
	if err := <-locked; err != nil {
		t.Error(err)
	}
}
