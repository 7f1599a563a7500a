package segment

import (
	"bytes"
	"strconv"
	"strings"

	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/schema"
	"pubd/index/text"
)

// Labels are the parts of labels besides name and location, which few pubs need: a number among the pubs with the same
// name and location, or the UID.
type Labels struct {
	pubs []uint32 // ordinals, ascending
	// numbers[i] is the number of pubs[i], from 1, and total[i] the number of pubs with its name and location; both are 0
	// if its label has the UID instead.
	numbers, total []uint32
	has            postings.Counted // pubs
}

// AppendLabel appends a text that distinguishes a pub from all others of the snapshot: its name, with its location if
// it has namesakes, and its number if others have the same name and location. If that could be the label of another
// pub, or has brackets already, its UID follows in brackets. Opening brackets in the UID are doubled, so that its
// beginning is unambiguous.
func (s *Segment) AppendLabel(dst []byte, ordinal uint32) []byte {
	uid, name, location := s.Pubs.Texts(ordinal)
	dst = schema.AppendUnescaped(dst, name)
	number, total := s.labels.at(ordinal)
	if total == 0 {
		dst = append(dst, " ["...)
		start := len(dst)
		dst = schema.AppendUnescaped(dst, uid)
		if bytes.IndexByte(dst[start:], '[') >= 0 {
			dst = append(dst[:start], bytes.ReplaceAll(dst[start:], []byte("["), []byte("[["))...)
		}
		dst = append(dst, ']')
	} else if low, high := s.Names.Around(ordinal); high-low > 1 {
		if len(location) > 0 {
			dst = schema.AppendUnescaped(append(dst, ", "...), location)
		}
		dst = appendNumberOf(dst, number, total)
	}
	return dst
}

// appendNumberOf appends the number of a duplicate.
func appendNumberOf(dst []byte, number, total uint32) []byte {
	if total == 1 {
		return dst
	}
	dst = strconv.AppendUint(append(dst, " ("...), uint64(number), 10)
	return append(strconv.AppendUint(append(dst, " of "...), uint64(total), 10), ')')
}

// at returns the number of a pub among those with its name and location.
func (l *Labels) at(ordinal uint32) (number, total uint32) {
	if !l.has.Has(ordinal) {
		return 1, 1
	}
	at := l.has.UpTo(ordinal) - 1
	return l.numbers[at], l.total[at]
}

// duplicateNumber is the number of a pub, from 1, among those with its name and location, and how many they are; total
// is 0 if its label has its UID.
type duplicateNumber struct{ number, total uint32 }

// NewLabels returns the labels of pubs by ordinal.
func NewLabels(pubs *corpus.Rows, n *Names) (l Labels) {
	numbers := numberDuplicates(pubs)
	for _, ordinal := range ambiguous(pubs, n, numbers) {
		numbers[ordinal].total = 0
	}
	for ordinal, d := range numbers {
		if d.total != 1 {
			l.pubs, l.numbers, l.total = append(l.pubs, uint32(ordinal)), append(l.numbers, d.number), append(l.total, d.total)
		}
	}
	return l
}

// numberDuplicates numbers the pubs with the same name and location, in the default order. Those with brackets get
// their UIDs.
func numberDuplicates(pubs *corpus.Rows) []duplicateNumber {
	alike := text.NewInterner(pubs.Space)
	defer alike.Release()
	of, numbers := make([]uint32, pubs.Len()), make([]duplicateNumber, pubs.Len())
	var totals []uint32
	var key []byte
	for pub := range numbers {
		key = append(append(key[:0], pubs.Name(pub)...), 0) // which no text has
		key = append(key, pubs.Location(pub)...)
		number, isNew := alike.Intern(key)
		if isNew {
			totals = append(totals, 0)
		}
		totals[number]++
		of[pub], numbers[pub].number = number, totals[number]
	}
	for pub := range numbers {
		if !strings.Contains(pubs.Name(pub), "[") && !strings.Contains(pubs.Location(pub), "[") {
			numbers[pub].total = totals[of[pub]]
		}
	}
	return numbers
}

// ambiguous returns the pubs whose label another pub has, too: a name may look like the name and location of another.
func ambiguous(pubs *corpus.Rows, n *Names, numbers []duplicateNumber) (found []uint32) {
	labels := text.NewInterner(pubs.Space)
	defer labels.Release()
	var first []uint32 // by number of the label
	var label []byte
	for pub, d := range numbers {
		if d.total == 0 {
			continue
		}
		label = append(label[:0], pubs.Name(pub)...)
		if low, high := n.Around(uint32(pub)); high-low > 1 && pubs.Location(pub) != "" {
			label = append(append(label, ", "...), pubs.Location(pub)...)
		}
		number, isNew := labels.Intern(appendNumberOf(label, d.number, d.total))
		if isNew {
			first = append(first, uint32(pub))
		} else {
			found = append(found, first[number], uint32(pub))
		}
	}
	return found
}

// Code writes or reads the labels of a number of pubs.
func (l *Labels) Code(f indexfile.Codec, size int) {
	indexfile.Array(f, "labels.pubs", &l.pubs)
	indexfile.ArrayN(f, "labels.numbers", &l.numbers, len(l.pubs))
	indexfile.ArrayN(f, "labels.of", &l.total, len(l.pubs))
	if indexfile.CheckBelow(f.Reader, "labels.pubs", l.pubs, size) {
		l.has = postings.CountedOf(l.pubs, size)
	}
}
