package data

// uidSymbols has no vowels, so that no UID spells a word.
const uidSymbols = "0123456789bcdfghjklmnpqrstvwxyz"

const (
	uidBits  = 29
	uidWidth = 6 // 31^6 is above 2^29
	uidMask  = 1<<uidBits - 1
)

// appendUID appends the UID of a row: six of uidSymbols. The first 2^29 rows of a seed
// have distinct UIDs, because every step is invertible modulo 2^29.
func appendUID(dst []byte, seed uint64, row uint32) []byte {
	seed = (seed + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	x := (row ^ uint32(seed>>35)) & uidMask
	for range 3 {
		x = x * 0x2c1b3c6d & uidMask
		x ^= x >> 15
		x = (x + uint32(seed)) & uidMask
	}
	var text [uidWidth]byte
	for i := uidWidth - 1; i >= 0; i-- {
		text[i] = uidSymbols[x%uint32(len(uidSymbols))]
		x /= uint32(len(uidSymbols))
	}
	return append(dst, text[:]...)
}
