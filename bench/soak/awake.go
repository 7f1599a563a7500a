package main

import (
	"encoding/binary"
	"os"
)

// keepAwake keeps the cores from halting until release is called, and tells in a sentence whether it does. A core of a virtual
// machine that halts is woken by its host, some milliseconds late where that is busy, and such time does not count as kept by
// the host. The file is that of cyclictest(8): Linux, Documentation/power/pm_qos_interface.rst.
func keepAwake() (release func(), how string) {
	file, err := os.OpenFile("/dev/cpu_dma_latency", os.O_WRONLY, 0)
	if err == nil {
		err = binary.Write(file, binary.NativeEndian, int32(0)) // microseconds
	}
	release = func() { _ = file.Close() }
	if err != nil {
		return release, "While timed rows ran, the cores were free to halt, which makes figures worse and takes root to prevent."
	}
	return release, "While timed rows ran, the cores were kept from halting."
}
