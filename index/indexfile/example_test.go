package indexfile_test

import (
	"fmt"
	"os"

	"pubd/index/indexfile"
)

func Example() {
	f, err := os.CreateTemp("", "*.idx")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	w := indexfile.NewWriter(f, indexfile.Header{Pubs: 2, BuilderVersion: "example"})
	indexfile.Put(w, "numbers", []uint32{7, 11})
	if err := w.Finish(); err != nil {
		fmt.Println(err)
		return
	}
	mapping, err := indexfile.Map(f, 1<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mapping.Unmap()
	file, err := indexfile.Parse(mapping.Content)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := indexfile.NewReader(file)
	fmt.Println(indexfile.TakeN[uint32](r, "numbers", 2), r.Err())
	indexfile.Take[uint32](r, "names")
	fmt.Println(r.Err())
	// Output:
	// [7 11] <nil>
	// section "names": missing; build it again with pubd build
}
