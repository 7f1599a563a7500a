//go:build !linux

package httpapi

import "net"

// limitKernelMemory keeps the defaults of the kernel.
func limitKernelMemory(net.Conn) {}
