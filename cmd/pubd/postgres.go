package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"pubd/data/postgres"
	"pubd/loader"
)

// fromPostgres is the value of --from for a database.
const fromPostgres = "postgres"

// postgresFlags are the flags of the commands that read pubs from a database.
type postgresFlags struct {
	DSN   string `name:"dsn" placeholder:"STRING" help:"The PostgreSQL database, such as postgres://pubs@db.example.org/pubs; what it leaves out comes from PGPASSWORD, PGHOST and the like."`
	Query string `placeholder:"FILE" predictor:"file" help:"File with the SELECT for --from postgres; name its columns as in a snapshot file, such as SELECT id AS uid."`
}

// validate checks that the flags fit the source of the pubs.
func (f *postgresFlags) validate(from string) error {
	switch {
	case from == fromPostgres && f.Query == "":
		return errors.New("--from postgres: needs --query FILE, a SELECT of the pubs")
	case from != fromPostgres && (f.Query != "" || f.DSN != ""):
		return errors.New("--dsn and --query: are for --from postgres only")
	}
	return nil
}

// maxQuery is the maximum size of a query, in bytes.
const maxQuery = 1 << 20

// read writes the pubs of the database to a new file in a directory, and returns its name.
func (f *postgresFlags) read(ctx context.Context, t terminal, dir string) (name string, err error) {
	query, err := loader.ReadFile(f.Query)
	if err != nil {
		return "", err
	}
	if len(query) > maxQuery {
		return "", fmt.Errorf("%s: has %d bytes, the limit of a query is %d", loader.Visible(f.Query), len(query), maxQuery)
	}
	file, err := os.Create(filepath.Join(dir, "pubs.csv"))
	if err != nil {
		return "", err
	}
	defer file.Close()
	reading := newProgress(t.err, "reading from PostgreSQL", true)
	defer reading.finish()
	rows, err := postgres.Read(ctx, f.DSN, string(query), io.MultiWriter(file, reading))
	if err != nil {
		return "", err
	}
	if rows == 0 {
		return "", fmt.Errorf("%s: the query returns no rows", loader.Visible(f.Query))
	}
	return file.Name(), file.Close()
}

// name returns the name of the rows in complaints.
func (f *postgresFlags) name() string { return filepath.Base(f.Query) + ".csv" }

const (
	minWatchRetry = time.Second
	maxWatchRetry = time.Minute
)

// watch calls publish at the start and after notifications on a channel, at most once per interval, until the context
// ends. A change during publish, or while disconnected, is published afterwards. An error of the first call ends
// watch; later ones are printed, and it tries again.
func watch(ctx context.Context, say io.Writer, dsn, channel string, atMostEvery time.Duration, publish func() error) error {
	retry, first := minWatchRetry, true
	for {
		err := watchOnce(ctx, dsn, channel, atMostEvery, func() error {
			err := publish()
			if err == nil {
				retry, first = minWatchRetry, false
			}
			return err
		})
		switch {
		case ctx.Err() != nil:
			return nil
		case first:
			return err
		}
		fmt.Fprintf(say, "pubd: %s; trying again in %v\n", visible(err), retry)
		if !sleep(ctx, retry) {
			return nil
		}
		retry = min(2*retry, maxWatchRetry)
	}
}

// watchOnce listens until something fails.
func watchOnce(ctx context.Context, dsn, channel string, atMostEvery time.Duration, publish func() error) error {
	listener, err := postgres.Listen(ctx, dsn, channel)
	if err != nil {
		return err
	}
	defer listener.Close()
	for {
		begun := time.Now()
		if err := publish(); err != nil {
			return err
		}
		if err := listener.Wait(ctx); err != nil {
			return err
		}
		if !sleep(ctx, time.Until(begun.Add(atMostEvery))) {
			return ctx.Err()
		}
	}
}

// sleep waits, and returns false if the context ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
