package places

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/text"
)

// codes are most postcodes: those in two words that few pubs have, and that no pub is in by the words of its location
// and area. Each is a phrase twice, in two words and written together, with the same pubs. Its number is that of its
// first pub in pubs.
type codes struct {
	// outwards are the phrases that are first words, ascending. The pubs of outwards[i] are those from starts[i] to
	// before starts[i+1], ordered by second word, then by ordinal.
	outwards, starts []uint32
	inwards, pubs    []uint32 // by number: the second word, and a pub
	// joined are the codes that are also suggested in one word: those whose second words have not writtenApart
	// characters, in the order of their texts in one word.
	joined []uint32
}

// A code has at most maxCodePubs pubs. Its words are ASCII letters and digits: the outward code, with a digit, and the
// inward code.
const (
	maxCodePubs          = 16
	maxOutward           = 8
	minInward, maxInward = 2, 4
)

// isCode reports whether a postcode may be one of codes.
func isCode(words text.Phrase) bool {
	return len(words) == 2 && isOutward(words[0]) && minInward <= len(words[1]) && len(words[1]) <= maxInward &&
		isAlphanumeric(words[1]) && !text.IsStop(words[1])
}

// isOutward reports whether a word may be the first of a code.
func isOutward(word []byte) bool {
	return len(word) <= maxOutward && isAlphanumeric(word) && text.HasDigit(word)
}

func isAlphanumeric(word []byte) bool {
	for _, c := range word {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// inwardOf returns the beginning of a second word as a number, in the order of the texts.
func inwardOf(word []byte) uint32 {
	var padded [maxInward]byte
	copy(padded[:], word)
	return binary.BigEndian.Uint32(padded[:])
}

// appendInward appends the text of a second word.
func appendInward(dst []byte, inward uint32) []byte {
	for ; inward != 0; inward <<= 8 {
		dst = append(dst, byte(inward>>24))
	}
	return dst
}

// find returns the number of a code by the phrase of its first word.
func (c *codes) find(outward, inward uint32) (code uint32, ok bool) {
	i, ok := slices.BinarySearch(c.outwards, outward)
	if !ok {
		return 0, false
	}
	low, high := c.starts[i], c.starts[i+1]
	code = low + uint32(postings.LowerBound(c.inwards[low:high], inward))
	return code, code < high && c.inwards[code] == inward
}

// blockOf returns which of outwards is the first word of a code.
func (c *codes) blockOf(code uint32) int { return postings.LowerBound(c.starts, code+1) - 1 }

// pubsOf returns the pubs of a code.
func (c *codes) pubsOf(code uint32) []uint32 {
	high := min(c.starts[c.blockOf(code)+1], code+maxCodePubs)
	end := code + 1
	for end < high && c.inwards[end] == c.inwards[code] {
		end++
	}
	return c.pubs[code:end]
}

// appendBegun appends numbers plus first of the codes of block i whose second words begin with a text.
func (c *codes) appendBegun(dst []uint32, i int, begin []byte, first uint32) []uint32 {
	low, high := c.starts[i], c.starts[i+1]
	from := uint64(inwardOf(begin))
	end := from + 1<<(8*(maxInward-len(begin)))
	previous := uint64(0)
	for code := low + uint32(postings.LowerBound(c.inwards[low:high], uint32(from))); code < high; code++ {
		inward := uint64(c.inwards[code])
		if inward >= end {
			break
		}
		if inward != previous {
			dst = append(dst, first+code)
		}
		previous = inward
	}
	return dst
}

// isWrittenApart reports whether codes with a second word are suggested in two words only.
func isWrittenApart(inward uint32) bool {
	return bits.TrailingZeros32(inward)/8 == maxInward-writtenApart
}

// code returns the number of a code by its words: two, or one that may be divided.
func (x *Index) code(words text.Phrase) (code uint32, ok bool) {
	find := func(outward, inward []byte) (code uint32, ok bool) {
		if phrase, known := x.phrases.Find(outward); known {
			return x.codes.find(phrase, inwardOf(inward))
		}
		return 0, false
	}
	switch {
	case len(words) == 2 && isCode(words):
		return find(words[0], words[1])
	case len(words) == 1 && len(words[0]) <= maxOutward+maxInward && text.HasDigit(words[0]):
		word := words[0]
		for size := minInward; size <= maxInward && size < len(word); size++ {
			cut := len(word) - size
			if isOutward(word[:cut]) && isAlphanumeric(word[cut:]) {
				if code, ok := find(word[:cut], word[cut:]); ok {
					return code, true
				}
			}
		}
	}
	return 0, false
}

// appendCode appends the text of a code, its words apart or together.
func (x *Index) appendCode(dst []byte, code uint32, together bool) []byte {
	dst = append(dst, x.phrases.At(x.codes.outwards[x.codes.blockOf(code)])...)
	if !together {
		dst = append(dst, ' ')
	}
	return appendInward(dst, x.codes.inwards[code])
}

// centreOfCode returns the centre of a code.
func (x *Index) centreOfCode(code uint32) (centre geo.Point, ok bool) {
	pubs := x.codes.pubsOf(code)
	if len(pubs) == 1 {
		centre = x.points.Point(pubs[0])
		return centre, isKnown(centre)
	}
	var room [maxCodePubs]topk.Item
	values := room[:0]
	return centreOf(pubs, x.points.Point, &values)
}

// code writes or reads the codes of a number of phrases and pubs.
func (c *codes) code(f indexfile.Codec, phrases, pubs int) {
	indexfile.Array(f, "places.codes.outwards", &c.outwards)
	indexfile.ArrayN(f, "places.codes.starts", &c.starts, len(c.outwards)+1)
	indexfile.Array(f, "places.codes.inwards", &c.inwards)
	indexfile.ArrayN(f, "places.codes.pubs", &c.pubs, len(c.inwards))
	indexfile.Array(f, "places.codes.joined", &c.joined)
	indexfile.CheckBelow(f.Reader, "places.codes.outwards", c.outwards, phrases)
	indexfile.CheckOffsets(f.Reader, "places.codes.starts", c.starts, len(c.pubs))
	indexfile.CheckBelow(f.Reader, "places.codes.pubs", c.pubs, pubs)
	indexfile.CheckBelow(f.Reader, "places.codes.joined", c.joined, len(c.pubs))
}
