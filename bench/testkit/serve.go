package testkit

import (
	"context"
	"errors"
	"net"
	"testing"
)

// A Server serves connections until it is shut down.
type Server interface {
	Serve(net.Listener) error
	Shutdown(context.Context) error
}

// Serve serves on a free port of this machine until the test ends.
func Serve(t testing.TB, s Server) (address string) {
	t.Helper()
	l, served := Must(net.Listen("tcp", "127.0.0.1:0"))(t), make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), Patience)
		defer cancel()
		OK(t, errors.Join(s.Shutdown(ctx), <-served))
	})
	return l.Addr().String()
}
