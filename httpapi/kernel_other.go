//go:build !linux

package httpapi

import "net"

// limitKernelMemory leaves the kernel its defaults.
func limitKernelMemory(net.Conn) {}
