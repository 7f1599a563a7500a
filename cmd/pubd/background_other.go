//go:build !linux

package main

// A lowly thread is none where threads have no such rank.
type lowly struct{}

func yieldToRequests() *lowly { return nil }

func (*lowly) stepAside() {}
