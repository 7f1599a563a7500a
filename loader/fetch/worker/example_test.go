package worker_test

import (
	"context"
	"fmt"
	"math"

	"pubd/index"
	"pubd/loader/fetch/worker"
)

// The program that calls Build must call Run for the command builder, as the tests of this package do.
func ExampleBuild() {
	sample := worker.Order{Builder: "example", Free: worker.Room{Bytes: math.MaxInt64, Of: "the example"}}
	result, err := worker.Build(context.Background(), sample, nil, worker.Hooks{
		Read:     func(string) bool { return true },
		Progress: func(string, int64, int64) {},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	snapshot, err := index.Open(result.Index, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(snapshot.Len(), "pubs of", result.Source[:16])
	// Output:
	// 2000 pubs of 0021d5894467aa52
}
