//go:build !linux

package index_test

import "time"

var begun = time.Now()

// threadTime returns the time that passes: other systems do not say what a thread has had of a processor.
func threadTime() time.Duration { return time.Since(begun) }
