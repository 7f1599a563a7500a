//go:build !linux

package wire

import "net"

// limitKernelMemory keeps the defaults of the kernel.
func limitKernelMemory(net.Conn) {}
