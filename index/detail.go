package index

import (
	"regexp"
	"strconv"
	"strings"
)

// LocalRank is a pub's rank in a metric among the rated pubs of its location that have it, from 1 for the highest, equal
// ones sharing the better rank, and how many those are; 0 where the pub has none. It costs a step for each pub there.
func (s *Snapshot) LocalRank(ordinal uint32, metric Metric) (rank, of uint32) {
	place := s.columns[Location].of[ordinal]
	own := s.rankings[metric][ordinal]
	if place == missing || own == 0 {
		return 0, 0
	}
	rank = 1
	for _, other := range s.columns[Location].pubs.at(place).ids {
		if r := s.rankings[metric][other]; r > 0 {
			of++
			if r < own {
				rank++
			}
		}
	}
	return rank, of
}

// Namesakes is how many other pubs have the folded name of one.
func (s *Snapshot) Namesakes(ordinal uint32) int {
	low, high := s.sameName(ordinal)
	return int(high-low) - 1
}

// sameName gives the range of the pubs with the folded name of one.
func (s *Snapshot) sameName(ordinal uint32) (low, high uint32) {
	number := lowerBound(s.nameStart, ordinal+1) - 1
	return s.nameStart[number], s.nameStart[number+1]
}

// AppendLabel appends a text that tells a pub from all others of the snapshot: its name, with its location where it has
// namesakes, and its number among those of one name and location. Where that could be another's, and where there are brackets
// already, its UID follows in brackets.
func (s *Snapshot) AppendLabel(dst []byte, ordinal uint32) []byte {
	pub := &s.pubs[ordinal]
	low, high := s.sameName(ordinal)
	dst = append(dst, pub.Name...)
	if s.ambiguous[ordinal] || strings.Contains(pub.Name, "[") || strings.Contains(pub.Location, "[") {
		return append(append(append(dst, " ["...), pub.UID...), ']')
	}
	if high-low == 1 {
		return dst
	}
	if pub.Location != "" {
		dst = append(append(dst, ", "...), pub.Location...)
	}
	number, of := 0, 0
	for other := low; other < high; other++ {
		if s.pubs[other].Name == pub.Name && s.pubs[other].Location == pub.Location {
			of++
			if other <= ordinal {
				number++
			}
		}
	}
	if of == 1 {
		return dst
	}
	dst = strconv.AppendInt(append(dst, " ("...), int64(number), 10)
	return append(strconv.AppendInt(append(dst, " of "...), int64(of), 10), ')')
}

// findAmbiguous finds the pubs whose label another has, too, as where one is named like another with its location: names or
// locations with a comma or a bracket.
func (s *Snapshot) findAmbiguous() {
	s.ambiguous = map[uint32]bool{}
	for i := range s.pubs {
		if pub := &s.pubs[i]; strings.ContainsAny(pub.Name, ",(") || strings.ContainsAny(pub.Location, ",(") {
			s.findSameLabel(uint32(i))
		}
	}
}

// numbered is how a label ends that has a number.
var numbered = regexp.MustCompile(` \(\d+ of \d+\)$`)

// findSameLabel finds the pubs with the label of one, by all names and locations that it may be made of.
func (s *Snapshot) findSameLabel(ordinal uint32) {
	label := string(s.AppendLabel(nil, ordinal))
	var found []uint32
	for _, text := range []string{label, numbered.ReplaceAllString(label, "")} {
		for end := 1; end <= len(text); end++ {
			name, place := text[:end], ""
			if end < len(text) {
				var ok bool
				if place, ok = strings.CutPrefix(text[end:], ", "); !ok {
					continue
				}
			}
			if name == s.pubs[ordinal].Name && place == s.pubs[ordinal].Location {
				continue // those are told apart by their number
			}
			low, high := s.namesakes(AppendFolded([]byte{}, []byte(name)))
			for other := low; other < high; other++ {
				if s.pubs[other].Name == name && s.pubs[other].Location == place && string(s.AppendLabel(nil, other)) == label {
					found = append(found, other)
				}
			}
		}
	}
	for _, other := range found {
		s.ambiguous[ordinal], s.ambiguous[other] = true, true
	}
}
