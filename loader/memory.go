package loader

import (
	"fmt"
	"hash/maphash"
	"math/bits"
)

// Costs of a pub and its texts while [index.Build] runs, in bytes, including the directory and the index file. Measured: the maximum of the
// live heap at any collection, at GOGC=10, plus the size of the file, in bytes per pub; in parentheses the estimate by the costs below. The
// pubs of the United Kingdom 1,440 (1,430), 100,000 synthetic ones 2,040 (2,170), 100,000 named with one letter 730 (640), 200 words out of
// 46,656, in combinations that few other pubs have, 40,800 (46,600), 160 random words of five letters in an address 52,700 (60,700), 200 of
// four in a name 69,400 (70,500), 45 of 20 letters 34,900 (34,900), 300 Chinese characters 15,900 (58,300), and names of ligatures that
// fold to four words each 21,600 (58,200). Building takes about 10 MB regardless of the number of pubs, which is part of the measurement
// but not of the estimate.
const (
	pubCost    = 550
	uidCost    = 4   // per byte of a UID
	wordCost   = 220 // per word, and per ASCII character other than letters and digits, which may separate words
	byteCost   = 26  // per letter and digit of a word
	metCost    = 120 // per word seen before after the same two words
	metByte    = 8   // per letter and digit of such a word
	firstCost  = -60 // for the first word of a text: it forms no joined word with an earlier one
	beyondCost = 64  // per non-ASCII byte: a character may be a word, or fold to several
	sharedCost = 2   // per byte of a text that an earlier pub has, too
)

// A RoomError says that a snapshot needs more memory than Options.Room.
type RoomError struct {
	// File is the name passed by the caller.
	File string
	// Pubs is the approximate number of pubs in the file, to two digits, estimated from the part that was read; 0 if none was read.
	Pubs int
	// Need is about how many bytes serving them would take, Room how many are available.
	Need, Room int64
}

// Error shows MiB, as memory limits do.
func (e *RoomError) Error() string {
	const mib = 1 << 20
	subject := "the file"
	if e.Pubs > 0 {
		subject = fmt.Sprintf("some %d pubs", e.Pubs)
	}
	return fmt.Sprintf("%s: %s would take about %d MiB of memory, and %d MiB are free: raise the memory limit or serve fewer pubs",
		Visible(e.File), subject, (e.Need+mib-1)/mib, max(e.Room, 0)/mib)
}

// wordCosts estimates the memory for texts. It remembers which words occurred after which two, because up to three adjacent words are also
// indexed as one, and new combinations take more. If it has forgotten a combination, it overestimates.
type wordCosts struct {
	seed maphash.Seed // random, so that no file can provoke collisions
	met  []uint32     // hashes of combinations, each at its remainder; it grows to maxMet, so that a small file needs little
	more int          // combinations added since it grew
}

const (
	minMet = 1 << 10
	maxMet = 1 << 18
)

func newWordCosts() *wordCosts {
	return &wordCosts{seed: maphash.MakeSeed(), met: make([]uint32, minMet)}
}

// of returns the cost of a text that no earlier pub has.
func (w *wordCosts) of(text string) int64 {
	cost := int64(firstCost)
	var before, beforeThat uint64
	for start := 0; start < len(text); {
		end, ascii := start, int64(0)
		for ; end < len(text) && (end == start || isWord(text[end])); end++ {
			if text[end] < 0x80 {
				ascii++
			}
		}
		hash := maphash.String(w.seed, text[start:end])
		if w.isMet(uint32((hash ^ bits.RotateLeft64(before, 21) ^ bits.RotateLeft64(beforeThat, 42)) >> 32)) {
			cost += metCost + metByte*ascii
		} else {
			cost += wordCost + byteCost*ascii
		}
		cost += beyondCost * (int64(end-start) - ascii)
		start, before, beforeThat = end, hash, before
	}
	return cost
}

// isMet reports whether a hash was seen recently, and remembers it.
func (w *wordCosts) isMet(hash uint32) bool {
	slot := &w.met[hash%uint32(len(w.met))]
	if *slot == hash {
		return true
	}
	*slot = hash
	if w.more++; w.more > len(w.met)/4 && len(w.met) < maxMet {
		grown := make([]uint32, 4*len(w.met))
		for _, hash := range w.met {
			grown[hash%uint32(len(grown))] = hash
		}
		w.met, w.more = grown, 0
	}
	return false
}

// isWord reports whether a byte may continue a word.
func isWord(c byte) bool {
	return c >= 0x80 || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
