//go:build !linux

package main

import (
	"os"
	"syscall"
)

// thisProgram returns the path that starts this program again.
func thisProgram() (string, error) { return os.Executable() }

// residentMemory is not known.
func residentMemory() (int64, bool) { return 0, false }

// newAnonymousFile makes an empty file without a name.
func newAnonymousFile() (*os.File, error) { return newUnlinkedFile() }

// sealed returns a file that nobody else can open.
func sealed(file *os.File) (*os.File, error) { return file, nil }

// beKilledFirst does nothing: the kernel cannot be asked.
func beKilledFirst() {}

// runOnLeftovers has this process run after others.
func runOnLeftovers() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) }
