//go:build !linux

package worker

import (
	"math"
	"os"
	"syscall"
	"time"
)

// thisProgram returns the path that starts this program again.
func thisProgram() (string, error) { return os.Executable() }

// NewAnonymousFile creates an empty file without a name.
func NewAnonymousFile() (*os.File, error) { return newUnlinkedFile() }

// sizeInMemory is 0: the file is on disk.
func sizeInMemory(*os.File) int64 { return 0 }

// Sealed returns a file that nobody else can open.
func Sealed(file *os.File) (*os.File, error) { return file, nil }

// FreeDisk is unknown: writing tells.
func FreeDisk(string) Room { return Room{math.MaxInt64, "the disk"} }

// sleepOrdinarily sleeps.
func sleepOrdinarily(d time.Duration) { time.Sleep(d) }

// beKilledFirst does nothing: it is not supported.
func beKilledFirst() {}

// RunOnLeftovers lowers the priority of this process.
func RunOnLeftovers() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) }
