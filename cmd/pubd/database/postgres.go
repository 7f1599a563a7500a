// Package database has the flags of the commands that read pubs from a database.
package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/lists/postgres"
	"pubd/loader"
)

// FromPostgres is the value of --from for a database.
const FromPostgres = "postgres"

// PostgresFlags are the flags of the commands that read pubs from a database.
type PostgresFlags struct {
	DSN   string `name:"dsn" placeholder:"STRING" help:"The PostgreSQL database, such as postgres://pubs@db.example.org/pubs; what it leaves out comes from PGPASSWORD, PGHOST and the like."`
	Query string `placeholder:"FILE" predictor:"file" help:"File with the SELECT for --from postgres; name its columns as in a snapshot file, such as SELECT id AS uid."`
}

// Check checks that the flags fit the source of the pubs.
func (f *PostgresFlags) Check(from string) error {
	switch {
	case from == FromPostgres && f.Query == "":
		return errors.New("--from postgres: needs --query FILE, a SELECT of the pubs")
	case from != FromPostgres && (f.Query != "" || f.DSN != ""):
		return errors.New("--dsn and --query: are for --from postgres only")
	}
	return nil
}

// maxQuery is the maximum size of a query, in bytes.
const maxQuery = 1 << 20

// Read writes the pubs of the database as CSV.
func (f *PostgresFlags) Read(ctx context.Context, t cli.Terminal, to io.Writer) error {
	query, err := loader.ReadFile(f.Query)
	if err != nil {
		return err
	}
	if len(query) > maxQuery {
		return fmt.Errorf("%s: has %d bytes, the limit of a query is %d", loader.Visible(f.Query), len(query), maxQuery)
	}
	reading := cli.NewProgress(t.Err, "reading from PostgreSQL", true)
	defer reading.Finish()
	rows, err := postgres.Read(ctx, f.DSN, string(query), io.MultiWriter(to, reading))
	if err == nil && rows == 0 {
		err = fmt.Errorf("%s: the query returns no rows", loader.Visible(f.Query))
	}
	return err
}

// RowsName returns the name of the rows in complaints.
func (f *PostgresFlags) RowsName() string { return filepath.Base(f.Query) + ".csv" }
