//go:build !linux

package index_test

import "time"

var begun = time.Now()

// threadTime returns the elapsed time, as other systems do not report the CPU time of a thread.
func threadTime() time.Duration { return time.Since(begun) }
