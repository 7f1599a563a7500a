package main

import (
	"fmt"
	"math/bits"
	"slices"
	"time"
)

// A histogram counts durations in buckets a sixteenth of their value wide, from 1 µs on. The zero value is empty.
type histogram struct {
	counts [64 * 16]int
	count  int
}

// bucket is the place of a duration: the power of 2 below it, and its next four binary digits.
func bucket(d time.Duration) int {
	us := uint64(max(d, 0) / time.Microsecond)
	if us < 16 {
		return int(us)
	}
	power := bits.Len64(us) - 1
	return (power-3)*16 + int(us>>(power-4)&15)
}

// limit is the smallest duration beyond a bucket.
func limit(bucket int) time.Duration {
	if bucket < 16 {
		return time.Duration(bucket+1) * time.Microsecond
	}
	power := bucket/16 + 3
	return time.Duration((16+uint64(bucket%16)+1)<<(power-4)) * time.Microsecond
}

func (h *histogram) add(d time.Duration) {
	h.counts[bucket(d)]++
	h.count++
}

func (h *histogram) merge(other *histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.count += other.count
}

// quantile is a duration that at least a share of all do not reach, rounded up to the end of its bucket.
func (h *histogram) quantile(share float64) time.Duration {
	rest := int(share * float64(h.count))
	for i, n := range h.counts {
		if rest -= n; rest < 0 {
			return limit(i)
		}
	}
	return 0
}

// ratios are those of two figures that were taken in turn, round by round: the machine is not the same from one second to the
// next, so the median counts.
type ratios []float64

func (r *ratios) add(ratio float64) {
	place, _ := slices.BinarySearch(*r, ratio)
	*r = slices.Insert(*r, place, ratio)
}

func (r ratios) median() float64 { return r[len(r)/2] }

// String is for a report.
func (r ratios) String() string {
	return fmt.Sprintf("in %d rounds %.2f to %.2f times, median %.2f", len(r), r[0], r[len(r)-1], r.median())
}
