package wire

import (
	"net"

	"golang.org/x/sys/unix"
)

// maxUnsent is how many bytes the kernel buffers beyond what it can send to a client. The rest of what a client does
// not read stays with the server, which accounts for it.
const maxUnsent = 16 << 10

// limitKernelMemory bounds what the kernel buffers for a client.
func limitKernelMemory(c net.Conn) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	if raw, err := tcp.SyscallConn(); err == nil {
		_ = raw.Control(func(handle uintptr) { // in a sandbox that forbids it, the kernel's default applies
			_ = unix.SetsockoptInt(int(handle), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxUnsent)
		})
	}
}
