//go:build !linux

package main

// yieldToRequests does nothing where threads have no such rank.
func yieldToRequests() {}
