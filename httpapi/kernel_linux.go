package httpapi

import (
	"net"

	"golang.org/x/sys/unix"
)

const (
	// maxUnsent is how many bytes the kernel takes for a client beyond what it can send. What a client does not read stays
	// with the server, where it is accounted.
	maxUnsent = 16 << 10
	// maxUnacknowledged is how long, in milliseconds, the kernel keeps what a client does not acknowledge before it resets
	// the connection: a little longer than an answer may take.
	maxUnacknowledged = 20_000
)

// limitKernelMemory bounds what the kernel holds for a client. It turns off TCP's keepalive, as a limit of what is unacknowledged
// resets an idle connection after one lost probe, and [idleTimeout] closes it anyway if its client has gone.
func limitKernelMemory(c net.Conn) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(handle uintptr) { // where a sandbox forbids it, the defaults of the kernel hold
		_ = unix.SetsockoptInt(int(handle), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxUnsent)
		_ = unix.SetsockoptInt(int(handle), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, maxUnacknowledged)
		_ = unix.SetsockoptInt(int(handle), unix.SOL_SOCKET, unix.SO_KEEPALIVE, 0)
	})
}
