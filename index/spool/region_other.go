//go:build !linux

package spool

const reserves = false

// region does not exist here.
type region struct {
	memory []byte
	size   int64
}

func (s *Space) reserve() *region { panic("spool: arrays are slices here") }
func (r *region) extend(int64)    {}
func (r *region) release()        {}
func (r *region) unmap()          {}
