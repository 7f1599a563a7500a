//go:build !linux

package worker

import (
	"math"
	"os"
	"syscall"
)

// thisProgram returns the path that starts this program again.
func thisProgram() (string, error) { return os.Executable() }

// NewAnonymousFile creates an empty file without a name.
func NewAnonymousFile() (*os.File, error) { return newUnlinkedFile() }

// Sealed returns a file that nobody else can open.
func Sealed(file *os.File) (*os.File, error) { return file, nil }

// FreeDisk is unknown: writing tells.
func FreeDisk(string) Room { return Room{math.MaxInt64, "the disk"} }

// beKilledFirst does nothing: it is not supported.
func beKilledFirst() {}

// RunOnLeftovers lowers the priority of this process.
func RunOnLeftovers() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) }
