package relevance

import (
	"slices"

	"pubd/index/match"
	"pubd/index/postings"
)

// A want is what pubs should have: one that is not in the set, or with denied one that is, has faults of a weight.
type want struct {
	having postings.Set
	weight uint8
	denied bool
}

// wants returns what makes faults of pubs: for each of the words that matched, not to have it as it stands or, if a place
// or any pub answers, each of the wishes, not to have it; and for each feature that is wished, not to be known to have
// it, and once more to be known not to have it, of [featureWeight] near a point. They are valid until the next call.
func (r Ranker) wants(how *match.Answer) []want {
	wants := r.Memory.wants[:0]
	// Only near a point, pubs that only the core matches may be among those of a query as it stands.
	if how.Step == match.NotRelaxed && how.Denied().Feature == "" && (!r.Near || len(how.Core()) == len(how.Words)) {
		return nil
	}
	for word := range how.Words {
		wants = append(wants, want{having: how.Standing(word, r.Pool), weight: 1})
	}
	if len(how.Words) == 0 {
		how.Wishes(r.Pool, func(having postings.Set) { wants = append(wants, want{having: having, weight: 1}) })
	}
	weight := uint8(1)
	if r.Circle != nil {
		weight = featureWeight
	}
	wants = r.appendFeatures(wants, how, weight)
	if how.Denied().Feature != "" {
		_, without := r.Segment.Wished(how.Denied().Feature, how.Time(), r.At, r.Open, r.Pool)
		wants = append(wants, want{having: without, weight: weight})
	}
	r.Memory.wants = wants
	return wants
}

// appendFeatures appends, for each feature that is wished, not to be known to have it and to be known not to.
func (r Ranker) appendFeatures(dst []want, how *match.Answer, weight uint8) []want {
	for _, feature := range how.Features {
		having, denied := r.Segment.Wished(feature, how.Time(), r.At, r.Open, r.Pool)
		dst = append(dst, want{having: having, weight: weight}, want{denied, weight, true})
	}
	return dst
}

// WishFaults returns, for each pub, the faults as to the features that are wished: none if it is known to have them, and
// two for each that it is known not to have. They are valid until the next call.
func (r Ranker) WishFaults(pubs []uint32, how *match.Answer) []uint8 {
	r.Memory.wants = r.appendFeatures(r.Memory.wants[:0], how, 1)
	return r.faults(pubs, r.Memory.wants)
}

// faults returns the faults of each pub, at most [maxFaults]; none if nothing is wanted.
func (r Ranker) faults(pubs []uint32, wants []want) []uint8 {
	if len(wants) == 0 {
		return nil
	}
	counts := slices.Grow(r.Memory.faults[:0], len(pubs))[:len(pubs)]
	clear(counts)
	r.Memory.faults = counts
	for _, want := range wants {
		collector := r.Pool.Collector()
		bits := want.having.Bitmap()
		if bits == nil {
			collector.AddSet(want.having)
			bits = collector.Bitmap()
		}
		for i, pub := range pubs {
			if bits.Has(pub) == want.denied {
				counts[i] = min(counts[i]+want.weight, maxFaults)
			}
		}
		collector.Clear()
	}
	return counts
}

// faultless returns the pubs of a set without faults that, if a place is asked for, are in it; none if nothing is wanted.
func (r Ranker) faultless(set postings.Set, how *match.Answer, wants []want) postings.Set {
	if len(wants) == 0 {
		return postings.Set{}
	}
	operands := append(r.Memory.operands[:0], set)
	if how.Asked {
		operands = append(operands, how.Inside)
	}
	for _, want := range wants {
		if !want.denied {
			operands = append(operands, want.having)
		}
	}
	r.Memory.operands = operands
	found := r.Pool.Intersect(operands)
	for _, want := range wants {
		if want.denied {
			found = r.Pool.Difference(found, r.Pool.Both(found, want.having))
		}
	}
	return found
}
