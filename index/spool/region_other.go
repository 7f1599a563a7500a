//go:build !linux

package spool

// region does not exist here.
type region struct {
	memory []byte
	size   int64
}

func (s *Space) reserve() *region { return nil }
func (r *region) extend(int64)    {}
func (r *region) release()        {}
func (r *region) unmap()          {}
