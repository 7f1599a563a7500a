package main

import (
	"fmt"

	"github.com/docker/go-units"
)

// A byteSize is the value of a flag, in bytes: 1048576, 1MiB, 1M.
type byteSize int64

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *byteSize) UnmarshalText(text []byte) error {
	size, err := units.RAMInBytes(string(text))
	if err != nil || size < 0 { // a size beyond 2⁶³ bytes overflows to a negative one
		return fmt.Errorf("%q: must be a number of bytes, such as 67108864 or 64MiB", text)
	}
	*b = byteSize(size)
	return nil
}
