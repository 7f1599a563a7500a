package loader

import (
	"fmt"
	"strings"
	"testing"
)

// Space for pubs is estimated from the beginning of a file: a uniform file wastes little, and one that begins with
// short rows wastes at most three times its pubs.
func TestRoomForPubs(t *testing.T) {
	const few = 2_000
	for _, c := range []struct {
		what, long string // the name of the pubs after the first few
		rows       int
		most       float64 // of the pubs that there are
	}{
		{"rows that are alike", "The Bell", 200_000, 1.1},
		{"long rows behind short ones", strings.Repeat("Bells", 200), 10_000, 4},
		{"few rows", "The Bell", 10, 200},
	} {
		var text strings.Builder
		text.WriteString("UID,name\n")
		for i := range c.rows {
			name := c.long
			if i < few {
				name = "The Bell"
			}
			fmt.Fprintf(&text, "%06d,%s\n", i, name)
		}
		for form, content := range map[string][]byte{"pubs.csv": []byte(text.String()), "pubs.csv.gz": pack(t, ".gz", text.String())} {
			result, err := Load(form, content, Options{})
			ok(t, err)
			pubs := result.Directory.Pubs
			isTooMuch := float64(cap(pubs)) > c.most*float64(len(pubs))
			failIf(t, len(pubs) != c.rows || isTooMuch, "%s, %s: room for %d of %d pubs, want at most %v times as many", c.what, form, cap(pubs), len(pubs), c.most)
		}
	}
}
