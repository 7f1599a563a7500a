package httpapi

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// With TCP_USER_TIMEOUT, one lost keepalive probe would reset the connection.
func TestConnectionsHaveNoKeepalive(t *testing.T) {
	accepting := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer accepting.Close()
	dial(t, accepting.Addr().String(), "")
	c := must(newListener(accepting, 0, 0).Accept())(t)
	defer c.Close()
	raw := must(c.(*connection).Conn.(*net.TCPConn).SyscallConn())(t)
	ok(t, raw.Control(func(handle uintptr) {
		for _, row := range []struct {
			name          string
			level, option int
			want          int
		}{
			{"SO_KEEPALIVE", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 0},
			{"TCP_USER_TIMEOUT", unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, maxUnacknowledged},
		} {
			equal(t, row.name, must(unix.GetsockoptInt(int(handle), row.level, row.option))(t), row.want)
		}
	}))
}
