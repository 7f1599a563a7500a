package bench_test

import (
	"fmt"

	"pubd/bench"
)

func ExampleMedian() {
	fmt.Println(bench.Median([]float64{9, 1, 4, 2}))
	// Output: 3
}
