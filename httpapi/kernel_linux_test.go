package httpapi

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// With TCP_USER_TIMEOUT, one lost keepalive probe would reset the connection.
func TestConnectionsHaveNoKeepalive(t *testing.T) {
	accepting, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	defer accepting.Close()
	dial(t, accepting.Addr().String(), "")
	c, err := newListener(accepting, 0).Accept()
	ok(t, err)
	defer c.Close()
	raw, err := c.(*connection).Conn.(*net.TCPConn).SyscallConn()
	ok(t, err)
	err = raw.Control(func(handle uintptr) {
		for _, row := range []struct {
			name          string
			level, option int
			want          int
		}{
			{"SO_KEEPALIVE", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 0},
			{"TCP_USER_TIMEOUT", unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, maxUnacknowledged},
		} {
			got, err := unix.GetsockoptInt(int(handle), row.level, row.option)
			ok(t, err)
			equal(t, row.name, got, row.want)
		}
	})
	ok(t, err)
}
