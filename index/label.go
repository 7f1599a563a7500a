package index

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// A turn is the place of a pub among those of its name and location, from 1, and how many they are; 0 where its label says the UID
// instead. Namesakes are the other pubs of its folded name.
type turn struct{ number, of, namesakes uint32 }

// AppendLabel appends a text that tells a pub from all others of the snapshot: its name, with its location where it has
// namesakes, and its number among those of one name and location. Where that could be another's, and where there are brackets
// already, its UID follows in brackets, each opening one of it doubled, so that it can be told where it begins.
func (s *Snapshot) AppendLabel(dst []byte, ordinal uint32) []byte {
	pub := &s.pubs[ordinal]
	dst = append(dst, pub.Name...)
	t := &s.turns[ordinal]
	if t.of == 0 {
		return append(append(append(dst, " ["...), strings.ReplaceAll(pub.UID, "[", "[[")...), ']')
	}
	if t.namesakes == 0 {
		return dst
	}
	if pub.Location != "" {
		dst = append(append(dst, ", "...), pub.Location...)
	}
	if t.of == 1 {
		return dst
	}
	dst = strconv.AppendUint(append(dst, " ("...), uint64(t.number), 10)
	return append(strconv.AppendUint(append(dst, " of "...), uint64(t.of), 10), ')')
}

// takeTurns numbers the pubs of one name and location in their order.
func (s *Snapshot) takeTurns() {
	s.turns = make([]turn, len(s.pubs))
	alike := func(a, b uint32) int {
		return cmp.Or(strings.Compare(s.pubs[a].Name, s.pubs[b].Name), strings.Compare(s.pubs[a].Location, s.pubs[b].Location))
	}
	var namesakes []uint32
	for name := range len(s.nameStart) - 1 {
		namesakes = namesakes[:0]
		for pub := s.nameStart[name]; pub < s.nameStart[name+1]; pub++ {
			namesakes = append(namesakes, pub)
		}
		slices.SortFunc(namesakes, func(a, b uint32) int { return cmp.Or(alike(a, b), cmp.Compare(a, b)) })
		for rest := namesakes; len(rest) > 0; {
			n := 1
			for n < len(rest) && alike(rest[0], rest[n]) == 0 {
				n++
			}
			of := uint32(n)
			if first := &s.pubs[rest[0]]; strings.Contains(first.Name, "[") || strings.Contains(first.Location, "[") {
				of = 0
			}
			for i, pub := range rest[:n] {
				s.turns[pub] = turn{uint32(i) + 1, of, uint32(len(namesakes)) - 1}
			}
			rest = rest[n:]
		}
	}
}

// findAmbiguous finds the pubs whose label another has, too, as where one is named like another with its location.
func (s *Snapshot) findAmbiguous() {
	type hashed struct {
		hash uint64
		pub  uint32
	}
	seed := maphash.MakeSeed()
	labels := make([]hashed, len(s.pubs))
	var label, other []byte
	for i := range labels {
		label = s.AppendLabel(label[:0], uint32(i))
		labels[i] = hashed{maphash.Bytes(seed, label), uint32(i)}
	}
	compare := func(a, b hashed) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		label, other = s.AppendLabel(label[:0], a.pub), s.AppendLabel(other[:0], b.pub)
		return bytes.Compare(label, other)
	}
	slices.SortFunc(labels, compare)
	var ambiguous []uint32
	for i := 1; i < len(labels); i++ {
		if compare(labels[i-1], labels[i]) == 0 {
			ambiguous = append(ambiguous, labels[i-1].pub, labels[i].pub)
		}
	}
	for _, pub := range ambiguous {
		s.turns[pub].of = 0
	}
}
