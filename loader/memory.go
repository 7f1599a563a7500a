package loader

import (
	"fmt"
	"hash/maphash"
	"math/bits"
)

// What a pub and its texts take in bytes while [index.Build] runs, the directory and the index file included: more than the most that
// was live on the heap at any collection, at GOGC=10, and the size of the file, measured in bytes a pub and estimated by the costs
// below: the pubs of the United Kingdom 1,440 (1,430), 100,000 made-up ones 2,040 (2,170), 100,000 named with a letter 730 (640), 200 words
// out of 46,656 that few other pubs have beside each other 40,800 (46,600), 160 random words of five letters in an address 52,700 (60,700), 200
// of four in a name 69,400 (70,500), 45 of 20 letters 34,900 (34,900), 300 Chinese characters 15,900 (58,300), and names of ligatures that
// fold to four words each 21,600 (58,200). Some 10 MB that building takes however few the pubs are is in what was measured, and not in the
// estimate.
const (
	pubCost    = 550
	uidCost    = 4   // of a byte of a UID
	wordCost   = 220 // of a word, and of any ASCII but letters and digits, behind which a word may begin
	byteCost   = 26  // of its letters and digits
	metCost    = 120 // of a word that was met behind the same two words
	metByte    = 8   // of its letters and digits
	firstCost  = -60 // of the first word of a text besides: it is written together with none before it
	beyondCost = 64  // of a byte beyond ASCII: a character may be a word, or fold to several
	sharedCost = 2   // of a byte of a text that an earlier pub has, too
)

// RoomError tells that a snapshot needs more memory than Options.Room.
type RoomError struct {
	// File is the name that the caller gave.
	File string
	// Pubs is about how many pubs the file has, to two digits, by the part of it that was read; 0 when none of it was.
	Pubs int
	// Need is about how many bytes serving them would take, Room how many there are.
	Need, Room int64
}

// Error is in MiB, as memory limits are.
func (e *RoomError) Error() string {
	const mib = 1 << 20
	subject := "the file"
	if e.Pubs > 0 {
		subject = fmt.Sprintf("some %d pubs", e.Pubs)
	}
	return fmt.Sprintf("%s: %s would take about %d MiB of memory, and %d MiB are free: raise the memory limit or serve fewer pubs",
		Visible(e.File), subject, (e.Need+mib-1)/mib, max(e.Room, 0)/mib)
}

// wordCosts estimates what texts take. It knows which words were met behind which two, as up to three neighbouring words are indexed
// written together, and take more where they are new. Where it has forgotten one, it estimates more.
type wordCosts struct {
	seed maphash.Seed // so that no file can have words that pass for others
	met  [1 << 18]uint32
}

func newWordCosts() *wordCosts { return &wordCosts{seed: maphash.MakeSeed()} }

// of returns what a text takes that no earlier pub has.
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
		if w.isMet(hash ^ bits.RotateLeft64(before, 21) ^ bits.RotateLeft64(beforeThat, 42)) {
			cost += metCost + metByte*ascii
		} else {
			cost += wordCost + byteCost*ascii
		}
		cost += beyondCost * (int64(end-start) - ascii)
		start, before, beforeThat = end, hash, before
	}
	return cost
}

// isMet reports whether a hash was met lately, and notes it.
func (w *wordCosts) isMet(hash uint64) bool {
	slot := &w.met[hash%uint64(len(w.met))]
	isMet := *slot == uint32(hash>>32)
	*slot = uint32(hash >> 32)
	return isMet
}

// isWord reports whether a byte continues a word, perhaps.
func isWord(c byte) bool {
	return c >= 0x80 || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
