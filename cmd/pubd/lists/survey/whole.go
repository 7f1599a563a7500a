package survey

import (
	"fmt"
	"math"
	"slices"

	"pubd/index/schema"
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
		f.whole = append(f.whole, FileFinding{Kind: UIDs, Column: schema.Columns[schema.ColumnUID].Name, Pubs: count, Of: len(f.pubs),
			Reason: fmt.Sprintf("%d of %d UIDs lack digits that a spreadsheet program dropped, such as %s", count, len(f.pubs), example),
			Advice: "format the column as text before the digits are lost, and export the file again"})
	}
}

// findScale detects ratings that are out of 5: none is higher, some are nearly 5, one in ten is 4 or more, and half of
// them are 2.5 or more.
func (f *finder) findScale() {
	pubs, ratings := 0, []float64{}
	for i := range f.pubs {
		before := len(ratings)
		for _, rating := range f.pubs[i].Ratings {
			if !math.IsNaN(rating) {
				ratings = append(ratings, rating)
			}
		}
		if len(ratings) > before {
			pubs++
		}
	}
	slices.Sort(ratings)
	if n := len(ratings); pubs >= minRows && 4.5 < ratings[n-1] && ratings[n-1] <= 5 && ratings[n*9/10] >= 4 && ratings[n/2] >= 2.5 {
		f.whole = append(f.whole, FileFinding{Kind: Scale, Pubs: pubs, Of: len(f.pubs),
			Reason: fmt.Sprintf("ratings are probably out of 5: those of %d pubs go up to %v, and none is higher", pubs, ratings[n-1]),
			Advice: "multiply them by 2, if they are"})
	}
}
