package indexfile

import "syscall"

// adviseHugePages asks the kernel for large pages, if it has them.
func adviseHugePages(memory []byte) { _ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE) }

// adviseRandomReads asks the kernel not to read ahead.
func adviseRandomReads(memory []byte) { _ = syscall.Madvise(memory, syscall.MADV_RANDOM) }
