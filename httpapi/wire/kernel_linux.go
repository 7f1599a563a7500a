package wire

import (
	"net"

	"golang.org/x/sys/unix"
)

const (
	// maxUnsent is how many bytes the kernel buffers beyond what it can send to a client. The rest of what a client
	// does not read stays with the server, which accounts for it.
	maxUnsent = 16 << 10
	// maxUnacknowledged is how long, in milliseconds, the kernel waits for the client to acknowledge data before it
	// resets the connection: a little longer than a response may take.
	maxUnacknowledged = 20_000
)

// limitKernelMemory bounds what the kernel buffers for a client. It disables TCP keepalive, because the limit on
// unacknowledged data would reset an idle connection after one lost probe, and [idleTimeout] closes it anyway if the
// client is gone.
func limitKernelMemory(c net.Conn) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(handle uintptr) { // in a sandbox that forbids it, the kernel's defaults apply
		_ = unix.SetsockoptInt(int(handle), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxUnsent)
		_ = unix.SetsockoptInt(int(handle), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, maxUnacknowledged)
		_ = unix.SetsockoptInt(int(handle), unix.SOL_SOCKET, unix.SO_KEEPALIVE, 0)
	})
}
