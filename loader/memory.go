package loader

import "fmt"

// What a pub and its texts take in bytes while [index.Build] runs, the directory and the index file included: more than the most that
// was live on the heap at any collection, at GOGC=10, and the size of the file, measured in bytes a pub and estimated by the costs
// below: the pubs of the United Kingdom 1,400 (1,800), 100,000 made-up ones 1,160 (1,700), a digit and a letter 720 (850), the same with
// coordinates and ratings 890 (850), twelve words 1,590 (4,900), 200 words that no other pub has 58,000 (69,000), 300 Chinese
// characters 24,200 (58,400), and names of ligatures that fold to four words each 21,400 (58,400). Some 10 MB that building takes
// however few the pubs are is not in it.
const (
	pubCost    = 450
	byteCost   = 16  // of ASCII letters and digits
	wordCost   = 280 // of the beginning of a text, and of any other ASCII, behind which a word may begin
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

// textCost is what a text takes that no earlier pub has.
func textCost(text string) int64 {
	cost := wordCost
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 0x80:
			cost += beyondCost
		case '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z':
			cost += byteCost
		default:
			cost += wordCost
		}
	}
	return int64(cost)
}
