package spool_test

import (
	"fmt"

	"pubd/index/spool"
)

func Example() {
	space := spool.InMemory()
	defer space.Close()
	squares := spool.New[uint32](space)
	for i := range uint32(1_000_000) {
		squares.Append(i * i)
	}
	fmt.Println(squares.Len(), squares.Values()[:5])
	// Output:
	// 1000000 [0 1 4 9 16]
}
