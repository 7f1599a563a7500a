package survey

import (
	"fmt"
	"math"

	"pubd/index"
	"pubd/loader"
)

// A FileFinding is a mistake that probably is in the whole file, or in many of its rows.
type FileFinding struct {
	Kind Kind `json:"kind"`
	// Column is the name of the column; empty for several kinds about coordinates.
	Column string `json:"column,omitempty"`
	// Pubs is how many pubs have the mistake, Of among how many.
	Pubs int `json:"pubs"`
	Of   int `json:"of"`
	// Reason says what is odd, Advice what to do about it, in a few words.
	Reason string `json:"reason"`
	Advice string `json:"advice"`
}

// The kinds that only a whole file has.
const (
	Scale Kind = "scale"
	UIDs  Kind = "uids"
	Hours Kind = "hours"
)

const (
	// minRows is how many values a column must have to be judged.
	minRows = 20
	// minShortened is how many UIDs must look like numbers that were shortened.
	minShortened = 3
)

func (f *finder) findShortened() {
	count, example := 0, ""
	for i := range f.pubs {
		if uid := f.pubs[i].UID; loader.IsShortened(uid) {
			if count++; count == 1 {
				example = uid
			}
		}
	}
	if count >= minShortened {
		f.whole = append(f.whole, FileFinding{Kind: UIDs, Column: index.Columns[index.ColumnUID].Name, Pubs: count, Of: len(f.pubs),
			Reason: fmt.Sprintf("%d of %d UIDs lack digits that a spreadsheet program dropped, such as %s", count, len(f.pubs), example),
			Advice: "format the column as text before the digits are lost, and export the file again"})
	}
}

// findScale detects ratings that are out of 5: none is higher, some are nearly 5, and half of them are in its upper
// half.
func (f *finder) findScale() {
	pubs, high, upper, all, most := 0, 0, 0, 0, 0.0
	for i := range f.pubs {
		rated := false
		for _, rating := range f.pubs[i].Ratings {
			if math.IsNaN(rating) {
				continue
			}
			if most = max(most, rating); most > 5 {
				return
			}
			rated = true
			all++
			if rating >= 4 {
				high++
			}
			if rating >= 2.5 {
				upper++
			}
		}
		if rated {
			pubs++
		}
	}
	if pubs >= minRows && most > 4.5 && 10*high >= all && 2*upper >= all {
		f.whole = append(f.whole, FileFinding{Kind: Scale, Pubs: pubs, Of: len(f.pubs),
			Reason: fmt.Sprintf("ratings are probably out of 5: those of %d pubs go up to %v, and none is higher", pubs, most),
			Advice: "multiply them by 2, if they are"})
	}
}
