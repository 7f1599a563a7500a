//go:build !linux

package indexfile

// adviseHugePages does nothing: other systems choose page sizes themselves.
func adviseHugePages([]byte) {}

// adviseRandomReads does nothing, for the same reason.
func adviseRandomReads([]byte) {}
