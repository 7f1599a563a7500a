package indexfile

import "syscall"

// adviseHugePages asks the kernel for large pages. One without them does without.
func adviseHugePages(memory []byte) { _ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE) }
