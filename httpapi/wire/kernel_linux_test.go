package wire

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"pubd/httpapi"
)

// With TCP_USER_TIMEOUT, one lost keepalive probe would reset the connection.
func TestConnectionsHaveNoKeepalive(t *testing.T) {
	accepting := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer accepting.Close()
	dial(t, "127.0.0.1", accepting.Addr().String(), "", 0)
	c := must((&listener{accepting, New(httpapi.New(httpapi.Config{}), Config{})}).Accept())(t)
	defer c.Close()
	raw := must(c.(*connection).Conn.(*net.TCPConn).SyscallConn())(t)
	_ = raw.Control(func(handle uintptr) {
		for _, row := range []struct {
			name          string
			level, option int
			want          int
		}{
			{"SO_KEEPALIVE", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 0},
			{"TCP_USER_TIMEOUT", unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, maxUnacknowledged},
		} {
			if got := must(unix.GetsockoptInt(int(handle), row.level, row.option))(t); got != row.want {
				t.Errorf("%s: got %d, want %d", row.name, got, row.want)
			}
		}
	})
}
