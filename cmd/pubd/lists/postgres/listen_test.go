package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pubd/bench/stage"
	"pubd/bench/testkit"
)

// A gate forwards bytes between a client and a server until it is shut. Then it keeps both connections open and
// forwards nothing.
type gate struct {
	net.Conn
	shut *sync.RWMutex
}

func (g gate) Write(p []byte) (int, error) {
	g.shut.RLock()
	defer g.shut.RUnlock()
	return g.Conn.Write(p)
}

// A listener receives notifications after quiet periods, and notices a silently dropped connection.
func TestListenerNoticesSilence(t *testing.T) {
	testkit.Long(t, "starts PostgreSQL")
	db, err := stage.StartPostgres(t.Context())
	if _, missing := errors.AsType[stage.MissingError](err); missing {
		t.Skip(err)
	}
	testkit.OK(t, err)
	defer db.Close()
	door := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer door.Close()
	var shut sync.RWMutex
	go func() {
		for {
			client, err := door.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", filepath.Join(db.Dir, ".s.PGSQL.5432"))
			if err != nil {
				client.Close()
				continue
			}
			for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
				go func() {
					_, _ = io.Copy(gate{way[0], &shut}, way[1])
					way[0].Close()
				}()
			}
		}
	}()
	host, port, _ := net.SplitHostPort(door.Addr().String())
	dsn := fmt.Sprintf("host=%s port=%s user=postgres dbname=postgres sslmode=disable", host, port)
	l := testkit.Must(Listen(t.Context(), dsn, "changes"))(t)
	defer l.Close()
	testkit.FailIf(t, l.quiet+l.patience > time.Minute,
		"silence is noticed after %v, want a minute at most", l.quiet+l.patience)
	const patient = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	if _, err := db.Run(ctx, "NOTIFY changes"); err != nil {
		t.Fatal(err)
	}
	if err := l.Wait(ctx); err != nil {
		t.Fatalf("a notification: %v", err)
	}
	l.quiet, l.patience = 200*time.Millisecond, patient
	short, cancelShort := context.WithTimeout(ctx, 5*l.quiet)
	defer cancelShort()
	if err := l.Wait(short); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "lost") {
		t.Errorf("quiet times: got %v, want to be cut off", err)
	}
	l.patience = time.Second
	shut.Lock()
	defer shut.Unlock()
	if err := l.Wait(ctx); err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "the connection is lost") {
		t.Errorf("a connection that passes nothing on: got %v, want that it is lost", err)
	}
}
