//go:build !linux

package main

import (
	"os"
	"syscall"
)

// thisProgram returns the path that starts this program again.
func thisProgram() (string, error) { return os.Executable() }

// residentMemory is unknown.
func residentMemory() (int64, bool) { return 0, false }

// newAnonymousFile creates an empty file without a name.
func newAnonymousFile() (*os.File, error) { return newUnlinkedFile() }

// sealed returns a file that nobody else can open.
func sealed(file *os.File) (*os.File, error) { return file, nil }

// beKilledFirst does nothing: it is not supported.
func beKilledFirst() {}

// runOnLeftovers lowers the priority of this process.
func runOnLeftovers() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) }
