package wire

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"pubd/bench/testkit"
	"pubd/httpapi"
)

// What a client does not read stays with the server, not with the kernel.
func TestKernelMemoryIsLimited(t *testing.T) {
	accepting := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer accepting.Close()
	dial(t, "127.0.0.1", accepting.Addr().String(), "", 0)
	c := New(httpapi.New(httpapi.Config{}), Config{}).connect(testkit.Must(accepting.Accept())(t))
	defer c.Close()
	raw := testkit.Must(c.Conn.(*net.TCPConn).SyscallConn())(t)
	_ = raw.Control(func(handle uintptr) {
		testkit.Equal(t, "TCP_NOTSENT_LOWAT",
			testkit.Must(unix.GetsockoptInt(int(handle), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT))(t), maxUnsent)
	})
}
