package postings_test

import (
	"fmt"

	"pubd/index/postings"
)

func Example() {
	var pool postings.Pool
	pool.Reset(1000)
	red, lion := postings.Of([]uint32{3, 14, 15, 92}), postings.Of([]uint32{14, 15, 65})
	both := pool.Intersect([]postings.Set{red, lion})
	either := pool.Union([]postings.Set{red, lion})
	fmt.Println(pool.List(both), pool.List(either), pool.List(pool.Difference(either, both)))
	// Output: [14 15] [3 14 15 65 92] [3 65 92]
}
