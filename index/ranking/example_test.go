package ranking_test

import (
	"fmt"
	"math"

	"pubd/index/postings"
	"pubd/index/ranking"
)

func Example() {
	rated := postings.NewBitmap(5)
	for ordinal := range uint32(5) {
		rated.Add(ordinal)
	}
	beer := ranking.NewNumeric([]float64{7, math.NaN(), 9, 7, 2}, rated)
	var pool postings.Pool
	pool.Reset(5)
	w := ranking.Workspace{Pool: &pool}
	found := postings.Of([]uint32{0, 1, 3, 4})
	fmt.Println(beer.AppendWindow(nil, found, true, 0, 3, &w), beer.Rank(3), beer.Value(4))
	// Output: [0 3 4] 2 2
}
