package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"pubd/bench/testkit"
	"pubd/httpapi"
)

// A connection whose client goes on sending ends nevertheless, and gives way to others before.
func TestLingeringEnds(t *testing.T) {
	server := New(newService(t, 10, httpapi.Config{}), Config{MaxConnections: 20})
	address := testkit.Serve(t, server)
	for n := range 20 {
		dial(t, fmt.Sprintf("127.0.1.%d", n), address, "GET\r\n\r\n", 0)
	}
	time.Sleep(2 * idleGrace)
	status, _ := fetch(t, "127.0.0.1", address, "/api/v1/pubs/?search=*&amount=1", "b")
	testkit.FailIf(t, status != 200, "another client got %d, want 200", status)
	last := dial(t, "127.0.0.1", address, "GET\r\n\r\n", 0)
	testkit.Eventually(t, "the end of the connection", func() bool {
		_, err := last.Write([]byte("x"))
		return err != nil
	})
	testkit.Eventually(t, "the end of all", func() bool { return server.Traffic().Connections == 0 })
}

// Wherever a connection panics, it ends alone: the panic is logged and counted, and what was taken on is given back.
func TestPanicsEndTheirConnection(t *testing.T) {
	const work, export = everything + "&facets=location", "/api/v1/export?search=*"
	for _, c := range []struct {
		target, in string // a method of the connection
		calls      int32  // of the method before
	}{
		{work, "RemoteAddr", 0}, {work, "Read", 0}, {work, "RemoteAddr", 1}, {work, "Write", 0}, {work, "Close", 0},
		{export, "RemoteAddr", 1}, {export, "Write", 0}, {export, "Write", 1},
	} {
		t.Run(fmt.Sprint(c.target, " ", c.in, " ", c.calls), func(t *testing.T) {
			var log testkit.Output
			service := newService(t, 10, httpapi.Config{AccessLog: httpapi.LogAll, Log: zerolog.New(&log), KeepFor: patience})
			snapshot := snapshotOf(t, 1000, 9)
			service.Arrange(httpapi.Arrangement{Served: snapshot})
			snapshot.Release()
			server := New(service, Config{})
			free := freeTurns(server.admission)
			b := &bomb{method: c.in}
			b.calls.Store(c.calls)
			l := panickingListener{testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t), b}
			served := make(chan error, 1)
			go func() { served <- server.Serve(l) }()
			address := l.Addr().String()
			_, _ = io.Copy(io.Discard, dial(t, "127.0.0.1", address, strings.Replace(request("GET", c.target, "a"), "1.1\r\n", "1.1\r\nConnection: close\r\n", 1), 0))
			testkit.Eventually(t, "the panic", func() bool { return strings.Contains(log.String(), "request failed") })
			testkit.Eventually(t, "nothing held", func() bool { return server.Traffic().Connections == 0 && server.Traffic().InFlight == 0 })
			status, _ := fetch(t, "127.0.0.1", address, work, "a")
			testkit.FailIf(t, status != 200, "another client got %d, want 200", status)
			service.Arrange(httpapi.Arrangement{})
			testkit.Eventually(t, "the snapshot is released", func() bool { return !snapshot.Acquire() })
			if err := errors.Join(server.Shutdown(t.Context()), <-served); err != nil || freeTurns(server.admission) != free {
				t.Errorf("%v; %v of %v turns are free", err, freeTurns(server.admission), free)
			}
			got, stacks := service.Report().Requests[0].Statuses[500], strings.Count(log.String(), `connection.go`)
			testkit.FailIf(t, got != 1 || stacks == 0, "%d panics are counted, want 1; logged %s", got, log.String())
		})
	}
}

// A bomb panics once, in a method after a number of calls.
type bomb struct {
	method string
	calls  atomic.Int32
}

func (b *bomb) in(method string) {
	if method == b.method && b.calls.Add(-1) == -1 {
		panic("in " + method)
	}
}

// A panickingListener accepts connections whose methods panic.
type panickingListener struct {
	net.Listener
	*bomb
}

func (l panickingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return panickingConn{c, l.bomb}, nil
}

type panickingConn struct {
	net.Conn
	*bomb
}

func (p panickingConn) Read(data []byte) (int, error) {
	p.in("Read")
	return p.Conn.Read(data)
}

func (p panickingConn) Write(data []byte) (int, error) {
	p.in("Write")
	return p.Conn.Write(data)
}

func (p panickingConn) RemoteAddr() net.Addr {
	p.in("RemoteAddr")
	return p.Conn.RemoteAddr()
}

func (p panickingConn) Close() error {
	p.in("Close")
	return p.Conn.Close()
}

// A client that sends more than is read gets the last response whole, and then the end of the connection, not a reset.
func TestLastResponseIsReceived(t *testing.T) {
	lookup := request("GET", "/api/v1/pubs/?search=*&amount=1", "a")
	with := func(line string) string { return strings.Replace(lookup, "\r\n", "\r\n"+line+"\r\n", 1) }
	address := testkit.Serve(t, New(newService(t, 10, httpapi.Config{}), Config{}))
	for sent, want := range map[string]string{ // and a megabyte after it
		with("Content-Length: 1000000"): "413", with("Transfer-Encoding: chunked"): "413", "GET\r\n\r\n": "400", lookup[:len(lookup)-2] + "X: ": "431",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": "505", with("Connection: close"): "200", strings.Replace(lookup, "HTTP/1.1", "HTTP/1.0", 1): "200",
	} {
		client := dial(t, "127.0.0.1", address, sent, 0)
		go func() { _, _ = io.WriteString(client, strings.Repeat("x", 1_000_000)) }()
		received, err := io.ReadAll(client)
		if got := string(received); err != nil || !strings.HasPrefix(got, "HTTP/1.1 "+want) || strings.Count(got, "HTTP/1.1 ") != 1 {
			t.Errorf("%.100q: got %.100q, %v, want %s and the end", sent, got, err, want)
		}
	}
}
