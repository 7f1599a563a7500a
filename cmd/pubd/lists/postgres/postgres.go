// Package postgres reads snapshots from a PostgreSQL database, and waits for notifications of changes. The query
// decides which columns a snapshot has, and package loader whether they are right.
//
// [Read] writes the rows of a query as CSV, by COPY, which streams them. Its transaction is read-only and at
// REPEATABLE READ: the rows are one committed state, and the query cannot write. [Listen] subscribes to a channel and
// [Listener.Wait] waits, so that a change is published without polling; the notification says only that there is one.
// Each call of Read and Listen has a connection of its own; calls may run concurrently, and a Listener serves one
// goroutine.
//
// Nothing waits forever: 10 s for a locked table, an hour for a query, 15 s for a connection unless the string has
// another limit. A connection that was dropped silently is noticed within a minute. Errors show no connection string:
// nobody can know which part of a malformed one is the password.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// patience is the time limit for connecting.
const patience = 15 * time.Second

// How long a query waits for a locked table, and how long it may take.
const (
	lockTimeout      = "10s"
	statementTimeout = "1h"
)

// connect connects to the database of a connection string, with defaults from the environment (PGHOST, PGUSER,
// PGPASSWORD, PGSERVICE, …). Errors do not show the password.
func connect(ctx context.Context, dsn string) (*pgx.Conn, error) {
	config, err := parse(dsn)
	if err != nil {
		return nil, fmt.Errorf("--dsn: must be a connection string such as postgres://pubs@db.example.org/pubs: %w", err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = patience
	}
	for name, value := range map[string]string{"application_name": "pubd", "default_transaction_read_only": "on", "lock_timeout": lockTimeout,
		"statement_timeout": statementTimeout} {
		config.RuntimeParams[name] = value
	}
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: patience, Interval: patience / 3, Count: 3}}
	config.DialFunc = dialer.DialContext
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL: %w", err)
	}
	return conn, nil
}

// parse parses a connection string. Its errors show nothing of the string: nobody can know which part of a malformed
// one is the password, and pgx masks only its guess.
func parse(dsn string) (*pgx.ConnConfig, error) {
	if _, url, is := strings.Cut(dsn, "://"); is {
		address, _, _ := strings.Cut(url, "?")
		if _, rest, found := strings.Cut(address, "@"); strings.Contains(rest, "@") || found && strings.Contains(address[:strings.Index(address, "@")], "/") {
			return nil, errors.New("characters such as @ and / of a user or password must be percent-encoded, as %40 and %2F")
		}
	}
	config, err := pgx.ParseConfig(dsn)
	var wrong *pgconn.ParseConfigError
	switch {
	case err == nil:
		return config, nil
	case !errors.As(err, &wrong):
		return nil, errors.New("cannot be parsed")
	}
	// The text is "cannot parse `…`: reason (cause)". Of the causes, only a file that cannot be read is safe and
	// useful to show.
	text, cause := wrong.Error(), errors.Unwrap(wrong)
	if cause != nil {
		text = strings.TrimSuffix(text, " ("+cause.Error()+")")
	}
	reason := text[strings.LastIndex(text, "`: ")+len("`: "):]
	if file := (*fs.PathError)(nil); errors.As(cause, &file) {
		return nil, fmt.Errorf("%s: %w", reason, file)
	}
	return nil, errors.New(reason)
}

// Read writes the rows of a query as CSV, with a header of column names, and returns their number. It reads them in
// one read-only transaction at the isolation level REPEATABLE READ: they are one committed state of the database. The
// query must be one statement, which cannot write. It streams, and holds no rows in memory.
func Read(ctx context.Context, dsn, query string, to io.Writer) (rows int64, err error) {
	conn, err := connect(ctx, dsn)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return 0, fmt.Errorf("PostgreSQL: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it has written nothing
	query = strings.TrimRight(query, "; \t\r\n")
	if _, err := tx.Prepare(ctx, "", query); err != nil { // which rejects several statements, and what would end that around it
		return 0, fmt.Errorf("PostgreSQL: query: %w", err)
	}
	tag, err := conn.PgConn().CopyTo(ctx, to, "COPY (\n"+query+"\n) TO STDOUT WITH (FORMAT csv, HEADER)")
	if err != nil {
		return 0, fmt.Errorf("PostgreSQL: query: %w", err)
	}
	return tag.RowsAffected(), nil
}

// A Listener waits for notifications on a channel.
type Listener struct {
	conn *pgx.Conn
	// If nothing arrives for quiet, Wait checks that the server still responds, which may take patience.
	quiet, patience time.Duration
}

// Listen subscribes to a channel. From then on no notification is missed. Close ends the subscription.
func Listen(ctx context.Context, dsn, channel string) (*Listener, error) {
	conn, err := connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("PostgreSQL: LISTEN %s: %w", channel, err)
	}
	return &Listener{conn, 2 * patience, patience}, nil
}

// Wait waits for a notification. An error comes from the context or from the connection, which is then unusable. To
// detect a connection that was dropped silently, it checks from time to time that the server responds.
func (l *Listener) Wait(ctx context.Context) error {
	for {
		waiting, cancel := context.WithTimeout(ctx, l.quiet)
		_, err := l.conn.WaitForNotification(waiting)
		isQuiet := waiting.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			return nil
		case !isQuiet:
			return fmt.Errorf("PostgreSQL: %w", err)
		}
		limited, cancel := context.WithTimeout(ctx, l.patience)
		err = l.conn.Ping(limited)
		cancel()
		if err != nil {
			return fmt.Errorf("PostgreSQL: the connection is lost: %w", err)
		}
	}
}

// Close ends the connection.
func (l *Listener) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = l.conn.Close(ctx)
}
