//go:build !linux

package index_test

import "time"

var begun = time.Now()

// threadTime returns the elapsed time, because the CPU time of a thread is available only on Linux.
func threadTime() time.Duration { return time.Since(begun) }
