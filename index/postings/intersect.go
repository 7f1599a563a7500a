package postings

import "slices"

// appendCommon appends the ids that are also in the other set. ids may begin at the end of dst, in the same memory.
func appendCommon(dst, ids []uint32, other Set) []uint32 {
	if other.bits != nil {
		start := len(dst)
		dst = slices.Grow(dst, len(ids))[:start+len(ids)]
		n := start
		for _, id := range ids {
			dst[n] = id
			n += int(other.bits[id/64] >> (id % 64) & 1)
		}
		return dst[:n]
	}
	if len(other.ids) < 16*len(ids) {
		return appendMerged(dst, ids, other.ids)
	}
	rest := other.ids
	for _, id := range ids {
		rest = rest[gallop(rest, id):]
		if len(rest) == 0 {
			break
		}
		if rest[0] == id {
			dst = append(dst, id)
		}
	}
	return dst
}

// appendMerged is appendCommon for lists of similar length: it goes through both, branch-free.
func appendMerged(dst, x, y []uint32) []uint32 {
	start := len(dst)
	most := min(len(x), len(y)) + 1
	dst = slices.Grow(dst, most)[:start+most]
	i, j, n := 0, 0, start
	for i < len(x) && j < len(y) {
		a, b := x[i], y[j]
		dst[n] = a
		n += one(a == b)
		i += one(a <= b)
		j += one(b <= a)
	}
	return dst[:n]
}

func one(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// gallop is LowerBound for a position that is likely near the front.
func gallop(ids []uint32, ordinal uint32) int {
	if len(ids) == 0 || ids[0] >= ordinal {
		return 0
	}
	step := 1
	for step < len(ids) && ids[step] < ordinal {
		step *= 2
	}
	low := step / 2
	return low + LowerBound(ids[low:min(step+1, len(ids))], ordinal)
}
